package shuffle_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/shuffle"
	"github.com/riffle-ml/riffle/shuffle/shuffletest"
)

func TestRiffleLogProbOfThreeCards(t *testing.T) {
	// Computed independently with exact fractions, by number of rising sequences.
	want := map[int][]float64{1: {0.5, 0.125, 0}, 2: {0.3125, 0.15625, 0.0625}}
	for times, byRising := range want {
		for o := range perm.All(3) {
			got := math.Exp(shuffle.Riffle{}.LogProbT(times, o))
			if w := byRising[o.RisingSequenceCount()-1]; math.Abs(got-w) > 1e-15 {
				t.Errorf("t = %d, %v: probability %v, wanted %v", times, o, got, w)
			}
		}
	}
}

func TestRiffleLogProbIsExact(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 52, 200} {
		for _, times := range []int{0, 1, 2, 7, 20, 51, 52, 53, 60, 61, 62, 63, 64, 100} {
			for _, r := range []int{1, 2, n / 2, n} {
				if r < 1 || r > n {
					continue
				}
				got, want := shuffle.RiffleLogProb(n, r, times), exactLogProb(n, r, times)
				if got != want && !(math.Abs(got-want) <= 1e-13*max(1, math.Abs(want))) {
					t.Errorf("n = %d, r = %d, t = %d: %v, wanted %v", n, r, times, got, want)
				}
			}
		}
	}
}

// exactLogProb is log C(n+2^t−r, n) − t·n·log 2 with the binomial in integers.
func exactLogProb(n, r, times int) float64 {
	top := new(big.Int).Lsh(big.NewInt(1), uint(times))
	top.Add(top, big.NewInt(int64(n-r)))
	numerator, factor := big.NewInt(1), new(big.Int)
	for i := range n {
		factor.Sub(top, big.NewInt(int64(i)))
		if factor.Sign() <= 0 {
			return math.Inf(-1)
		}
		numerator.Mul(numerator, factor)
	}
	numerator.Quo(numerator, new(big.Int).MulRange(1, int64(n)))
	mantissa := new(big.Float)
	exponent := new(big.Float).SetInt(numerator).MantExp(mantissa)
	m, _ := mantissa.Float64()
	return math.Log(m) + float64(exponent-times*n)*math.Ln2
}

func TestRiffleLogProbAtTheEdges(t *testing.T) {
	logFactorial5 := math.Log(120)
	cases := []struct {
		name  string
		order perm.Order
		t     int
		want  float64
	}{
		{"no cards", perm.Order{}, 0, 0},
		{"no cards, shuffled", perm.Order{}, 7, 0},
		{"one card", perm.Order{0}, 0, 0},
		{"one card, shuffled", perm.Order{0}, 99, 0},
		{"unshuffled", perm.Identity(5), 0, 0},
		{"unshuffled, other", perm.Order{1, 0, 2, 3, 4}, 0, math.Inf(-1)},
		{"too many rising sequences", perm.Order{2, 1, 0}, 1, math.Inf(-1)},
		{"negative t", perm.Identity(5), -1, math.Inf(-1)},
		{"negative t, no cards", perm.Order{}, -1, math.Inf(-1)},
		{"uniform in the limit", perm.Order{4, 3, 2, 1, 0}, 5000, -logFactorial5},
	}
	for _, c := range cases {
		if got := (shuffle.Riffle{}).LogProbT(c.t, c.order); got != c.want && !(math.Abs(got-c.want) < 1e-13) {
			t.Errorf("%s: %v, wanted %v", c.name, got, c.want)
		}
	}
}

func TestRiffleLogProbTSumsToOne(t *testing.T) {
	for n := range 7 {
		for _, times := range []int{0, 1, 2, 3, 7, 60} {
			sum := 0.0
			for o := range perm.All(n) {
				sum += math.Exp(shuffle.Riffle{}.LogProbT(times, o))
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Errorf("n = %d, t = %d: sum %v, wanted 1", n, times, sum)
			}
		}
	}
}

func TestRiffleLogProbTIsConvolution(t *testing.T) {
	for _, times := range []int{0, 1, 2, 3, 5} {
		p := shuffletest.Convolve(shuffle.Riffle{}, times)
		for o := range perm.All(4) {
			got := math.Exp(shuffle.Riffle{}.LogProbT(times, o))
			if want := p[shuffletest.Index(o)]; math.Abs(got-want) > 1e-14 {
				t.Errorf("t = %d, %v: %v, wanted %v", times, o, got, want)
			}
		}
	}
}

// On decks too large to enumerate, the number of rising sequences of samples
// follows A(n, r)·q(r). The cases take every way through the sort: all bits in
// the buckets, some left over, more bits than float64 holds, whole words.
func TestRiffleSamplesOfLargeDecks(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct{ n, t int }{{52, 3}, {52, 7}, {52, 8}, {52, 10}, {52, 33}, {52, 60}, {52, 64}, {52, 90}, {300, 7}, {300, 16}} {
		eulerian := shuffle.Eulerian(c.n)
		p := make([]float64, c.n)
		for i := range p {
			mantissa := new(big.Float)
			exponent := new(big.Float).SetInt(eulerian[i]).MantExp(mantissa)
			m, _ := mantissa.Float64()
			p[i] = math.Exp(math.Log(m) + float64(exponent)*math.Ln2 + shuffle.RiffleLogProb(c.n, i+1, c.t))
		}
		counts := make([]int, c.n)
		dst := make(perm.Order, c.n)
		for range 3000 {
			shuffle.Riffle{}.SampleT(rng, c.t, dst)
			counts[dst.RisingSequenceCount()-1]++
		}
		t.Logf("n = %d, t = %d", c.n, c.t)
		shuffletest.Counts(t, counts, p)
	}
}

func TestRiffleMeanInversions(t *testing.T) {
	// n(n−1)/4·(1−2^−t) at n = 52, computed independently with exact fractions.
	for times, want := range map[int]float64{1: 331.5, 7: 657.8203} {
		rng := rand.New(rand.NewPCG(13, uint64(times)))
		const draws = 10000
		sum, square := 0.0, 0.0
		dst := make(perm.Order, 52)
		for range draws {
			shuffle.Riffle{}.SampleT(rng, times, dst)
			x := float64(dst.Inversions())
			sum += x
			square += x * x
		}
		mean := sum / draws
		standardError := math.Sqrt((square/draws - mean*mean) / draws)
		if math.Abs(mean-want) > 3.5*standardError {
			t.Errorf("t = %d: %.2f inversions on average, wanted %v ± %.2f", times, mean, want, standardError)
		}
	}
}

func TestRiffleMeanFixedPoints(t *testing.T) {
	// Σ_{i<n} 2^−ti at n = 4, computed independently with exact fractions.
	for times, want := range map[int]float64{1: 15.0 / 8, 2: 85.0 / 64} {
		mean := 0.0
		for o := range perm.All(4) {
			for i, v := range o {
				if i == v {
					mean += math.Exp(shuffle.Riffle{}.LogProbT(times, o))
				}
			}
		}
		if math.Abs(mean-want) > 1e-13 {
			t.Errorf("t = %d: %v fixed points on average, wanted %v", times, mean, want)
		}
	}
}

func TestLogProbByHand(t *testing.T) {
	cases := []struct {
		law   shuffle.Law
		order perm.Order
		want  float64
	}{
		{shuffle.Riffle{}, perm.Identity(5), 6.0 / 32},
		{shuffle.Riffle{}, perm.Order{0, 3, 1, 4, 2}, 1.0 / 32}, // the paper's 1 4 2 5 3
		{shuffle.Riffle{}, perm.Order{2, 0, 1}, 1.0 / 8},
		{shuffle.Riffle{}, perm.Order{2, 1, 0}, 0},
		{shuffle.Transposition{}, perm.Identity(5), 1.0 / 5},
		{shuffle.Transposition{}, perm.Order{0, 4, 2, 3, 1}, 2.0 / 25},
		{shuffle.Transposition{}, perm.Order{1, 2, 0}, 0},
		{shuffle.Insertion{}, perm.Identity(5), 1.0 / 5},
		{shuffle.Insertion{}, perm.Order{0, 4, 1, 2, 3}, 1.0 / 5},
		{shuffle.Insertion{}, perm.Order{4, 0, 1, 2, 3}, 1.0 / 5},
		{shuffle.Insertion{}, perm.Order{1, 2, 3, 4, 0}, 0}, // its inverse
		{shuffle.Insertion{}, perm.Order{0, 4, 2, 1, 3}, 0},
	}
	for _, c := range cases {
		if got := math.Exp(c.law.LogProb(c.order)); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%s: probability of %v is %v, wanted %v", c.law.Name(), c.order, got, c.want)
		}
	}
}

func BenchmarkRiffleSampleT(b *testing.B) {
	for _, c := range []struct{ n, t int }{{52, 1}, {52, 7}, {52, 14}, {52, 60}, {200, 16}, {10000, 25}} {
		b.Run(fmt.Sprintf("n=%d/t=%d", c.n, c.t), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			dst := make(perm.Order, c.n)
			b.ReportAllocs()
			for b.Loop() {
				shuffle.Riffle{}.SampleT(rng, c.t, dst)
			}
		})
	}
}

func BenchmarkRiffleLogProbT(b *testing.B) {
	o := perm.Random(rand.New(rand.NewPCG(1, 2)), 52)
	for b.Loop() {
		shuffle.Riffle{}.LogProbT(7, o)
	}
}
