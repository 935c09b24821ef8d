package diffusion

import (
	"math"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// Inverse insertion can be the exact posterior of one insertion, whatever the target: of the n
// orders before, each has a score of its own. So a perfect network takes uniform draws to a
// target of several orders, which inverse riffles, whose cards choose their piles apart, do not.
func TestPerfectChains(t *testing.T) {
	modes := []perm.Order{{0, 1, 2, 3}, {1, 2, 3, 0}, {2, 3, 0, 1}, {3, 0, 1, 2}}
	ii := chainTV(modes, 8, shuffle.Insertion{}, reverse.InverseInsertion{}, func(posterior func(perm.Order) float64) []float64 {
		scores := make([]float64, 4)
		for i := range scores {
			o := perm.Order{}
			for k := range 4 {
				if k != i {
					o = append(o, k)
				}
			}
			scores[i] = math.Log(posterior(append(o, i)))
		}
		return scores
	})
	if !(ii < 1e-12) {
		t.Errorf("inverse insertion: TV %g, wanted 0", ii)
	}
	// The likeliest scores of cards that choose apart are each card's own share of the left pile.
	// An order that several cuts make, the identity, has them all alike.
	irs := chainTV(modes, 6, shuffle.Riffle{}, reverse.InverseRiffle{}, func(posterior func(perm.Order) float64) []float64 {
		left, all := make([]float64, 4), 0.0
		for o := range perm.All(4) {
			p, cuts := posterior(o), []int{}
			for c := range 5 {
				if slices.IsSorted(o[:c]) && slices.IsSorted(o[c:]) {
					cuts = append(cuts, c)
				}
			}
			all += p
			for _, c := range cuts {
				for _, k := range o[:c] {
					left[k] += p / float64(len(cuts))
				}
			}
		}
		for k := range left {
			left[k] = math.Log(left[k]/all) - math.Log(1-left[k]/all)
		}
		return left
	})
	if !(irs > 0.5) {
		t.Errorf("inverse riffles: TV %g, wanted more than 0.5", irs)
	}
}

// chainTV runs T reverse steps from the uniform distribution over all orders and returns the
// total variation distance to equal shares of the modes. The scores of a state come from the
// exact posterior of its reverse step.
func chainTV(modes []perm.Order, T int, forward shuffle.Law, law reverse.Law, fit func(posterior func(perm.Order) float64) []float64) float64 {
	n := len(modes[0])
	index := func(o perm.Order) uint64 {
		at, err := o.Index64()
		if err != nil {
			panic(err)
		}
		return at
	}
	target := map[uint64]float64{}
	for _, mode := range modes {
		target[index(mode)] += 1 / float64(len(modes))
	}
	marginals := []map[uint64]float64{target} // of X_0, X_1, …
	for t := range T {
		next := map[uint64]float64{}
		for x := range perm.All(n) {
			for sigma := range perm.All(n) {
				next[index(perm.Compose(sigma, x))] += marginals[t][index(x)] * math.Exp(forward.LogProb(sigma))
			}
		}
		marginals = append(marginals, next)
	}
	now, count := map[uint64]float64{}, math.Gamma(float64(n)+1)
	for x := range perm.All(n) {
		now[index(x)] = 1 / count
	}
	for t := T; t > 0; t-- {
		before := map[uint64]float64{}
		for x := range perm.All(n) {
			if now[index(x)] == 0 || marginals[t][index(x)] == 0 {
				continue // what cannot be is lost, which counts as no mode
			}
			scores := fit(func(back perm.Order) float64 {
				q := math.Exp(forward.LogProb(back.Inverse()))
				return q * marginals[t-1][index(perm.Compose(back, x))] / marginals[t][index(x)]
			})
			for back := range perm.All(n) {
				before[index(perm.Compose(back, x))] += now[index(x)] * math.Exp(law.LogProb(scores, back))
			}
		}
		now = before
	}
	tv, elsewhere := 0.0, 1.0
	for at, w := range target {
		tv += math.Abs(now[at]-w) / 2
		elsewhere -= now[at]
	}
	return tv + elsewhere/2
}
