package evaluate

import (
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/task"
)

// Of copies the shortest tour counts. No set's is longer than that of its cities as they are, in a
// test and in an answer. With a model that has learned nothing most are shorter. A tour has the length
// that is said, begins at city 0, and is of the set's own cities.
func TestSymmetries(t *testing.T) {
	cfg := tourConfig(8)
	cfg.Process.Reverse, cfg.Process.Schedule = "path", []int{0, 9}
	m := newModel(t, cfg, openEngine(t, "go"))
	const count = 20
	ex, err := m.Task.Examples(task.Test, 0, count)
	if err != nil {
		t.Fatal(err)
	}
	for _, method := range []string{"greedy", "beam"} {
		gaps := map[int]float64{}
		for _, copies := range []int{1, 6} {
			r, err := Run(t.Context(), m, task.Test, count, learn.DecodeOptions{Method: method, Symmetries: copies}, nil)
			if err != nil {
				t.Fatal(err)
			}
			gaps[copies] = r.Mean("tour.gap")
			if want := map[int]int{1: 0, 6: 6}[copies]; r.Decode.Symmetries != want {
				t.Errorf("%d copies are told as %d, wanted %d", copies, r.Decode.Symmetries, want)
			}
		}
		if !(gaps[6] < 0.95*gaps[1]) {
			t.Errorf("%s: gap %.1f %% of 6 copies, %.1f %% of one", method, gaps[6], gaps[1])
		}
	}
	var sets []*dataset.Set
	for _, points := range ex.Look.Points {
		s := &dataset.Set{Kind: dataset.KindPoint}
		for _, p := range points {
			s.Items = append(s.Items, dataset.Item{Point: [2]float64{1e6 + 1000*p[0], 1000 * p[1]}})
		}
		sets = append(sets, s)
	}
	sets[3].Constraints = constraint.Text{Pin: []string{"2=1"}}
	one, _, err1 := m.Order(t.Context(), sets, 3, learn.DecodeOptions{Beam: 4})
	several, _, err2 := m.Order(t.Context(), sets, 3, learn.DecodeOptions{Beam: 4, Symmetries: 6})
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	shorter := 0
	for i, o := range several {
		last := 0.0
		for j, r := range o.Orders {
			if err := r.Order.Validate(); err != nil || r.Order[0] != 0 {
				t.Fatalf("set %d: %v, %v", i, r.Order, err)
			}
			if cost := m.Task.(task.Coster).Cost(sets[i], r.Order); math.Abs(cost-*r.Cost) > 1e-6 || cost < last {
				t.Errorf("set %d, tour %d: of length %g, said %g, after one of %g", i, j, cost, *r.Cost, last)
			}
			last = *r.Cost
		}
		if len(o.Orders) != 3 || *o.Orders[0].Cost > *one[i].Orders[0].Cost {
			t.Errorf("set %d: %d tours, the best %g, without copies %g", i, len(o.Orders), *o.Orders[0].Cost, *one[i].Orders[0].Cost)
		}
		if *o.Orders[0].Cost < *one[i].Orders[0].Cost {
			shorter++
			if end := o.Steps[len(o.Steps)-1]; !reflect.DeepEqual(end, o.Orders[0].Order) {
				t.Errorf("set %d: the steps end at %v, the tour is %v", i, end, o.Orders[0].Order)
			}
		}
	}
	if shorter < count/2 {
		t.Errorf("%d of %d tours are shorter", shorter, count)
	}
	if !reflect.DeepEqual(several[3].Orders, one[3].Orders) {
		t.Error("a set with rules has other tours")
	}
}

func TestSymmetriesAreForTours(t *testing.T) {
	m := newModel(t, tiny(), openEngine(t, "go"))
	var wrong *learn.Refusal
	_, err := Run(t.Context(), m, task.Test, 5, learn.DecodeOptions{Symmetries: 2}, nil)
	if !errors.As(err, &wrong) || wrong.Option != "symmetries" {
		t.Errorf("got %v", err)
	}
	if _, _, err = m.Order(t.Context(), randomSets(1, 5), 1, learn.DecodeOptions{Symmetries: -1}); !errors.As(err, &wrong) || wrong.Option != "symmetries" {
		t.Errorf("got %v", err)
	}
}
