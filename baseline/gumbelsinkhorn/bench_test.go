package gumbelsinkhorn

import (
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/internal/enginetest"
)

// BenchmarkStep times loss and gradient with the paper's settings: batch 50, 10 samples, 20
// iterations, 9 pieces of 10×10 pixels.
func BenchmarkStep(b *testing.B) {
	all, err := enginetest.All()
	if err != nil {
		b.Fatal(err)
	}
	const rows, n, m = 50, 9, 100
	for _, e := range all {
		b.Run(e.Kind, func(b *testing.B) {
			exec, err := graph.NewExec(e.Backend, func(rng, logAlpha, shuffled, ordered *graph.Node) []*graph.Node {
				_, loss := Defaults().LossGraph(rng, logAlpha, shuffled, ordered)
				return []*graph.Node{loss, graph.Gradient(loss, logAlpha)[0]}
			})
			if err != nil {
				b.Fatal(err)
			}
			rng, err := graph.RNGStateFromSeed(1)
			if err != nil {
				b.Fatal(err)
			}
			logAlpha, pieces := tensor32(make([]float64, rows*n*n), rows, n, n), tensor32(make([]float64, rows*n*m), rows, n, m)
			step := func() {
				out, err := exec.Call(rng, logAlpha, pieces, pieces)
				if err != nil {
					b.Fatal(err)
				}
				tensors.MustCopyFlatData[float32](out[0])
			}
			step() // compiles
			for b.Loop() {
				step()
			}
		})
	}
}
