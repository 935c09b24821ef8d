package task

import (
	"math"
	"testing"

	"github.com/riffle-ml/riffle/internal/fuzztest"
)

// Whatever finite points cities have, the network sees them in the unit square, or about it:
// of three, one can be √(2·3) spreads away from the centre at most.
func FuzzPoints(f *testing.F) {
	f.Add(0.0, 1.0, 0.5, 0.25, 3.0, 4.0)
	f.Add(math.MaxFloat64, -math.MaxFloat64, 0.0, math.SmallestNonzeroFloat64, 1e-320, 0.0)
	f.Add(1e308, 1e308, 1e308, 1e308, 1e308, 1e308)
	f.Add(math.Copysign(0, -1), math.Inf(1), math.NaN(), 1.0, 2.0, 3.0)
	f.Fuzz(func(t *testing.T, a, b, c, d, e, g float64) {
		points := [][2]float64{{a, b}, {c, d}, {e, g}}
		for _, p := range points {
			if math.IsNaN(p[0]+p[1]) || math.IsInf(p[0], 0) || math.IsInf(p[1], 0) {
				t.Skip("no set has such points")
			}
		}
		var flat []float32
		fuzztest.Within(t, 1<<20, 0, 0, func() { flat = unit(points) })
		for _, v := range flat {
			if !(v >= 0 && v <= 1) {
				t.Fatalf("%v: a coordinate becomes %v", points, v)
			}
		}
		fuzztest.Within(t, 1<<20, 0, 0, func() { flat = Spread(points) })
		for _, v := range flat {
			if !(math.Abs(float64(v)-0.5) <= math.Sqrt(6.0/12)+1e-6) {
				t.Fatalf("%v: spread, a coordinate becomes %v", points, v)
			}
		}
	})
}
