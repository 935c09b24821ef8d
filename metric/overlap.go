package metric

import (
	"fmt"

	"github.com/riffle-ml/riffle/perm"
)

// TopOverlap returns the share, 0 to 1, of the first k items of the right order that are among
// the first k of the predicted one, in whatever places: |top_k(got) ∩ top_k(want)| / k. Where
// k is more than the n items there are it is n; for no items the share is 1. It fails on
// different lengths, on k below 1, and where an order has an item out of range.
func TopOverlap(got, want perm.Order, k int) (float64, error) {
	if len(got) != len(want) {
		return 0, fmt.Errorf("top-k overlap: orders of %d and %d items, wanted equal lengths", len(got), len(want))
	}
	if k < 1 {
		return 0, fmt.Errorf("top-k overlap: k must be 1 or more (got %d)", k)
	}
	n := len(want)
	if n == 0 {
		return 1, nil
	}
	k = min(k, n)
	in := make([]bool, n)
	for i, item := range want[:k] {
		if item < 0 || item >= n {
			return 0, fmt.Errorf("top-k overlap: place %d has item %d, wanted 0 to %d", i, item, n-1)
		}
		in[item] = true
	}
	both := 0
	for i, item := range got[:k] {
		if item < 0 || item >= n {
			return 0, fmt.Errorf("top-k overlap: place %d has item %d, wanted 0 to %d", i, item, n-1)
		}
		if in[item] {
			both++
			in[item] = false // an item counts once
		}
	}
	return float64(both) / float64(k), nil
}
