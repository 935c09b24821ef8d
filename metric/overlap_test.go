package metric_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

func TestTopOverlap(t *testing.T) {
	got, want := perm.Order{3, 1, 0, 2}, [][]int{{1}, {2}, {3}, {0}}
	for k, share := range map[int]float64{1: 0, 2: 0.5, 3: 2.0 / 3, 4: 1, 9: 1} { // {3}, {1}; {3,1}, {1,2}; …
		if s, err := metric.TopOverlap(got, want, k); err != nil || math.Abs(s-share) > 1e-15 {
			t.Errorf("k = %d: %v, %v, wanted %v", k, s, err, share)
		}
	}
	if s, err := metric.TopOverlap(nil, nil, 3); err != nil || s != 1 {
		t.Errorf("no items: %v, %v, wanted 1", s, err)
	}
	for _, c := range []struct {
		got     perm.Order
		levels  [][]int
		k       int
		message string
	}{
		{got, want, 0, "top-k overlap: k must be 1 or more (got 0)"},
		{perm.Order{0, 1, 2}, want, 1, "top-k overlap: level 2: item 3, wanted 0 to 2"},
		{perm.Order{0, 5}, [][]int{{0}, {1}}, 2, "top-k overlap: place 1 has item 5, wanted 0 to 1"},
		{perm.Order{0, 1}, [][]int{{-1}, {1}}, 2, "top-k overlap: level 0: item -1, wanted 0 to 1"},
		{perm.Order{0, 1}, [][]int{{1}, {1}}, 2, "top-k overlap: level 1: item 1 is there twice"},
	} {
		if _, err := metric.TopOverlap(c.got, c.levels, c.k); err == nil || err.Error() != c.message {
			t.Errorf("got %v, want %s", err, c.message)
		}
	}
}

// By hand. Of three tied for two places each is among the first two with probability 2/3. An item
// in no level is left out: of levels {0}, {1} the first one is 0, wherever item 2 stands.
func TestTopOverlapOfTies(t *testing.T) {
	for _, c := range []struct {
		got    perm.Order
		levels [][]int
		k      int
		share  float64
	}{
		{perm.Order{0, 1, 2}, [][]int{{0, 1, 2}}, 2, 2.0 / 3},
		{perm.Order{2, 0, 1}, [][]int{{0}, {1, 2}}, 2, (1 + 0.5) / 2},
		{perm.Order{2, 0, 1}, [][]int{{0}, {1}}, 1, 1},
		{perm.Order{1, 2, 0}, [][]int{{0}, {1}}, 1, 0},
		{perm.Order{1, 2, 0}, [][]int{{0}, {1}}, 3, 1},
		{perm.Order{1, 0}, nil, 1, 1},
	} {
		if s, err := metric.TopOverlap(c.got, c.levels, c.k); err != nil || math.Abs(s-c.share) > 1e-12 {
			t.Errorf("%v of %v, k = %d: %v, %v, wanted %v", c.got, c.levels, c.k, s, err, c.share)
		}
	}
}

// It is the mean over all orders of the known items that the levels allow, enumerated.
func TestTopOverlapIsTheMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		got := rapid.Permutation(perm.Identity(n)).Draw(t, "got")
		level := rapid.SliceOfN(rapid.IntRange(-1, 3), n, n).Draw(t, "level") // −1: in none
		unknown := func(item int) bool { return level[item] < 0 }
		var levels [][]int
		for l := range 4 {
			var group []int
			for item, x := range level {
				if x == l {
					group = append(group, item)
				}
			}
			if group != nil {
				levels = append(levels, group)
			}
		}
		known := slices.DeleteFunc(slices.Clone(got), unknown)
		if len(known) == 0 {
			if s, err := metric.TopOverlap(got, levels, 3); err != nil || s != 1 {
				t.Fatalf("nothing is known: %v, %v, wanted 1", s, err)
			}
			return
		}
		k := rapid.IntRange(1, len(known)).Draw(t, "k")
		sum, count := 0.0, 0
		for o := range perm.All(n) {
			right := slices.DeleteFunc(slices.Clone(o), unknown)
			if !slices.IsSortedFunc(right, func(a, b int) int { return level[a] - level[b] }) {
				continue
			}
			count++
			for _, item := range known[:k] {
				if slices.Contains(right[:k], item) {
					sum += 1 / float64(k)
				}
			}
		}
		s, err := metric.TopOverlap(got, levels, k)
		if err != nil || math.Abs(s-sum/float64(count)) > 1e-12 {
			t.Fatalf("%v, %v, wanted %v over %d orders", s, err, sum/float64(count), count)
		}
	})
}
