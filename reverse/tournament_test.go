package reverse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestOrderedKeepsTheOrder(t *testing.T) {
	for _, v := range []float64{negInf, -math.MaxFloat64, -1.5, -1, -math.SmallestNonzeroFloat64, 0, 1e-300, 1, 1.5, math.MaxFloat64} {
		if got := number(ordered(v)); got != v || ordered(v) == 0 {
			t.Errorf("%g: %d, which is %g", v, ordered(v), got)
		}
	}
	if ordered(math.Copysign(0, -1)) != ordered(0) {
		t.Error("−0 and 0 differ")
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64().Draw(t, "a"), rapid.Float64().Draw(t, "b")
		if (a < b) != (ordered(a) < ordered(b)) {
			t.Fatalf("%g and %g are %d and %d", a, b, ordered(a), ordered(b))
		}
	})
}

// The winners are those of looking through all values, whatever number of places there is.
func TestTournament(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var tree tournament
	for n := 1; n < 70; n++ {
		values := make([]uint64, n)
		for i := range values {
			values[i] = uint64(rng.IntN(10)) // ties, and 0, which is none
		}
		tree.start(values)
		for {
			greatest := slices.Max(values)
			best := slices.Index(values, greatest) // the first of equal ones
			if got := tree.nodes[0]; got.value != greatest || greatest > 0 && got.place != int64(best) {
				t.Fatalf("n = %d: %d of place %d wins, wanted %d of place %d", n, got.value, got.place, greatest, best)
			}
			if greatest == 0 {
				break
			}
			values[best] = uint64(rng.IntN(int(greatest)))
			tree.fall(values[best])
		}
	}
}
