package denoiser

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
)

func randomArray(rng *rand.Rand, dims ...int) ([]float32, *tensors.Tensor) {
	size := 1
	for _, d := range dims {
		size *= d
	}
	flat := make([]float32, size)
	for i := range flat {
		flat[i] = rng.Float32() - 0.5
	}
	return flat, tensors.FromFlatDataAndDimensions(flat, dims...)
}

// The engines convolve in ways of their own. Both are held against the sum over the kernel, and the
// gradients of what they give against what that sum's are: those of the weights are a convolution
// with x of the outgoing gradient, and all pixels' sum to weights times it.
func TestConvolutions(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, s := range []struct{ images, kernel, stride, height, width, in, out int }{
			{2, 5, 1, 6, 8, 2, 3},
			{2, 5, 1, 5, 7, 15, 2},
			{2, 3, 1, 4, 5, 1, 4},
			{2, 3, 2, 7, 9, 3, 2},
			{2, 5, 2, 8, 8, 2, 2},
			{2, 1, 1, 3, 4, 2, 2},
			{2, 7, 1, 4, 9, 1, 2},
			{2, 5, 1, 14, 13, 40, 2},
			{1, 5, 1, 1, 1, 16, 3},
			{2, 5, 1, 9, 4, 16, 17},
			{winogradTiles + 5, 5, 1, 3, 2, 16, 1}, // Winograd's
			{2, 5, 2, 8, 8, 16, 2},
			{2, 3, 1, 5, 6, 16, 2},
		} {
			rng := rand.New(rand.NewPCG(1, uint64(s.kernel*100+s.width)))
			l := &conv{kernel: s.kernel, stride: s.stride, padding: s.kernel / 2, in: s.in, out: s.out}
			if got, want := l.suitsWinograd(), s.kernel == 5 && s.stride == 1 && s.in >= 16; got != want {
				t.Fatalf("%+v: by Winograd %v, wanted %v", s, got, want)
			}
			images := s.images
			h, w := (s.height+2*l.padding-s.kernel)/s.stride+1, (s.width+2*l.padding-s.kernel)/s.stride+1
			x, xt := randomArray(rng, images, s.height, s.width, s.in)
			k, kt := randomArray(rng, s.kernel, s.kernel, s.in, s.out)
			v, vt := randomArray(rng, images, h, w, s.out)
			exec, err := graph.NewExec(e.Backend, func(x, w, v *graph.Node) []*graph.Node {
				y := l.convolve(&Context{Graph: x.Graph()}, x, w)
				return append([]*graph.Node{y}, graph.Gradient(graph.ReduceAllSum(graph.Mul(y, v)), x, w)...)
			})
			if err != nil {
				t.Fatal(err)
			}
			got := exec.MustCall(xt, kt, vt)
			exec.Finalize()
			want := [][]float64{make([]float64, len(v)), make([]float64, len(x)), make([]float64, len(k))}
			for i := range images * h * w * s.out {
				o, px, py, image := i%s.out, i/s.out%w, i/s.out/w%h, i/s.out/w/h
				for ky := range s.kernel {
					for kx := range s.kernel {
						iy, ix := py*s.stride+ky-l.padding, px*s.stride+kx-l.padding
						if iy < 0 || ix < 0 || iy >= s.height || ix >= s.width {
							continue
						}
						for c := range s.in {
							a, b := ((image*s.height+iy)*s.width+ix)*s.in+c, ((ky*s.kernel+kx)*s.in+c)*s.out+o
							want[0][i] += float64(x[a]) * float64(k[b])
							want[1][a] += float64(v[i]) * float64(k[b])
							want[2][b] += float64(v[i]) * float64(x[a])
						}
					}
				}
			}
			for part, name := range []string{"y", "gradient of x", "gradient of the weights"} {
				flat := tensors.MustCopyFlatData[float32](got[part])
				most := 1e-4
				if l.suitsWinograd() { // its rounding is of the size of all
					greatest := 1.0
					for _, v := range want[part] {
						greatest = max(greatest, math.Abs(v))
					}
					most = 3e-5 * greatest
				}
				for i := range want[part] {
					if math.Abs(float64(flat[i])-want[part][i]) > most {
						t.Fatalf("%+v: %s[%d]: got %g, wanted %g", s, name, i, flat[i], want[part][i])
					}
				}
			}
		}
	})
}

// The go engine's own convolution is not to be used: nearly all of a step would be spent in it.
func TestPatchesOnTheGoEngine(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		exec, err := graph.NewExec(e.Backend, func(x *graph.Node) *graph.Node {
			if got := (&Context{Graph: x.Graph()}).onGo(); got != (e.Kind == "go") {
				panic(fmt.Errorf("engine %s: patches wanted: %v", e.Kind, got))
			}
			return x
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := exec.Call(float32(1)); err != nil {
			t.Error(err)
		}
		exec.Finalize()
	})
}

// Of four equal pixels each has a quarter of the gradient; of others only the greatest has it.
func TestMaxPoolGradient(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		exec, err := graph.NewExec(e.Backend, func(x *graph.Node) *graph.Node {
			return graph.Gradient(graph.ReduceAllSum(graph.MulScalar(maxPool2(x), 8)), x)[0]
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		x := tensors.FromFlatDataAndDimensions([]float32{
			5, 5, 1, 2, 9,
			5, 5, 3, 3, 9,
			7, 7, 7, 7, 7, // an odd row and column are left out
		}, 1, 3, 5, 1)
		want := []float32{
			2, 2, 0, 0, 0,
			2, 2, 4, 4, 0,
			0, 0, 0, 0, 0,
		}
		got := tensors.MustCopyFlatData[float32](exec.MustCall(x)[0])
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("got %v, wanted %v", got, want)
			}
		}
	})
}
