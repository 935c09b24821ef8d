package reverse

import (
	"math/rand/v2"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/perm"
)

// InverseInsertion is the inverse insertion distribution, II (paper §3.2.1): the
// object at position i moves to the end with odds exp s_i,
//
//	p(0, …, i−1, i+1, …, n−1, i) = exp s_i / Σ_j exp s_j,  s [n];
//
// every other order has probability zero. i = n−1 is the identity.
type InverseInsertion struct{}

// Layout implements [Law].
func (InverseInsertion) Layout() Layout { return Vector }

func (InverseInsertion) Name() string        { return "ii" }
func (InverseInsertion) LongName() string    { return "inverse insertion" }
func (InverseInsertion) NumScores(n int) int { return Vector.Size(n) }
func (InverseInsertion) FullSupport() bool   { return false }

// LogProb is O(n).
func (l InverseInsertion) LogProb(scores []float64, o perm.Order) float64 {
	n := len(o)
	checkScores(l, scores, n)
	if n == 0 {
		return 0
	}
	moved := o[n-1]
	for i, k := range o[:n-1] {
		if i < moved && k != i || i >= moved && k != i+1 {
			return negInf
		}
	}
	s := clean(scores[moved])
	if s == negInf {
		return negInf
	}
	return min(0, logSumExcept(scores, -1).logProb(s))
}

// Sample takes the greatest score with Gumbel noise, in O(n).
func (l InverseInsertion) Sample(rng *rand.Rand, scores []float64, dst perm.Order) {
	checkScores(l, scores, len(dst))
	i, _ := topTwo(scores, rng)
	l.write(dst, i)
}

// Mode moves the object of the greatest score; it is exact.
func (l InverseInsertion) Mode(scores []float64, dst perm.Order) float64 {
	checkScores(l, scores, len(dst))
	i, _ := topTwo(scores, nil)
	l.write(dst, i)
	return l.LogProb(scores, dst)
}

// write makes dst the order that moves i to the end.
func (InverseInsertion) write(dst perm.Order, i int) {
	for j := range dst {
		dst[j] = j
	}
	if len(dst) > 0 {
		copy(dst[i:], dst[i+1:])
		dst[len(dst)-1] = i
	}
}

// topTwo returns the indices of the greatest and the second greatest score, with Gumbel noise if
// rng is given. Of equal scores the lower index is taken. Where no score is possible it takes the
// lowest free indices. second is −1 if there is one score only.
func topTwo(scores []float64, rng *rand.Rand) (first, second int) {
	first, second = -1, -1
	var a, b float64
	for i, s := range scores {
		s = clean(s)
		if rng != nil {
			s += gumbel(rng)
		}
		switch {
		case first < 0 || s > a:
			first, second, a, b = i, first, s, a
		case second < 0 || s > b:
			second, b = i, s
		}
	}
	return first, second
}

// TopK is exact, in O(n log n + k·n).
func (l InverseInsertion) TopK(scores []float64, k int) []Candidate {
	n := len(scores)
	if k < 1 {
		return nil
	}
	best := make([]key, n)
	for i, s := range scores {
		best[i] = key{clean(s), int32(i)}
	}
	slices.SortFunc(best, byValue)
	var out []Candidate
	all := logSumExcept(scores, -1)
	for _, b := range best[:min(k, n)] {
		if b.value == negInf {
			break
		}
		o := make(perm.Order, n)
		l.write(o, int(b.index))
		out = append(out, Candidate{o, min(0, all.logProb(b.value))})
	}
	if len(out) == 0 {
		return modeAlone(l, scores, n)
	}
	return sortCandidates(out, k)
}

// LogProbGraph takes scores [..., n].
func (l InverseInsertion) LogProbGraph(scores, rank *graph.Node) *graph.Node {
	n := rank.Shape().Dim(-1)
	checkGraph(l, scores, rank, n)
	at := count(rank, rank.Rank(), -1, n)
	end := graph.ConstAs(rank, n-1)
	last := graph.Equal(rank, end)
	moved := graph.ExpandAxes(pick(graph.BroadcastToShape(at, rank.Shape()), last), -1)
	one := graph.ConstAs(rank, 1)
	wanted := graph.Where(graph.LessThan(at, moved), at, graph.Sub(at, one))
	wanted = graph.Where(graph.Equal(at, moved), end, wanted)
	ok := graph.LogicalAll(graph.Equal(rank, wanted), -1)

	s := floored(scores)
	z, total := shifted(s, nil)
	never := graph.LogicalOr(graph.LogicalNot(ok), barred(pick(s, last)))
	return unless(never, graph.Sub(pick(z, last), total), scores)
}

// Categorical implements [Categorical].
func (InverseInsertion) Categorical() {}

// Pad implements [Padder]: the order of the first objects is written as one that
// moves its object past the padding.
func (InverseInsertion) Pad(scores, rank, lengths *graph.Node) (_, _ *graph.Node) {
	n := rank.Shape().Dim(-1)
	length := graph.ExpandAxes(lengths, -1)
	one := graph.ConstAs(rank, 1)
	last := graph.Sub(length, one)
	moved := graph.Where(graph.GreaterOrEqual(rank, length), graph.Sub(rank, one), rank)
	moved = graph.Where(graph.Equal(rank, last), graph.ConstAs(rank, n-1), moved)
	return padded(scores, length, n), graph.ConvertDType(moved, dtypes.Int32)
}

// Unpad implements [Padder].
func (InverseInsertion) Unpad(scores []float64, _, length int) []float64 { return scores[:length] }
