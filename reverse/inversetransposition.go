package reverse

import (
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/perm"
)

// InverseTransposition is the inverse transposition distribution, IT (paper §3.2.1).
// With φ the logistic function, a = softmax(s) and scores s_0, …, s_{n−1}, τ,
//
//	p(identity)  = 1 − φ(τ)
//	p(swap i, j) = φ(τ) ( a_i a_j/(1 − a_i) + a_j a_i/(1 − a_j) ),
//
// the chance of picking i and then j of the others, or j and then i. Every other order has
// probability zero. φ(τ) is the probability of not staying. One object alone stays with probability
// 1, whatever τ.
type InverseTransposition struct{}

// Layout implements [Law].
func (InverseTransposition) Layout() Layout { return VectorPlusOne }

func (InverseTransposition) Name() string        { return "it" }
func (InverseTransposition) LongName() string    { return "inverse transposition" }
func (InverseTransposition) NumScores(n int) int { return VectorPlusOne.Size(n) }
func (InverseTransposition) FullSupport() bool   { return false }

// LogProb is O(n).
func (l InverseTransposition) LogProb(scores []float64, o perm.Order) float64 {
	n := len(o)
	checkScores(l, scores, n)
	if n < 2 {
		return 0
	}
	tau := cleanNaN(scores[n])
	i := slices.IndexFunc(o, func(k int) bool { return o[k] != k })
	if i < 0 {
		return logSigmoid(-tau)
	}
	j := o[i]
	for k, v := range o {
		if k != i && k != j && v != k {
			return negInf
		}
	}
	if o[j] != i {
		return negInf
	}
	s := scores[:n]
	return swapLogProb(s, i, j, logSumExcept(s, -1), logSumExcept(s, i), logSumExcept(s, j), tau)
}

// swapLogProb is the log-probability of swapping i and j, given the sums over
// all objects, those but i and those but j.
func swapLogProb(s []float64, i, j int, all, notI, notJ logSum, tau float64) float64 {
	a, b := clean(s[i]), clean(s[j])
	if a == negInf || b == negInf {
		return negInf
	}
	return min(0, logSigmoid(tau)+logAdd(all.logProb(a)+notI.logProb(b), all.logProb(b)+notJ.logProb(a)))
}

// Sample tosses φ(τ), then draws two objects by their scores with Gumbel noise, O(n).
func (l InverseTransposition) Sample(rng *rand.Rand, scores []float64, dst perm.Order) {
	n := len(dst)
	checkScores(l, scores, n)
	for i := range dst {
		dst[i] = i
	}
	if n < 2 || !toss(rng, scores[n]) {
		return
	}
	i, j := topTwo(scores[:n], rng)
	dst[i], dst[j] = j, i
}

// Mode is the identity or the swap of the two greatest scores; it is exact, as
// p(swap i, j) rises with a_i and a_j.
func (l InverseTransposition) Mode(scores []float64, dst perm.Order) float64 {
	n := len(dst)
	checkScores(l, scores, n)
	for i := range dst {
		dst[i] = i
	}
	stay := l.LogProb(scores, dst)
	if n < 2 {
		return stay
	}
	i, j := topTwo(scores[:n], nil)
	dst[i], dst[j] = j, i
	swap := l.LogProb(scores, dst)
	if stay >= swap {
		dst[i], dst[j] = i, j
		return stay
	}
	return swap
}

// GreedyStep implements [GreedyStepper]: the swap of the two greatest scores where a move is likelier than
// none, φ(τ) > 1/2, and else the identity. The mode would not do. The forward step stays with probability
// 1/n and makes each of its n(n − 1)/2 swaps with 2/n². In a noisy state many swaps can have been the
// last, so the mode of each step is to stay. By modes nothing would ever be put in order.
func (l InverseTransposition) GreedyStep(scores []float64, dst perm.Order) float64 {
	n := len(dst)
	checkScores(l, scores, n)
	if n > 1 && cleanNaN(scores[n]) > 0 {
		for i := range dst {
			dst[i] = i
		}
		i, j := topTwo(scores[:n], nil)
		dst[i], dst[j] = j, i
		if logp := l.LogProb(scores, dst); logp > negInf {
			return logp
		}
	}
	return l.Mode(scores, dst)
}

// TopK is exact. It visits pairs best first in the table of objects sorted by score, in which
// probability falls along rows and columns. O(n log n + k log k), and O(n) for each different
// object in the result.
func (l InverseTransposition) TopK(scores []float64, k int) []Candidate {
	n := len(scores) - 1
	if k < 1 {
		return nil
	}
	stay := perm.Identity(n)
	out := []Candidate{{stay, l.LogProb(scores, stay)}}
	if n < 2 {
		return out
	}
	if out[0].LogProb == negInf {
		out = out[:0]
	}

	s, tau := scores[:n], cleanNaN(scores[n])
	best := make([]key, n)
	for i, v := range s {
		best[i] = key{clean(v), int32(i)}
	}
	slices.SortFunc(best, byValue)
	all, except, known := logSumExcept(s, -1), make([]logSum, n), make([]bool, n)
	sumExcept := func(i int) logSum {
		if !known[i] {
			known[i], except[i] = true, logSumExcept(s, i)
		}
		return except[i]
	}
	// A heap of pairs of places in best; pair p is places[p].
	var heap []key
	var places [][2]int
	push := func(a, b int) {
		if b >= n {
			return
		}
		i, j := int(best[a].index), int(best[b].index)
		logp := swapLogProb(s, i, j, all, sumExcept(i), sumExcept(j), tau)
		if logp == negInf {
			return
		}
		heap = append(heap, key{logp, int32(len(places))})
		places = append(places, [2]int{a, b})
		siftUp(heap)
	}
	push(0, 1)
	for swaps := 0; len(heap) > 0 && swaps < k; swaps++ {
		top := heap[0]
		heap = dropTop(heap)
		a, b := places[top.index][0], places[top.index][1]
		o := perm.Identity(n)
		i, j := int(best[a].index), int(best[b].index)
		o[i], o[j] = j, i
		out = append(out, Candidate{o, top.value})
		push(a, b+1)
		if b == a+1 {
			push(a+1, b+1)
		}
	}
	if len(out) == 0 {
		return modeAlone(l, scores, n)
	}
	return sortCandidates(out, k)
}

// LogProbGraph takes scores [..., n+1], τ last.
func (l InverseTransposition) LogProbGraph(scores, rank *graph.Node) *graph.Node {
	n := rank.Shape().Dim(-1)
	checkGraph(l, scores, rank, n+1)
	s := floored(graph.SliceAxis(scores, -1, graph.AxisRange(0, n)))
	tau := floored(graph.Squeeze(graph.SliceAxis(scores, -1, graph.AxisRange(n, n+1)), -1))
	if n == 1 {
		return unless(graph.NotEqual(tau, tau), graph.Mul(tau, graph.ConstAs(tau, 0)), scores)
	}
	at := count(rank, rank.Rank(), -1, n)
	first := graph.GreaterThan(rank, at) // the object that moves back, in a swap
	second := graph.LessThan(rank, at)   // the object that moves forward
	moves := pick(graph.BroadcastToShape(graph.ConstAs(rank, 1), rank.Shape()), graph.NotEqual(rank, at))

	all, allSum := shifted(s, nil)
	notI, sumNotI := shifted(s, graph.LogicalNot(first))
	notJ, sumNotJ := shifted(s, graph.LogicalNot(second))
	ij := graph.Sub(graph.Add(pick(all, first), pick(notI, second)), graph.Add(allSum, sumNotI))
	ji := graph.Sub(graph.Add(pick(all, second), pick(notJ, first)), graph.Add(allSum, sumNotJ))
	greater := graph.StopGradient(graph.Max(ij, ji))
	swap := graph.Log(graph.Add(graph.Exp(graph.Sub(ij, greater)), graph.Exp(graph.Sub(ji, greater))))
	swap = graph.Add(graph.Add(greater, swap), logSigmoidGraph(tau))

	lowest := graph.ReduceMin(graph.Where(graph.NotEqual(rank, at), s, graph.ConstAs(s, 0)), -1)
	stays := graph.Equal(moves, graph.ConstAs(moves, 0))
	swaps := graph.LogicalAnd(graph.Equal(moves, graph.ConstAs(moves, 2)), graph.LogicalNot(barred(graph.Min(lowest, tau))))
	stays = graph.LogicalAnd(stays, graph.LogicalNot(barred(graph.Neg(tau))))
	stay := logSigmoidGraph(graph.Neg(tau))
	never := graph.LogicalNot(graph.LogicalOr(stays, swaps))
	return unless(never, graph.Where(stays, stay, swap), scores)
}

// Unpad implements [Padder]: τ is the last.
func (InverseTransposition) Unpad(scores []float64, n, length int) []float64 {
	scores[length] = scores[n]
	return scores[:length+1]
}

// Pad implements [Padder]: padding is never picked, and one object always stays.
func (InverseTransposition) Pad(scores, rank, lengths *graph.Node) (_, _ *graph.Node) {
	n := rank.Shape().Dim(-1)
	length := graph.ExpandAxes(lengths, -1)
	at := count(rank, length.Rank(), -1, n+1)
	tau := graph.Equal(at, graph.ConstAs(at, n))
	several := graph.GreaterThan(length, graph.ConstAs(length, 1))
	use := graph.LogicalOr(graph.LessThan(at, length), graph.LogicalAnd(tau, several))
	return graph.Where(use, scores, graph.ConstAs(scores, padScore)), rank
}
