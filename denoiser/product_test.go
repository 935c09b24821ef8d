package denoiser

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/layers/activation"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
)

// Whole numbers up to 8 are their own bfloat16, and their sums below 2^24 are exact: the layer and
// its three gradients are the sums by hand, bit for bit, whichever side is the wider.
func TestDenseOfBFloat16(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, s := range [][3]int{{7, 3, 5}, {4, 6, 2}, {2, 1, 1}} {
			rows, in, out := s[0], s[1], s[2]
			rng := rand.New(rand.NewPCG(3, uint64(in)))
			whole := func(dims ...int) ([]float32, *tensors.Tensor) {
				flat, _ := randomArray(rng, dims...)
				for i := range flat {
					flat[i] = float32(int(flat[i] * 16))
				}
				return flat, tensors.FromFlatDataAndDimensions(flat, dims...)
			}
			x, xt := whole(1, rows, in)
			w, wt := whole(out, in)
			b, bt := whole(out)
			v, vt := whole(1, rows, out)
			got := denseOf(t, e, activation.TypeRelu, xt, wt, bt, vt)
			y, dx, dw, db := make([]float32, rows*out), make([]float32, rows*in), make([]float32, out*in), make([]float32, out)
			for r := range rows {
				for o := range out {
					sum := b[o]
					for i := range in {
						sum += x[r*in+i] * w[o*in+i]
					}
					if sum <= 0 {
						continue
					}
					y[r*out+o] = sum
					db[o] += v[r*out+o]
					for i := range in {
						dx[r*in+i] += v[r*out+o] * w[o*in+i]
						dw[o*in+i] += v[r*out+o] * x[r*in+i]
					}
				}
			}
			for k, want := range [][]float32{y, dx, dw, db} {
				for i := range want {
					if got[k][i] != want[i] {
						t.Errorf("%v: result %d at %d is %g, wanted %g", s, k, i, got[k][i], want[i])
					}
				}
			}
		}
	})
}

// 1 + 2⁻⁹ is 1 in bfloat16, whose numbers above 1 are 2⁻⁷ apart. The product and the gradient in x
// see the rounded factors, the gradient in w the whole ones.
func TestBFloat16Rounds(t *testing.T) {
	const one = 1 + 1.0/512
	number := tensors.FromFlatDataAndDimensions([]float32{one}, 1, 1)
	got := denseOf(t, enginetest.Open(t, "xla"), activation.TypeNone, number, number, tensors.FromFlatDataAndDimensions([]float32{0}, 1), number)
	for i, want := range []float32{1, 1, one * one, one} {
		if got[i][0] != want {
			t.Errorf("result %d is %v, wanted %v", i, got[i][0], want)
		}
	}
}

// denseOf returns act(x·wᵀ + b) and, v being its gradient, those of x, w and b.
func denseOf(t *testing.T, e *engine.Engine, act activation.Type, x, w, b, v *tensors.Tensor) [][]float32 {
	t.Helper()
	exec, err := graph.NewExec(e.Backend, func(x, w, b, v *graph.Node) []*graph.Node {
		c := &Context{Graph: x.Graph(), Training: true}
		c.half = (&Denoiser{Config: Config{Precision: "bfloat16"}}).halfWanted(c)
		if c.half != (e.Kind != "go") {
			t.Errorf("engine %s: bfloat16 is %v", e.Kind, c.half)
		}
		y := c.dense(x, w, b, act)
		return append([]*graph.Node{y}, graph.Gradient(graph.ReduceAllSum(graph.Mul(y, v)), x, w, b)...)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	var flats [][]float32
	for _, o := range exec.MustCall(x, w, b, v) {
		flats = append(flats, tensors.MustCopyFlatData[float32](o))
	}
	return flats
}

// softmax and its gradient are their sums in float64, for training and for use; hidden elements have
// no part in either.
func TestSoftmax(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		rng := rand.New(rand.NewPCG(5, 5))
		for _, width := range []int{1, 2, 9, 18, 70} {
			const rows = 6
			logits, _ := randomArray(rng, rows, width)
			v, vt := randomArray(rng, rows, width)
			for i := range logits {
				if logits[i] *= 10; i%width > 0 && rng.IntN(4) == 0 {
					logits[i] += masked
				}
			}
			var w, dx []float32
			for r := range rows {
				row, total, mean := logits[r*width:(r+1)*width], 0.0, 0.0
				for _, x := range row {
					total += math.Exp(float64(x))
				}
				for i, x := range row {
					mean += math.Exp(float64(x)) / total * float64(v[r*width+i])
				}
				for i, x := range row {
					share := math.Exp(float64(x)) / total
					w, dx = append(w, float32(share)), append(dx, float32(share*(float64(v[r*width+i])-mean)))
				}
			}
			for _, training := range []bool{false, true} {
				exec, err := graph.NewExec(e.Backend, func(x, v *graph.Node) []*graph.Node {
					c := &Context{Graph: x.Graph(), Training: training}
					y := c.softmax(x)
					return append([]*graph.Node{y}, graph.Gradient(graph.ReduceAllSum(graph.Mul(y, v)), x)...)
				})
				if err != nil {
					t.Fatal(err)
				}
				out := exec.MustCall(tensors.FromFlatDataAndDimensions(logits, rows, width), vt)
				near.AllWithin(t, "softmax", tensors.MustCopyFlatData[float32](out[0]), w, 1e-6)
				near.AllWithin(t, "its gradient", tensors.MustCopyFlatData[float32](out[1]), dx, 3e-6)
				exec.Finalize()
			}
		}
	})
}
