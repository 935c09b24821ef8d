package learn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

// The order and score of a set are the same alone, among others, in batches of any size,
// and among sets of other sizes.
func TestAloneOrInABatch(t *testing.T) {
	many := append(randomSets(10, 4), randomSets(3, 6)...)
	many = append(many, numbers(0.5), bare(0), randomSets(1, 4)[0], randomSets(1, 2)[0])
	for _, opt := range []DecodeOptions{{Method: "greedy"}, {Method: "beam", Beam: 3, Inner: 5}} {
		for _, size := range []int{1, 7, 257} {
			m := newScalars(t, scalars{N: 4}, func(c *config.Config) { c.Eval.Batch = size })
			out, _, err := m.Order(t.Context(), many, 1, opt)
			if err != nil {
				t.Fatal(err)
			}
			for i, set := range many {
				alone, _, err := m.Order(t.Context(), sets(set), 1, opt)
				if err != nil {
					t.Fatal(err)
				}
				a, b := alone[0].Orders[0], out[i].Orders[0]
				if !slices.Equal(a.Order, b.Order) || math.Abs(float64(a.LogPath-b.LogPath)) > 1e-5 {
					t.Errorf("%s, batch %d, set %d: alone %v, among others %v", opt.Method, size, i, a, b)
				}
			}
		}
	}
}

// Sets whose sizes alternate give, each in its place, what they give alone,
// with one warning a size.
func TestAlternatingSizes(t *testing.T) {
	a, b := randomSets(9, 4), randomSets(9, 6)
	var mixed []*dataset.Set
	for i := range a {
		a[i].Order, b[i].Order, b[i].ID = perm.Order{3, 1, 0, 2}, perm.Order{5, 0, 3, 1, 2, 4}, fmt.Sprintf("b%d", i)
		mixed = append(mixed, a[i], b[i])
	}
	m := newScalars(t, scalars{N: 4}, func(c *config.Config) { c.Eval.Batch = 4 })
	want := dataset.Warning{Kind: "6 objects", Text: "9 sets have 6 objects, the model was trained on sets of 4: the answers may be worse"}
	batches := 0
	m.Task = counted{scalars{N: 4}, &batches}
	ordered, warnings, err := m.Order(t.Context(), mixed, 1, DecodeOptions{})
	if err != nil || len(warnings) != 1 || warnings[0] != want {
		t.Fatalf("warnings %q, %v", warnings, err)
	}
	if batches != 2 { // all of a size
		t.Errorf("%d sets of two sizes went through the network in %d batches, wanted 2", len(mixed), batches)
	}
	if _, _, err := m.Order(t.Context(), mixed, 1, DecodeOptions{Method: "beam", Beam: 2, Inner: 2}); err != nil {
		t.Fatal(err)
	}
	if batches -= 2; batches != 6 { // for each size 9 sets, 4 at a time
		t.Errorf("%d sets of two sizes went through the network for a beam in %d batches, wanted 6", len(mixed), batches)
	}
	scored, warnings, err := m.Score(t.Context(), mixed, 3, 5)
	if err != nil || len(warnings) != 1 || warnings[0] != want {
		t.Fatalf("warnings %q, %v", warnings, err)
	}
	drawn, warnings, err := m.Sample(t.Context(), mixed, 5, 5)
	if err != nil || len(warnings) != 1 || warnings[0] != want {
		t.Fatalf("warnings %q, %v", warnings, err)
	}
	for i, set := range mixed {
		if ordered[i].ID != set.ID || scored[i].ID != set.ID || drawn[i].ID != set.ID {
			t.Errorf("set %s is called %s, %s and %s", set.ID, ordered[i].ID, scored[i].ID, drawn[i].ID)
		}
		alone, _, err := m.Order(t.Context(), sets(set), 1, DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x, y := alone[0].Orders[0], ordered[i].Orders[0]
		if !slices.Equal(x.Order, y.Order) || math.Abs(float64(x.LogPath-y.LogPath)) > 1e-5 {
			t.Errorf("set %s: alone %v, among others %v", set.ID, x, y)
		}
		// With sets of one object around it, it has the same.
		single := make([]*dataset.Set, len(mixed))
		for j := range single {
			single[j] = numbers(0.5)
			single[j].Order = perm.Identity(1)
		}
		single[i] = set
		s, _, err := m.Score(t.Context(), single, 3, 5)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(s[i].Bound-scored[i].Bound)) > 1e-5 {
			t.Errorf("set %s: bound %g alone, %g among others", set.ID, s[i].Bound, scored[i].Bound)
		}
		d, _, err := m.Sample(t.Context(), single, 5, 5)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(d[i].Samples) != fmt.Sprint(drawn[i].Samples) {
			t.Errorf("set %s: other samples among others", set.ID)
		}
	}
}

// A warning stands with the sets that it concerns, that of a model with all, and is returned once.
func TestWarningsAreWithTheirSets(t *testing.T) {
	many := sets(numbers(0.1, 0.2), numbers(3, 0.1), numbers(0.1, 0.2, 0.3), numbers(3, 0.2), numbers(0.5), numbers(0.2, 0.1))
	for i, s := range many {
		s.Order = perm.Identity(len(s.Items))
		s.OrderGiven = []string{"order", "rank"}[i%2]
	}
	for _, size := range []int{1, 3, 257} {
		m := newScalars(t, scalars{N: 2}, func(c *config.Config) { c.Eval.Batch = size })
		m.Task, m.schedule = warned{scalars{N: 2}}, []string{"short"}
		three := "1 set has 3 objects, the model was trained on sets of 2: the answers may be worse"
		want := [][]string{{"short"}, {"short", "3 is large"}, {"short", three}, {"short", "3 is large"}, {"short"}, {"short"}}
		all := []string{three, "3 is large"}
		ordered, w1, err1 := m.Order(t.Context(), many, 1, DecodeOptions{})
		drawn, w2, err2 := m.Sample(t.Context(), many, 2, 1)
		scored, w3, err3 := m.Score(t.Context(), many, 2, 1)
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		for _, w := range [][]string{dataset.Texts(w1), dataset.Texts(w2), dataset.Texts(w3)} {
			if !slices.Equal(w, all) {
				t.Errorf("batch %d: warnings %q, wanted %q", size, w, all)
			}
		}
		for i, set := range many {
			for _, w := range [][]string{ordered[i].Warnings, drawn[i].Warnings, scored[i].Warnings} {
				if !slices.Equal(w, want[i]) {
					t.Errorf("batch %d, set %d: warnings %q, wanted %q", size, i, w, want[i])
				}
			}
			if ordered[i].OrderGiven != set.OrderGiven || scored[i].OrderGiven != set.OrderGiven {
				t.Errorf("set %d: given by %q and %q, wanted %q", i, ordered[i].OrderGiven, scored[i].OrderGiven, set.OrderGiven)
			}
		}
	}
}

// Identical objects are well-defined: the answer is repeatable, and every order of them has
// the same score.
func TestIdenticalObjects(t *testing.T) {
	m := newScalars(t, scalars{N: 5}, nil)
	same := numbers(0.3, 0.3, 0.3, 0.3, 0.3)
	var first []Ordered
	for range 3 {
		out, _, err := m.Order(t.Context(), sets(same, same), 3, DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out
		}
		if fmt.Sprint(out) != fmt.Sprint(first) {
			t.Errorf("orders %v, before %v", out, first)
		}
		for i, a := range out[0].Orders {
			if b := out[1].Orders[i]; !slices.Equal(a.Order, b.Order) || math.Abs(float64(a.LogPath-b.LogPath)) > 1e-5 {
				t.Errorf("equal sets have the orders %v and %v", a, b)
			}
		}
	}
	var bound float64
	for i, order := range []perm.Order{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}} {
		set := numbers(0.3, 0.3, 0.3, 0.3, 0.3)
		set.Order = order
		s, _, err := m.Score(t.Context(), sets(set), 4, 9)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			bound = float64(s[0].Bound)
		}
		if math.Abs(float64(s[0].Bound)-bound) > 1e-5 {
			t.Errorf("%v scores %g, the first order %g", order, s[0].Bound, bound)
		}
	}
	// Exactly: no order of equals is likelier than another.
	three := newScalars(t, scalars{N: 3}, nil)
	for o := range perm.All(3) {
		if got := logLikelihood(t, three, numbers(0.3, 0.3, 0.3), o); math.Abs(got+math.Log(6)) > 1e-5 {
			t.Errorf("%v: log-likelihood %g, wanted -log 3!", o, got)
		}
	}
}

// Sets of 0 and 1 objects have one order, which is certain.
func TestSmallSets(t *testing.T) {
	m := newModel(t, tiny(), openEngine(t, "go"))
	for n := range 2 {
		set := bare(n)
		set.Order = perm.Identity(n)
		ordered, w1, err1 := m.Order(t.Context(), sets(set), 3, DecodeOptions{})
		drawn, w2, err2 := m.Sample(t.Context(), sets(set), 3, 1)
		scored, w3, err3 := m.Score(t.Context(), sets(set), 3, 1)
		for _, err := range []error{err1, err2, err3} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(w1)+len(w2)+len(w3) > 0 {
			t.Errorf("n = %d: warnings %v %v %v", n, w1, w2, w3)
		}
		if len(ordered[0].Orders) != 1 || len(ordered[0].Orders[0].Order) != n || ordered[0].Orders[0].LogPath != 0 {
			t.Errorf("n = %d: %+v", n, ordered[0])
		}
		if len(drawn[0].Samples) != 3 || len(drawn[0].Marginals) != n || scored[0].Bound != 0 || scored[0].Uniform != 0 {
			t.Errorf("n = %d: %+v %+v", n, drawn[0], scored[0])
		}
	}
}
