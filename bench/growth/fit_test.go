package main

import (
	"math"
	"testing"
)

// Values of a law give the law back.
func TestFitFindsTheLaw(t *testing.T) {
	x := []float64{3, 9, 20, 52, 100, 200}
	for _, want := range []law{{base: 500, factor: 0.02, power: 2}, {factor: 3, power: 1}, {base: 0.01, factor: 1e-4, power: 1.37}} {
		y := make([]float64, len(x))
		for i := range x {
			y[i] = want.at(x[i])
		}
		got := fit(x, y)
		if math.Abs(got.power-want.power) > 1e-9 || math.Abs(got.base-want.base) > 1e-6*(want.base+want.factor) || math.Abs(got.factor/want.factor-1) > 1e-6 || got.off > 1e-9 {
			t.Errorf("got %+v, wanted %+v", got, want)
		}
	}
}

// A twentieth more or less has no power.
func TestFitOfAConstant(t *testing.T) {
	got := fit([]float64{1, 2, 4}, []float64{100, 105, 98})
	// By hand: √(98·105) = 101.44, the relative errors 0.0144, −0.0339 and 0.0351.
	if got.factor != 0 || math.Abs(got.base-101.44) > 0.01 || math.Abs(got.off-0.0294) > 1e-4 {
		t.Errorf("got %+v, wanted the constant 101.44, off by 0.0294", got)
	}
	if s := got.format("n"); s != "101" {
		t.Errorf("written as %q, wanted 101", s)
	}
}

func TestFormat(t *testing.T) {
	if got, want := (law{base: 512, factor: 0.0125, power: 1.5}).format("n"), "512 + 0.013·n^1.50"; got != want {
		t.Errorf("got %q, wanted %q", got, want)
	}
}
