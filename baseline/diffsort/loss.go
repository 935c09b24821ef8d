package diffsort

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// logFloor is where logarithms go on as straight lines, the spacing of float32 below 1: a
// relaxed entry can be 0, whose logarithm is not finite.
const logFloor = 1.0 / (1 << 24)

// Target returns the permutation matrix of rank [rows, n] int32, rank[k] being the position
// of item k: Q [rows, n, n] of the given float type, Q[r, i, k] = 1 where rank[r, k] = i. It
// panics on other shapes.
func Target(rank *graph.Node, dtype dtypes.DType) *graph.Node {
	shape := rank.Shape()
	if shape.DType != dtypes.Int32 || shape.Rank() != 2 {
		panic(fmt.Errorf("diffsort: rank must be int32 [rows, n] (got %s)", shape))
	}
	position := graph.Iota(rank.Graph(), shapes.Make(dtypes.Int32, 1, shape.Dim(1), 1), 1)
	return graph.ConvertDType(graph.Equal(graph.ExpandAxes(rank, 1), position), dtype)
}

// CrossEntropy is the loss of DiffSort for P [rows, n, n] and the right rank [rows, n]
// int32: the binary cross entropy of every entry against the permutation matrix Q, in nats,
//
//	−1/(rows n²) Σ ( Q log P + (1 − Q) log(1 − P) ), a scalar.
//
// It is what the code published with Petersen et al. 2021 and 2022 and Kim et al. 2024 minimizes.
// Equal items have to be given some order. Below 6e-8 = 2⁻²⁴ logarithms follow their tangent there.
// So value and gradient are finite, at most 17.7 and 2²⁴ an entry, and an item that is surely
// misplaced still has a gradient.
func CrossEntropy(p, rank *graph.Node) *graph.Node {
	q := target(p, rank)
	right := graph.Mul(q, logOf(p))
	wrong := graph.Mul(graph.OneMinus(q), logOf(graph.OneMinus(p)))
	return graph.Neg(graph.ReduceAllMean(graph.Add(right, wrong)))
}

// ObjectLoss is the second loss of Error-free DiffSort (Kim et al. 2024), for the error-free
// P [rows, n, n], the right rank [rows, n] int32 and what the items are, such as their
// pixels, [rows, n, m]: the mean over all entries of
//
//	(P·objects − Q·objects)², a scalar, in squared units of the objects.
//
// Kim's code takes this for items 0–3, 4–7, … apart, each four ordered among themselves;
// here, as in their text, all are ordered together.
func ObjectLoss(p, rank, objects *graph.Node) *graph.Node {
	q := target(p, rank)
	want := p.Shape().Dimensions[:2]
	shape := objects.Shape()
	if shape.DType != p.DType() || shape.Rank() != 3 || !slices.Equal(shape.Dimensions[:2], want) {
		panic(fmt.Errorf("diffsort: objects must be %s [%d, %d, m] (got %s)", p.DType(), want[0], want[1], shape))
	}
	miss := graph.Einsum("rik,rkm->rim", graph.Sub(p, q), objects)
	return graph.ReduceAllMean(graph.Square(miss))
}

// target is Target with the type of p, whose shape it checks.
func target(p, rank *graph.Node) *graph.Node {
	q := Target(rank, p.DType())
	if !p.DType().IsFloat() || !slices.Equal(p.Shape().Dimensions, q.Shape().Dimensions) {
		panic(fmt.Errorf("diffsort: relaxed permutation must be float %v for rank %s (got %s)", q.Shape().Dimensions, rank.Shape(), p.Shape()))
	}
	return q
}

// logOf is log x down to logFloor and its tangent there below.
func logOf(x *graph.Node) *graph.Node {
	low := graph.MinScalar(x, logFloor)
	return graph.Add(graph.Log(graph.MaxScalar(x, logFloor)), graph.MulScalar(graph.SubScalar(low, logFloor), 1/logFloor))
}
