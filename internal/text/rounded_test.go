package text

import (
	"math"
	"testing"
)

// A gap that rounds to nothing is no negative one.
func TestRounded(t *testing.T) {
	for _, c := range []struct {
		format string
		v      float64
		want   string
	}{
		{"%.3f", -1e-9, "0.000"},
		{"%.3f", -0.0004, "0.000"},
		{"%.3f", -0.0006, "-0.001"},
		{"%.2f", 100, "100.00"},
		{"%.4f", math.Copysign(0, -1), "0.0000"},
		{"%.2f", math.Inf(-1), "-Inf"},
	} {
		if got := Rounded(c.format, c.v); got != c.want {
			t.Errorf("%g: %q, wanted %q", c.v, got, c.want)
		}
	}
}
