package diffsort

import (
	"fmt"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/internal/enginetest"
)

// BenchmarkStep times loss and gradient with the paper's settings, batch 16, and reports the
// compilation apart, in seconds.
func BenchmarkStep(b *testing.B) {
	all, err := enginetest.All()
	if err != nil {
		b.Fatal(err)
	}
	const rows = 16
	for _, e := range all {
		for _, c := range []struct {
			n         int
			network   string
			errorFree bool
		}{
			{9, "odd-even", false},
			{32, "odd-even", true},
			{52, "bitonic", true},
			{200, "bitonic", true},
			{200, "odd-even", false},
		} {
			b.Run(fmt.Sprintf("%s/%s/n=%d/error-free=%v", e.Kind, c.network, c.n, c.errorFree), func(b *testing.B) {
				s := mustSorter(b, c.network, c.n, Cauchy, Paper(c.errorFree, c.n).Steepness, c.errorFree)
				exec, err := graph.NewExec(e.Backend, func(x, rank *graph.Node) []*graph.Node {
					_, p := s.SortGraph(x)
					loss := CrossEntropy(p, rank)
					return []*graph.Node{loss, graph.Gradient(loss, x)[0]}
				})
				if err != nil {
					b.Fatal(err)
				}
				scores, ranks := make([]float32, rows*c.n), make([]int32, rows*c.n)
				for i := range scores {
					scores[i] = float32(7*i%c.n) / float32(c.n)
					ranks[i] = int32(7 * i % c.n)
				}
				x, rank := tensors.FromFlatDataAndDimensions(scores, rows, c.n), tensors.FromFlatDataAndDimensions(ranks, rows, c.n)
				step := func() {
					out, err := exec.Call(x, rank)
					if err != nil {
						b.Fatal(err)
					}
					tensors.MustCopyFlatData[float32](out[0])
				}
				step() // compiles
				b.ResetTimer()
				for b.Loop() {
					step()
				}
			})
		}
	}
}
