package jigsaw

import (
	"fmt"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// measures say how well pictures are put together again, beside those of places. There, identical
// tiles are one as good as another. Here, so are tiles that only noise tells apart, such as the
// black ones of a noisy digit. The errors are over all pixels of all pictures, from 0 to 1. The
// limits are exact and correct, on the average of these sets, of one who knows everything but how
// to tell apart what only noise does ([metric.ChanceCeiling]).
var measures = []task.Measure{
	{Key: "puzzle.rmse", Label: "RMSE", Digits: 4, Table: 4, Root: true},
	{Key: "puzzle.mae", Label: "MAE", Digits: 4, Table: 4},
	{Key: "puzzle.exact_alike", Label: "exact, but for noise", Unit: "%", Digits: 2, Table: 2},
	{Key: "puzzle.correct_alike", Label: "correct, but for noise", Unit: "%", Digits: 2},
	{Key: "puzzle.limit_exact", Label: "limit of exact", Unit: "%", Digits: 2, Plain: true},
	{Key: "puzzle.limit_correct", Label: "limit of correct", Unit: "%", Digits: 2, Plain: true},
}

// Measures implements [task.Task].
func (j *Task) Measures() []task.Measure { return measures }

// Explain implements [task.Explainer].
func (j *Task) Explain() string {
	return "pixels go from 0 to 1. But for noise: tiles that noise alone tells apart count as one;\nthe limits are those of one who guesses among them and knows all else"
}

// OtherSize implements [task.FixedSize].
func (j *Task) OtherSize(n int) error {
	return fmt.Errorf("task jigsaw: its pictures have %d×%d tiles, there are none of %d", j.rows, j.columns, n)
}

// judge knows which tiles of a set are one as good as another. Tiles k and l are so if same[set][k]
// = same[set][l], since they are identical. If alike[set][k] = alike[set][l] they are so but for
// noise.
type judge struct {
	task.One
	same, alike [][]int
	pixels      []float32 // [count, n, size]
	size        int
}

// Nearest implements [task.Judge].
func (j *judge) Nearest(set int, o perm.Order) perm.Order {
	return metric.Nearest(o, j.Clean[set], j.same[set])
}

// Same implements [task.Judge].
func (j *judge) Same(set, a, b int) bool { return j.same[set][a] == j.same[set][b] }

// Figures implements [task.Judge].
func (j *judge) Figures(set int, o perm.Order) (task.Figures, error) {
	clean, alike := j.Clean[set], j.alike[set]
	correct, err := metric.Correct(perm.Act(o, alike), perm.Act(clean, alike))
	if err != nil {
		return nil, err
	}
	exact := 0.0
	if correct == 1 && o.Validate() == nil {
		exact = 100
	}
	limitExact, limitCorrect, err := metric.ChanceCeiling(alike, j.same[set])
	if err != nil {
		return nil, err
	}
	var got, right []float64
	tile := func(k int) []float32 { return j.pixels[(set*len(o)+k)*j.size:][:j.size] }
	for place, k := range o {
		for i, v := range tile(k) {
			got, right = append(got, float64(v)), append(right, float64(tile(clean[place])[i]))
		}
	}
	root, err := metric.RMSE(got, right)
	if err != nil {
		return nil, err
	}
	absolute, err := metric.MAE(got, right)
	return task.Figures{
		"puzzle.rmse": root * root, "puzzle.mae": absolute, "puzzle.exact_alike": exact, "puzzle.correct_alike": 100 * correct,
		"puzzle.limit_exact": 100 * limitExact, "puzzle.limit_correct": 100 * limitCorrect,
	}, err
}
