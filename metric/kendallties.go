package metric

import (
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// KendallTauB returns Kendall's tau-b between a ranking of n items and what is known of their right
// order. That is levels, groups of items, those of the first before those of the second, and so on.
// Items of one level are tied; items in no level are left out. Over the m items in levels,
//
//	τ_b = (P − 2·D) / √(P · m(m−1)/2),
//
// where P is the number of pairs in different levels ([LevelPairs]) and D how many of them the
// ranking has the other way round ([Discordant]) (Kendall 1945). Without ties it is
// [KendallTau] of the m items. With ties no ranking reaches 1, for a ranking has none: the best
// has √(P / (m(m−1)/2)). Where P is 0 no ranking is wrong and the value is 1, as for fewer than
// two items. It fails where an item of levels is not one of the ranking's or is there twice; r
// must be a valid rank. O(n + m log m).
func KendallTauB(r perm.Rank, levels [][]int) (float64, error) {
	discordant, err := Discordant(r, levels)
	if err != nil {
		return 0, fmt.Errorf("kendall tau-b: %w", err)
	}
	pairs, m := float64(LevelPairs(levels)), 0.0
	if pairs == 0 {
		return 1, nil
	}
	for _, group := range levels {
		m += float64(len(group))
	}
	return (pairs - 2*float64(discordant)) / math.Sqrt(pairs*m*(m-1)/2), nil
}

// LevelPairs counts the pairs of items that levels, as [KendallTauB] takes them, put in an
// order: those of different levels.
func LevelPairs(levels [][]int) int {
	pairs, before := 0, 0
	for _, group := range levels {
		pairs += before * len(group)
		before += len(group)
	}
	return pairs
}

// Discordant counts the pairs of items in different levels, as [KendallTauB] takes them, that
// a ranking has the other way round. Of levels of one item each, all of them, it is Kendall's
// distance between two orders. It fails as KendallTauB does. O(n + m log m) for m items in
// levels.
func Discordant(r perm.Rank, levels [][]int) (int, error) {
	place := make([]int, len(r)) // by rank: the place among the items in levels, from 1, 0 for others
	for i, group := range levels {
		for _, k := range group {
			if k < 0 || k >= len(r) {
				return 0, fmt.Errorf("level %d: item %d, wanted 0 to %d", i, k, len(r)-1)
			}
			if place[r[k]] > 0 {
				return 0, fmt.Errorf("level %d: item %d is there twice", i, k)
			}
			place[r[k]] = 1
		}
	}
	m := 0
	for i, p := range place {
		m += p
		place[i] *= m
	}
	places := make(perm.Order, 0, m) // level by level, each sorted so that it adds no inversion
	for _, group := range levels {
		from := len(places)
		for _, k := range group {
			places = append(places, place[r[k]]-1)
		}
		slices.Sort(places[from:])
	}
	return places.Inversions(), nil
}
