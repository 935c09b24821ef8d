package diffsort

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

func mustSorter(t testing.TB, name string, n int, swap Swap, steepness float64, errorFree bool) *Sorter {
	t.Helper()
	s, err := New(mustNetwork(t, name, n), swap, steepness, errorFree)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var sizes = []int{1, 2, 3, 5, 9, 16, 17}

// Two scores: one comparator, w = φ(1 − 2) = 1/(1 + e).
func TestTwoByHand(t *testing.T) {
	w := 1 / (1 + math.E)
	for _, name := range networkNames {
		// The second layer of odd–even has no pair at n = 2.
		sorted, p, err := mustSorter(t, name, 2, Logistic, 1, false).Sort([]float64{2, 1})
		if err != nil {
			t.Fatal(err)
		}
		near.All(t, name, sorted, []float64{1 + w, 2 - w}, 1e-15)
		near.All(t, name, p, []float64{w, 1 - w, 1 - w, w}, 1e-15)
	}
}

// Three scores 1, 0, −¼ by odd–even and the reciprocal swap with β = 2, w = ½ + ½ d/(1 + |d|):
// differences −1, −1 and −¼ give w = ¼, ¼ and ⅖; the rest is sums of fractions.
func TestThreeByHand(t *testing.T) {
	sorted, p, err := mustSorter(t, "odd-even", 3, Reciprocal, 2, false).Sort([]float64{1, 0, -0.25})
	if err != nil {
		t.Fatal(err)
	}
	near.All(t, "sorted", sorted, []float64{0.1, 0.15, 0.5}, 1e-15)
	near.All(t, "P", p, []float64{0.2125, 0.3375, 0.45, 0.225, 0.475, 0.3, 0.5625, 0.1875, 0.25}, 1e-15)
}

// P is doubly stochastic and P·scores is what the wires carry.
func TestDoublyStochastic(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom(sizes).Draw(rt, "n")
		name := rapid.SampledFrom(networkNames).Draw(rt, "network")
		swap := rapid.SampledFrom(Swaps()).Draw(rt, "swap")
		steepness := rapid.Float64Range(0.01, 100).Draw(rt, "steepness")
		errorFree := rapid.Bool().Draw(rt, "error-free")
		scores := rapid.SliceOfN(rapid.Float64Range(-10, 10), n, n).Draw(rt, "scores")
		sorted, p, err := mustSorter(t, name, n, swap, steepness, errorFree).Sort(scores)
		if err != nil {
			rt.Fatal(err)
		}
		for i := range n {
			row, column, carried := 0.0, 0.0, 0.0
			for k := range n {
				if p[i*n+k] < 0 {
					rt.Fatalf("P[%d, %d] is %g", i, k, p[i*n+k])
				}
				row += p[i*n+k]
				column += p[k*n+i]
				carried += p[i*n+k] * scores[k]
			}
			if math.Abs(row-1) > 1e-12 || math.Abs(column-1) > 1e-12 || math.Abs(carried-sorted[i]) > 1e-11 {
				rt.Fatalf("row %d sums to %g, column to %g; carries %g, wanted %g", i, row, column, sorted[i], carried)
			}
		}
		if errorFree && !slices.IsSorted(sorted) {
			rt.Fatalf("error-free, but not sorted: %v", sorted)
		}
	})
}

// hard is P of an order.
func hard(o perm.Order) []float64 {
	p := make([]float64, len(o)*len(o))
	for i, k := range o {
		p[i*len(o)+k] = 1
	}
	return p
}

// spread returns n scores at least 1 apart in no order: 7 is a generator modulo no n here.
func spread(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64((7*i+3)%n) - float64(n)/3
	}
	return x
}

// A very steep swap is a hard one, and so is the error-free one at any steepness.
func TestHardLimit(t *testing.T) {
	for _, name := range networkNames {
		for _, n := range sizes {
			scores := spread(n)
			want := slices.Clone(scores)
			slices.Sort(want)
			o := Order(scores)
			for _, swap := range Swaps() {
				what := fmt.Sprintf("%s %d %s", name, n, swap)
				sorted, p, err := mustSorter(t, name, n, swap, 1e12, false).Sort(scores)
				if err != nil {
					t.Fatal(err)
				}
				near.All(t, what, sorted, want, 1e-9)
				near.All(t, what, p, hard(o), 1e-9)
				sorted, p, err = mustSorter(t, name, n, swap, 0.1, true).Sort(scores)
				if err != nil || !slices.Equal(sorted, want) || !slices.Equal(p, hard(o)) {
					t.Errorf("%s, error-free: %v, %v", what, sorted, err)
				}
			}
		}
	}
}

func TestNewErrors(t *testing.T) {
	w := mustNetwork(t, "odd-even", 3)
	for _, steepness := range []float64{0, -1, math.NaN(), 1e39, math.Inf(1)} {
		if _, err := New(w, Cauchy, steepness, false); err == nil {
			t.Errorf("steepness %g: no error", steepness)
		}
	}
	if _, err := New(w, Swap(5), 1, false); err == nil {
		t.Error("unknown swap: no error")
	}
	if _, err := New(nil, Cauchy, 1, false); err == nil {
		t.Error("no network: no error")
	}
	if _, err := New(&Network{}, Cauchy, 1, false); err == nil {
		t.Error("empty network: no error")
	}
	if _, _, err := mustSorter(t, "odd-even", 3, Cauchy, 1, false).Sort([]float64{1}); err == nil {
		t.Error("one score for three: no error")
	}
}
