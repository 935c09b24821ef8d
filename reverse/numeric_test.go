package reverse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/internal/near"
)

func TestSortKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	kinds := map[string]func() float64{
		"normal":  rng.NormFloat64,
		"ties":    func() float64 { return float64(rng.IntN(5) - 2) },
		"close":   func() float64 { return 1 + 1e-14*rng.Float64() }, // equal in the leading bits
		"zeros":   func() float64 { return []float64{0, math.Copysign(0, -1)}[rng.IntN(2)] },
		"extreme": func() float64 { return []float64{negInf, largest, -largest, 0, 1e-310, 1}[rng.IntN(6)] },
	}
	var work scratch
	for name, draw := range kinds {
		for _, n := range []int{0, 1, 127, 128, 1000} {
			keys := make([]key, n)
			for i := range keys {
				keys[i] = key{draw(), int32(i)}
			}
			want := slices.Clone(keys)
			slices.SortFunc(want, byValue)
			if sortKeys(keys, &work); !slices.Equal(keys, want) {
				t.Errorf("%s, %d keys: not sorted", name, n)
			}
		}
	}
}

func TestLogSigmoid(t *testing.T) {
	for _, c := range []struct{ x, want float64 }{
		{0, -math.Ln2},
		{1e4, 0},
		{-1e4, -1e4},
		{math.Inf(1), 0},
		{negInf, negInf},
		{-40, -40},
		{40, -math.Exp(-40)}, // log(1 + x) is x for small x
	} {
		near.Equal(t, "log φ", logSigmoid(c.x), c.want, 1e-16)
	}
}
