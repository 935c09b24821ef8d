package sedd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/near"
)

func loss(t testing.TB, p Process, logScores []float64, xt, x0 []int32, sigma, dsigma float64) float64 {
	t.Helper()
	l, err := Loss(p, logScores, xt, x0, sigma, dsigma)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// V = 2, n = 1, e^σ̄ = 2, worked out from the definition with K(a) = a(log a − 1). Uniform:
// exp(σ̄ Q) has 3/4 on the diagonal and 1/4 beside it, and Q has 1/2.
var byHand = []struct {
	p      Process
	l      []float64
	xt, x0 int32
	loss   float64 // for dσ = 1
}{
	{Uniform{2}, []float64{0, 0}, 0, 0, (1 + (math.Log(1./3)-1)/3) / 2},                        // r = 1/3, s = 1
	{Uniform{2}, []float64{0, 0}, 1, 0, (1 + 3*(math.Log(3)-1)) / 2},                           // r = 3, s = 1
	{Uniform{2}, []float64{9, math.Log(1. / 3)}, 0, 0, 0},                                      // r = s = 1/3; own column unread
	{Uniform{2}, []float64{math.Log(2), 9}, 1, 0, (2 - 3*math.Log(2) + 3*(math.Log(3)-1)) / 2}, // r = 3, s = 2
	{Absorb{2}, []float64{0, 0}, 2, 0, 1},                                                      // r = (1, 0), s = (1, 1): 0 + 1
	{Absorb{2}, []float64{-math.Log(2), -math.Log(2)}, 2, 1, math.Log(2)},                      // r = (0, 1): ½ + ½ + log 2 − 1
	{Absorb{2}, []float64{3, -4}, 1, 1, 0},                                                     // not masked
}

func TestLossByHand(t *testing.T) {
	for _, c := range byHand {
		got := loss(t, c.p, c.l, []int32{c.xt}, []int32{c.x0}, math.Log(2), 1)
		near.Equal(t, fmt.Sprintf("%s %v from %d to %d", c.p.Name(), c.l, c.x0, c.xt), got, c.loss, 1e-15)
		near.Equal(t, "dσ = 3", loss(t, c.p, c.l, []int32{c.xt}, []int32{c.x0}, math.Log(2), 3), 3*c.loss, 1e-15)
	}
}

// Near a true ratio r the terms of the definition cancel; the deviation's square, r·d²/2,
// is kept (d/3 of it is the next order).
func TestLossNearOptimum(t *testing.T) {
	for _, r := range []float64{1e-6, 1, 1e6} {
		const d = 1e-6
		near.Equal(t, "loss over r·d²/2", scoreEntropy(math.Log(r)+d, r)/(r*d*d/2), 1, 1e-6)
	}
}

// The loss is 0 at the ratios given x0 and above 0 beside them.
func TestLossIsLeastAtConditionalRatios(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.IntRange(2, 6).Draw(t, "v")
		p := []Process{Uniform{v}, Absorb{v}}[rapid.IntRange(0, 1).Draw(t, "process")]
		sigma := math.Exp(rapid.Float64Range(-12, 3).Draw(t, "log σ̄"))
		x0 := []int32{int32(rapid.IntRange(0, v-1).Draw(t, "x0"))}
		xt := []int32{int32(rapid.IntRange(0, v-1).Draw(t, "x"))}
		if a, ok := p.(Absorb); ok {
			xt[0] = a.Mask()
		}
		here := p.Transition(int(xt[0]), int(x0[0]), sigma)
		best, other := make([]float64, v), make([]float64, v)
		for y := range best {
			best[y] = math.Log(p.Transition(y, int(x0[0]), sigma) / here)
			other[y] = best[y] + rapid.Float64Range(0.1, 2).Draw(t, "up")
			if best[y] < -1e9 {
				other[y] = -2
			}
		}
		at, err := Loss(p, best, xt, x0, sigma, 1)
		if err != nil || at < 0 || at > 1e-10 {
			t.Fatalf("at the ratios %v: %g, %v", best, at, err)
		}
		if beside, err := Loss(p, other, xt, x0, sigma, 1); err != nil || beside < 1e-9*p.Rate(int(xt[0]), 0) {
			t.Fatalf("at %v beside %v: %g, %v", other, best, beside, err)
		}
	})
}

// expected is Σ_x0 p(x0) Σ_x p(x | x0) · loss, for log-scores by x.
func expected(t *testing.T, k known, sigma float64, logScores map[string][]float64) float64 {
	sum := 0.0
	for _, d := range k.data {
		for _, x := range words(k.p.States(), k.n) {
			if w := d.p * k.given(x, d.x, sigma); w > 0 {
				sum += w * loss(t, k.p, logScores[key(x)], x, d.x, sigma, 1)
			}
		}
	}
	return sum
}

// Over the data, the loss is least at the concrete ratios of the marginal p_t. Its slope is 0
// there, along every log-score that it reads, and it rises on both sides.
func TestExpectedLossIsLeastAtTrueRatios(t *testing.T) {
	for _, p := range []Process{Uniform{3}, Absorb{3}} {
		const sigma, h = 0.8, 1e-3
		k := pairs(p)
		scores := map[string][]float64{}
		for _, x := range words(p.States(), k.n) {
			scores[key(x)] = logs(k.ratios(x, sigma))
		}
		least, read := expected(t, k, sigma, scores), 0
		for _, x := range words(p.States(), k.n) {
			for i, l := range scores[key(x)] {
				scores[key(x)][i] = l + h
				up := expected(t, k, sigma, scores)
				scores[key(x)][i] = l - h
				down := expected(t, k, sigma, scores)
				scores[key(x)][i] = l
				if up == least && down == least {
					continue // the column of the token itself, or not masked
				}
				read++
				// To third order the two differ by h³/3 of a weight below 1.
				if up <= least || down <= least || math.Abs(up-down) > 1e-9 {
					t.Errorf("%s: %v entry %d: %g below and %g above of %g", p.Name(), x, i, down-least, up-least, least)
				}
			}
		}
		// Uniform: 9 sequences, 2 positions, 2 other objects. Absorb: 3 objects at
		// each of the masks, 8 of which are in the 16 sequences.
		if want := map[string]int{"uniform": 36, "absorb": 24}[p.Name()]; read != want {
			t.Errorf("%s: %d log-scores read, wanted %d", p.Name(), read, want)
		}
	}
}

// scoreFunc is a model: ratios [n·V] of x at noise σ̄.
type scoreFunc func(x []int32, sigma float64) []float64

const least, most = 1e-7, 6.0 // noise between which the bound is integrated

// bound is ∫ E loss dσ̄ + KL(p_T given x0 ‖ p_T): the upper bound of −log p(x0) for the
// model that starts from the true p_T and goes back with score.
func bound(t *testing.T, k known, x0 []int32, score scoreFunc) float64 {
	all := words(k.p.States(), k.n)
	integrand := func(logSigma float64) float64 {
		sigma, sum := math.Exp(logSigma), 0.0
		for _, x := range all {
			if w := k.given(x, x0, sigma); w > 0 {
				sum += w * loss(t, k.p, logs(score(x, sigma)), x, x0, sigma, sigma)
			}
		}
		return sum
	}
	total := quad.Fixed(integrand, math.Log(least), math.Log(most), 60, quad.Legendre{}, 0)
	for _, x := range all {
		if w := k.given(x, x0, most); w > 0 {
			total += w * math.Log(w/k.marginal(x, most))
		}
	}
	return total
}

// modelled is the model's own p(x): the reverse rates Q[x, y]·ratio_y from p_T at the
// most noise down to the least, by the classical Runge–Kutta method in log σ̄.
func modelled(k known, score scoreFunc) map[string]float64 {
	all := words(k.p.States(), k.n)
	place := map[string]int{}
	p := make([]float64, len(all))
	for i, x := range all {
		place[key(x)], p[i] = i, k.marginal(x, most)
	}
	v := k.p.Objects()
	slope := func(p []float64, logSigma float64) []float64 {
		sigma, d := math.Exp(logSigma), make([]float64, len(p))
		for i, x := range all {
			if p[i] == 0 {
				continue
			}
			ratios := score(x, sigma)
			y := append([]int32{}, x...)
			for j, token := range x {
				for object := range v {
					rate := k.p.Rate(int(token), object)
					if object == int(token) || rate == 0 {
						continue
					}
					y[j] = int32(object)
					flow := sigma * rate * ratios[j*v+object] * p[i]
					d[place[key(y)]] += flow
					d[i] -= flow
				}
				y[j] = token
			}
		}
		return d
	}
	step := func(p, d []float64, h float64) []float64 {
		q := make([]float64, len(p))
		for i := range q {
			q[i] = p[i] + h*d[i]
		}
		return q
	}
	const steps = 300
	h := math.Log(most/least) / steps
	for s := range steps {
		at := math.Log(most) - float64(s)*h
		a := slope(p, at)
		b := slope(step(p, a, h/2), at-h/2)
		c := slope(step(p, b, h/2), at-h/2)
		d := slope(step(p, c, h), at-h)
		for i := range p {
			p[i] += h / 6 * (a[i] + 2*b[i] + 2*c[i] + d[i])
		}
	}
	result := map[string]float64{}
	for x, i := range place {
		result[x] = p[i]
	}
	return result
}

// With the true ratios the bound is −log p(x0) itself: the model's paths then have the
// law of the noise's own. With other ratios it is above the model's −log p(x0), which
// is found from its rates.
func TestIntegralOfLossBoundsLogLikelihood(t *testing.T) {
	for _, p := range []Process{Uniform{3}, Absorb{3}} {
		k := pairs(p)
		model := modelled(k, k.ratios)
		for _, d := range k.data {
			near.Equal(t, p.Name()+": exact bound of "+key(d.x), bound(t, k, d.x, k.ratios), -math.Log(d.p), 3e-5)
			near.Equal(t, p.Name()+": exact model of "+key(d.x), model[key(d.x)], d.p, 3e-5)
		}

		rng := rand.New(rand.NewPCG(7, 8))
		off := map[string][]float64{}
		for _, x := range words(p.States(), k.n) {
			for range k.n * 3 {
				off[key(x)] = append(off[key(x)], math.Exp(0.4*rng.NormFloat64()))
			}
		}
		wrong := func(x []int32, sigma float64) []float64 {
			r := k.ratios(x, sigma)
			for i := range r {
				r[i] *= off[key(x)][i]
			}
			return r
		}
		model = modelled(k, wrong)
		for _, d := range k.data {
			b, exact := bound(t, k, d.x, wrong), -math.Log(model[key(d.x)])
			if !(b > exact+1e-3) || b > exact+2 {
				t.Errorf("%s: bound %g of %v, −log p = %g", p.Name(), b, d.x, exact)
			}
		}
	}
}

func TestLossRefuses(t *testing.T) {
	l := make([]float64, 6)
	for _, c := range []struct {
		what          string
		p             Process
		l             []float64
		xt, x0        []int32
		sigma, dsigma float64
	}{
		{"short x", Uniform{3}, l, []int32{0}, []int32{0, 1}, 1, 1},
		{"short log-scores", Uniform{3}, l[:5], []int32{0, 1}, []int32{0, 1}, 1, 1},
		{"no noise", Uniform{3}, l, []int32{0, 1}, []int32{0, 1}, 0, 1},
		{"NaN noise", Uniform{3}, l, []int32{0, 1}, []int32{0, 1}, math.NaN(), 1},
		{"negative rate", Uniform{3}, l, []int32{0, 1}, []int32{0, 1}, 1, -1},
		{"MASK without one", Uniform{3}, l, []int32{0, 3}, []int32{0, 1}, 1, 1},
		{"masked x0", Absorb{3}, l, []int32{0, 3}, []int32{0, 3}, 1, 1},
		{"negative token", Absorb{3}, l, []int32{0, -1}, []int32{0, 1}, 1, 1},
		{"an object turned to another", Absorb{3}, l, []int32{0, 2}, []int32{0, 1}, 1, 1},
	} {
		if got, err := Loss(c.p, c.l, c.xt, c.x0, c.sigma, c.dsigma); err == nil {
			t.Errorf("%s: %g, wanted an error", c.what, got)
		}
	}
}
