package jigsaw

import (
	"math"
	"testing"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Identical tiles may stand in any order; those that only noise tells apart may in the figures
// of puzzles. All by hand.
func TestJudgePuzzle(t *testing.T) {
	// Of the picture's four tiles of one pixel (tiles 2, 0, 3, 1 in places 0 to 3) tiles 0 and 2
	// are identical, and tile 3 is but for noise.
	clean := []perm.Order{{2, 0, 3, 1}}
	ex := &task.Examples{Clean: clean, Judge: &judge{
		One: task.One{Clean: clean}, same: [][]int{{0, 1, 0, 3}}, alike: [][]int{{0, 1, 0, 0}}, pixels: []float32{0, 1, 0, 0.5}, size: 1,
	}}
	for _, c := range []struct {
		order                                          perm.Order
		exact, correct, exactAlike, correctAlike, rmse float64
	}{
		{perm.Order{2, 0, 3, 1}, 1, 1, 100, 100, 0},
		{perm.Order{0, 2, 3, 1}, 1, 1, 100, 100, 0},
		{perm.Order{3, 0, 2, 1}, 0, 0.5, 100, 100, math.Sqrt(0.5 / 4)},           // 2 and 3 exchanged: 0.25 + 0.25 over four pixels
		{perm.Order{1, 0, 3, 2}, 0, 0.5, 0, 50, math.Sqrt(2. / 4)},               // 1 and 2 exchanged
		{perm.Order{0, 3, 1, 2}, 0, 0.25, 0, 50, math.Sqrt((.25 + .25 + 1) / 4)}, // places 1 to 3 wrong, place 1 but for noise
	} {
		s, err := task.Places(ex, 0, c.order)
		if err != nil {
			t.Fatal(err)
		}
		if s["exact"] != 100*c.exact || s["correct"] != 100*c.correct || (s["kendall_tau"] == 1) != (c.exact == 1) {
			t.Errorf("%v: %v, wanted exact %g, correct %g", c.order, s, c.exact, c.correct)
		}
		r, err := ex.Judge.Figures(0, c.order)
		if err != nil {
			t.Fatal(err)
		}
		if r["puzzle.exact_alike"] != c.exactAlike || r["puzzle.correct_alike"] != c.correctAlike || math.Abs(math.Sqrt(r["puzzle.rmse"])-c.rmse) > 1e-9 {
			t.Errorf("%v: %v, wanted %g, %g and RMSE %g", c.order, r, c.exactAlike, c.correctAlike, c.rmse)
		}
		// Of the three alike two are the same: 2!/3! exact; (2·2 + 1)/3 and one more of four.
		if math.Abs(r["puzzle.limit_exact"]-100./3) > 1e-9 || math.Abs(r["puzzle.limit_correct"]-100*(5./3+1)/4) > 1e-9 {
			t.Errorf("limits %g and %g", r["puzzle.limit_exact"], r["puzzle.limit_correct"])
		}
	}
}
