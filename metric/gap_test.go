package metric

import (
	"math"
	"testing"
)

// Values by hand.
func TestGap(t *testing.T) {
	for _, c := range []struct{ length, reference, want float64 }{
		{426, 426, 0}, {110, 100, 10}, {3, 2, 50}, {99, 100, -1}, {0, 0, 0}, {0, 5, -100}, {1e300, 5e299, 100},
	} {
		got, err := Gap(c.length, c.reference)
		if err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("gap of %g to %g: %g, wanted %g (%v)", c.length, c.reference, got, c.want, err)
		}
	}
	for _, c := range [][2]float64{{1, 0}, {-1, 1}, {1, -1}, {math.NaN(), 1}, {1, math.NaN()}, {math.Inf(1), 1}, {1, math.Inf(1)}} {
		if got, err := Gap(c[0], c[1]); err == nil {
			t.Errorf("gap of %g to %g: %g, wanted an error", c[0], c[1], got)
		}
	}
}
