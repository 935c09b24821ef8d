package sedd

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/internal/enginetest"
)

// Two steps of a sampler, the last one with them, but for the network: 64 sequences of the
// paper's n = 100.
func BenchmarkSampleStep(b *testing.B) {
	const rows, n = 64, 100
	for _, s := range samplers(n, 1) {
		b.Run(s.Process.Name()+"/"+string(s.Method), func(b *testing.B) {
			ratios := slices.Repeat([]float32{0.5}, rows*n*n)
			for b.Loop() {
				if _, err := s.Sample(rows, n, 1, func([]int32, float64) ([]float32, error) { return ratios, nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The loss and its gradient by the log-scores, 64 sequences of n = 100.
func BenchmarkLossGraph(b *testing.B) {
	const rows, n = 64, 100
	all, err := enginetest.All()
	if err != nil {
		b.Fatal(err)
	}
	for _, e := range all {
		for _, p := range []Process{Uniform{n}, Absorb{n}} {
			b.Run(p.Name()+"/"+e.Kind, func(b *testing.B) {
				data := randomBatch(p, n, 1, slices.Repeat([]float32{0.7}, rows)...)
				exec, err := graph.NewExec(e.Backend, func(l, xt, x0, sigma, dsigma *graph.Node) []*graph.Node {
					mean := graph.ReduceAllMean(p.LossGraph(l, xt, x0, sigma, dsigma))
					return []*graph.Node{mean, graph.Gradient(mean, l)[0]}
				})
				if err != nil {
					b.Fatal(err)
				}
				in := []any{
					tensors.FromFlatDataAndDimensions(data.logScores, rows, n, n),
					tensors.FromFlatDataAndDimensions(data.xt, rows, n), tensors.FromFlatDataAndDimensions(data.x0, rows, n),
					tensors.FromFlatDataAndDimensions(data.sigma, rows), tensors.FromFlatDataAndDimensions(data.dsigma, rows),
				}
				for b.Loop() {
					out, err := exec.Call(in...)
					if err != nil {
						b.Fatal(err)
					}
					tensors.MustCopyFlatData[float32](out[0])
				}
			})
		}
	}
}
