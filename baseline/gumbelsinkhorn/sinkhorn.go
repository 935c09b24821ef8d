package gumbelsinkhorn

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
)

// Sinkhorn applies the operator to log α, [n·n] row by row, on the host: [n·n], each column
// summing to one and each row nearly so. Entries are finite. It fails where their number is
// no square or iterations is negative.
func Sinkhorn(logAlpha []float64, iterations int) ([]float64, error) {
	n, err := side(len(logAlpha))
	if err != nil {
		return nil, err
	}
	if iterations < 0 {
		return nil, fmt.Errorf("sinkhorn: iterations must be 0 or more (got %d)", iterations)
	}
	z := append([]float64(nil), logAlpha...)
	for range iterations {
		for i := range n {
			normalize(z[i*n:(i+1)*n], 1)
		}
		for k := range n {
			normalize(z[k:], n)
		}
	}
	for i, v := range z {
		z[i] = math.Exp(v)
	}
	return z, nil
}

// normalize subtracts log Σ exp of every stride-th entry from these.
func normalize(z []float64, stride int) {
	most := math.Inf(-1)
	for i := 0; i < len(z); i += stride {
		most = max(most, z[i])
	}
	sum := 0.0
	for i := 0; i < len(z); i += stride {
		sum += math.Exp(z[i] - most)
	}
	total := math.Log(sum)
	for i := 0; i < len(z); i += stride {
		z[i] = z[i] - most - total // in this order: most may dwarf total
	}
}

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
