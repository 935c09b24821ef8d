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
// for no positions. Where items of equal value are interchangeable, got and want
// list the values in place of the items. It fails on different lengths.
func Correct[T comparable](got, want []T) (float64, error) {
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
