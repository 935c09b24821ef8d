package ranking

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func rankingConfig(data string) config.Config {
	c := config.Default()
	c.Task = config.Task{Name: "ranking", Data: data}
	return c
}

func openRanking(t *testing.T, c config.Config) *Task {
	t.Helper()
	if err := infer(&c); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Resolve(); err != nil {
		t.Fatal(err)
	}
	work, err := made(&c)
	if err != nil {
		t.Fatal(err)
	}
	return work.(*Task)
}

// judged is a file of queries with 2 to 5 documents: the first feature is the relevance with a
// large scale, the second the same everywhere, the third now and then huge.
func judged(queries int) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	for q := range queries {
		for range 2 + q%4 {
			rel := rng.IntN(3)
			huge := rng.NormFloat64()
			if rng.IntN(20) == 0 {
				huge = 1.797e308
			}
			fmt.Fprintf(&b, "%d qid:%d 1:%g 2:7 3:%g\n", rel, q, 1e6*(float64(rel)+rng.Float64()), huge)
		}
	}
	return b.String()
}

func TestCompleteSaysWhatTheDataHas(t *testing.T) {
	for _, c := range []struct {
		file, text string
		task       config.Task
		encoder    string
	}{
		{"a.txt", judged(40), config.Task{N: 5, Items: "features", Features: 3}, "features"},
		{"a.soc", "# NUMBER ALTERNATIVES: 3\n4: 2,1,3\n1: 3,1,2\n", config.Task{N: 3, Items: "bare"}, "table"},
		{"a.csv", "set,item,rank\na,x,1\na,y,2\nb,y,1\nb,z,2\n", config.Task{N: 3, Items: "bare"}, "table"},
		{"a.csv", "set,item,rank,f\na,x,1,0.5\na,y,2,1\nb,y,1,3\nb,z,2,4\n", config.Task{N: 2, Items: "features", Features: 1}, "features"},
		{"a.jsonl", `{"items": [{"point": [0, 1]}, {"point": [2, 3]}], "order": [1, 0]}`, config.Task{N: 2, Items: "points"}, "points"},
		{"a.jsonl", `{"items": [{"image": "a.png"}, {"image": "b.png"}], "order": [1, 0]}`, config.Task{N: 2, Items: "images", Pixels: 28}, "cnn"},
	} {
		cfg := rankingConfig(write(t, c.file, c.text))
		if err := infer(&cfg); err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		c.task.Name, c.task.Data = "ranking", cfg.Task.Data
		if diff := cmp.Diff(c.task, cfg.Task); diff != "" || cfg.Model.Encoder != c.encoder {
			t.Errorf("%s: encoder %q, wanted %q; task (-want +got):\n%s", c.text, cfg.Model.Encoder, c.encoder, diff)
		}
		if _, err := cfg.Resolve(); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

func TestCompleteErrors(t *testing.T) {
	for want, c := range map[string]config.Config{
		"task.data: missing":                            rankingConfig(""),
		"no such file":                                  rankingConfig(filepath.Join(t.TempDir(), "none.csv")),
		"no set of 2 to 200 items has an order":         rankingConfig(write(t, "a.csv", "set,item,rank\na,x,1\n")),
		"items are points, wanted bare as in the first": rankingConfig(write(t, "a.jsonl", `{"items": [{}, {}], "order": [1, 0]}`+"\n"+`{"items": [{"point": [0, 1]}], "order": [0]}`)),
	} {
		if err := infer(&c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, wanted %q", err, want)
		}
	}
}

// Of all batches each size has its share where none is padded; orders keep to what is
// known; the same numbers give the same batch.
func TestRankingExamples(t *testing.T) {
	const queries = 400
	r := openRanking(t, rankingConfig(write(t, "a.txt", judged(queries))))
	sizes := map[int]int{}
	const batches, size = 300, 4
	for b := range batches {
		e, err := r.Examples(task.Train, b*size, size)
		if err != nil {
			t.Fatal(err)
		}
		n := e.Objects.Shape().Dimensions[1]
		sizes[n]++
		for _, o := range e.Clean {
			if len(o) != n || o.Validate() != nil {
				t.Fatalf("order %v of a set of %d", o, n)
			}
		}
		flat := tensors.MustCopyFlatData[float32](e.Objects)
		// The first feature says the relevance: it falls along the order but for ties.
		for i, o := range e.Clean {
			grade := func(k int) int { // from the standardised value back to 0, 1 or 2
				v := float64(flat[(i*n+k)*3])*r.scale.Deviation[0] + r.scale.Mean[0]
				return int(v / 1e6)
			}
			for j := 1; j < n; j++ {
				if grade(o[j]) > grade(o[j-1]) {
					t.Fatalf("batch %d: set %d: order %v puts relevance %d before %d", b, i, o, grade(o[j-1]), grade(o[j]))
				}
			}
		}
		again, err := r.Examples(task.Train, b*size, size)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(e.Clean, again.Clean); diff != "" {
			t.Fatalf("batch %d is another one the second time:\n%s", b, diff)
		}
	}
	for n := 2; n <= 5; n++ { // a quarter each, give or take 5 standard deviations
		if d := math.Abs(float64(sizes[n]) - batches/4); d > 5*math.Sqrt(batches*3./16) {
			t.Errorf("size %d: %d of %d batches, wanted about a quarter", n, sizes[n], batches)
		}
	}
}

// Features of the training part have mean 0 and deviation 1, a constant one is 0, and a huge
// one leaves all finite.
func TestFeaturesAreStandardised(t *testing.T) {
	r := openRanking(t, rankingConfig(write(t, "a.txt", judged(500))))
	sets, _, err := r.Sets(task.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	var sum, square [3]float64
	var count [3]float64
	for _, s := range sets {
		x, _, err := r.Objects(t.Context(), []*dataset.Set{s})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range tensors.MustCopyFlatData[float32](x) {
			if math.IsNaN(float64(v)) || math.Abs(float64(v)) > cutOff {
				t.Fatalf("feature %d is %v, wanted at most %d", i%3, v, cutOff)
			}
			if raw := s.Items[i/3].Features[i%3]; raw > 1e30 {
				if v != cutOff {
					t.Errorf("%g became %v, wanted %d", raw, v, cutOff)
				}
				continue
			}
			sum[i%3] += float64(v)
			square[i%3] += float64(v) * float64(v)
			count[i%3]++
		}
	}
	for j := range 3 {
		want := 1.0
		if j == 1 {
			want = 0
		}
		if mean, deviation := sum[j]/count[j], math.Sqrt(square[j]/count[j]); math.Abs(mean) > 1e-5 || math.Abs(deviation-want) > 1e-5 {
			t.Errorf("feature %d: mean %v, deviation %v, wanted 0 and %v", j, mean, deviation, want)
		}
	}
}

// newRun is the directory of a run that has made no step.
func newRun(t *testing.T) *run.Dir {
	t.Helper()
	c := config.Default()
	c.Task, c.Model.Encoder = config.Task{Name: "delta", N: 3, Target: "identity"}, "table"
	dir, err := run.Create(filepath.Join(t.TempDir(), "run"), &c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = dir.Close() })
	return dir
}

// A model needs no data but what is kept: after Restore, objects are the same.
func TestKeepAndRestore(t *testing.T) {
	c := rankingConfig(write(t, "a.txt", judged(100)))
	if err := infer(&c); err != nil {
		t.Fatal(err)
	}
	r := openRanking(t, c)
	dir := newRun(t)
	if err := r.Keep(dir); err != nil {
		t.Fatal(err)
	}
	sets, _, err := r.Sets(task.Test, 3)
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := r.Objects(t.Context(), sets[:1])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(c.Task.Data); err != nil {
		t.Fatal(err)
	}
	read = nil // as in another process
	other := openRanking(t, c)
	if err := other.Restore(dir); err != nil {
		t.Fatal(err)
	}
	got, _, err := other.Objects(t.Context(), sets[:1])
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tensors.MustCopyFlatData[float32](want), tensors.MustCopyFlatData[float32](got)); diff != "" {
		t.Error(diff)
	}
	c.Task.Features = 2
	if err := openRanking(t, c).Restore(dir); err == nil || !strings.Contains(err.Error(), "wanted task.features = 2") {
		t.Errorf("error %v", err)
	}
}

// Every voter is dealt into one part, those of one order apart; a test file is the test part.
func TestVotersAreDealtOut(t *testing.T) {
	data := write(t, "a.soc", "# NUMBER ALTERNATIVES: 3\n3000: 2,1,3\n1000: 3,1,2\n")
	r := openRanking(t, rankingConfig(data))
	all := map[string]int{}
	for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
		sets, weights, err := r.Sets(split, 0)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for i, s := range sets {
			all[s.ID] += weights[i]
			sum += weights[i]
		}
		want := map[task.Split]float64{task.Train: 3200, task.Validation: 400, task.Test: 400}[split]
		if d := math.Abs(float64(sum) - want); d > 5*math.Sqrt(want) {
			t.Errorf("split %d has %d voters, wanted about %v", split, sum, want)
		}
	}
	if diff := cmp.Diff(map[string]int{"1": 3000, "2": 1000}, all); diff != "" {
		t.Error(diff)
	}
	c := rankingConfig(data)
	c.Task.Test = write(t, "b.soc", "# NUMBER ALTERNATIVES: 3\n7: 1,2,3\n")
	sets, weights, err := openRanking(t, c).Sets(task.Test, 0)
	if err != nil || len(sets) != 1 || weights[0] != 7 {
		t.Errorf("%d test sets of weights %v (%v), wanted the one of the file", len(sets), weights, err)
	}
}

// What is left out is counted and said.
func TestSetsAreLeftOut(t *testing.T) {
	c := rankingConfig(write(t, "a.csv", "set,item,rank,f\na,x,1,0\na,y,2,1\na,z,3,1\nb,x,1,1\nb,y,2,3\nc,x,1,3\nc,y,,2\nd,x,1,1\nd,y,2,3\ne,x,1,1\ne,y,1,3\n"))
	c.Task.N = 2
	r := openRanking(t, c)
	if _, _, err := r.Sets(task.Train, 0); err != nil {
		t.Fatal(err)
	}
	text := strings.Join(r.Dropped, "\n")
	for _, want := range []string{"1 of 5 sets left out, they have more than task.n = 2 items", "2 of 5 sets left out, they put no item before another"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said in %q", want, text)
		}
	}
}

// Of votes the voters are counted, not the different ballots, and a header that is wrong is said.
func TestVotersAreLeftOut(t *testing.T) {
	path := write(t, "a.soi", "# DATA TYPE: soi\n# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 99\n5: 1,2,3\n30: 2\n2: 3,1\n7: {}\n")
	c := rankingConfig(path)
	c.Task.Items, c.Task.N, c.Model.Encoder, c.Model.Hidden = "bare", 3, "table", nil
	r := openRanking(t, c)
	if _, _, err := r.Sets(task.Train, 0); err != nil {
		t.Fatal(err)
	}
	want := []string{path + ": the header says 99 voters, the file has 44 voters and 4 orders: was it cut off, or changed?", path + ": 37 of 44 voters left out, they put no item before another"}
	if d := cmp.Diff(want, r.Dropped); d != "" {
		t.Error(d)
	}
}

// However many gave one order, each of them is dealt out.
func TestDeal(t *testing.T) {
	for _, count := range []int{1, 9, 1000, dealtApart, dealtApart + 7, dealtApart + 10, 1_000_000, dataset.MaxVoters} {
		for _, test := range []bool{false, true} {
			share := deal(rand.New(rand.NewPCG(1, 2)), count, test)
			if sum := share[task.Train] + share[task.Validation] + share[task.Test]; sum != count {
				t.Errorf("%d of %d are dealt out", sum, count)
			}
			// A tenth, but for five standard deviations of the draws.
			tenth := func(got int) bool {
				return math.Abs(float64(got)-float64(count)/10) <= 5*0.3*math.Sqrt(min(float64(count), dealtApart+9))+1
			}
			if !tenth(share[task.Validation]) || test && !tenth(share[task.Test]) || !test && share[task.Test] != 0 {
				t.Errorf("%d with test %v: %v", count, test, share)
			}
		}
	}
}

// All items of a list tied: it says nothing, and no order of it would be wrong.
func TestTiedSetsAreLeftOut(t *testing.T) {
	tied := write(t, "a.csv", "set,item,rank,f\na,x,1,0\na,y,1,1\nb,x,2,1\nb,y,2,3\n")
	c := rankingConfig(tied)
	c.Task.N = 0
	if err := infer(&c); err == nil || !strings.Contains(err.Error(), "no set of 2 to 200 items has an order") {
		t.Errorf("error %v", err)
	}
	c.Task.N, c.Task.Items, c.Task.Features, c.Model.Encoder = 2, "features", 1, "features"
	if _, _, err := openRanking(t, c).Sets(task.Test, 0); err == nil || !strings.Contains(err.Error(), "hint: "+tied+": 2 of 2 sets left out") {
		t.Errorf("error %v", err)
	}
}

// Of few sets there is one to train on and one to test on, and of one there is none.
func TestFewSets(t *testing.T) {
	lists := func(count int) string {
		text := "set,item,rank\n"
		for s := range count {
			text += fmt.Sprintf("%d,x,1\n%[1]d,y,2\n", s)
		}
		return text
	}
	for count := 2; count < 30; count++ {
		r := openRanking(t, rankingConfig(write(t, "a.csv", lists(count))))
		sum := 0
		for _, split := range []task.Split{task.Train, task.Validation, task.Test} {
			_, weights, err := r.Sets(split, 0)
			if err != nil && (split != task.Validation || !errors.Is(err, task.ErrNoSets)) {
				t.Errorf("%d sets: split %d: %v", count, split, err)
			}
			for _, w := range weights {
				sum += w
			}
		}
		if sum != count {
			t.Errorf("%d sets: %d are dealt out", count, sum)
		}
	}
	if _, _, err := openRanking(t, rankingConfig(write(t, "a.csv", lists(1)))).Sets(task.Train, 0); err == nil || !strings.Contains(err.Error(), "wanted 2 sets or more") {
		t.Errorf("one set: error %v", err)
	}
}

// Sets that are padded to one size share batches, each with its own objects first; a batch of one
// size has no padding.
func TestRankingMixesSizes(t *testing.T) {
	var b strings.Builder
	for q := range 300 {
		for i := range []int{2, 5, 6, 7, 8}[q%5] {
			fmt.Fprintf(&b, "%d qid:%d 1:%d 2:%d\n", i%3, q+1, q+1, i+1)
		}
	}
	c := rankingConfig(write(t, "a.txt", b.String()))
	c.Task.N, c.Task.Features = 8, 2
	r := openRanking(t, c)
	lists := map[int]int{}
	const batches, size = 200, 8
	for b := range batches {
		e, err := r.Examples(task.Train, b*size, size)
		if err != nil {
			t.Fatal(err)
		}
		n := e.Objects.Shape().Dimensions[1]
		if want := map[int]bool{2: false, 6: true, 8: true}; want[n] != e.Padded {
			t.Fatalf("sets of up to %d: padded %v", n, e.Padded)
		}
		flat := tensors.MustCopyFlatData[float32](e.Objects)
		for i, o := range e.Clean {
			lists[len(o)]++
			if got := denoiser.PaddedSize(len(o), 8); got != n || o.Validate() != nil {
				t.Fatalf("order %v among sets of up to %d", o, n)
			}
			for k := range n {
				if own := flat[(i*n+k)*2+1] != 0; own != (k < len(o)) {
					t.Fatalf("set of %d padded to %d: object %d is %g", len(o), n, k, flat[(i*n+k)*2:][:2])
				}
			}
		}
	}
	for _, n := range []int{2, 5, 6, 7, 8} { // a fifth each, of batches that are of one bucket
		if share := float64(lists[n]) / (batches * size); math.Abs(share-0.2) > 0.1 {
			t.Errorf("%.2f of the lists have %d items, wanted about a fifth", share, n)
		}
	}
}

// made is the task of a configuration, with its keys checked, as package tasks makes it.
func made(c *config.Config) (task.Task, error) {
	if err := c.Check("task"); err != nil {
		return nil, err
	}
	t, err := open(c)
	return t, config.Within("task", err)
}
