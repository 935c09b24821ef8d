package gumbelsinkhorn

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

func value(scores []float64, o perm.Order) float64 {
	sum := 0.0
	for i, k := range o {
		sum += scores[i*len(o)+k]
	}
	return sum
}

// best is the greatest value of all orders.
func best(scores []float64, n int) float64 {
	most := math.Inf(-1)
	var try func(o perm.Order, i int)
	try = func(o perm.Order, i int) {
		if i == n {
			most = max(most, value(scores, o))
			return
		}
		for j := i; j < n; j++ {
			o[i], o[j] = o[j], o[i]
			try(o, i+1)
			o[i], o[j] = o[j], o[i]
		}
	}
	try(perm.Identity(n), 0)
	return most
}

// No order of up to seven items is better, whole numbers with many ties included.
func TestMatchingBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(rt, "n")
		scores := rapid.SliceOfN(rapid.OneOf(
			rapid.Float64Range(-100, 100),
			rapid.Map(rapid.IntRange(-2, 2), func(i int) float64 { return float64(i) }),
		), n*n, n*n).Draw(rt, "scores")
		o, err := Matching(scores)
		if err != nil || o.Validate() != nil || len(o) != n {
			rt.Fatalf("%v, %v", o, err)
		}
		if got, want := value(scores, o), best(scores, n); math.Abs(got-want) > 1e-9 {
			rt.Fatalf("%v has %g, the best %g", o, got, want)
		}
	})
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		scores := normal(rng, 49, 1)
		if o, _ := Matching(scores); math.Abs(value(scores, o)-best(scores, 7)) > 1e-12 {
			t.Errorf("%v: %v is not the best", scores, o)
		}
	}
}

// SciPy's linear_sum_assignment finds the same orders; see bench/torch/make_baseline_fixtures.py.
func TestMatchingSciPy(t *testing.T) {
	raw, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct {
		Cases []struct {
			N      int        `json:"n"`
			Scores []float64  `json:"scores"`
			Order  perm.Order `json:"order"`
		}
	}
	if err := json.Unmarshal(raw, &fixture); err != nil {
		t.Fatal(err)
	}
	if len(fixture.Cases) < 5 {
		t.Fatalf("%d cases", len(fixture.Cases))
	}
	for _, c := range fixture.Cases {
		if o, err := Matching(c.Scores); err != nil || !slices.Equal(o, c.Order) {
			t.Errorf("n = %d: %v, %v, wanted %v", c.N, o, err, c.Order)
		}
	}
}

// Whatever the scores, the result is an order; what can not be is left out where it can be,
// and ties go by index.
func TestMatchingOddScores(t *testing.T) {
	nan, inf, big := math.NaN(), math.Inf(1), math.MaxFloat64
	for _, c := range []struct {
		scores []float64
		want   perm.Order
	}{
		{nil, perm.Order{}},
		{[]float64{nan}, perm.Order{0}},
		{make([]float64, 16), perm.Order{0, 1, 2, 3}},
		{[]float64{nan, 0, 0, nan}, perm.Order{1, 0}},
		{[]float64{nan, nan, nan, nan}, perm.Order{0, 1}},
		{[]float64{inf, inf, inf, inf}, perm.Order{0, 1}},
		{[]float64{-inf, 1, 1, 1e300}, perm.Order{1, 0}},
		{[]float64{inf, 5, 9, 0}, perm.Order{0, 1}},
		{[]float64{-inf, inf, 0, -inf}, perm.Order{1, 0}},
		// One +Inf can not make up for a placement that can not be.
		{[]float64{inf, 0, 0, -inf}, perm.Order{1, 0}},
		// Differences that no float64 holds.
		{[]float64{0, 1e308, -big, 1e308, 0, -big, -big, -big, big}, perm.Order{1, 0, 2}},
		{[]float64{big, -big, big, 0}, perm.Order{0, 1}},
		{[]float64{-big, big, 1, -big}, perm.Order{1, 0}},
	} {
		o, err := Matching(c.scores)
		if err != nil || !slices.Equal(o, c.want) {
			t.Errorf("%v: %v, %v, wanted %v", c.scores, o, err, c.want)
		}
	}
	if o, err := Matching([]float32{0, 1, 1, 0}); err != nil || !slices.Equal(o, perm.Order{1, 0}) {
		t.Errorf("float32: %v, %v", o, err)
	}
	if _, err := Matching(make([]float64, 3)); err == nil {
		t.Error("3 entries: no error")
	}
	rng := rand.New(rand.NewPCG(2, 2))
	for range 200 {
		n := rng.IntN(12)
		scores := make([]float64, n*n)
		for i := range scores {
			scores[i] = []float64{nan, inf, -inf, 0, 1, -1, 1e308, -1e308, rng.NormFloat64()}[rng.IntN(9)]
		}
		if o, err := Matching(scores); err != nil || o.Validate() != nil {
			t.Fatalf("%v: %v, %v", scores, o, err)
		}
	}
}

// As τ falls to 0, S(log α/τ) becomes the matching's permutation matrix. Scores are 0 to 1,
// and 1½ more along one order, which so beats any other by 1 or more.
func TestLowTemperatureIsMatching(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, n := range []int{2, 3, 5, 9} {
		scores, planted := make([]float64, n*n), perm.Random(rng, n)
		for i := range scores {
			scores[i] = rng.Float64()
		}
		for i, k := range planted {
			scores[i*n+k] += 1.5
		}
		o, err := Matching(scores)
		if err != nil || !slices.Equal(o, planted) {
			t.Fatalf("%v, %v, wanted %v", o, err, planted)
		}
		last := math.Inf(1)
		for _, tau := range []float64{1, 0.1, 0.01} {
			z := make([]float64, n*n)
			for i, s := range scores {
				z[i] = s / tau
			}
			p := mustSinkhorn(t, z, 1000)
			miss := 0.0
			for i, k := range o {
				miss = max(miss, 1-p[i*n+k])
			}
			if miss > last {
				t.Errorf("n = %d: τ = %g is farther from the matching than a greater one", n, tau)
			}
			last = miss
		}
		near.Equal(t, fmt.Sprintf("n = %d, τ = 0.01, the least matched entry", n), 1-last, 1, 1e-3)
	}
}

func BenchmarkMatching(b *testing.B) {
	for _, n := range []int{9, 36, 200} {
		scores := normal(rand.New(rand.NewPCG(4, 4)), n*n, 1)
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Matching(scores); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
