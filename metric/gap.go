package metric

import (
	"fmt"
	"math"
)

// Gap returns how much longer a tour is than the reference, in percent:
//
//	100 (length − reference) / reference
//
// It is negative where the reference is not the shortest, as labels of heuristics need not be. It
// is 0 where both lengths are 0 (all cities in one place). It fails on lengths that are negative or
// not finite, and on a reference of 0 for a tour that is longer.
func Gap(length, reference float64) (float64, error) {
	for _, v := range []float64{length, reference} {
		if !(v >= 0) || math.IsInf(v, 1) {
			return 0, fmt.Errorf("gap: length %g, wanted a finite one of 0 or more", v)
		}
	}
	if length == reference {
		return 0, nil
	}
	if reference == 0 {
		return 0, fmt.Errorf("gap: the reference is of length 0, the tour of %g", length)
	}
	return 100 * (length/reference - 1), nil
}
