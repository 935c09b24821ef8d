// Package near compares numbers in tests.
package near

import (
	"math"
	"testing"
)

// Equal reports a number that is further from the wanted one than tolerance·max(1, |want|). Infinities of
// one sign are equal, and NaN equals nothing.
func Equal[T float32 | float64](t testing.TB, what string, got, want T, tolerance float64) {
	t.Helper()
	if !within(float64(got), float64(want), relative(tolerance, float64(want))) {
		t.Errorf("%s: got %.15g, wanted %.15g", what, got, want)
	}
}

// All is [Equal] of each of some numbers. It reports the first fault.
func All[T float32 | float64](t testing.TB, what string, got, want []T, tolerance float64) {
	t.Helper()
	all(t, what, got, want, func(want float64) float64 { return relative(tolerance, want) })
}

// AllWithin reports the first number that is further from the wanted one than tolerance.
func AllWithin[T float32 | float64](t testing.TB, what string, got, want []T, tolerance float64) {
	t.Helper()
	all(t, what, got, want, func(float64) float64 { return tolerance })
}

func all[T float32 | float64](t testing.TB, what string, got, want []T, distance func(want float64) float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, wanted %d", what, len(got), len(want))
	}
	for i, w := range want {
		if !within(float64(got[i]), float64(w), distance(float64(w))) {
			t.Errorf("%s: number %d: got %.15g, wanted %.15g", what, i, got[i], w)
			return
		}
	}
}

func relative(tolerance, want float64) float64 {
	if math.IsInf(want, 0) {
		return 0 // everything is within an infinite distance
	}
	return tolerance * max(1, math.Abs(want))
}

func within(got, want, distance float64) bool { return got == want || math.Abs(got-want) <= distance }
