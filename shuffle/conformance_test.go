package shuffle_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/shuffle"
)

// Every forward law passes the tests of this file.

func TestLawNames(t *testing.T) {
	want := []string{"riffle", "transposition", "insertion"}
	var got []string
	for _, law := range shuffle.Laws() {
		got = append(got, law.Name())
		if found, err := shuffle.ByName(law.Name()); err != nil || found != law {
			t.Errorf("ByName(%q) = %v, %v", law.Name(), found, err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("laws %v, wanted %v", got, want)
	}
	if law, err := shuffle.ByName("overhand"); err == nil {
		t.Errorf("ByName(overhand) = %v, wanted an error", law)
	}
}

func TestLawSumsToOne(t *testing.T) {
	for _, law := range shuffle.Laws() {
		for n := range 7 {
			sum := 0.0
			for o := range perm.All(n) {
				sum += math.Exp(law.LogProb(o))
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("%s: probabilities over S_%d sum to %v, wanted 1", law.Name(), n, sum)
			}
		}
	}
}

func TestLawSamplesMatchLogProb(t *testing.T) {
	for _, law := range shuffle.Laws() {
		t.Run(law.Name(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(1, 1))
			checkOnS4(t, convolve(law, 1), func(dst perm.Order) { law.Sample(rng, dst) })
		})
	}
}

func TestLawSampleTIsConvolution(t *testing.T) {
	for _, law := range shuffle.Laws() {
		t.Run(law.Name(), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(2, 2))
			for _, times := range []int{0, 1, 2, 3, 4, 5, 6, 9} {
				t.Log("t =", times)
				checkOnS4(t, convolve(law, times), func(dst perm.Order) { law.SampleT(rng, times, dst) })
			}
		})
	}
}

// The reverse move is the inverse: it undoes the shuffle, and it is what the
// card player's reverse does.
func TestLawReverseMove(t *testing.T) {
	looks := map[string]func(inverse perm.Order) bool{
		// Two piles taken out, each in order: at most one descent.
		"riffle": func(inverse perm.Order) bool {
			descents := 0
			for i := 1; i < len(inverse); i++ {
				if inverse[i] < inverse[i-1] {
					descents++
				}
			}
			return descents <= 1
		},
		// A swap undoes itself.
		"transposition": func(inverse perm.Order) bool {
			return slices.Equal(perm.Compose(inverse, inverse), perm.Identity(len(inverse)))
		},
		// One card goes to the end, the others stay in order.
		"insertion": func(inverse perm.Order) bool {
			return len(inverse) == 0 || slices.IsSorted(inverse[:len(inverse)-1])
		},
	}
	for _, law := range shuffle.Laws() {
		t.Run(law.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rng := drawRand(t)
				n := rapid.IntRange(0, 40).Draw(t, "n")
				sigma := make(perm.Order, n)
				law.Sample(rng, sigma)
				before := perm.Random(rng, n)
				after := perm.Act(sigma, before)
				if back := perm.Act(sigma.Inverse(), after); !slices.Equal(back, before) {
					t.Fatalf("inverse of %v gives %v, wanted %v", sigma, back, before)
				}
				if !looks[law.Name()](sigma.Inverse()) {
					t.Fatalf("inverse of %v is %v, not the reverse of a %s", sigma, sigma.Inverse(), law.Name())
				}
				if logProb := law.LogProb(sigma); math.IsInf(logProb, -1) {
					t.Fatalf("sampled %v, which has probability 0", sigma)
				}
			})
		})
	}
}

func TestLawSamplesAreOrders(t *testing.T) {
	for _, law := range shuffle.Laws() {
		t.Run(law.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(0, 200).Draw(t, "n")
				times := rapid.IntRange(-1, 70).Draw(t, "t")
				dst := make(perm.Order, n) // not even an order before
				law.SampleT(drawRand(t), times, dst)
				if err := dst.Validate(); err != nil {
					t.Fatalf("t = %d: %v: %v", times, dst, err)
				}
				if times <= 0 && !slices.Equal(dst, perm.Identity(n)) {
					t.Fatalf("t = %d: %v, wanted the identity", times, dst)
				}
			})
		})
	}
}

func TestLawIsAFunctionOfTheSeed(t *testing.T) {
	for _, law := range shuffle.Laws() {
		a, b, c := make(perm.Order, 30), make(perm.Order, 30), make(perm.Order, 30)
		law.SampleT(rand.New(rand.NewPCG(5, 6)), 9, a)
		law.SampleT(rand.New(rand.NewPCG(8, 9)), 9, c) // leaves other buffers behind
		law.SampleT(rand.New(rand.NewPCG(5, 6)), 9, b)
		if !slices.Equal(a, b) {
			t.Errorf("%s: one seed gives %v and %v", law.Name(), a, b)
		}
		if slices.Equal(a, c) {
			t.Errorf("%s: two seeds give %v", law.Name(), a)
		}
	}
}

func TestCutOff(t *testing.T) {
	// log 52 = 3.951243718581427, log₂ 52 = 5.700439718141092.
	want := map[string]float64{"riffle": 8.550659577, "transposition": 102.732336683, "insertion": 205.464673366}
	for _, law := range shuffle.Laws() {
		if got := law.CutOff(52); math.Abs(got-want[law.Name()]) > 1e-8 {
			t.Errorf("%s: cut-off of 52 cards %v, wanted %v", law.Name(), got, want[law.Name()])
		}
		for n := range 2 {
			if got := law.CutOff(n); got != 0 {
				t.Errorf("%s: cut-off of %d cards %v, wanted 0", law.Name(), n, got)
			}
		}
	}
}

// convolve returns the distribution over S_4, by index, of the product of
// independent shuffles, from LogProb alone.
func convolve(law shuffle.Law, times int) []float64 {
	p := make([]float64, 24)
	p[0] = 1
	for range times {
		next := make([]float64, 24)
		for o := range perm.All(4) {
			for sigma := range perm.All(4) {
				next[index(perm.Compose(sigma, o))] += math.Exp(law.LogProb(sigma)) * p[index(o)]
			}
		}
		p = next
	}
	return p
}

func index(o perm.Order) int {
	k, err := o.Index64()
	if err != nil {
		panic(err)
	}
	return int(k)
}

// checkOnS4 fails if samples do not follow p, by the chi-square test.
func checkOnS4(t *testing.T, p []float64, sample func(dst perm.Order)) {
	t.Helper()
	counts := make([]int, 24)
	dst := make(perm.Order, 4)
	for range 40000 {
		sample(dst)
		counts[index(dst)]++
	}
	checkCounts(t, counts, p)
}

// checkCounts fails if counts are improbable under p: a chi-square statistic
// beyond the 0.999 quantile, or anything where p is 0. Neighbouring cells are
// joined until 5 are expected in each.
func checkCounts(t *testing.T, counts []int, p []float64) {
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

func drawRand(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
}

// Shuffles are written into the caller's order: nothing is allocated once the buffers of
// that size are there.
func TestNoAllocations(t *testing.T) {
	rng, dst := rand.New(rand.NewPCG(1, 2)), make(perm.Order, 52)
	for _, law := range shuffle.Laws() {
		for _, times := range []int{1, 7, 60} {
			if got := testing.AllocsPerRun(100, func() { law.SampleT(rng, times, dst) }); got > 0 {
				t.Errorf("%s, %d times: %g allocations, wanted 0", law.Name(), times, got)
			}
		}
	}
}
