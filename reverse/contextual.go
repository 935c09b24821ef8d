package reverse

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/perm"
)

// ContextWidth is w, the length of the vectors of [ContextualPlackettLuce].
const ContextWidth = 64

// contextRow is the length of a row of its scores: three vectors and a number.
const contextRow = 3*ContextWidth + 1

// contextLimit bounds the entries of the vectors, so that no sum of products overflows.
const contextLimit = 100

// ContextualPlackettLuce is the Plackett–Luce distribution whose odds depend on all objects placed so far. It is
// a pointer decoder, as in contextualized generalized Plackett–Luce (He et al. 2026, arXiv 2603.17353), but small
// enough to be followed outside of the network. Its scores are [n + 1, 3w + 1] with w = [ContextWidth]. Row 1 + j
// is that of object j: a key k_j, two vectors b_j and c_j, [w] each, and a number a_j. Row 0 is that of the
// start, of which only b counts. After σ[0 … i−1] the next object is chosen, of those that are left, with
//
//	log-odds of m = a_m + k_m · tanh( b_r + (1/i) Σ_{h<i} c_σ[h] ),  r = σ[i−1], or the start,
//
// So the network reads the objects once, and only this line is computed again for each prefix. PL is
// this law with keys of 0. The mean makes it wider than path, whose odds know the last object alone.
//
// The numbers a_m are log-odds as in the other laws: −Inf is never chosen. The vectors are no
// log-odds: their entries are cut at ±100, and NaN counts as 0.
//
// Its mode is not the greedy order in general.
type ContextualPlackettLuce struct{}

func (ContextualPlackettLuce) Name() string        { return "cgpl" }
func (ContextualPlackettLuce) LongName() string    { return "contextual Plackett–Luce" }
func (ContextualPlackettLuce) NumScores(n int) int { return Contexts.Size(n) }
func (ContextualPlackettLuce) FullSupport() bool   { return true }

// Layout implements [Law].
func (ContextualPlackettLuce) Layout() Layout { return Contexts }

// OneStep implements [OneStep]: the odds follow the order that is built, whatever the state was.
func (ContextualPlackettLuce) OneStep() {}

// vector is one of the vectors of row r.
func contextVector(scores []float64, r, which int) []float64 {
	at := r*contextRow + which*ContextWidth
	return scores[at : at+ContextWidth]
}

func contextEntry(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return max(-contextLimit, min(v, contextLimit))
}

// Row implements [Rows]. It is O((n + i)·w) where i objects are placed.
func (ContextualPlackettLuce) Row(scores []float64, placed []int, into []float64) []float64 {
	var query [ContextWidth]float64
	last := -1
	for _, j := range placed {
		for i, v := range contextVector(scores, 1+j, 2) {
			query[i] += contextEntry(v)
		}
		last = j
	}
	for i, v := range contextVector(scores, 1+last, 1) {
		query[i] = math.Tanh(contextEntry(v) + query[i]/float64(max(len(placed), 1)))
	}
	for m := range into {
		odds := clean(scores[(2+m)*contextRow-1])
		for i, k := range contextVector(scores, 1+m, 0) {
			odds += contextEntry(k) * query[i]
		}
		into[m] = odds
	}
	return into
}

// LogProb is O(n²·w).
func (l ContextualPlackettLuce) LogProb(scores []float64, o perm.Order) float64 {
	checkScores(l, scores, len(o))
	return logProbOfRows(l, scores, o)
}

// Sample draws object by object, in O(n²·w).
func (l ContextualPlackettLuce) Sample(rng *rand.Rand, scores []float64, dst perm.Order) {
	checkScores(l, scores, len(dst))
	sampleRows(l, rng, scores, dst)
}

// Mode writes the greedy order: each choice takes the best object of those left.
func (l ContextualPlackettLuce) Mode(scores []float64, dst perm.Order) float64 {
	checkScores(l, scores, len(dst))
	greedy(l, scores, dst)
	return l.LogProb(scores, dst)
}

// TopK is a beam search of width k that always keeps the greedy order.
func (l ContextualPlackettLuce) TopK(scores []float64, k int) []Candidate {
	return l.TopKAbove(scores, k, negInf)
}

// TopKAbove implements [FloorSearcher]. It is O(k·n²·w).
func (l ContextualPlackettLuce) TopKAbove(scores []float64, k int, floor float64) []Candidate {
	n := max(0, len(scores)/contextRow-1)
	checkScores(l, scores, n)
	if k < 1 {
		return nil
	}
	row := make([]float64, n)
	odds := func(p *prefix) ([]float64, logSum) {
		l.Row(scores, p.order, row)
		return row, sumUnused(row, p.used)
	}
	return prefixSearch{n, odds}.run(l, scores, k, floor)
}

// LogProbGraph takes scores [..., n + 1, 3w + 1]. The order is known. So three products give the odds
// of all positions, and the rest is as in GPL.
func (l ContextualPlackettLuce) LogProbGraph(scores, rank *graph.Node) *graph.Node {
	return suffixLogProb(l.oddsGraph(scores, rank), rank)
}

// ChoiceLogProbGraph implements [ByChoice].
func (l ContextualPlackettLuce) ChoiceLogProbGraph(scores, rank *graph.Node) *graph.Node {
	logp, _ := suffixChoices(l.oddsGraph(scores, rank), rank)
	return logp
}

// oddsGraph returns the log-odds [..., n, n] of the objects at each position, after those that the order has
// before it.
func (l ContextualPlackettLuce) oddsGraph(scores, rank *graph.Node) *graph.Node {
	n := rank.Shape().Dim(-1)
	checkGraph(l, scores, rank, n+1, contextRow)
	columns := func(rows graph.SliceAxisSpec, from, to int) *graph.Node {
		return graph.Slice(scores, graph.AxisRange().Spacer(), rows, graph.AxisRange(from, to))
	}
	const w = ContextWidth
	items := graph.AxisRange(1, n+1)
	keys := bounded(columns(items, 0, w))
	follows := bounded(columns(graph.AxisRange(0, n+1), w, 2*w))
	means := bounded(columns(items, 2*w, 3*w))
	odds := columns(items, 3*w, contextRow) // [..., n, 1]

	position := graph.ExpandAxes(rank, -2)     // [..., 1, n]
	row := count(rank, position.Rank(), -2, n) // [1…, n, 1]
	float := func(x *graph.Node) *graph.Node { return graph.ConvertDType(x, scores.DType()) }
	before := float(graph.LessThan(position, row))    // [..., n, n]: object of column placed before the row's position
	just := graph.Equal(graph.OnePlus(position), row) // [..., n, n]
	first := graph.Equal(row, graph.ZerosLike(row))
	dims := slices.Clone(just.Shape().Dimensions)
	dims[len(dims)-1] = 1
	first = graph.BroadcastToDims(first, dims...)
	after := float(graph.Concatenate([]*graph.Node{first, just}, -1)) // [..., n, n+1]
	placed := float(graph.Max(row, graph.OnesLike(row)))
	query := graph.Tanh(graph.Add(graph.MatMul(after, follows), graph.Div(graph.MatMul(before, means), placed))) // [..., n, w]
	s := graph.MatMul(query, graph.Transpose(keys, -1, -2))                                                      // [..., n, n]
	return graph.Add(s, graph.Transpose(floored(odds), -1, -2))
}

// Unpad implements [Padder]: the rows of the objects stand behind that of the start.
func (ContextualPlackettLuce) Unpad(scores []float64, _, length int) []float64 {
	return scores[:(length+1)*contextRow]
}

// Pad implements [Padder]: padding is as good as never chosen, and each object of it less than the
// one before.
func (ContextualPlackettLuce) Pad(scores, rank, lengths *graph.Node) (_, _ *graph.Node) {
	shape := scores.Shape().Dimensions
	length := graph.ExpandAxes(lengths, -1, -2)
	at := graph.AddScalar(count(rank, length.Rank(), -2, shape[len(shape)-2]), -1) // of the row of an object
	inside := graph.BroadcastToDims(graph.LessThan(at, length), shape...)
	far := graph.Mul(graph.ConvertDType(graph.OnePlus(at), scores.DType()), graph.ConstAs(scores, padScore))
	odds := graph.Equal(count(rank, length.Rank(), -1, contextRow), graph.ConstAs(at, contextRow-1))
	zero := graph.ConstAs(scores, 0)
	padding := graph.Where(graph.BroadcastToDims(odds, shape...), graph.BroadcastToDims(far, shape...), graph.BroadcastToDims(zero, shape...))
	return graph.Where(inside, scores, padding), rank
}

// bounded cuts at ±contextLimit.
func bounded(x *graph.Node) *graph.Node {
	return graph.ClipScalar(x, -contextLimit, contextLimit)
}
