package gumbelsinkhorn

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
)

func state(t *testing.T, seed int64) *tensors.Tensor {
	t.Helper()
	s, err := graph.RNGStateFromSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Mean γ = 0.5772 and variance π²/6 of the standard Gumbel distribution, its median −log log 2, and
// as much below 0 as 1/e. Bounds are five standard errors of 40,000 draws.
func TestNoise(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const n = 40_000
		draw := func(seed int64) []float64 {
			return run(t, e, func(in []*graph.Node) []*graph.Node {
				_, noise := NoiseGraph(in[0], n)
				return []*graph.Node{noise}
			}, state(t, seed))[0]
		}
		x := draw(1)
		sum, squares, below := 0.0, 0.0, 0.0
		for _, v := range x {
			sum += v
			squares += v * v
			if v < 0 {
				below++
			}
		}
		mean := sum / n
		variance := math.Pi * math.Pi / 6
		near.Equal(t, "mean", mean, 0.5772156649, 5*math.Sqrt(variance/n))
		// Kurtosis 5.4 of the Gumbel distribution gives the variance's standard error.
		near.Equal(t, "variance", squares/n-mean*mean, variance, 5*math.Sqrt(4.4/n))
		near.Equal(t, "below 0", below/n, 1/math.E, 5*math.Sqrt(0.25/n))
		sorted := slices.Clone(x)
		slices.Sort(sorted)
		near.Equal(t, "median", sorted[n/2], -math.Log(math.Ln2), 0.05)
		if sorted[0] < -4.5 || sorted[n-1] > 17.4 {
			t.Errorf("draws from %g to %g", sorted[0], sorted[n-1])
		}
		if !slices.Equal(x, draw(1)) || slices.Equal(x, draw(2)) {
			t.Error("draws do not follow the seed")
		}
	})
}

// By hand; the ends are −log(126 log 2) for a u of 0, and −log 2⁻²⁴ for the last float32
// below 1.
func TestGumbel(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		got := run(t, e, func(in []*graph.Node) []*graph.Node { return []*graph.Node{gumbel(in[0])} },
			tensor32([]float64{0.5, 1 / math.E, math.Exp(-2), 0, 1 - 1.0/(1<<24)}, 5))[0]
		near.All(t, "noise", got, []float64{-math.Log(math.Ln2), 0, -math.Ln2, -math.Log(126 * math.Ln2), 24 * math.Ln2}, 1e-6)
	})
}

// Without noise samples are S(log α/τ), all the same; with it they are doubly stochastic and
// differ, and two draws one after the other too.
func TestSample(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const rows, n = 2, 3
		logAlpha := normal(rand.New(rand.NewPCG(3, 3)), rows*n*n, 1)
		plain := Options{Tau: 0.5, Iterations: 20, Samples: 3}
		noisy := Options{Tau: 1, Iterations: 100, Samples: 3, NoiseFactor: 1}
		out := run(t, e, func(in []*graph.Node) []*graph.Node {
			_, p := plain.SampleGraph(in[0], in[1])
			next, q := noisy.SampleGraph(in[0], in[1])
			_, r := noisy.SampleGraph(next, in[1])
			return []*graph.Node{p, q, r}
		}, state(t, 1), tensor32(logAlpha, rows, n, n))
		for s := range 3 {
			for row := range rows {
				at := (s*rows + row) * n * n
				scaled := make([]float64, n*n)
				for i := range scaled {
					scaled[i] = logAlpha[row*n*n+i] / 0.5
				}
				near.All(t, "no noise", out[0][at:at+n*n], mustSinkhorn(t, scaled, 20), 1e-5)
				q := out[1][at : at+n*n]
				for i := range n {
					near.Equal(t, "row", q[i*n]+q[i*n+1]+q[i*n+2], 1, 1e-3)
					near.Equal(t, "column", q[i]+q[n+i]+q[2*n+i], 1, 1e-5)
				}
				if s > 0 && slices.Equal(q, out[1][row*n*n:(row+1)*n*n]) {
					t.Errorf("samples 0 and %d are equal", s)
				}
			}
		}
		if slices.Equal(out[1], out[2]) {
			t.Error("the state after a draw draws the same")
		}
	})
}

// At equal scores and a low τ, noise makes each of the two orders of two items as likely. The
// matching of a Gumbel-perturbed matrix is symmetric there. With log α it is the logistic
// probability: entries' noises g00 + g11 − g01 − g10 is the sum of two logistic variables.
func TestSamplesAreRandomOrders(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		o := Options{Tau: 0.01, Iterations: 50, Samples: 1000, NoiseFactor: 1}
		p := run(t, e, func(in []*graph.Node) []*graph.Node {
			_, p := o.SampleGraph(in[0], in[1])
			return []*graph.Node{p}
		}, state(t, 5), tensor32([]float64{0, 0, 0, 0, 1, 0, 0, 1}, 2, 2, 2))[0]
		var first [2]float64
		for s := range o.Samples {
			for row := range 2 {
				if p[(s*2+row)*4] > 0.5 {
					first[row]++
				}
			}
		}
		near.Equal(t, "equal", first[0]/1000, 0.5, 5*math.Sqrt(0.25/1000))
		// P(L₁ + L₂ > −x) at x = 2 is e^x (e^x − 1 − x)/(e^x − 1)².
		x := 2.0
		want := math.Exp(x) * (math.Exp(x) - 1 - x) / math.Pow(math.Exp(x)-1, 2)
		near.Equal(t, "diagonal 1", first[1]/1000, want, 5*math.Sqrt(0.25/1000))
	})
}

// Two pieces of one pixel, 1 and 3, in the wrong order, and no preference: both positions
// get 2, one off each. With a clear preference for the right order the loss is 0, for the
// wrong one 4. The gradient wants the swap.
func TestLossByHand(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		o := Options{Tau: 1, Iterations: 5, Samples: 2}
		exec, err := graph.NewExec(e.Backend, func(rng, logAlpha, shuffled, ordered *graph.Node) []*graph.Node {
			_, loss := o.LossGraph(rng, logAlpha, shuffled, ordered)
			return []*graph.Node{loss, graph.Gradient(loss, logAlpha)[0]}
		})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			logAlpha []float64
			want     float64
		}{
			{[]float64{0, 0, 0, 0}, 1},
			{[]float64{0, 50, 50, 0}, 0},
			{[]float64{50, 0, 0, 50}, 4},
		} {
			out, err := exec.Call(state(t, 1), tensor32(c.logAlpha, 1, 2, 2), tensor32([]float64{3, 1}, 1, 2, 1), tensor32([]float64{1, 3}, 1, 2, 1))
			if err != nil {
				t.Fatal(err)
			}
			near.Equal(t, "loss", float64(tensors.MustCopyFlatData[float32](out[0])[0]), c.want, 1e-5)
			if g := tensors.MustCopyFlatData[float32](out[1]); c.want == 1 && !(g[1] < 0 && g[2] < 0 && g[0] > 0 && g[3] > 0) {
				t.Errorf("gradient %v does not want the swap", g)
			}
		}
	})
}

// The loss is the mean over its draws of the host's, for the same noise, in batches of pieces of
// several pixels. Its gradient is the one of central differences.
func TestLossEqualsHost(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const rows, n, m = 2, 4, 3
		rng := rand.New(rand.NewPCG(4, 4))
		logAlpha, shuffled, ordered := normal(rng, rows*n*n, 1), normal(rng, rows*n*m, 1), normal(rng, rows*n*m, 1)
		o := Options{Tau: 0.7, Iterations: 10, Samples: 3, NoiseFactor: 0.5}
		out := run(t, e, func(in []*graph.Node) []*graph.Node {
			_, loss := o.LossGraph(in[0], in[1], in[2], in[3])
			_, noise := NoiseGraph(in[0], o.Samples, rows, n, n)
			return []*graph.Node{loss, graph.Gradient(loss, in[1])[0], noise}
		}, state(t, 9), tensor32(logAlpha, rows, n, n), tensor32(shuffled, rows, n, m), tensor32(ordered, rows, n, m))
		noise := out[2]
		loss := func(logAlpha []float64) float64 {
			sum := 0.0
			for s := range o.Samples {
				for r := range rows {
					z := make([]float64, n*n)
					for i := range z {
						z[i] = (logAlpha[r*n*n+i] + 0.5*noise[(s*rows+r)*n*n+i]) / 0.7
					}
					p := mustSinkhorn(t, z, o.Iterations)
					for i := range n {
						for c := range m {
							miss := ordered[(r*n+i)*m+c]
							for k := range n {
								miss -= p[i*n+k] * shuffled[(r*n+k)*m+c]
							}
							sum += miss * miss
						}
					}
				}
			}
			return sum / float64(o.Samples*rows*n*m)
		}
		near.Equal(t, "loss", out[0][0], loss(logAlpha), 1e-5)
		for i := range logAlpha {
			const h = 1e-5
			up, down := slices.Clone(logAlpha), slices.Clone(logAlpha)
			up[i] += h
			down[i] -= h
			near.Equal(t, "slope", out[1][i], (loss(up)-loss(down))/(2*h), 1e-5)
		}
	})
}

func TestLossRefusesWrongShapes(t *testing.T) {
	all, err := enginetest.All()
	if err != nil {
		t.Fatal(err)
	}
	square, pieces := tensor32(make([]float64, 4), 1, 2, 2), tensor32(make([]float64, 6), 1, 2, 3)
	for what, in := range map[string][3]*tensors.Tensor{
		"three pieces for two": {square, tensor32(make([]float64, 6), 1, 3, 2), pieces},
		"pixels that differ":   {square, pieces, tensor32(make([]float64, 4), 1, 2, 2)},
		"log alpha of a row":   {tensor32(make([]float64, 4), 2, 2), pieces, pieces},
	} {
		_, err := graph.CallOnceN(all[0].Backend, func(in []*graph.Node) []*graph.Node {
			_, loss := Defaults().LossGraph(in[0], in[1], in[2], in[3])
			return []*graph.Node{loss}
		}, state(t, 1), in[0], in[1], in[2])
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
	if _, err := graph.CallOnceN(all[0].Backend, func(in []*graph.Node) []*graph.Node {
		_, p := Options{}.SampleGraph(in[0], in[1])
		return []*graph.Node{p}
	}, state(t, 1), square); err == nil {
		t.Error("options without values: no error")
	}
}
