// Package reverse holds the distributions a denoiser puts on one reverse step.
//
// # The step
//
// A reverse step is X_{t−1} = σ'·X_t. σ' is a [perm.Order]: σ'[j] is the position
// in X_t of the object that goes to position j of X_{t−1}. Graph functions take its
// rank form, rank [..., n] int32: rank[k] is the position in X_{t−1} of the object at
// position k of X_t. A network gives the scores, a [Law] turns them into p(σ'):
//
//	name  type                     scores            support          paper §3.2
//	gpl   GeneralizedPlackettLuce  [n, n] row-major  S_n              eq. "GPL distribution"
//	pl    PlackettLuce             [n]               S_n              the PL distribution
//	path  TransitionPlackettLuce   [n+1, n], start 0 S_n              beyond the paper
//	cgpl  ContextualPlackettLuce   [n+1, 3w+1]       S_n              beyond the paper
//	irs   InverseRiffle            [n]               2^n − n orders   inverse riffle shuffle
//	ii    InverseInsertion         [n]               n orders         inverse insertion
//	it    InverseTransposition     [n+1], τ last     1 + n(n−1)/2     inverse transposition
//
// # Scores that are not finite
//
// On the host NaN counts as −Inf, and +Inf as 1e300. In PL, GPL, path, II and IT a choice with
// score −Inf (in cgpl, with a number a_m of −Inf) has probability zero, even if nothing else is
// left to pick. An order that needs such a choice has log-probability −Inf, and the probabilities
// of all orders then sum to less than 1. Where every choice has probability zero the lowest index
// is taken, so that the result is always a bijection. In graphs −Inf means the same. NaN and +Inf
// give NaN there, so that a training loop can notice them.
//
// # Errors
//
// Functions panic where the number of scores does not fit the order: that is a
// mistake in the program. An order must be a bijection ([perm.Order.Validate]).
// n = 0 and n = 1 are the empty and the only order, with probability 1.
package reverse

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/perm"
)

// Law is a family of distributions over S_n given by scores. The laws of this package have no state
// and are safe for concurrent use; a law of your own needs no more than these methods.
type Law interface {
	// Name is the short name used in configurations, such as "gpl".
	Name() string
	// LongName is the term in the literature, such as "generalized Plackett–Luce".
	LongName() string
	// Layout says how the scores are laid out, for the code that makes them.
	Layout() Layout
	// NumScores is the number of scores for n objects, that of the layout.
	NumScores(n int) int
	// LogProb is the natural log of p(o): −Inf for an impossible order, never NaN.
	LogProb(scores []float64, o perm.Order) float64
	// Sample draws an order into dst, whose length is n.
	Sample(rng *rand.Rand, scores []float64, dst perm.Order)
	// Mode writes the most probable order into dst and returns its LogProb. It is exact except for
	// GPL, path and cgpl, which take the best object row by row. Ties go to the lowest index.
	Mode(scores []float64, dst perm.Order) float64
	// TopK returns at most k different orders by falling LogProb, ties in lexicographic order, and
	// none if k < 1. II, IT and IRS are exact. PL, GPL, path and cgpl search with a beam over rows
	// that always keeps Mode's order. So the first candidate is never worse than Mode, and is Mode if
	// k = 1. Orders of probability zero are left out. With −Inf scores a beam can run into a dead end:
	// where nothing else was found the result is Mode's order alone. Where equally probable orders
	// compete for the last places, always the same ones are returned; no rule says which.
	TopK(scores []float64, k int) []Candidate
	// LogProbGraph builds log p [...] from scores [..., NumScores(n)] and rank [..., n] int32, with
	// any number of leading axes. Scores are [..., n, n] for GPL, [..., n+1, n] for path and
	// [..., n+1, 3w+1] for cgpl. It is differentiable in scores. An impossible order is −Inf with
	// gradient zero.
	LogProbGraph(scores, rank *graph.Node) *graph.Node
	// FullSupport reports whether every order is possible, so that several denoising steps may be
	// merged into one (paper §3.3).
	FullSupport() bool
}

// Layout is how the scores of a law lie, row-major.
type Layout uint8

// The layouts, for n objects.
const (
	Vector        Layout = iota // [n], a score an object
	VectorPlusOne               // [n + 1], and one more
	Matrix                      // [n, n], a row a position
	MatrixPlusRow               // [n + 1, n], a row for the start and one for each object
	Contexts                    // [n + 1, 3w + 1], w being [ContextWidth]: rows as before, see [ContextualPlackettLuce]
)

// Dims are the dimensions of the scores of n objects.
func (l Layout) Dims(n int) []int {
	switch l {
	case VectorPlusOne:
		return []int{n + 1}
	case Matrix:
		return []int{n, n}
	case MatrixPlusRow:
		return []int{n + 1, n}
	case Contexts:
		return []int{n + 1, contextRow}
	}
	return []int{n}
}

// Size is the number of scores of n objects.
func (l Layout) Size(n int) int {
	size := 1
	for _, d := range l.Dims(n) {
		size *= d
	}
	return size
}

// FloorSearcher is a law that searches faster if improbable orders are of no use. TopKAbove is TopK
// without the orders whose LogProb is below floor. Only Mode's order may be returned even if it is
// below.
type FloorSearcher interface {
	Law
	TopKAbove(scores []float64, k int, floor float64) []Candidate
}

// GreedyStepper is a law whose most probable order is a bad step for a decoder that follows one
// path. Moving may be likely, but its probability is shared among many orders. Staying is less
// likely, but it is a single order, and so the most probable one.
type GreedyStepper interface {
	Law
	// GreedyStep writes the step that greedy decoding takes into dst and returns its LogProb.
	GreedyStep(scores []float64, dst perm.Order) float64
}

// GreedyStep writes the step that greedy decoding takes into dst and returns its LogProb. It is
// that of a [GreedyStepper], and the mode of any other law.
func GreedyStep(law Law, scores []float64, dst perm.Order) float64 {
	if g, ok := law.(GreedyStepper); ok {
		return g.GreedyStep(scores, dst)
	}
	return law.Mode(scores, dst)
}

// OneStep is a law that works best with one denoising step, from T to 0. That is its default
// schedule.
type OneStep interface {
	Law
	OneStep()
}

// Categorical is a law that picks one of n objects with odds exp(score). Each object stands for one
// order. So training may aim at a posterior over the objects instead of at one drawn order.
type Categorical interface {
	Padder
	Categorical()
}

// Candidate is an order with its log-probability, natural log.
type Candidate struct {
	Order   perm.Order
	LogProb float64
}

// Laws returns the laws of this package, the most expressive first.
func Laws() []Law {
	return []Law{GeneralizedPlackettLuce{}, TransitionPlackettLuce{}, ContextualPlackettLuce{}, PlackettLuce{}, InverseRiffle{}, InverseInsertion{}, InverseTransposition{}}
}

// ByName returns the law with the given short name; its error lists the names.
func ByName(name string) (Law, error) {
	var names []string
	for _, law := range Laws() {
		if law.Name() == name {
			return law, nil
		}
		names = append(names, law.Name())
	}
	return nil, fmt.Errorf("reverse law %q: wanted one of %s", name, strings.Join(names, ", "))
}

// checkScores panics unless scores has the length law wants for n objects.
func checkScores(law Law, scores []float64, n int) {
	if want := law.NumScores(n); len(scores) != want {
		panic(fmt.Sprintf("reverse: %s: wanted %d scores for %d objects (got %d)", law.Name(), want, n, len(scores)))
	}
}

// sortCandidates sorts by falling log-probability, ties lexicographically, and
// keeps at most k.
func sortCandidates(c []Candidate, k int) []Candidate {
	slices.SortFunc(c, func(a, b Candidate) int {
		if d := cmp.Compare(b.LogProb, a.LogProb); d != 0 {
			return d
		}
		return slices.Compare(a.Order, b.Order)
	})
	return c[:min(k, len(c))]
}

// modeAlone is what TopK returns where every order has probability zero.
func modeAlone(law Law, scores []float64, n int) []Candidate {
	o := make(perm.Order, n)
	return []Candidate{{o, law.Mode(scores, o)}}
}
