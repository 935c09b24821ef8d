package reverse

import "github.com/gomlx/gomlx/core/graph"

// Padder is a law that can work on sets of different sizes in one batch; all laws of this package can.
type Padder interface {
	Law
	// Pad returns scores and rank whose log-probability is that of the first lengths [...] int32 objects,
	// 1 to n; the rest is padding. Scores of padding are not looked at and get gradient zero. rank [...,
	// n] must leave the padding in place: rank[k] = k from lengths on.
	Pad(scores, rank, lengths *graph.Node) (paddedScores, paddedRank *graph.Node)
	// Unpad returns, of the scores of n objects, those of the first length ones. It may write
	// into scores.
	Unpad(scores []float64, n, length int) []float64
}

// padScore makes a choice impossible without being −Inf.
const padScore = -1e9

// ByChoice is a law whose log p is a sum over choices, one a position, from the first on.
type ByChoice interface {
	Law
	// ChoiceLogProbGraph takes what LogProbGraph takes, and builds the log-probability [..., n] of the choice at
	// each position. LogProbGraph is their sum. The sum of the first few is the log-probability that these objects
	// come first. What is impossible is far below 0 and finite.
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
