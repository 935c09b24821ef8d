package metric

import (
	"fmt"
	"math"
)

// RMSE returns the root mean square error √(Σ (gotᵢ − wantᵢ)² / m) over all m
// elements, in their unit. The mean is over everything given, so images are
// passed as one list of pixels, not averaged one by one. It fails on different
// lengths and on none.
func RMSE(got, want []float64) (float64, error) {
	// In units of the largest difference, so that no square underflows or overflows.
	largest := 0.0
	for i := range min(len(got), len(want)) {
		largest = max(largest, math.Abs(got[i]-want[i]))
	}
	if largest == 0 || math.IsInf(largest, 0) {
		largest = 1
	}
	mean, err := meanError("rmse", got, want, func(d float64) float64 { return d / largest * (d / largest) })
	return largest * math.Sqrt(mean), err
}

// MAE returns the mean absolute error Σ |gotᵢ − wantᵢ| / m over all m elements,
// in their unit. It fails on different lengths and on none.
func MAE(got, want []float64) (float64, error) {
	return meanError("mae", got, want, math.Abs)
}

func meanError(name string, got, want []float64, of func(float64) float64) (float64, error) {
	if len(got) != len(want) {
		return 0, fmt.Errorf("%s: %d elements, wanted %d", name, len(got), len(want))
	}
	if len(got) == 0 {
		return 0, fmt.Errorf("%s: no elements, wanted 1 or more", name)
	}
	sum := 0.0
	for i, v := range got {
		sum += of(v - want[i])
	}
	return sum / float64(len(got)), nil
}
