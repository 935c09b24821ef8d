package question

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/learn"
)

// from yields sets, and an error where one is nil.
func from(all []*dataset.Set) iter.Seq2[*dataset.Set, error] {
	return func(yield func(*dataset.Set, error) bool) {
		for i, s := range all {
			if s == nil {
				yield(nil, fmt.Errorf("set %d is broken", i+1))
				return
			}
			if !yield(s, nil) {
				return
			}
		}
	}
}

// tours is a model of tours of 5 cities as it is before training.
func tours(t *testing.T) *learn.Model {
	t.Helper()
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Task = config.Task{Name: "tsp", N: 5}
	c.Model = config.Model{Encoder: "points", Dim: 8, Layers: 1, Heads: 2, FeedForward: 16, Positions: "sinusoid", GPLRows: "dummies"}
	c.Process.Schedule = []int{0, 2, 5}
	c.Eval.Batch = 8
	m, _, err := learn.New(c, e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// randomSets makes sets of n cities.
func randomSets(count, n int) []*dataset.Set {
	rng := rand.New(rand.NewPCG(3, 3))
	sets := make([]*dataset.Set, count)
	for i := range sets {
		sets[i] = &dataset.Set{ID: fmt.Sprintf("s%d", i), Kind: dataset.KindPoint, Items: make([]dataset.Item, n)}
		for k := range sets[i].Items {
			sets[i].Items[k].Point = [2]float64{rng.Float64(), rng.Float64()}
		}
	}
	return sets
}

// A stream has the answers of all sets together, in their order, bit for bit, whatever the size
// of its parts.
func TestStreamEqualsAllAtOnce(t *testing.T) {
	m := tours(t)
	all := randomSets(41, 5)
	for i, s := range all {
		s.ID = ""
		if i%3 == 0 {
			s.Items = s.Items[:4]
		}
	}
	want, _, err := m.Sample(t.Context(), all, 6, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, least := range []int{1, 7, 100} {
		var got []learn.Sampled
		var warnings []string
		for part, err := range Stream(t.Context(), from(all), least, func(ctx context.Context, sets []*dataset.Set) ([]learn.Sampled, []dataset.Warning, error) {
			return m.Sample(ctx, sets, 6, 1)
		}) {
			if err != nil {
				t.Fatal(err)
			}
			if len(part.Sets) != len(part.Answers) {
				t.Fatalf("%d answers for %d sets", len(part.Answers), len(part.Sets))
			}
			got, warnings = append(got, part.Answers...), append(warnings, part.Warnings...)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("parts of %d: %v, wanted %v", least, got, want)
		}
		if len(warnings) != 1 { // once, of the sets of 4
			t.Errorf("parts of %d: warnings %q", least, warnings)
		}
	}
}

// What came before an error is answered.
func TestStreamUntilError(t *testing.T) {
	all := append(randomSets(5, 3), nil)
	echo := func(_ context.Context, sets []*dataset.Set) (ids []string, warnings []dataset.Warning, err error) {
		for _, s := range sets {
			ids = append(ids, s.ID)
		}
		return ids, nil, nil
	}
	var ids []string
	var failed error
	for part, err := range Stream(t.Context(), from(all), 2, echo) {
		ids = append(ids, part.Answers...)
		failed = errors.Join(failed, err)
	}
	if len(ids) != 5 || failed == nil || failed.Error() != "set 6 is broken" {
		t.Errorf("answered %q, then %v", ids, failed)
	}
}

// What comes before a set that cannot be answered is answered, however many were asked together, and the error is that of
// the first such set.
func TestStreamUntilUnanswerable(t *testing.T) {
	all := randomSets(12, 3)
	bad := map[string]bool{"s7": true, "s9": true}
	echo := func(_ context.Context, sets []*dataset.Set) (ids []string, warnings []dataset.Warning, err error) {
		for _, s := range slices.Backward(sets) { // the last one is found first
			if bad[s.ID] {
				return nil, nil, errors.New("set " + s.ID + " is odd")
			}
			ids = append([]string{s.ID}, ids...)
		}
		return ids, nil, nil
	}
	for _, least := range []int{1, 3, 5, 12, 100} {
		var ids []string
		var failed error
		for part, err := range Stream(t.Context(), from(all), least, echo) {
			ids = append(ids, part.Answers...)
			failed = errors.Join(failed, err)
		}
		if strings.Join(ids, " ") != "s0 s1 s2 s3 s4 s5 s6" || failed == nil || failed.Error() != "set s7 is odd" {
			t.Errorf("%d together: answered %q, then %v", least, ids, failed)
		}
	}
}

// An answer does not wait for sets that have not come, nor does a stream for one that is not asked on.
func TestStreamOfSetsThatWait(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan string)
	slow := func(yield func(*dataset.Set, error) bool) {
		for _, s := range randomSets(3, 3) {
			if !yield(s, nil) {
				return
			}
			<-answered
		}
		<-ctx.Done()
	}
	echo := func(_ context.Context, sets []*dataset.Set) ([]string, []dataset.Warning, error) {
		return []string{sets[0].ID}, nil, nil
	}
	var failed error
	count := 0
	for part, err := range Stream(ctx, slow, 100, echo) {
		if failed = err; err != nil {
			break
		}
		if len(part.Sets) != 1 {
			t.Fatalf("%d sets at once, wanted 1", len(part.Sets))
		}
		if count++; count == 3 {
			cancel()
		}
		answered <- ""
	}
	if count != 3 || !errors.Is(failed, context.Canceled) {
		t.Errorf("%d answers, then %v", count, failed)
	}
	cancel()
}

// Warnings are said once, but for how many sets they are about, and not without end.
func TestStreamWarnings(t *testing.T) {
	p := &parts{}
	first := p.fresh([]dataset.Warning{{Kind: "4", Text: "3 sets have 4 objects"}, {Kind: "5", Text: "1 set has 5 objects"}, {Kind: "other", Text: "other"}})
	again := p.fresh([]dataset.Warning{{Kind: "4", Text: "1 set has 4 objects"}, {Kind: "other", Text: "other"}, {Kind: "6", Text: "2 sets have 6 objects"}})
	if !slices.Equal(first, []string{"3 sets have 4 objects", "1 set has 5 objects", "other"}) || !slices.Equal(again, []string{"2 sets have 6 objects"}) {
		t.Errorf("%q, then %q", first, again)
	}
	// Those of one part are all there, and of the next parts none of the same kind, whatever they say.
	first = p.fresh([]dataset.Warning{{Kind: "far", Text: "set q1: far 0.5"}, {Kind: "far", Text: "set q2: far -1e-3"}})
	again = p.fresh([]dataset.Warning{{Kind: "far", Text: "set z: 7.25 is far"}, {Kind: "more", Text: "so are 9 more"}})
	if !slices.Equal(first, []string{"set q1: far 0.5", "set q2: far -1e-3"}) || !slices.Equal(again, []string{"so are 9 more"}) {
		t.Errorf("%q, then %q", first, again)
	}
	known := len(p.said)
	var many []string
	for i := range 1000 {
		many = append(many, p.fresh([]dataset.Warning{{Kind: fmt.Sprint("odd", i), Text: "odd"}})...)
	}
	if len(many) != mostSaid+1-known || !slices.Contains(many, "more than 20 different warnings; each answer has its own") {
		t.Errorf("%d warnings, the last %q", len(many), many[len(many)-1])
	}
}
