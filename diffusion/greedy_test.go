package diffusion

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// A network that has learned all that IT can say of random transpositions sorts by greedy steps nearly
// all arrangements of six objects. By the most probable order at each step it leaves many as they are.
func TestGreedyUndoesTranspositions(t *testing.T) {
	const n, T, starts = 6, 10, 60
	law, forward := reverse.InverseTransposition{}, shuffle.Transposition{}
	marginals := []map[uint64]float64{{index(perm.Identity(n)): 1}} // of X_0, X_1, …
	for t := range T {
		next := map[uint64]float64{}
		for x := range perm.All(n) {
			eachTransposition(n, func(sigma perm.Order) {
				next[index(perm.Compose(sigma, x))] += marginals[t][index(x)] * math.Exp(forward.LogProb(sigma))
			})
		}
		marginals = append(marginals, next)
	}
	sorted := func(step func(scores []float64, dst perm.Order) float64) (share float64) {
		known, rng := map[[2]uint64]perm.Order{}, rand.New(rand.NewPCG(1, 1))
		for range starts {
			x := perm.Random(rng, n)
			for t := T; t > 0; t-- {
				at := [2]uint64{uint64(t), index(x)}
				if known[at] == nil {
					known[at] = make(perm.Order, n)
					step(fitTransposition(n, func(back perm.Order) float64 {
						return math.Exp(forward.LogProb(back)) * marginals[t-1][index(perm.Compose(back, x))]
					}), known[at])
				}
				x = perm.Compose(known[at], x)
			}
			share += marginals[0][index(x)] / starts
		}
		return share
	}
	mode, greedy := sorted(law.Mode), sorted(func(scores []float64, dst perm.Order) float64 { return reverse.GreedyStep(law, scores, dst) })
	t.Logf("sorted: by modes %.3f, by greedy steps %.3f", mode, greedy)
	if !(greedy > 0.98) || mode > 0.95 {
		t.Errorf("sorted: by modes %.3f, by greedy steps %.3f; wanted nearly all by greedy steps alone", mode, greedy)
	}
}

func index(o perm.Order) uint64 {
	at, err := o.Index64()
	if err != nil {
		panic(err)
	}
	return at
}

// eachTransposition calls f with the identity and every swap.
func eachTransposition(n int, f func(sigma perm.Order)) {
	f(perm.Identity(n))
	for i := range n {
		for j := range i {
			o := perm.Identity(n)
			o[i], o[j] = j, i
			f(o)
		}
	}
}

// fitTransposition are scores of IT with a high likelihood under a posterior, which need not sum to 1,
// by ascent along central differences.
func fitTransposition(n int, posterior func(perm.Order) float64) []float64 {
	law := reverse.InverseTransposition{}
	stay, all := posterior(perm.Identity(n)), 0.0
	var moves []perm.Order
	var weights []float64
	eachTransposition(n, func(o perm.Order) {
		w := posterior(o)
		all += w
		if w > 0 {
			moves, weights = append(moves, o), append(weights, w)
		}
	})
	scores := make([]float64, n+1)
	if all == 0 { // a state that cannot be
		return scores
	}
	scores[n] = max(-30, min(30, math.Log((all-stay)/stay)))
	likelihood := func() (sum float64) {
		for i, o := range moves {
			sum += weights[i] / all * law.LogProb(scores, o)
		}
		return sum
	}
	slope := make([]float64, n)
	for range 25 {
		for i := range slope {
			const h = 1e-4
			was := scores[i]
			scores[i] = was + h
			slope[i] = likelihood()
			scores[i] = was - h
			slope[i] = (slope[i] - likelihood()) / (2 * h)
			scores[i] = was
		}
		for i, d := range slope {
			scores[i] += 8 * d
		}
	}
	return scores
}
