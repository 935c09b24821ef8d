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

// ByChoice is a law whose log p is a sum over choices, one a position, from the first on.
type ByChoice interface {
	Law
	// ChoiceLogProbGraph takes what LogProbGraph does and builds the log-probability [..., n] of the choice at
	// each position, of which LogProbGraph is the sum. The sum of the first few is the log-probability of what stands
	// there. What is impossible is far below 0 and finite.
	ChoiceLogProbGraph(scores, rank *graph.Node) *graph.Node
}

// padded sets scores [..., n] from length [..., 1] on to padScore.
func padded(scores, length *graph.Node, n int) *graph.Node {
	inside := graph.LessThan(count(length, length.Rank(), -1, n), length)
	return graph.Where(inside, scores, graph.ConstAs(scores, padScore))
}

// unpadRows moves the first rows of scores [.., n] to [rows, length] and returns them.
func unpadRows(scores []float64, rows, n, length int) []float64 {
	for i := range rows {
		copy(scores[i*length:], scores[i*n:i*n+length])
	}
	return scores[:rows*length]
}
