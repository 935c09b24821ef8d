package sedd

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
)

// batch is rows of sequences, flat and row-major.
type batch struct {
	n             int
	logScores     []float32
	xt, x0        []int32
	sigma, dsigma []float32
}

// runGraph returns the losses and the gradient of their sum by the log-scores, which
// are first scaled by noise if scaled.
func runGraph(t *testing.T, e *engine.Engine, p Process, b batch, scaled bool) (losses, grad []float32) {
	t.Helper()
	rows := len(b.sigma)
	out, err := graph.CallOnceN(e.Backend, func(l, xt, x0, sigma, dsigma *graph.Node) []*graph.Node {
		s := l
		if scaled {
			s = p.(Absorb).Scale(l, sigma)
		}
		losses := p.LossGraph(s, xt, x0, sigma, dsigma)
		return []*graph.Node{losses, graph.Gradient(graph.ReduceAllSum(losses), l)[0]}
	},
		tensors.FromFlatDataAndDimensions(b.logScores, rows, b.n, p.Objects()),
		tensors.FromFlatDataAndDimensions(b.xt, rows, b.n), tensors.FromFlatDataAndDimensions(b.x0, rows, b.n),
		tensors.FromFlatDataAndDimensions(b.sigma, rows), tensors.FromFlatDataAndDimensions(b.dsigma, rows))
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
}

// row returns row r as [Loss] takes it.
func (b batch) row(r int) (l []float64, xt, x0 []int32, sigma, dsigma float64) {
	width := len(b.logScores) / len(b.sigma)
	l = make([]float64, width)
	for i := range l {
		l[i] = float64(b.logScores[r*width+i])
	}
	return l, b.xt[r*b.n : (r+1)*b.n], b.x0[r*b.n : (r+1)*b.n], float64(b.sigma[r]), float64(b.dsigma[r])
}

// randomBatch corrupts random sequences with the noise given, a row each.
func randomBatch(p Process, n int, scale float64, sigma ...float32) batch {
	rng := rand.New(rand.NewPCG(9, uint64(n)))
	b := batch{n: n, sigma: sigma}
	for _, s := range sigma {
		x0 := make([]int32, n)
		for i := range x0 {
			x0[i] = rng.Int32N(int32(p.Objects()))
		}
		xt := make([]int32, n)
		p.Corrupt(rng, float64(s), x0, xt)
		p.Limit(rng, xt[:1]) // noise in each row
		b.x0, b.xt = append(b.x0, x0...), append(b.xt, xt...)
		b.dsigma = append(b.dsigma, float32(0.1+rng.ExpFloat64()))
		for range n * p.Objects() {
			b.logScores = append(b.logScores, float32(scale*rng.NormFloat64()))
		}
	}
	return b
}

// The graph's loss is the host's, and its gradient the host's by central differences.
func TestGraphEqualsHost(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, p := range []Process{Uniform{1}, Absorb{1}, Uniform{5}, Absorb{5}} {
			n := max(1, p.Objects()-1)
			b := randomBatch(p, n, 1, 1e-3, 0.2, 1, 6, 20)
			losses, grad := runGraph(t, e, p, b, false)
			for r := range losses {
				l, xt, x0, sigma, dsigma := b.row(r)
				what := fmt.Sprintf("%s of %d, n = %d, σ̄ = %g", p.Name(), p.Objects(), n, sigma)
				near.Equal(t, what, float64(losses[r]), loss(t, p, l, xt, x0, sigma, dsigma), 3e-6)
				for i, at := range l {
					const h = 1e-4
					l[i] = at + h
					up := loss(t, p, l, xt, x0, sigma, dsigma)
					l[i] = at - h
					slope := (up - loss(t, p, l, xt, x0, sigma, dsigma)) / (2 * h)
					l[i] = at
					near.Equal(t, fmt.Sprintf("%s: slope %d", what, i), float64(grad[r*len(l)+i]), slope, 1e-5)
				}
			}
		}
	})
}

func TestGraphByHand(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, p := range []Process{Uniform{2}, Absorb{2}} {
			b, want := batch{n: 1}, []float64{}
			for _, c := range byHand {
				if c.p == p {
					b.add(c.xt, c.x0, math.Ln2, c.l...)
					want = append(want, c.loss)
				}
			}
			losses, _ := runGraph(t, e, p, b, false)
			for r := range want {
				near.Equal(t, fmt.Sprintf("%s case %d", p.Name(), r), float64(losses[r]), want[r], 2e-7)
			}
		}
	})
}

// add appends a row of one position with dσ = 1.
func (b *batch) add(xt, x0 int32, sigma float64, logScores ...float64) {
	b.xt, b.x0 = append(b.xt, xt), append(b.x0, x0)
	b.sigma, b.dsigma = append(b.sigma, float32(sigma)), append(b.dsigma, 1)
	for _, l := range logScores {
		b.logScores = append(b.logScores, float32(l))
	}
}

// At and near the true ratios the definition's terms cancel to the last digits of float32, and those of e^u − 1 − u
// too. The loss keeps its digits. It is r·d²/2·(1 + d/3) to the third order in the deviation d, with r up to 1e6
// where there is little noise.
func TestGraphNearOptimum(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, p := range []Process{Uniform{2}, Absorb{2}} {
			b := batch{n: 1}
			var ratios, deviations []float64
			for _, sigma := range []float64{1e-6, 1e-3, 0.5} {
				sigma = float64(float32(sigma))
				for _, d := range []float64{0, 1e-2, -1e-2, 1e-3, -1e-3} {
					// From 0 to 1 with V = 2 the ratio is (1 + e^−σ̄)/(1 − e^−σ̄), to
					// MASK 1/(e^σ̄ − 1). The other column is not read, and e^−80 for 0.
					xt, r := int32(1), (1+math.Exp(-sigma))/-math.Expm1(-sigma)
					if a, ok := p.(Absorb); ok {
						xt, r = a.Mask(), 1/math.Expm1(sigma)
					}
					b.add(xt, 0, sigma, math.Log(r)+d, -80)
					ratios, deviations = append(ratios, r), append(deviations, d)
				}
			}
			losses, grad := runGraph(t, e, p, b, false)
			for i, r := range ratios {
				rate, d := p.Rate(int(b.xt[i]), 0), deviations[i]
				got, slope := float64(losses[i])/rate, float64(grad[2*i])/rate
				// log r, up to 14, has an error of 1e-6 in float32, twice.
				const rounding = 2e-6
				want := r * d * d / 2 * (1 + d/3)
				if got < 0 || math.Abs(got-want) > r*(rounding*math.Abs(d)+rounding*rounding+d*d*d*d/20) {
					t.Errorf("%s, σ̄ = %g, d = %g: loss %g, wanted about %g", p.Name(), b.sigma[i], d, got, want)
				}
				if want = r * math.Expm1(d); math.Abs(slope-want) > r*rounding {
					t.Errorf("%s, σ̄ = %g, d = %g: slope %g, wanted about %g", p.Name(), b.sigma[i], d, slope, want)
				}
			}
		}
	})
}

// Log-scores of ±50 give the host's value and a finite gradient, from the least noise to the most;
// NaN stays NaN. What is not read does not matter, even if infinite.
func TestGraphExtremes(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, p := range []Process{Uniform{4}, Absorb{4}} {
			b := randomBatch(p, 3, 1, 1e-5, 0.1, 20)
			for i := range b.logScores {
				b.logScores[i] = float32(math.Copysign(50, float64(b.logScores[i])))
			}
			losses, grad := runGraph(t, e, p, b, false)
			for r := range losses {
				l, xt, x0, sigma, dsigma := b.row(r)
				near.Equal(t, fmt.Sprintf("%s, σ̄ = %g", p.Name(), sigma), float64(losses[r]), loss(t, p, l, xt, x0, sigma, dsigma), 1e-5)
			}
			for i, g := range grad {
				if v := float64(g); math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s: slope %d is %g", p.Name(), i, v)
				}
			}

			// Object 3 or MASK, a NaN in one column each.
			xt, unread := int32(3), 3
			if a, ok := p.(Absorb); ok {
				xt, unread = a.Mask(), -1
			}
			b = batch{n: 1}
			for i := range 4 {
				l := make([]float64, 4)
				l[i] = math.NaN()
				b.add(xt, 3, 1, l...)
			}
			losses, grad = runGraph(t, e, p, b, false)
			for i, l := range losses {
				if isNaN := l != l; isNaN == (i == unread) {
					t.Errorf("%s: NaN at %d gives %g", p.Name(), i, l)
				}
				if i == unread && grad[4*i+i] != 0 {
					t.Errorf("%s: a NaN that is not read has slope %g", p.Name(), grad[4*i+i])
				}
			}
		}
		b := batch{n: 1}
		b.add(0, 0, 1, math.Inf(1), 300)
		if losses, grad := runGraph(t, e, Absorb{2}, b, false); losses[0] != 0 || grad[0] != 0 || grad[1] != 0 {
			t.Errorf("absorb: not masked: loss %g, slopes %g", losses[0], grad)
		}
	})
}

// Scale subtracts log(e^σ̄ − 1) + log V. Outputs of 0 then cost a masked position, by
// hand, r·log V with r = 1/(e^σ̄ − 1): the V ratios r/V sum to r, which K(r) less
// r·log(r/V) takes away but for r·log V.
func TestScale(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const v = 3
		b := batch{n: 1}
		for _, sigma := range []float64{1e-5, 0.7, 30} {
			b.add(v, 1, sigma, 0, 0, 0)
		}
		losses, grad := runGraph(t, e, Absorb{v}, b, true)
		for i, sigma := range b.sigma {
			r := 1 / math.Expm1(float64(sigma))
			near.Equal(t, "loss/r", float64(losses[i])/r, math.Log(v), 3e-6)
			// s − r at x0, s elsewhere, s = r/V.
			near.Equal(t, "slope/r at x0", float64(grad[v*i+1])/r, 1./v-1, 3e-6)
			near.Equal(t, "slope/r elsewhere", float64(grad[v*i])/r, 1./v, 3e-6)
		}
	})
}

// testdata/loss.json was made by bench/torch/make_sedd_fixture.py from the definition,
// with scipy's matrix exponential and PyTorch's gradients in float64.
func TestAgainstPyTorch(t *testing.T) {
	data, err := os.ReadFile("testdata/loss.json")
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct {
		Cases []struct {
			Process        string
			N, Objects     int
			Sigma, Dsigma  []float32
			X0, Xt         []int32
			LogScores      []float32 `json:"log_scores"`
			Loss, Gradient []float64
		}
	}
	if err := json.Unmarshal(data, &fixture); err != nil {
		t.Fatal(err)
	}
	if len(fixture.Cases) != 2 {
		t.Fatalf("%d cases, wanted 2", len(fixture.Cases))
	}
	for _, c := range fixture.Cases {
		var p Process = Uniform{c.Objects}
		if c.Process == "absorb" {
			p = Absorb{c.Objects}
		}
		b := batch{c.N, c.LogScores, c.Xt, c.X0, c.Sigma, c.Dsigma}
		for r, want := range c.Loss {
			l, xt, x0, sigma, dsigma := b.row(r)
			near.Equal(t, c.Process+" host", loss(t, p, l, xt, x0, sigma, dsigma), want, 1e-12)
		}
		enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
			losses, grad := runGraph(t, e, p, b, false)
			for r, want := range c.Loss {
				near.Equal(t, c.Process, float64(losses[r]), want, 2e-6)
			}
			for i, want := range c.Gradient {
				near.Equal(t, c.Process+" gradient", float64(grad[i]), want, 2e-6)
			}
		})
	}
}

func TestGraphRefusesWrongShapes(t *testing.T) {
	all, err := enginetest.All()
	if err != nil {
		t.Fatal(err)
	}
	floats := func(dims ...int) *tensors.Tensor {
		size := 1
		for _, d := range dims {
			size *= d
		}
		return tensors.FromFlatDataAndDimensions(make([]float32, size), dims...)
	}
	x := tensors.FromFlatDataAndDimensions(make([]int32, 6), 2, 3)
	for _, p := range []Process{Uniform{4}, Absorb{4}} {
		for what, in := range map[string][]any{
			"log-scores": {floats(2, 3, 5), x, x, floats(2), floats(2)},
			"sigma":      {floats(2, 3, 4), x, x, floats(3), floats(2)},
			"dsigma":     {floats(2, 3, 4), x, x, floats(2), floats(2, 1)},
			"x_t":        {floats(2, 3, 4), floats(2, 3), x, floats(2), floats(2)},
			"x_0":        {floats(2, 3, 4), x, tensors.FromFlatDataAndDimensions(make([]int32, 4), 2, 2), floats(2), floats(2)},
		} {
			_, err := graph.CallOnceN(all[0].Backend, func(l, xt, x0, sigma, dsigma *graph.Node) []*graph.Node {
				return []*graph.Node{p.LossGraph(l, xt, x0, sigma, dsigma)}
			}, in...)
			if err == nil || !strings.Contains(err.Error(), "sedd: "+p.Name()) || !strings.Contains(err.Error(), strings.TrimSuffix(what, "s")) {
				t.Errorf("%s: wrong %s: %v", p.Name(), what, err)
			}
		}
	}
}
