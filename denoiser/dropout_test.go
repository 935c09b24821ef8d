package denoiser

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
)

// The noise of dropout: the share that is dropped, and that masks of neighbours, of calls and of
// states have nothing to do with each other, all within five standard deviations. Both engines
// make the same masks.
func TestDropoutNoise(t *testing.T) {
	const size, p = 1 << 18, 0.1
	var first [][]float32
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		exec, err := graph.NewExec(e.Backend, func(x, rng *graph.Node) []*graph.Node {
			c := &Context{Graph: x.Graph(), Training: true, rng: rng}
			return []*graph.Node{c.dropout(x, p), c.dropout(x, p)}
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		ones := make([]float32, size)
		for i := range ones {
			ones[i] = 1
		}
		var masks [][]float32
		for _, state := range []uint64{1, 2} {
			out := exec.MustCall(tensors.FromFlatDataAndDimensions(ones, 512, 512), []uint64{state, 0, 0})
			for _, o := range out {
				masks = append(masks, tensors.MustCopyFlatData[float32](o))
			}
		}
		if first == nil {
			first = masks
		}
		both := func(a, b []float32, lag int) (share float64) {
			for i := range size - lag {
				if a[i] == 0 && b[i+lag] == 0 {
					share++
				}
			}
			return share / float64(size-lag)
		}
		often := func(what string, got, want float64) {
			if d := 5 * math.Sqrt(want*(1-want)/size); math.Abs(got-want) > d {
				t.Errorf("%s: got %.5f, wanted %.5f ± %.5f", what, got, want, d)
			}
		}
		for k, mask := range masks {
			for i, v := range mask {
				if want := float32(1 / (1 - p)); v != 0 && v != want {
					t.Fatalf("got %g, wanted 0 or %g", v, want)
				}
				if v != first[k][i] {
					t.Fatalf("mask %d differs from that of the other engine at %d", k, i)
				}
			}
			often("dropped", both(mask, mask, 0), p)
			for _, lag := range []int{1, 2, 3, 64, 512, 1 << 16} {
				often("dropped with a neighbour", both(mask, mask, lag), p*p)
			}
			// The noise of rows and columns is put together: four corners of a rectangle are dropped
			// together as often as any four.
			corners, rectangles := 0.0, 0
			for _, side := range []int{1, 3, 64} {
				for i := range size - side*512 - side {
					if i%512+side < 512 {
						rectangles++
						if mask[i] == 0 && mask[i+side] == 0 && mask[i+512*side] == 0 && mask[i+512*side+side] == 0 {
							corners++
						}
					}
				}
			}
			often("dropped at four corners", corners/float64(rectangles), p*p*p*p)
			for l := range k {
				often("dropped in two masks", both(masks[l], mask, 0), p*p)
			}
		}
	})
}
