package reverse

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/perm"
)

// GeneralizedPlackettLuce is the GPL distribution (paper §3.2.2, eq.
// "GPL distribution"): row i of the scores chooses the object at output position i
// from those that are left,
//
//	log p(σ) = Σ_i ( S[i,σ[i]] − log Σ_{j ≥ i} exp S[i,σ[j]] ),  S [n, n].
//
// The rows are independent of each other. So with −Inf scores any single order can have probability
// 1, and chains of GPL steps reach every distribution: see [RealizeWithGPL]. Its mode is not the
// greedy order in general, and no fast exact algorithm is known.
type GeneralizedPlackettLuce struct{}

// Layout implements [Law].
func (GeneralizedPlackettLuce) Layout() Layout { return Matrix }

func (GeneralizedPlackettLuce) Name() string        { return "gpl" }
func (GeneralizedPlackettLuce) LongName() string    { return "generalized Plackett–Luce" }
func (GeneralizedPlackettLuce) NumScores(n int) int { return Matrix.Size(n) }
func (GeneralizedPlackettLuce) FullSupport() bool   { return true }

// Row implements [Rows]: it is the row of the next position, whatever came before.
func (GeneralizedPlackettLuce) Row(scores []float64, placed []int, into []float64) []float64 {
	i, n := len(placed), len(into)
	return scores[i*n : (i+1)*n]
}

// LogProb is O(n²).
func (l GeneralizedPlackettLuce) LogProb(scores []float64, o perm.Order) float64 {
	checkScores(l, scores, len(o))
	return logProbOfRows(l, scores, o)
}

// Sample draws row by row, in O(n²).
func (l GeneralizedPlackettLuce) Sample(rng *rand.Rand, scores []float64, dst perm.Order) {
	checkScores(l, scores, len(dst))
	sampleRows(l, rng, scores, dst)
}

// Mode writes the greedy order: each row takes the best of the objects left. This is the mode if
// every row has the same scores. In general the mode is at least as probable.
func (l GeneralizedPlackettLuce) Mode(scores []float64, dst perm.Order) float64 {
	checkScores(l, scores, len(dst))
	greedy(l, scores, dst)
	return l.LogProb(scores, dst)
}

// TopK is a beam search of width k over rows: see [Beam].
func (l GeneralizedPlackettLuce) TopK(scores []float64, k int) []Candidate {
	return l.TopKAbove(scores, k, negInf)
}

// TopKAbove implements [FloorSearcher].
func (l GeneralizedPlackettLuce) TopKAbove(scores []float64, k int, floor float64) []Candidate {
	n := int(math.Round(math.Sqrt(float64(len(scores)))))
	checkScores(l, scores, n)
	return beamTopK(n, k, floor, func(i int) []float64 { return scores[i*n : (i+1)*n] })
}

// LogProbGraph takes scores [..., n, n]. It needs no gather:
//
//	log p = Σ_i ( S[i, k : rank[k] = i] − LSE of S[i, k] over {k : rank[k] ≥ i} ).
func (l GeneralizedPlackettLuce) LogProbGraph(scores, rank *graph.Node) *graph.Node {
	n := rank.Shape().Dim(-1)
	checkGraph(l, scores, rank, n, n)
	return suffixLogProb(scores, rank)
}

// ChoiceLogProbGraph implements [ByChoice].
func (GeneralizedPlackettLuce) ChoiceLogProbGraph(scores, rank *graph.Node) *graph.Node {
	logp, _ := suffixChoices(scores, rank)
	return logp
}

// Pad implements [Padder]: rows of padding pick their own object.
func (GeneralizedPlackettLuce) Pad(scores, rank, lengths *graph.Node) (_, _ *graph.Node) {
	n := rank.Shape().Dim(-1)
	length := graph.ExpandAxes(lengths, -1, -2)
	row, column := count(rank, length.Rank(), -2, n), count(rank, length.Rank(), -1, n)
	own := graph.Where(graph.Equal(row, column), graph.ConstAs(scores, 0), graph.ConstAs(scores, padScore))
	inside := graph.LessThan(row, length)
	return graph.Where(inside, padded(scores, length, n), own), rank
}

// Unpad implements [Padder].
func (GeneralizedPlackettLuce) Unpad(scores []float64, n, length int) []float64 {
	return unpadRows(scores, length, n, length)
}

// LogProbs implements [BatchLaw]: O(n²) exponentials in all, and O(n²) additions per order.
func (l GeneralizedPlackettLuce) LogProbs(scores []float64, orders []perm.Order, dst []float64) {
	logProbsOfRows(l, scores, orders, dst)
}
