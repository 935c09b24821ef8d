package metric

import (
	"fmt"

	"github.com/riffle-ml/riffle/perm"
)

// TopOverlap returns the share, 0 to 1, of the first k items of the right order that are among the
// first k of the predicted one. Places do not matter: |top_k(got) ∩ top_k(want)| / k. Of the right
// order levels are known, as [KendallTauB] takes them; items in no level are left out of both. The
// share is the mean over all orders that the ties allow. An item of a level of g items, with m
// before it, is among the first k with probability (k − m)/g, cut off at 0 and 1. Where k is more
// than the items in levels it is their number; where there are none the share is 1. It fails on k
// below 1, and where an item is out of range or in two levels.
func TopOverlap(got perm.Order, levels [][]int, k int) (float64, error) {
	if k < 1 {
		return 0, fmt.Errorf("top-k overlap: k must be 1 or more (got %d)", k)
	}
	known := 0
	for _, group := range levels {
		known += len(group)
	}
	if known == 0 {
		return 1, nil
	}
	k = min(k, known)
	n := len(got)
	share := make([]float64, n) // by item: the probability to be among the first k
	for i := range share {
		share[i] = -1
	}
	before := 0
	for i, group := range levels {
		for _, item := range group {
			switch {
			case item < 0 || item >= n:
				return 0, fmt.Errorf("top-k overlap: level %d: item %d, wanted 0 to %d", i, item, n-1)
			case share[item] >= 0:
				return 0, fmt.Errorf("top-k overlap: level %d: item %d is there twice", i, item)
			}
			share[item] = min(1, max(0, float64(k-before)/float64(len(group))))
		}
		before += len(group)
	}
	sum, first := 0.0, 0
	for i, item := range got {
		switch {
		case item < 0 || item >= n:
			return 0, fmt.Errorf("top-k overlap: place %d has item %d, wanted 0 to %d", i, item, n-1)
		case share[item] < 0 || first == k:
			continue
		}
		first++
		sum += share[item]
		share[item] = 0 // an item counts once
	}
	return min(1, sum/float64(k)), nil
}
