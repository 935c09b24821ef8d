package evaluate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// lists is a small model of ranked lists with ties. Its test part has the sets of a, four items x <
// y = z < w; b, two items; c, of whose three items one has no rank; and d, all tied.
func lists(t *testing.T) *learn.Model {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("set,item,rank,f\n"+text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	train := ""
	for s := range 20 {
		for k := range 2 + s%3 {
			train += fmt.Sprintf("%d,%d,%d,%d\n", s, k, k+1, k*s)
		}
	}
	cfg := tiny()
	cfg.Task = config.Task{
		Name: "ranking", Data: write("train.csv", train),
		Test: write("test.csv", "a,x,1,5\na,y,2,3\na,z,2,1\na,w,4,4\nb,x,2,1\nb,y,1,2\nc,x,1,1\nc,y,,5\nc,z,2,3\nd,x,1,1\nd,y,1,2\n"),
	}
	cfg.Model.Encoder, cfg.Model.Hidden = "", nil
	return newModel(t, cfg, openEngine(t, "go"))
}

// What is not known of a list is no prediction: of a 5 of the 6 pairs and the places of x and w,
// of b one pair and two places, of c one pair and no place, of d nothing.
func TestCalibrateLists(t *testing.T) {
	m := lists(t)
	var done []int
	c, err := Calibrate(t.Context(), m, 100, 20, func(i, of int) { done = append(done, i, of) })
	if err != nil {
		t.Fatal(err)
	}
	if c.Pairs.Predictions != 5+1+1 || c.Places.Predictions != 2*4+2*2 || c.Sets != 3 || c.Lists != 3 || c.N != 4 {
		t.Errorf("%+v: wanted 7 pairs and 12 places of 3 lists", c)
	}
	if !slices.Equal(done, []int{1, 3, 2, 3, 3, 3}) {
		t.Errorf("progress %v", done)
	}
	if text := strings.Join(c.Warnings, "\n"); !strings.Contains(text, "test.csv: 1 of 4 sets left out") {
		t.Errorf("warnings %q do not say what was left out", text)
	}
	again, err := Calibrate(t.Context(), m, 100, 20, nil)
	if err != nil || again.Pairs.Error != c.Pairs.Error || again.Places.Error != c.Places.Error {
		t.Errorf("another calibration: %+v, %v", again, err)
	}
}

// By hand: two samples of three items, 0 1 2 and 0 2 1, and three voters.
func TestCalibrateLevelsByHand(t *testing.T) {
	ranks := []perm.Rank{perm.Order{0, 1, 2}.Rank(), perm.Order{0, 2, 1}.Rank()}
	var pairs, places metric.Calibration
	// Item 0 before 1 and 2 for certain, and so it is; of 1 and 2 nothing is known.
	if err := calibrateLevels(dataset.BucketOrder{{0}, {1, 2}}, ranks, 3, &pairs, &places); err != nil {
		t.Fatal(err)
	}
	p, k := newCalibrationTable(&pairs), newCalibrationTable(&places)
	if p.Predictions != 2*3 || p.Bins[9].Count != 6 || p.Bins[9].Frequency != 1 {
		t.Errorf("pairs %+v", p)
	}
	if k.Predictions != 3*3 || k.Bins[9].Count != 3 || k.Bins[0].Count != 6 || k.Error != 0 {
		t.Errorf("places %+v", k)
	}
	// Item 1 before 0, which no sample has; item 2 may stand anywhere, so that no place is known.
	pairs, places = metric.Calibration{}, metric.Calibration{}
	if err := calibrateLevels(dataset.BucketOrder{{1}, {0}}, ranks, 1, &pairs, &places); err != nil {
		t.Fatal(err)
	}
	p, k = newCalibrationTable(&pairs), newCalibrationTable(&places)
	if p.Predictions != 1 || p.Error != 1 || k.Predictions != 0 {
		t.Errorf("pairs %+v, places %+v", p, k)
	}
}

// testSet is the test set of a name.
func testSet(t *testing.T, m *learn.Model, id string) *dataset.Set {
	t.Helper()
	sets, _, err := m.Task.(task.Lister).Sets(task.Test, 0)
	if err != nil {
		t.Fatal(err)
	}
	return sets[slices.IndexFunc(sets, func(s *dataset.Set) bool { return s.ID == id })]
}

// Only known pairs count, lists without one are left out, and k is less than all items.
func TestEvaluateLists(t *testing.T) {
	m := lists(t)
	r, err := Run(t.Context(), m, task.Test, 100, learn.DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Of lists that know two places all are among the first two: a alone has more to say.
	ordered, _, err := m.Order(t.Context(), []*dataset.Set{testSet(t, m, "a")}, 1, learn.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := metric.TopOverlap(ordered[0].Orders[0].Order, testSet(t, m, "a").Known(), 2)
	if top := r.Figure("ranking.top_k"); err != nil || top == nil || top.Mean != want {
		t.Errorf("top-2 overlap %+v, wanted %g of a, %v", top, want, err)
	}
	if data, err := json.Marshal(r); err != nil || strings.Contains(string(data), `"correct"`) || strings.Contains(string(data), "kendall_tau_lists") {
		t.Errorf("%s, %v: has figures of places that are not known", data, err)
	}
	if r.Sets != 3 || r.Lists != 3 || detail[int](r, "ranking.top_k_at") != 2 || len(detail[[]string](r, "ranking.dropped")) != 1 {
		t.Errorf("%d sets, %+v: wanted 3, the first two of up to four, and one left out", r.Sets, r.Details)
	}
}
