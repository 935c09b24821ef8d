package reverse

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
)

// Padder is a law that can work on sets of different sizes in one batch.
type Padder interface {
	Law
	// Pad returns scores and rank that give the first lengths objects their
	// log-probability, the rest being padding that keeps its place. See
	// [LogProbGraphPadded] for the shapes.
	Pad(scores, rank, lengths *graph.Node) (paddedScores, paddedRank *graph.Node)
	// Unpad returns, of the scores of n objects, those of the first length ones. It may write
	// into scores.
	Unpad(scores []float64, n, length int) []float64
}

// padScore makes a choice impossible without being −Inf.
const padScore = -1e9

// LogProbGraphPadded builds log p [...] of sets with lengths [...] int32 objects, 1
// to n, padded to n. Scores of padding are not looked at and get gradient zero; rank
// [..., n] must leave the padding in place: rank[k] = k from lengths on. It panics if
// law is not a [Padder]; all laws of this package are.
func LogProbGraphPadded(law Law, scores, rank, lengths *graph.Node) *graph.Node {
	p, ok := law.(Padder)
	if !ok {
		panic(fmt.Errorf("reverse: %s can not pad", law.Name()))
	}
	scores, rank = p.Pad(scores, rank, lengths)
	return law.LogProbGraph(scores, rank)
}

// Weighted is a law whose log p is a sum over positions, from the first on.
type Weighted interface {
	Law
	// WeightedLogProbGraph is LogProbGraph with the term of each position times its weight, of which there
	// are n. With weights 1, …, 1, 0, …, 0 it is the log probability of what stands at the first positions.
	WeightedLogProbGraph(scores, rank *graph.Node, weights []float32) *graph.Node
}

// padded sets scores [..., n] from length [..., 1] on to padScore.
func padded(scores, length *graph.Node, n int) *graph.Node {
	inside := graph.LessThan(count(length, length.Rank(), -1, n), length)
	return graph.Where(inside, scores, graph.ConstAs(scores, padScore))
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
	for i := range length {
		copy(scores[i*length:], scores[i*n:i*n+length])
	}
	return scores[:length*length]
}

// Unpad implements [Padder]: there is a row more, that of the start.
func (TransitionPlackettLuce) Unpad(scores []float64, n, length int) []float64 {
	for i := range length + 1 {
		copy(scores[i*length:], scores[i*n:i*n+length])
	}
	return scores[:(length+1)*length]
}

// Unpad implements [Padder].
func (PlackettLuce) Unpad(scores []float64, _, length int) []float64 { return scores[:length] }

// Unpad implements [Padder].
func (InverseRiffle) Unpad(scores []float64, _, length int) []float64 { return scores[:length] }

// Unpad implements [Padder].
func (InverseInsertion) Unpad(scores []float64, _, length int) []float64 { return scores[:length] }

// Unpad implements [Padder]: τ is the last.
func (InverseTransposition) Unpad(scores []float64, n, length int) []float64 {
	scores[length] = scores[n]
	return scores[:length+1]
}

// Pad implements [Padder]: padding comes last, each far below the one before.
func (PlackettLuce) Pad(scores, rank, lengths *graph.Node) (_, _ *graph.Node) {
	n := rank.Shape().Dim(-1)
	length := graph.ExpandAxes(lengths, -1)
	at := count(rank, length.Rank(), -1, n)
	steps := graph.ConvertDType(graph.Add(at, graph.ConstAs(at, 1)), scores.DType())
	far := graph.Mul(steps, graph.ConstAs(scores, padScore))
	return graph.Where(graph.LessThan(at, length), scores, far), rank
}

// Pad implements [Padder]: as for PL, in every row.
func (TransitionPlackettLuce) Pad(scores, rank, lengths *graph.Node) (_, _ *graph.Node) {
	n := rank.Shape().Dim(-1)
	length := graph.ExpandAxes(lengths, -1, -2)
	at := count(rank, length.Rank(), -1, n)
	steps := graph.ConvertDType(graph.Add(at, graph.ConstAs(at, 1)), scores.DType())
	far := graph.Mul(steps, graph.ConstAs(scores, padScore))
	inside := graph.LessThan(at, length)
	shape := scores.Shape().Dimensions
	return graph.Where(graph.BroadcastToDims(inside, shape...), scores, graph.BroadcastToDims(far, shape...)), rank
}

// Pad implements [Padder]: padding always goes to the right pile.
func (InverseRiffle) Pad(scores, rank, lengths *graph.Node) (_, _ *graph.Node) {
	return padded(scores, graph.ExpandAxes(lengths, -1), rank.Shape().Dim(-1)), rank
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
