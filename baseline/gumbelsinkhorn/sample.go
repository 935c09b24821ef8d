package gumbelsinkhorn

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// NoiseGraph draws from the standard Gumbel distribution, −log(−log u) with u uniform on
// (0, 1), float32. rng is the generator's state, [3] uint64 (graph.RNGStateFromSeed makes
// one); the state after the draw comes back with it. Draws lie in −4.5 to 17.4.
func NoiseGraph(rng *graph.Node, dims ...int) (next, noise *graph.Node) {
	next, u := graph.RandomUniform(rng, shapes.Make(dtypes.Float32, dims...))
	return next, graph.StopGradient(gumbel(u))
}

// gumbel is −log(−log u). A u of 0, which does come, has no logarithm; nor has −log u where
// an engine rounds it to 0 for a u just below 1.
func gumbel(u *graph.Node) *graph.Node {
	u = graph.MaxScalar(u, math.SmallestNonzeroFloat32*(1<<23))
	e := graph.MaxScalar(graph.Neg(graph.Log(u)), 1.0/(1<<25))
	return graph.Neg(graph.Log(e))
}

// SampleGraph draws relaxed permutations S((log α + factor·g)/τ) for log α [rows, n, n],
// float: P [samples, rows, n, n], and the state of the generator after. See [NoiseGraph] for
// rng. It panics on other shapes and on options that are not valid.
func (o Options) SampleGraph(rng, logAlpha *graph.Node) (next, p *graph.Node) {
	if err := o.Validate(); err != nil {
		panic(err)
	}
	checkMatrix(logAlpha)
	if logAlpha.Rank() != 3 {
		panic(fmt.Errorf("gumbel-sinkhorn: log alpha must be [rows, n, n] (got %s)", logAlpha.Shape()))
	}
	dims := slices.Concat([]int{o.Samples}, logAlpha.Shape().Dimensions)
	z := graph.BroadcastToDims(graph.ExpandAxes(logAlpha, 0), dims...)
	next = rng
	if o.NoiseFactor > 0 {
		var noise *graph.Node
		next, noise = NoiseGraph(rng, dims...)
		noise = graph.MulScalar(graph.ConvertDType(noise, z.DType()), o.NoiseFactor)
		z = graph.Add(z, noise)
	}
	return next, SinkhornGraph(graph.DivScalar(z, o.Tau), o.Iterations)
}

// LossGraph is the loss of the jigsaw task for log α [rows, n, n] of n shuffled pieces of m
// pixels, shuffled [rows, n, m], whose pieces in order are ordered [rows, n, m], all of one
// float type: the mean over samples, rows, pieces and pixels of
//
//	(ordered − P·shuffled)²,  P = S((log α + factor·g)/τ), a scalar, in squared pixel units
//
// (Mena et al. 2018, §4 and §5.2). The state of the generator after comes with it. It panics
// on other shapes and on options that are not valid.
func (o Options) LossGraph(rng, logAlpha, shuffled, ordered *graph.Node) (next, loss *graph.Node) {
	next, p := o.SampleGraph(rng, logAlpha)
	for _, x := range []*graph.Node{shuffled, ordered} {
		s := x.Shape()
		if s.DType != p.DType() || s.Rank() != 3 || !slices.Equal(s.Dimensions[:2], p.Shape().Dimensions[1:3]) || !s.Equal(shuffled.Shape()) {
			panic(fmt.Errorf("gumbel-sinkhorn: pieces must be %s [%d, %d, m], shuffled as ordered (got %s and %s)",
				p.DType(), p.Shape().Dim(1), p.Shape().Dim(2), shuffled.Shape(), ordered.Shape()))
		}
	}
	soft := graph.Einsum("srik,rkm->srim", p, shuffled)
	return next, graph.ReduceAllMean(graph.Square(graph.Sub(soft, graph.ExpandAxes(ordered, 0))))
}
