package task

import (
	"cmp"
	"errors"
	"slices"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

// Judge knows what is right of the sets of some examples.
type Judge interface {
	// Nearest is the right order of a set that is nearest to o, a permutation.
	Nearest(set int, o perm.Order) perm.Order
	// Same tells whether one object of a set is as good as another, wherever either stands.
	Same(set, a, b int) bool
	// Places is the right order of a set, which tells what place of an object is right, and whether
	// all of it is known. What is not known comes last. It fails with [ErrNoPlaces] where no place
	// is right.
	Places(set int) (right perm.Order, whole bool, err error)
	// Figures are those of an order by the task's own measures. A method may give what is no
	// permutation: o may then repeat objects.
	Figures(set int, o perm.Order) (Figures, error)
}

// Pricer is a [Judge] of orders that cost something; less is better.
type Pricer interface {
	Cost(set int, o perm.Order) float64
	// Best is the cost of a right order.
	Best(set int) float64
}

// Finisher is a [Judge] of orders that a search can improve.
type Finisher interface {
	// Finished are the figures of the order that the search makes of o. They have measures of their
	// own.
	Finished(set int, o perm.Order) (Figures, error)
}

// ErrNoPlaces is that there is no right place that an object could have.
var ErrNoPlaces = errors.New("a tour is as good from its other end, so there are no right places")

// One is the judge of sets with one right order each, for tasks without measures of their own.
// Other judges embed it.
type One struct{ Clean []perm.Order }

// Nearest implements [Judge].
func (j One) Nearest(set int, _ perm.Order) perm.Order { return j.Clean[set] }

// Same implements [Judge].
func (One) Same(_, a, b int) bool { return a == b }

// Places implements [Judge].
func (j One) Places(set int) (perm.Order, bool, error) { return j.Clean[set], true, nil }

// Figures implements [Judge].
func (One) Figures(int, perm.Order) (Figures, error) { return nil, nil }

// ByValue is the judge of sets that are sorted by values. Objects of equal values may change
// places.
type ByValue struct {
	One
	Values [][]float64
}

// Nearest implements [Judge]: equals stand as they do in o.
func (j ByValue) Nearest(set int, o perm.Order) perm.Order {
	v, want := j.Values[set], slices.Clone(o)
	slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	return want
}

// Same implements [Judge].
func (j ByValue) Same(set, a, b int) bool { return j.Values[set][a] == j.Values[set][b] }

// PlaceMeasures are the figures that [Places] has of every order that is right or wrong.
var PlaceMeasures = []Measure{
	{Key: "exact", Label: "exact", Unit: "%", Digits: 2, Table: 2, Log: "exact"},
	{Key: "correct", Label: "correct", Unit: "%", Digits: 2, Table: 2, Log: "correct", Better: 1},
	{Key: "kendall_tau_lists", Label: "Kendall tau (lists)", Digits: 4, Table: 3},
	{Key: "kendall_tau", Label: "Kendall tau (ranks)", Digits: 4, Log: "kendall_tau"},
}

// Permutations is the share of results that are permutations, of methods that may give others.
var Permutations = Measure{Key: "permutations", Label: "permutations", Unit: "%", Digits: 2, Table: 2}

// Places compares an order of a set with the nearest right one. It returns the figures of
// [PlaceMeasures] and of [Permutations]. What is no permutation is not exact and has a tau of 0. The
// objects that stand where they should count all the same.
func Places(ex *Examples, set int, o perm.Order) (Figures, error) {
	f := Figures{"exact": 0, "kendall_tau_lists": 0, "kendall_tau": 0, "permutations": 0}
	if o.Validate() != nil {
		f["correct"] = 100 * correct(ex.Judge, set, o, ex.Clean[set])
		return f, nil
	}
	want := ex.Judge.Nearest(set, o)
	exact := metric.Exact(o, want)
	if p, ok := ex.Judge.(Pricer); ok { // another way round, or as short
		exact = exact || p.Cost(set, o) <= p.Best(set)*(1+1e-9)
	}
	if exact {
		f["exact"] = 100
	}
	f["correct"], f["permutations"] = 100*correct(ex.Judge, set, o, want), 100
	var err error
	if f["kendall_tau_lists"], err = metric.KendallTauLists(o, want); err != nil {
		return nil, err
	}
	f["kendall_tau"], err = metric.KendallTau(o.Rank(), want.Rank())
	return f, err
}

// correct is the share of places, 0 to 1, that have what they should.
func correct(j Judge, set int, o, want perm.Order) float64 {
	right := 0
	for i, k := range o {
		if k == want[i] || j.Same(set, k, want[i]) {
			right++
		}
	}
	return float64(right) / float64(len(want))
}
