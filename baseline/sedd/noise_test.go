package sedd

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/near"
)

func TestNoiseByHand(t *testing.T) {
	for _, c := range []struct {
		noise             Noise
		t, total, perTime float64
	}{
		{Geometric{1e-4, 1}, 0, 1e-4, 1e-4 * math.Log(1e4)},
		{Geometric{1e-4, 1}, 0.5, 1e-2, 1e-2 * math.Log(1e4)}, // the geometric mean
		{Geometric{1e-4, 1}, 1, 1, math.Log(1e4)},
		{LogLinear{0.25}, 0, 0, 0.75},
		{LogLinear{0.25}, 1, math.Log(4), 3},        // a quarter is left
		{LogLinear{0.25}, 2. / 3, math.Log(2), 1.5}, // a half
		{LogLinear{1e-3}, 0.5, -math.Log(0.5005), 0.999 / 0.5005},
	} {
		near.Equal(t, "total", c.noise.Total(c.t), c.total, 1e-14)
		near.Equal(t, "rate", c.noise.Rate(c.t), c.perTime, 1e-14)
	}
}

func TestNoiseRateIsDerivative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.Float64Range(1e-5, 0.1).Draw(t, "low")
		for _, noise := range []Noise{Geometric{low, low + rapid.Float64Range(0.1, 30).Draw(t, "span")}, LogLinear{low}} {
			const h = 1e-6
			at := rapid.Float64Range(h, 0.99).Draw(t, "t")
			slope := (noise.Total(at+h) - noise.Total(at-h)) / (2 * h)
			if got := noise.Rate(at); math.Abs(got-slope) > 1e-6*(1+slope) {
				t.Fatalf("%#v at %g: rate %g, slope %g", noise, at, got, slope)
			}
		}
	})
}

func TestNoiseRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, noise := range []Noise{Geometric{}, Geometric{0, 1}, Geometric{1, 1}, Geometric{2, 1}, Geometric{nan, 1}, Geometric{1, inf}, Geometric{1, nan}, LogLinear{}, LogLinear{1}, LogLinear{-1}, LogLinear{nan}} {
		if noise.Validate() == nil {
			t.Errorf("%#v is valid", noise)
		}
	}
	for _, noise := range []Noise{DefaultGeometric, DefaultLogLinear} {
		if err := noise.Validate(); err != nil {
			t.Error(err)
		}
	}
}
