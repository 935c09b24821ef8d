// Package metric measures predicted orders and values against the right ones.
//
// Measures of one example return a number; [Bootstrap] turns the numbers of many
// examples into a mean and its interval. Sets of no items are perfect.
package metric

import (
	"fmt"

	"github.com/riffle-ml/riffle/perm"
)

// KendallTau returns Kendall's tau-a between two rankings of the same n items,
//
//	τ = (concordant − discordant) / (n(n−1)/2) = 1 − 4·discordant/(n(n−1)),
//
// where a pair of items is discordant if one ranking puts the first item before
// the second and the other after. It runs from −1 (reversed) to 1 (equal), is 1
// for n < 2, and without ties, which ranks have not, is tau-b too. It fails on
// different lengths; both must be valid ranks. O(n log n) (Kendall 1938).
func KendallTau(a, b perm.Rank) (float64, error) {
	return tau(a, b, "ranks")
}

// KendallTauLists returns tau-a between two orders read as two lists of numbers,
// pairs being pairs of positions: positions i, j are discordant if a[i] < a[j]
// and b[i] > b[j] or the reverse. The paper's authors compute it this way. It
// equals [KendallTau] of the ranks where one of the two is the identity, but not
// in general: 1 0 2 against 2 0 1 is 1/3 here and −1 by ranks. It fails on
// different lengths.
func KendallTauLists(a, b perm.Order) (float64, error) {
	return tau(a, b, "orders")
}

func tau(a, b []int, what string) (float64, error) {
	if len(a) != len(b) {
		return 0, fmt.Errorf("kendall tau: %s of %d and %d items, wanted equal lengths", what, len(a), len(b))
	}
	n := len(a)
	if n < 2 {
		return 1, nil
	}
	// b read in the order of a: its inversions are the discordant pairs.
	discordant := perm.Compose(perm.Rank(a).Order(), perm.Order(b)).Inversions()
	return 1 - 4*float64(discordant)/(float64(n)*float64(n-1)), nil
}
