package reverse

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/perm"
)

// PlackettLuce is the Plackett–Luce distribution (Luce 1959, Plackett 1975; paper
// §3.2.2): the objects are drawn one after the other, without replacement, with odds
// exp s_k,
//
//	log p(σ) = Σ_i ( s[σ[i]] − log Σ_{j ≥ i} exp s[σ[j]] ),  s [n].
//
// Its mode sorts the scores in falling order. It cannot put all its mass on one order (paper, Prop.
// 1).
type PlackettLuce struct{}

// Layout implements [Law].
func (PlackettLuce) Layout() Layout { return Vector }

func (PlackettLuce) Name() string        { return "pl" }
func (PlackettLuce) LongName() string    { return "Plackett–Luce" }
func (PlackettLuce) NumScores(n int) int { return Vector.Size(n) }
func (PlackettLuce) FullSupport() bool   { return true }

// Row implements [Rows]: the same for all positions.
func (PlackettLuce) Row(scores []float64, _ []int, _ []float64) []float64 { return scores }

// LogProb is O(n): the sums over suffixes are kept from the last position on.
func (l PlackettLuce) LogProb(scores []float64, o perm.Order) float64 {
	checkScores(l, scores, len(o))
	logp, m, sum := 0.0, negInf, 0.0 // sum·e^m is the sum of the suffix
	for i := len(o) - 1; i >= 0; i-- {
		s := clean(scores[o[i]])
		if s == negInf {
			return negInf
		}
		if s > m {
			sum, m = sum*math.Exp(m-s)+1, s
		} else {
			sum += math.Exp(s - m)
		}
		logp += (s - m) - math.Log(sum)
	}
	return logp
}

// Sample sorts scores with Gumbel noise, which draws from the law in O(n log n).
func (l PlackettLuce) Sample(rng *rand.Rand, scores []float64, dst perm.Order) {
	l.sorted(scores, dst, rng)
}

// Mode sorts the scores in falling order; it is exact.
func (l PlackettLuce) Mode(scores []float64, dst perm.Order) float64 {
	l.sorted(scores, dst, nil)
	return l.LogProb(scores, dst)
}

// sorted writes the order of falling scores, with Gumbel noise if rng is given.
func (l PlackettLuce) sorted(scores []float64, dst perm.Order, rng *rand.Rand) {
	checkScores(l, scores, len(dst))
	work := scratchPool.Get().(*scratch)
	defer scratchPool.Put(work)
	work.keys = grown(work.keys, len(dst))
	for i, s := range scores {
		s = clean(s)
		if rng != nil {
			s += gumbel(rng)
		}
		work.keys[i] = key{s, int32(i)}
	}
	sortKeys(work.keys, work)
	for i, k := range work.keys {
		dst[i] = int(k.index)
	}
}

// TopK is a beam search of width k over positions: see [Beam].
func (l PlackettLuce) TopK(scores []float64, k int) []Candidate {
	return l.TopKAbove(scores, k, negInf)
}

// TopKAbove implements [FloorSearcher].
func (l PlackettLuce) TopKAbove(scores []float64, k int, floor float64) []Candidate {
	return beamTopK(len(scores), k, floor, func(int) []float64 { return scores })
}

// LogProbGraph takes scores [..., n] and uses O(n²) memory.
func (l PlackettLuce) LogProbGraph(scores, rank *graph.Node) *graph.Node {
	checkGraph(l, scores, rank, rank.Shape().Dim(-1))
	return suffixLogProb(graph.ExpandAxes(scores, -2), rank)
}

// ChoiceLogProbGraph implements [ByChoice].
func (PlackettLuce) ChoiceLogProbGraph(scores, rank *graph.Node) *graph.Node {
	logp, _ := suffixChoices(graph.ExpandAxes(scores, -2), rank)
	return logp
}

// Unpad implements [Padder].
func (PlackettLuce) Unpad(scores []float64, _, length int) []float64 { return scores[:length] }

// Pad implements [Padder]: padding comes last, each object of it far below the one before.
func (PlackettLuce) Pad(scores, rank, lengths *graph.Node) (_, _ *graph.Node) {
	n := rank.Shape().Dim(-1)
	length := graph.ExpandAxes(lengths, -1)
	at := count(rank, length.Rank(), -1, n)
	steps := graph.ConvertDType(graph.Add(at, graph.ConstAs(at, 1)), scores.DType())
	far := graph.Mul(steps, graph.ConstAs(scores, padScore))
	return graph.Where(graph.LessThan(at, length), scores, far), rank
}

// LogProbs implements [BatchLaw]: O(n) exponentials, and as many additions an order.
func (l PlackettLuce) LogProbs(scores []float64, orders []perm.Order, dst []float64) {
	work := scratchPool.Get().(*scratch)
	defer scratchPool.Put(work)
	n := len(scores)
	work.floats = grown(work.floats, 2*n)
	less, weight := work.floats[:n], work.floats[n:]
	exponentials(scores, less, weight)
	all := 0.0
	for _, s := range less {
		all += s
	}
	for at, o := range orders {
		checkScores(l, scores, len(o))
		dst[at] = all
		sums, sum := logProduct{product: 1}, 0.0
		for i := n - 1; i >= 0; i-- {
			if sum += weight[o[i]]; sum < tooSmall {
				dst[at] = l.LogProb(scores, o)
				sums = logProduct{product: 1}
				break
			}
			sums.times(sum)
		}
		dst[at] -= sums.value()
	}
}
