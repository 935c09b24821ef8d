package shuffle

import (
	"math"
	"math/big"
	"slices"
	"testing"
)

func TestEulerian(t *testing.T) {
	// Computed independently with exact fractions; row 3 by hand.
	for n, want := range map[int][]int64{0: {}, 1: {1}, 2: {1, 1}, 3: {1, 4, 1}, 5: {1, 26, 66, 26, 1}, 10: {1, 1013, 47840, 455192, 1310354, 1310354, 455192, 47840, 1013, 1}} {
		var got []int64
		for _, a := range Eulerian(n) {
			got = append(got, a.Int64())
		}
		if !slices.Equal(got, want) {
			t.Errorf("Eulerian(%d) = %v, wanted %v", n, got, want)
		}
	}
	sum := new(big.Int)
	for _, a := range Eulerian(60) {
		sum.Add(sum, a)
	}
	if want := new(big.Int).MulRange(1, 60); sum.Cmp(want) != 0 {
		t.Errorf("Eulerian numbers of 60 sum to %v, wanted 60! = %v", sum, want)
	}
}

func TestTVUniformValues(t *testing.T) {
	// Computed independently with exact fractions; the 52-card row is also the
	// table of Bayer & Diaconis 1992.
	values := map[int]map[int]float64{
		52: {
			5: 0.923733, 6: 0.613550, 7: 0.334061, 8: 0.167159, 9: 0.085420, 10: 0.042946,
			11: 0.021502, 12: 0.010755, 13: 0.005378,
		},
		3:   {1: 0.3333333, 2: 0.1458333, 3: 0.0677083, 7: 0.0039266},
		9:   {9: 0.0057870},
		32:  {12: 0.0052568},
		100: {15: 0.0035514},
		200: {12: 0.0794180},
		19:  {7: 0.0750371},
		49:  {7: 0.3049802},
	}
	for n, row := range values {
		for times, want := range row {
			if got := TVUniform(n, times); math.Abs(got-want) > 1e-6 {
				t.Errorf("TVUniform(%d, %d) = %.7f, wanted %.7f", n, times, got, want)
			}
		}
	}
}

func TestTVBetweenValues(t *testing.T) {
	// Computed independently with exact fractions.
	for _, c := range []struct {
		n, s, t int
		want    float64
	}{
		{100, 8, 10, 0.331412},
		{100, 10, 15, 0.108617},
		{52, 5, 6, 0.626217},
		{52, 6, 7, 0.331415},
		{52, 7, 10, 0.294797},
		{52, 10, 13, 0.037568},
		{3, 0, 2, 0.6875},
	} {
		if got := TVBetween(c.n, c.s, c.t); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("TVBetween(%d, %d, %d) = %.7f, wanted %.7f", c.n, c.s, c.t, got, c.want)
		}
		if got := TVBetween(c.n, c.t, c.s); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("TVBetween(%d, %d, %d) = %.7f, wanted %.7f", c.n, c.t, c.s, got, c.want)
		}
	}
}

// exactTV computes both distances in rational numbers, times counting riffles
// and −1 standing for uniform.
func exactTV(n, s, t int) float64 {
	eulerian := Eulerian(n)
	prob := func(times, r int) *big.Rat {
		one := big.NewInt(1)
		if times < 0 {
			return new(big.Rat).SetFrac(one, new(big.Int).MulRange(1, int64(n)))
		}
		top := new(big.Int).Lsh(one, uint(times))
		top.Add(top, big.NewInt(int64(n-r)))
		numerator := big.NewInt(1)
		for i := range n {
			factor := new(big.Int).Sub(top, big.NewInt(int64(i)))
			numerator.Mul(numerator, factor)
			if factor.Sign() == 0 {
				break
			}
		}
		numerator.Quo(numerator, new(big.Int).MulRange(1, int64(n)))
		return new(big.Rat).SetFrac(numerator, new(big.Int).Lsh(one, uint(times*n)))
	}
	sum := new(big.Rat)
	for i, a := range eulerian {
		gap := prob(s, i+1)
		gap.Sub(gap, prob(t, i+1)).Abs(gap).Mul(gap, new(big.Rat).SetInt(a))
		sum.Add(sum, gap)
	}
	tv, _ := sum.Mul(sum, big.NewRat(1, 2)).Float64()
	return tv
}

func TestTVIsExact(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 16, 31, 52, 100} {
		for _, times := range []int{0, 1, 3, 7, 14, 60} {
			if got, want := TVUniform(n, times), exactTV(n, times, -1); math.Abs(got-want) > 1e-13 {
				t.Errorf("TVUniform(%d, %d) = %v, wanted %v", n, times, got, want)
			}
			for _, other := range []int{0, 2, 8} {
				if got, want := TVBetween(n, times, other), exactTV(n, times, other); math.Abs(got-want) > 1e-13 {
					t.Errorf("TVBetween(%d, %d, %d) = %v, wanted %v", n, times, other, got, want)
				}
			}
		}
	}
	if got, want := TVUniform(200, 10), exactTV(200, 10, -1); math.Abs(got-want) > 1e-12 {
		t.Errorf("TVUniform(200, 10) = %v, wanted %v", got, want)
	}
}

// The masses, tails included, against Eulerian numbers in integers: relative,
// so that those far below the smallest float64 count as much.
func TestRisingMassesAreExact(t *testing.T) {
	const n = 500
	d := newRising(n)
	factorial := new(big.Float).SetInt(new(big.Int).MulRange(1, n))
	for i, a := range Eulerian(n) {
		want := new(big.Float).Quo(new(big.Float).SetInt(a), factorial)
		k := d.place(i + 1)
		got := new(big.Float).SetMantExp(big.NewFloat(d.mant[k]), d.exp[k])
		ratio, _ := new(big.Float).Quo(got, want).Float64()
		if math.Abs(ratio-1) > 1e-12 {
			t.Fatalf("u(%d) is %v times the exact value", i+1, ratio)
		}
	}
}

// Σ_r A(n, r)·C(n+a−r, n) = aⁿ is Worpitzky's identity: it holds only if tails,
// likelihood ratios and exponents are all right.
func TestRisingMassesSumToOne(t *testing.T) {
	for _, n := range []int{1, 2, 3, 17, 1000, 4001, 10000} {
		d := newRising(n)
		check := func(times int, p []float64) {
			sum := 0.0
			for _, mass := range p {
				sum += mass
			}
			if math.Abs(sum-1) > 1e-11 {
				t.Errorf("n = %d, t = %d: masses sum to 1%+.2g", n, times, sum-1)
			}
		}
		check(-1, d.uniform())
		for _, times := range []int{0, 1, 2, 5, 12, 20, 52, 53, 60, 1000, 2000} {
			check(times, d.riffled(times))
		}
	}
}

func TestTVAtTheEdges(t *testing.T) {
	for n := range 2 {
		for _, times := range []int{0, 1, 9} {
			if got := TVUniform(n, times); got != 0 {
				t.Errorf("TVUniform(%d, %d) = %v, wanted 0", n, times, got)
			}
			if got := TVBetween(n, 0, times); got != 0 {
				t.Errorf("TVBetween(%d, 0, %d) = %v, wanted 0", n, times, got)
			}
		}
	}
	// Two cards stay with probability ½ + 2^−(t+1).
	for times := range 10 {
		if got, want := TVUniform(2, times), math.Ldexp(1, -times-1); math.Abs(got-want) > 1e-15 {
			t.Errorf("TVUniform(2, %d) = %v, wanted %v", times, got, want)
		}
	}
	if got := TVUniform(52, 100000); got > 1e-13 {
		t.Errorf("TVUniform(52, 100000) = %v, wanted 0", got)
	}
	for _, got := range []float64{TVUniform(-1, 1), TVUniform(3, -1), TVBetween(-1, 1, 2), TVBetween(3, -1, 2), TVBetween(3, 1, -2)} {
		if !math.IsNaN(got) {
			t.Errorf("a negative argument gives %v, wanted NaN", got)
		}
	}
}
