package diffsort

import (
	"math"
	"testing"
)

// The rows of the paper's two tables that differ in more than the steepness, and the rule
// for lengths between them: 4, 16, 25 and 36 are pieces of its jigsaw puzzles.
func TestPaper(t *testing.T) {
	slow := math.Pow(10, -3.5)
	for _, c := range []struct {
		errorFree bool
		n         int
		want      Setting
	}{
		{true, 3, Setting{3, 10, "odd-even", 1, 1e-4}},
		{true, 15, Setting{15, 25, "odd-even", 0.1, 1e-4}},
		{true, 32, Setting{32, 124, "odd-even", 0.1, 1e-4}},
		{true, 52, Setting{52, 130, "bitonic", 0.1, slow}},
		{true, 200, Setting{200, 200, "bitonic", 0.1, 1e-4}},
		{false, 9, Setting{9, 32, "odd-even", 0, slow}},
		{false, 32, Setting{32, 25, "bitonic", 0, slow}},
		{false, 200, Setting{200, 200, "bitonic", 0, slow}},
		{true, 4, Setting{3, 10, "odd-even", 1, 1e-4}},
		{true, 16, Setting{15, 25, "odd-even", 0.1, 1e-4}},
		{true, 25, Setting{32, 124, "odd-even", 0.1, 1e-4}},
		{false, 36, Setting{32, 25, "bitonic", 0, slow}},
		{false, 10_000, Setting{200, 200, "bitonic", 0, slow}},
		{false, -5, Setting{3, 6, "odd-even", 0, slow}},
	} {
		if got := Paper(c.errorFree, c.n); got != c.want {
			t.Errorf("error-free %v, n = %d: %v, wanted %v", c.errorFree, c.n, got, c.want)
		}
	}
	for _, rows := range [][]Setting{errorFreeSettings, diffsortSettings} {
		for _, r := range rows {
			if _, err := New(mustNetwork(t, r.Network, r.N), Cauchy, r.Steepness, true); err != nil {
				t.Error(err)
			}
		}
	}
}
