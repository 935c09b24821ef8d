package metric_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

func TestKendallTauByHand(t *testing.T) {
	cases := []struct {
		a, b perm.Rank
		want float64
	}{
		{perm.Rank{}, perm.Rank{}, 1},
		{perm.Rank{0}, perm.Rank{0}, 1},
		{perm.Rank{0, 1}, perm.Rank{1, 0}, -1},
		{perm.Rank{0, 1, 2}, perm.Rank{0, 2, 1}, 1.0 / 3},
		{perm.Rank{0, 1, 2, 3}, perm.Rank{3, 2, 1, 0}, -1},
		{perm.Rank{2, 0, 3, 1}, perm.Rank{2, 0, 3, 1}, 1},
		{perm.Rank{0, 1, 2, 3}, perm.Rank{1, 2, 3, 0}, 0}, // 3 of 6 pairs
	}
	for _, c := range cases {
		got, err := metric.KendallTau(c.a, c.b)
		if err != nil || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("KendallTau(%v, %v) = %v, %v, wanted %v", c.a, c.b, got, err, c.want)
		}
	}
}

func TestKendallTauReadsItemsAndListsPositions(t *testing.T) {
	// a = 1 0 2, b = 2 0 1. Positions: (01) − −, (02) + −, (12) + +: 1 of 3.
	// Items {0,1}: a after, b before; {0,2}: before, after; {1,2}: before,
	// after: 3 of 3.
	a, b := perm.Order{1, 0, 2}, perm.Order{2, 0, 1}
	lists, err := metric.KendallTauLists(a, b)
	if err != nil || math.Abs(lists-1.0/3) > 1e-15 {
		t.Errorf("KendallTauLists = %v, %v, wanted 1/3", lists, err)
	}
	ranks, err := metric.KendallTau(a.Rank(), b.Rank())
	if err != nil || ranks != -1 {
		t.Errorf("KendallTau = %v, %v, wanted -1", ranks, err)
	}
}

func TestKendallTauCountsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		a := rapid.Permutation(perm.Identity(n)).Draw(t, "a")
		b := rapid.Permutation(perm.Identity(n)).Draw(t, "b")
		score := 0
		for i := range n {
			for j := range i {
				if (a[i] < a[j]) == (b[i] < b[j]) {
					score++
				} else {
					score--
				}
			}
		}
		want := float64(score) / float64(n*(n-1)/2)
		got, err := metric.KendallTau(perm.Rank(a), perm.Rank(b))
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Fatalf("KendallTau = %v, %v, wanted %v", got, err, want)
		}
		got, err = metric.KendallTauLists(a, b)
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Fatalf("KendallTauLists = %v, %v, wanted %v", got, err, want)
		}
		// Renaming the items changes nothing between ranks.
		name := rapid.Permutation(perm.Identity(n)).Draw(t, "name")
		renamed, err := metric.KendallTau(perm.Rank(perm.Act(name, a)), perm.Rank(perm.Act(name, b)))
		if err != nil || math.Abs(renamed-want) > 1e-12 {
			t.Fatalf("after renaming %v, %v, wanted %v", renamed, err, want)
		}
	})
}

func TestKendallTauErrors(t *testing.T) {
	if _, err := metric.KendallTau(perm.Rank{0}, perm.Rank{0, 1}); err == nil || err.Error() != "kendall tau: ranks of 1 and 2 items, wanted equal lengths" {
		t.Errorf("KendallTau: %v", err)
	}
	if _, err := metric.KendallTauLists(perm.Order{0}, perm.Order{}); err == nil {
		t.Error("KendallTauLists accepts lengths 1 and 0")
	}
}
