package metric

import (
	"fmt"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// Exact reports whether two orders place every item alike. Orders of different
// lengths do not.
func Exact(got, want perm.Order) bool { return slices.Equal(got, want) }

// Correct returns the share, 0 to 1, of positions that hold the right item; 1
// for no positions. It fails on different lengths.
func Correct(got, want perm.Order) (float64, error) { return CorrectValues(got, want) }

// ExactValues reports whether two lists of values agree at every position. It is
// [Exact] where items of equal value are interchangeable: got lists the values
// in the predicted order, want in the right one, which for a sorting task is
// the sorted list.
func ExactValues[T comparable](got, want []T) bool { return slices.Equal(got, want) }

// CorrectValues returns the share, 0 to 1, of positions that hold the right
// value; 1 for no positions. It is [Correct] where items of equal value are
// interchangeable (see [ExactValues]). It fails on different lengths.
func CorrectValues[T comparable](got, want []T) (float64, error) {
	if len(got) != len(want) {
		return 0, fmt.Errorf("correct: %d positions, wanted %d", len(got), len(want))
	}
	if len(want) == 0 {
		return 1, nil
	}
	right := 0
	for i, v := range got {
		if v == want[i] {
			right++
		}
	}
	return float64(right) / float64(len(want)), nil
}
