package reverse

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/perm"
)

// InverseRiffle is the inverse riffle shuffle distribution, IRS (paper §3.2.1). From the last
// object on, object i goes on top of the left pile with probability φ(s_i), else on top of the
// right pile. φ is the logistic function. Then the left pile is put on top of the right. Piles keep
// the order of their objects. So if the first c objects of the order σ are the left pile,
//
//	p(σ) = Σ_c Π_{j < c} φ(s[σ[j]]) · Π_{j ≥ c} φ(−s[σ[j]]),  s [n],
//
// summed over the cuts c for which σ rises before c and from c on. For the identity these are all n
// + 1 cuts. For an order with one descent it is the cut there. Other orders have none, and
// probability zero. Scores of ±Inf are choices made with certainty.
type InverseRiffle struct{}

// Layout implements [Law].
func (InverseRiffle) Layout() Layout { return Vector }

func (InverseRiffle) Name() string        { return "irs" }
func (InverseRiffle) LongName() string    { return "inverse riffle shuffle" }
func (InverseRiffle) NumScores(n int) int { return Vector.Size(n) }
func (InverseRiffle) FullSupport() bool   { return false }

// LogProb is O(n).
func (l InverseRiffle) LogProb(scores []float64, o perm.Order) float64 {
	checkScores(l, scores, len(o))
	cut := -1
	for j := 1; j < len(o); j++ {
		if o[j] < o[j-1] {
			if cut >= 0 {
				return negInf
			}
			cut = j
		}
	}
	if cut < 0 {
		return l.identity(scores)
	}
	logp := 0.0
	for j, k := range o {
		s := cleanNaN(scores[k])
		if j >= cut {
			s = -s
		}
		logp += logSigmoid(s)
	}
	return logp
}

// identity sums over all cuts, from right to left. suffix is the log-probability that objects i and
// after all go right, and sum that they make a rising order.
func (InverseRiffle) identity(scores []float64) float64 {
	suffix, sum := 0.0, 0.0
	for i := len(scores) - 1; i >= 0; i-- {
		s := cleanNaN(scores[i])
		suffix += logSigmoid(-s)
		sum = logAdd(suffix, logSigmoid(s)+sum)
	}
	return min(0, sum)
}

// toss is true with probability φ(s).
func toss(rng *rand.Rand, s float64) bool {
	return rng.Float64() < 1/(1+math.Exp(-cleanNaN(s)))
}

// Sample makes the n choices, O(n).
func (l InverseRiffle) Sample(rng *rand.Rand, scores []float64, dst perm.Order) {
	checkScores(l, scores, len(dst))
	piles(dst, func(i int) bool { return toss(rng, scores[i]) })
}

// piles writes the left pile on top of the right.
func piles(dst perm.Order, left func(i int) bool) {
	l, r := 0, len(dst)
	for i := range dst {
		if left(i) {
			dst[l] = i
			l++
		} else {
			r--
			dst[r] = i
		}
	}
	slices.Reverse(dst[l:])
}

// Mode is exact, in O(n). It is the order of the likelier side of each choice, or the identity if
// that, summed over cuts, is at least as probable. (Where the likelier sides make the identity, no
// other set of choices is more probable.)
func (l InverseRiffle) Mode(scores []float64, dst perm.Order) float64 {
	checkScores(l, scores, len(dst))
	piles(dst, func(i int) bool { return scores[i] >= 0 })
	best, stay := l.LogProb(scores, dst), l.identity(scores)
	if stay >= best {
		slices.Sort(dst)
		return stay
	}
	return best
}

// GreedyStep implements [GreedyStepper]: the order of the likelier side of each choice. The mode would not do.
// In a noisy state the sides are nearly even and their ways to the identity n + 1, so the mode is to stay, until too
// few riffles are left to come back in (bench/riffles.py).
func (l InverseRiffle) GreedyStep(scores []float64, dst perm.Order) float64 {
	checkScores(l, scores, len(dst))
	piles(dst, func(i int) bool { return cleanNaN(scores[i]) >= 0 })
	return l.LogProb(scores, dst)
}

// flip is a set of choices that are turned away from their more likely side. They are those of
// parent (−1: none), and the one at place last of the choices sorted by cost.
type flip struct {
	parent, last int32
	before       float64 // cost of parent
}

// TopK is exact, in O(n log n + (k + n)(n + log k)).
//
// Choices are free of each other. It starts from the more likely side of each, and turning choice i
// round costs |s_i|. The sets of turned choices are visited best first (a heap of subset sums). A
// set whose left pile is a prefix 0 … c−1 gives the identity. Any other gives an order with exactly
// one descent, at the cut. The set can be read back from that order, so no other set gives it. The
// k best sets that are not prefixes are among the first k + n + 1. They and the identity, whose
// probability is summed over cuts, therefore hold the k best orders.
func (l InverseRiffle) TopK(scores []float64, k int) []Candidate {
	if k < 1 {
		return nil
	}
	n := len(scores)
	likely := make([]bool, n) // whether the more likely side is the left
	var costs []key           // of turning a choice round, cheapest last in byValue
	for i, s := range scores {
		s = cleanNaN(s)
		likely[i] = s >= 0
		if !math.IsInf(s, 0) {
			costs = append(costs, key{-math.Abs(s), int32(i)})
		}
	}
	slices.SortFunc(costs, byValue)

	var out []Candidate
	var flips []flip
	var heap []key // cheapest first; the index is of flips
	push := func(parent, last int32, before float64) {
		if int(last) < len(costs) {
			heap = append(heap, key{before + costs[last].value, int32(len(flips))})
			flips = append(flips, flip{parent, last, before})
			siftUp(heap)
		}
	}
	left := make([]bool, n)
	// add appends the order of a set of flips, unless it is the identity.
	add := func(at int32) {
		copy(left, likely)
		for f := at; f >= 0; f = flips[f].parent {
			i := costs[flips[f].last].index
			left[i] = !left[i]
		}
		o := make(perm.Order, n)
		piles(o, func(i int) bool { return left[i] })
		if logp := l.LogProb(scores, o); logp > negInf && !slices.IsSorted(o) {
			out = append(out, Candidate{o, logp})
		}
	}
	add(-1)
	push(-1, 0, 0)
	for len(heap) > 0 && len(out) < k {
		top := heap[0]
		heap = dropTop(heap)
		add(top.index)
		f := flips[top.index]
		push(top.index, f.last+1, top.value) // one more
		push(f.parent, f.last+1, f.before)   // the next in place of the last
	}
	if logp := l.identity(scores); logp > negInf {
		out = append(out, Candidate{perm.Identity(n), logp})
	}
	return sortCandidates(out, k)
}

// LogProbGraph takes scores [..., n] and uses O(n²) memory.
func (l InverseRiffle) LogProbGraph(scores, rank *graph.Node) *graph.Node {
	n := rank.Shape().Dim(-1)
	checkGraph(l, scores, rank, n)
	left, right := logSigmoidGraph(floored(scores)), logSigmoidGraph(floored(graph.Neg(scores)))
	position := graph.ExpandAxes(rank, -2)       // [..., 1, n]
	cut := count(rank, position.Rank(), -2, n+1) // [1…, n+1, 1]
	inLeft := graph.LessThan(position, cut)      // [..., n+1, n]
	pile := graph.Where(inLeft, graph.ExpandAxes(left, -2), graph.ExpandAxes(right, -2))
	byCut := graph.ReduceSum(pile, -1) // [..., n+1]

	ok := risesButAt(rank, n) // [..., n+1]
	some := graph.LogicalAny(ok, -1)
	ok = graph.LogicalOr(ok, graph.LogicalNot(graph.ExpandAxes(some, -1))) // never an empty sum
	best := graph.StopGradient(graph.ReduceMax(graph.Where(ok, byCut, graph.ConstAs(byCut, maskFill)), -1))
	_, total := shifted(byCut, ok)
	never := graph.LogicalOr(graph.LogicalNot(some), barred(best))
	return unless(never, graph.Add(best, total), scores)
}

// risesButAt reports for each cut c of 0 … n whether the order of rank [..., n] rises
// everywhere but at c.
func risesButAt(rank *graph.Node, n int) *graph.Node {
	position := graph.ExpandAxes(rank, -2)
	at := graph.Equal(position, count(rank, position.Rank(), -2, n)) // [..., n, n]
	object := graph.BroadcastToShape(count(rank, position.Rank(), -1, n), at.Shape())
	order := pick(object, at) // [..., n]
	zero, one := graph.ConstAs(rank, 0), graph.ConstAs(rank, 1)
	end := graph.Mul(graph.SliceAxis(rank, -1, graph.AxisRange(0, 1)), zero)
	descent := graph.Concatenate([]*graph.Node{end, end}, -1)
	if n > 1 {
		falls := graph.LessThan(
			graph.SliceAxis(order, -1, graph.AxisRange(1, n)),
			graph.SliceAxis(order, -1, graph.AxisRange(0, n-1)))
		descent = graph.Concatenate([]*graph.Node{end, graph.Where(falls, one, zero), end}, -1)
	}
	total := graph.ReduceAndKeep(descent, graph.ReduceSum, -1)
	return graph.Equal(total, descent)
}

// Unpad implements [Padder].
func (InverseRiffle) Unpad(scores []float64, _, length int) []float64 { return scores[:length] }

// Pad implements [Padder]: padding always goes to the right pile.
func (InverseRiffle) Pad(scores, rank, lengths *graph.Node) (_, _ *graph.Node) {
	return padded(scores, graph.ExpandAxes(lengths, -1), rank.Shape().Dim(-1)), rank
}
