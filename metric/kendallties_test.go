package metric_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

func TestKendallTauBAgainstSciPy(t *testing.T) {
	// scipy 1.x: kendalltau([rank[k] for k in items], [level of k for k in items]).statistic,
	// items being those in levels.
	cases := []struct {
		r      perm.Rank
		levels [][]int
		want   float64
	}{
		{perm.Rank{0, 1, 2, 3, 4}, [][]int{{0, 1}, {2}, {3, 4}}, 0.8944271909999159},
		{perm.Rank{3, 0, 4, 1, 2, 5}, [][]int{{2, 0}, {5, 1, 3}}, -0.25819888974716115},
		{perm.Rank{6, 2, 0, 5, 1, 4, 3}, [][]int{{2}, {4, 0}, {6}, {1, 3}}, 0.35805743701971643},
	}
	for _, c := range cases {
		got, err := metric.KendallTauB(c.r, c.levels)
		if err != nil || math.Abs(got-c.want) > 1e-15 {
			t.Errorf("KendallTauB(%v, %v) = %v, %v, wanted %v", c.r, c.levels, got, err, c.want)
		}
	}
}

func TestKendallTauBWithoutPairs(t *testing.T) {
	for _, levels := range [][][]int{nil, {{2}}, {{0, 1, 2}}} {
		if got, err := metric.KendallTauB(perm.Rank{2, 0, 1}, levels); err != nil || got != 1 {
			t.Errorf("levels %v: %v, %v, wanted 1", levels, got, err)
		}
	}
}

// drawLevels draws groups of some of n items.
func drawLevels(t *rapid.T, n int) [][]int {
	items := rapid.Permutation(perm.Identity(n)).Draw(t, "items")
	items = items[:rapid.IntRange(0, n).Draw(t, "known")]
	var levels [][]int
	for len(items) > 0 {
		size := rapid.IntRange(1, min(3, len(items))).Draw(t, "size")
		levels, items = append(levels, items[:size]), items[size:]
	}
	return levels
}

// The definition of tau-b, pair by pair.
func TestKendallTauBCountsPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		r := perm.Rank(rapid.Permutation(perm.Identity(n)).Draw(t, "rank"))
		levels := drawLevels(t, n)
		score, pairs, all, discordant := 0, 0, 0, 0
		for i, a := range levels {
			for j, b := range levels {
				for _, x := range a {
					for _, y := range b {
						switch {
						case i == j && x < y:
							all++
						case i < j && r[x] < r[y]:
							score, pairs, all = score+1, pairs+1, all+1
						case i < j:
							score, pairs, all, discordant = score-1, pairs+1, all+1, discordant+1
						}
					}
				}
			}
		}
		want := 1.0
		if pairs > 0 {
			want = float64(score) / math.Sqrt(float64(all)*float64(pairs))
		}
		got, err := metric.KendallTauB(r, levels)
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Fatalf("KendallTauB(%v, %v) = %v, %v, wanted %v", r, levels, got, err, want)
		}
		if p := metric.LevelPairs(levels); p != pairs {
			t.Fatalf("LevelPairs(%v) = %d, wanted %d", levels, p, pairs)
		}
		if d, err := metric.Discordant(r, levels); err != nil || d != discordant {
			t.Fatalf("Discordant(%v, %v) = %d, %v, wanted %d", r, levels, d, err, discordant)
		}
	})
}

func TestKendallTauBIsKendallTauWithoutTies(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 20).Draw(t, "n")
		r := perm.Rank(rapid.Permutation(perm.Identity(n)).Draw(t, "rank"))
		o := rapid.Permutation(perm.Identity(n)).Draw(t, "order")
		levels := make([][]int, n)
		for i, k := range o {
			levels[i] = []int{k}
		}
		got, err := metric.KendallTauB(r, levels)
		want, _ := metric.KendallTau(r, o.Rank())
		if err != nil || math.Abs(got-want) > 1e-12 {
			t.Fatalf("KendallTauB = %v, %v, wanted %v", got, err, want)
		}
	})
}

func TestKendallTauBErrors(t *testing.T) {
	for _, c := range []struct {
		levels [][]int
		want   string
	}{
		{[][]int{{0}, {3}}, "kendall tau-b: level 1: item 3, wanted 0 to 2"},
		{[][]int{{-1}}, "kendall tau-b: level 0: item -1, wanted 0 to 2"},
		{[][]int{{0, 1}, {0}}, "kendall tau-b: level 1: item 0 is there twice"},
	} {
		if _, err := metric.KendallTauB(perm.Rank{2, 1, 0}, c.levels); err == nil || err.Error() != c.want {
			t.Errorf("levels %v: got %v, want %s", c.levels, err, c.want)
		}
	}
}
