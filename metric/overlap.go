package metric

import (
	"fmt"
	"math"

	"github.com/riffle-ml/riffle/perm"
)

// TopOverlap returns the share, 0 to 1, of the first k items of the right order that are among
// the first k of the predicted one, in whatever places: |top_k(got) ∩ top_k(want)| / k. Of the
// right order levels are known, as [KendallTauB] takes them; the share is the mean over all
// orders consistent with them, tied items standing in any order and items in no level anywhere.
// An item of a level of g, with m before it and L in levels at all, is so among the first k with
// probability
//
//	1/g · Σ_{j=m}^{m+g−1} P(H > j),  P(H = h) = C(L, h)·C(n−L, k−h) / C(n, k),
//
// H being how many of the first k positions are those of items in levels, and an item in no
// level with probability k/n. Where k is more than the n items there are it is n; for no items
// the share is 1. It fails on k below 1, and where an item is out of range or in two levels.
// Time and memory grow with n.
func TopOverlap(got perm.Order, levels [][]int, k int) (float64, error) {
	n := len(got)
	if k < 1 {
		return 0, fmt.Errorf("top-k overlap: k must be 1 or more (got %d)", k)
	}
	if n == 0 {
		return 1, nil
	}
	k = min(k, n)
	named := 0
	for _, group := range levels {
		named += len(group)
	}
	if named > n {
		return 0, fmt.Errorf("top-k overlap: %d items in levels, wanted at most %d", named, n)
	}
	share := make([]float64, n) // by item: the probability to be among the first k
	for i := range share {
		share[i] = -1
	}
	beyond := moreThan(n, named, k)
	before := 0
	for i, group := range levels {
		mean := 0.0
		for j := range group {
			mean += beyond[before+j] / float64(len(group))
		}
		for _, item := range group {
			switch {
			case item < 0 || item >= n:
				return 0, fmt.Errorf("top-k overlap: level %d: item %d, wanted 0 to %d", i, item, n-1)
			case share[item] >= 0:
				return 0, fmt.Errorf("top-k overlap: level %d: item %d is there twice", i, item)
			}
			share[item] = mean
		}
		before += len(group)
	}
	sum := 0.0
	for i, item := range got[:k] {
		if item < 0 || item >= n {
			return 0, fmt.Errorf("top-k overlap: place %d has item %d, wanted 0 to %d", i, item, n-1)
		}
		if share[item] < 0 {
			share[item] = float64(k) / float64(n)
		}
		sum += share[item]
		share[item] = 0 // an item counts once
	}
	return min(1, sum/float64(k)), nil
}

// moreThan returns P(H > j) for j = 0, …, named−1: H of k positions out of n are those of named
// items, all subsets being equally likely.
func moreThan(n, named, k int) []float64 {
	tail := make([]float64, named)
	if named == n { // exactly, without rounding
		for j := range min(named, k) {
			tail[j] = 1
		}
		return tail
	}
	all, sum := logChoose(n, k), 0.0
	for j := named - 1; j >= 0; j-- {
		if h := j + 1; h <= k && k-h <= n-named {
			sum += math.Exp(logChoose(named, h) + logChoose(n-named, k-h) - all)
		}
		tail[j] = min(1, sum)
	}
	return tail
}

// logChoose is log C(n, k) for 0 ≤ k ≤ n.
func logChoose(n, k int) float64 {
	f := func(x int) float64 { l, _ := math.Lgamma(float64(x + 1)); return l }
	return f(n) - f(k) - f(n-k)
}
