package gumbelsinkhorn

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
)

// side returns n for n·n entries.
func side(size int) (int, error) {
	n := int(math.Round(math.Sqrt(float64(size))))
	if n*n != size {
		return 0, fmt.Errorf("gumbel-sinkhorn: wanted the n·n entries of a square matrix (got %d)", size)
	}
	return n, nil
}

// SinkhornGraph is Sinkhorn for log α [..., n, n], float and finite; the result has the same
// shape. It panics on other shapes.
func SinkhornGraph(logAlpha *graph.Node, iterations int) *graph.Node {
	checkMatrix(logAlpha)
	z := logAlpha
	for range iterations {
		z = normalized(normalized(z, -1), -2)
	}
	return graph.Exp(z)
}

// normalized is z less log Σ exp z over an axis. The greatest value cancels, so no gradient
// goes through it.
func normalized(z *graph.Node, axis int) *graph.Node {
	z = graph.Sub(z, graph.StopGradient(graph.ReduceAndKeep(z, graph.ReduceMax, axis)))
	return graph.Sub(z, graph.Log(graph.ReduceAndKeep(graph.Exp(z), graph.ReduceSum, axis)))
}

func checkMatrix(logAlpha *graph.Node) {
	s := logAlpha.Shape()
	if !s.DType.IsFloat() || s.Rank() < 2 || s.Dim(-1) != s.Dim(-2) {
		panic(fmt.Errorf("gumbel-sinkhorn: log alpha must be float [..., n, n] (got %s)", s))
	}
}
