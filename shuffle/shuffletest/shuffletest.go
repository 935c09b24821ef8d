// Package shuffletest is the suite that every forward law passes. A law of your own can be put
// through it too:
//
//	func TestMyLaw(t *testing.T) { shuffletest.Law(t, MyLaw{}) }
//
// Random numbers are from one seed, so that a failure comes again.
package shuffletest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/shuffle"
)

// Law checks a forward law. Its probabilities sum to one over S_0 … S_6. On S_4 samples of one shuffle and of
// several follow them. Every sample is a permutation that the law thinks possible, and follows from the
// generator alone.
func Law(t *testing.T, law shuffle.Law) {
	t.Helper()
	for n := range 7 {
		sum := 0.0
		for o := range perm.All(n) {
			sum += math.Exp(law.LogProb(o))
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("probabilities over S_%d sum to %v, wanted 1", n, sum)
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	t.Run("one shuffle", func(t *testing.T) {
		OnS4(t, Convolve(law, 1), func(dst perm.Order) { law.Sample(rng, dst) })
	})
	for _, times := range []int{0, 1, 2, 3, 4, 5, 6, 9} {
		t.Run(fmt.Sprintf("%d shuffles", times), func(t *testing.T) {
			OnS4(t, Convolve(law, times), func(dst perm.Order) { law.SampleT(rng, times, dst) })
		})
	}
	for _, n := range []int{0, 1, 2, 3, 10, 52, 200} {
		for _, times := range []int{-1, 0, 1, 7, 70} {
			a, b := make(perm.Order, n), make(perm.Order, n) // not even orders before
			law.SampleT(rand.New(rand.NewPCG(5, uint64(n))), times, a)
			law.SampleT(rand.New(rand.NewPCG(5, uint64(n))), times, b)
			if err := a.Validate(); err != nil {
				t.Fatalf("n = %d, t = %d: %v: %v", n, times, a, err)
			}
			if !slices.Equal(a, b) {
				t.Errorf("n = %d, t = %d: one seed gives %v and %v", n, times, a, b)
			}
			if times <= 0 && !slices.Equal(a, perm.Identity(n)) {
				t.Errorf("n = %d, t = %d: %v, wanted the identity", n, times, a)
			}
			if times == 1 && math.IsInf(law.LogProb(a), -1) {
				t.Errorf("n = %d: sampled %v, which has probability 0", n, a)
			}
		}
	}
}

// Convolve returns the distribution over S_4, by the index of an order, of so many independent
// shuffles, from LogProb alone.
func Convolve(law shuffle.Law, times int) []float64 {
	p := make([]float64, 24)
	p[0] = 1
	for range times {
		next := make([]float64, 24)
		for o := range perm.All(4) {
			for sigma := range perm.All(4) {
				next[Index(perm.Compose(sigma, o))] += math.Exp(law.LogProb(sigma)) * p[Index(o)]
			}
		}
		p = next
	}
	return p
}

// Index is the place of an order in [Convolve]'s distribution.
func Index(o perm.Order) int {
	k, err := o.Index64()
	if err != nil {
		panic(err) // of 24
	}
	return int(k)
}

// OnS4 fails if samples of S_4 do not follow p, by the chi-square test.
func OnS4(t *testing.T, p []float64, sample func(dst perm.Order)) {
	t.Helper()
	counts := make([]int, 24)
	dst := make(perm.Order, 4)
	for range 40000 {
		sample(dst)
		counts[Index(dst)]++
	}
	Counts(t, counts, p)
}

// Counts fails if counts are improbable under p: a chi-square statistic beyond the 0.999 quantile, or
// anything where p is 0. Neighbouring cells are joined until 5 are expected in each.
func Counts(t *testing.T, counts []int, p []float64) {
	t.Helper()
	total := 0
	for _, c := range counts {
		total += c
	}
	chi2, cells := 0.0, 0
	got, want := 0.0, 0.0
	for i, c := range counts {
		if p[i] == 0 && c > 0 {
			t.Errorf("cell %d of probability 0 has %d samples", i, c)
		}
		got += float64(c)
		want += p[i] * float64(total)
		if want >= 5 {
			chi2 += (got - want) * (got - want) / want
			cells++
			got, want = 0, 0
		}
	}
	if math.Abs(got-want) > 25 { // what no cell took
		t.Errorf("%v samples in the last cells, expected %v", got, want)
	}
	if cells < 2 {
		return
	}
	if limit := (distuv.ChiSquared{K: float64(cells - 1)}).Quantile(0.999); chi2 > limit {
		t.Errorf("chi-square %.1f over %d cells, wanted %.1f or less", chi2, cells, limit)
	}
}
