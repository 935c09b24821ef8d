package reverse

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

const (
	// scoreFloor stands for a score of −Inf inside graphs, so that differences with it are never
	// NaN. What is at or below impossibleBelow counts as −Inf.
	scoreFloor      = -1e20
	impossibleBelow = -1e19
	// maskFill is below any sum of scores: it never is a greatest value, and exp of
	// a difference with it is 0.
	maskFill = -1e30
)

// checkGraph panics unless rank is [..., n] int32 and scores [..., last...] with the
// same leading axes. Panics are errors, which is what GoMLX expects of graph functions.
func checkGraph(law Law, scores, rank *graph.Node, last ...int) {
	r, s := rank.Shape(), scores.Shape()
	if r.DType != dtypes.Int32 || r.Rank() < 1 {
		panic(fmt.Errorf("reverse: %s: rank must be [..., n] int32 (got %s)", law.Name(), r))
	}
	want := slices.Concat(r.Dimensions[:r.Rank()-1], last)
	if !s.DType.IsFloat() || !slices.Equal(s.Dimensions, want) {
		panic(fmt.Errorf("reverse: %s: scores must be float %v for rank %s (got %s)", law.Name(), want, r, s))
	}
}

// count returns 0, 1, … int32 along axis (negative, from the end) with n entries;
// the other axes of the given rank have length 1.
func count(like *graph.Node, rank, axis, n int) *graph.Node {
	dims := slices.Repeat([]int{1}, rank)
	dims[rank+axis] = n
	return graph.Iota(like.Graph(), shapes.Make(dtypes.Int32, dims...), rank+axis)
}

// floored maps −Inf to scoreFloor.
func floored(x *graph.Node) *graph.Node {
	floor := graph.ConstAs(x, scoreFloor)
	return graph.Where(graph.LessThan(x, floor), floor, x)
}

// shifted works over the last axis within mask (nil for all). It returns x less its greatest value
// there, which is undefined outside of mask, and log Σ exp of that. No gradient goes through the
// greatest value, which cancels.
func shifted(x, mask *graph.Node) (z, total *graph.Node) {
	fill := graph.ConstAs(x, maskFill)
	inside := x
	if mask != nil {
		inside = graph.Where(mask, x, fill)
	}
	m := graph.StopGradient(graph.ReduceAndKeep(inside, graph.ReduceMax, -1))
	z = graph.Sub(x, m)
	inside = z
	if mask != nil {
		inside = graph.Where(mask, z, fill)
	}
	return z, graph.Log(graph.ReduceSum(graph.Exp(inside), -1))
}

// pick sums x over the last axis where mask is true.
func pick(x, mask *graph.Node) *graph.Node {
	return graph.ReduceSum(graph.Where(mask, x, graph.ConstAs(x, 0)), -1)
}

// unless returns x, but −Inf with gradient zero where impossible is true. It is NaN where a score
// is: the go engine's vector exp hides NaN otherwise. The scores of an entry of x are on the last
// axes of scores, which x has not.
func unless(impossible, x, scores *graph.Node) *graph.Node {
	nan := graph.Where(graph.NotEqual(scores, scores), scores, graph.ConstAs(scores, 0))
	for nan.Rank() > x.Rank() {
		nan = graph.ReduceSum(nan, -1)
	}
	x = graph.Where(impossible, graph.Infinity(x.Graph(), x.DType(), -1), x)
	return graph.Add(x, graph.StopGradient(nan))
}

// barred reports where x stands for −Inf rather than being a score.
func barred(x *graph.Node) *graph.Node {
	return graph.LessThan(x, graph.ConstAs(x, impossibleBelow))
}

// suffixLogProb is log p of GPL for scores [..., n or 1, n] and rank [..., n]: one
// row for all positions is PL.
func suffixLogProb(scores, rank *graph.Node) *graph.Node {
	logp, picked := suffixChoices(scores, rank)
	never := barred(graph.ReduceMin(picked, -1)) // [...]
	return unless(never, graph.ReduceSum(logp, -1), scores)
}

// suffixChoices returns the log-probabilities [..., n] of the choices of suffixLogProb, and the scores of
// what they pick.
func suffixChoices(scores, rank *graph.Node) (logp, picked *graph.Node) {
	n := rank.Shape().Dim(-1)
	position := graph.ExpandAxes(rank, -2)      // [..., 1, n]
	row := count(rank, position.Rank(), -2, n)  // [1…, n, 1]
	left := graph.GreaterOrEqual(position, row) // [..., n, n]
	here := graph.Equal(position, row)          // [..., n, n]
	s := floored(scores)                        // [..., n or 1, n]
	z, total := shifted(s, left)                // [..., n, n], [..., n]
	return graph.Sub(pick(z, here), total), pick(s, here)
}

// logSigmoidGraph is log φ(x) with a gradient that is exact also at ±1e4.
func logSigmoidGraph(x *graph.Node) *graph.Node {
	zero := graph.ConstAs(x, 0)
	m := graph.StopGradient(graph.Max(graph.Neg(x), zero))
	sum := graph.Add(graph.Exp(graph.Neg(m)), graph.Exp(graph.Neg(graph.Add(x, m))))
	return graph.Neg(graph.Add(m, graph.Log(sum)))
}
