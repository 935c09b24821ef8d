package sedd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/riffle-ml/riffle/internal/near"
)

// Every process passes the tests of this file.

func eachProcess(t *testing.T, sizes []int, check func(t *testing.T, p Process)) {
	for _, v := range sizes {
		for _, p := range []Process{Uniform{v}, Absorb{v}} {
			t.Run(fmt.Sprintf("%s/%d", p.Name(), v), func(t *testing.T) { check(t, p) })
		}
	}
}

var sigmas = []float64{1e-8, 1e-3, 0.3, 1, 5, 20}

// rates is Q, columns "from".
func rates(p Process) *mat.Dense {
	q := mat.NewDense(p.States(), p.States(), nil)
	for to := range p.States() {
		for from := range p.States() {
			q.Set(to, from, p.Rate(to, from))
		}
	}
	return q
}

func TestRates(t *testing.T) {
	eachProcess(t, []int{1, 2, 5}, func(t *testing.T, p Process) {
		q := rates(p)
		for from := range p.States() {
			near.Equal(t, "column of rates", mat.Sum(q.ColView(from)), 0, 1e-15)
			for to := range p.States() {
				if to != from && q.At(to, from) < 0 {
					t.Errorf("rate from %d to %d is %g", from, to, q.At(to, from))
				}
			}
		}
	})
	// By hand from the definitions: 1/V between objects, and 1 into MASK.
	near.Equal(t, "uniform", Uniform{4}.Rate(0, 3), 0.25, 0)
	near.Equal(t, "uniform", Uniform{4}.Rate(2, 2), -0.75, 0)
	near.Equal(t, "absorb", Absorb{4}.Rate(4, 1), 1, 0)
	near.Equal(t, "absorb", Absorb{4}.Rate(1, 1), -1, 0)
	near.Equal(t, "absorb", Absorb{4}.Rate(1, 4), 0, 0)
}

// The closed forms are the matrix exponential, which gonum computes from Q alone.
func TestTransitionIsMatrixExponential(t *testing.T) {
	eachProcess(t, []int{1, 2, 3, 7}, func(t *testing.T, p Process) {
		for _, sigma := range append([]float64{0}, sigmas...) {
			var scaled, want mat.Dense
			scaled.Scale(sigma, rates(p))
			want.Exp(&scaled)
			for from := range p.States() {
				sum := 0.0
				for to := range p.States() {
					got := p.Transition(to, from, sigma)
					sum += got
					near.Equal(t, fmt.Sprintf("σ̄ = %g, %d to %d", sigma, from, to), got, want.At(to, from), 1e-13)
				}
				near.Equal(t, "column of transitions", sum, 1, 1e-14)
			}
		}
	})
}

// Small noise keeps its digits: to first order in σ̄ the transition is I + σ̄·Q.
func TestTransitionOfLittleNoise(t *testing.T) {
	const sigma = 1e-12
	near.Equal(t, "uniform", Uniform{5}.Transition(0, 1, sigma)/sigma, 0.2, 1e-11)
	near.Equal(t, "absorb", Absorb{5}.Transition(5, 1, sigma)/sigma, 1, 1e-11)
}

// checkChi fails where counts do not follow p: mean and 5 standard deviations of
// chi-square, cells expected fewer than 5 times taken together.
func checkChi(t *testing.T, what string, counts []int, p []float64) {
	t.Helper()
	draws := 0
	for _, c := range counts {
		draws += c
	}
	chi, cells, rare, rareSeen := 0.0, 0.0, 0.0, 0.0
	for i, c := range counts {
		want := p[i] * float64(draws)
		if want < 5 {
			rare, rareSeen = rare+want, rareSeen+float64(c)
			continue
		}
		chi += (float64(c) - want) * (float64(c) - want) / want
		cells++
	}
	// As many rare ones as has a probability of 1e-6 or less are too many.
	if rareSeen > 0 && (rare == 0 || (distuv.Poisson{Lambda: rare}).Survival(rareSeen-1) < 1e-6) {
		t.Errorf("%s: %g draws in cells with %g expected", what, rareSeen, rare)
	}
	if cells > 1 && chi > cells-1+5*math.Sqrt(2*(cells-1))+5 {
		t.Errorf("%s: chi-square %.1f with %g cells", what, chi, cells)
	}
}

func TestCorruptFollowsTransition(t *testing.T) {
	eachProcess(t, []int{1, 2, 4}, func(t *testing.T, p Process) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, sigma := range []float64{0, 0.01, 0.7, 3} {
			for from := range p.Objects() {
				x := make([]int32, 20000)
				for i := range x {
					x[i] = int32(from)
				}
				p.Corrupt(rng, sigma, x, x)
				counts, want := make([]int, p.States()), make([]float64, p.States())
				for _, v := range x {
					counts[v]++
				}
				for to := range want {
					want[to] = p.Transition(to, from, sigma)
				}
				checkChi(t, fmt.Sprintf("σ̄ = %g from %d", sigma, from), counts, want)
			}
		}
	})
}

func TestCorruptIsAFunctionOfTheSeed(t *testing.T) {
	eachProcess(t, []int{30}, func(t *testing.T, p Process) {
		x0 := make([]int32, 200)
		draw := func(seed uint64) string {
			x := make([]int32, 200)
			p.Corrupt(rand.New(rand.NewPCG(seed, 0)), 0.5, x0, x)
			return fmt.Sprint(x)
		}
		first, again := draw(1), draw(1)
		if first != again || first == draw(2) || first == fmt.Sprint(x0) {
			t.Error("wanted one result a seed")
		}
	})
}

// Limit is where Transition goes, from any object.
func TestLimit(t *testing.T) {
	eachProcess(t, []int{1, 2, 4}, func(t *testing.T, p Process) {
		x := make([]int32, 20000)
		p.Limit(rand.New(rand.NewPCG(3, 4)), x)
		counts, want := make([]int, p.States()), make([]float64, p.States())
		for _, v := range x {
			counts[v]++
		}
		for to := range want {
			want[to] = p.Transition(to, 0, 800)
		}
		checkChi(t, "limit", counts, want)
	})
}

// leap is (exp(−dσ Q)·ratios)_y·exp(dσ Q)[x, y] by the matrix exponential, what is
// below 0 cut, whatever factor they differ by.
func TestLeapIsTweedie(t *testing.T) {
	eachProcess(t, []int{1, 2, 5}, func(t *testing.T, p Process) {
		rng := rand.New(rand.NewPCG(5, 6))
		for _, dsigma := range []float64{0, 1e-3, 0.4, 2} {
			for x := range p.States() {
				ratios, all := make([]float64, p.Objects()), mat.NewVecDense(p.States(), nil)
				for y := range ratios {
					ratios[y] = rng.ExpFloat64()
				}
				if x < len(ratios) {
					ratios[x] = 1
				}
				for y, r := range ratios {
					all.SetVec(y, r)
				}
				all.SetVec(x, 1)
				var q, back, forth mat.Dense
				q.Scale(-dsigma, rates(p))
				back.Exp(&q)
				q.Scale(-1, &q)
				forth.Exp(&q)
				var earlier mat.VecDense
				earlier.MulVec(&back, all)

				got, want := make([]float64, p.States()), make([]float64, p.States())
				p.leap(got, ratios, int32(x), dsigma)
				gotSum, wantSum := 0.0, 0.0
				for y := range want {
					want[y] = max(0, earlier.AtVec(y)) * forth.At(x, y)
					gotSum, wantSum = gotSum+got[y], wantSum+want[y]
				}
				for y := range want {
					near.Equal(t, fmt.Sprintf("dσ = %g, %d to %d", dsigma, x, y), got[y]/gotSum, want[y]/wantSum, 1e-12)
				}
			}
		}
	})
}

func TestProcessRefuses(t *testing.T) {
	for _, n := range []int{-1, 0, math.MaxInt32} {
		for _, p := range []Process{Uniform{n}, Absorb{n}} {
			if p.Validate() == nil {
				t.Errorf("%#v is valid", p)
			}
		}
	}
}
