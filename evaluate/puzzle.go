package evaluate

import (
	"math"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Puzzle is how well pictures are put together again, beside what [Result] says of all sets.
// There, identical tiles are one as good as another; here, tiles that only noise tells apart,
// such as the black ones of a noisy digit, are so too.
type Puzzle struct {
	ExactAlike   metric.Interval `json:"exact_alike"`   // percent
	CorrectAlike metric.Interval `json:"correct_alike"` // percent
	// RMSE and MAE are over all pixels of all pictures, which go from 0 to 1.
	RMSE metric.Interval `json:"rmse"`
	MAE  metric.Interval `json:"mae"`
	// LimitExact and LimitCorrect are what Exact and Correct are, in percent, of one who knows
	// everything but how to tell apart what only noise does, on the average of these sets
	// ([metric.ChanceCeiling]).
	LimitExact   float64 `json:"limit_exact"`
	LimitCorrect float64 `json:"limit_correct"`
}

// puzzles gathers what [Puzzle] sums up.
type puzzles struct {
	exact, correct, square, absolute []float64 // a set
	limitExact, limitCorrect         float64   // sums
}

// add judges the order of set i of examples, which may repeat objects where a method does so.
func (p *puzzles) add(order perm.Order, ex *task.Examples, i int) error {
	correct, err := metric.CorrectValues(perm.Act(order, ex.Alike[i]), perm.Act(ex.Clean[i], ex.Alike[i]))
	if err != nil {
		return err
	}
	exact := 0.0
	if correct == 1 && order.Validate() == nil {
		exact = 100
	}
	limitExact, limitCorrect, err := metric.ChanceCeiling(ex.Alike[i], ex.Same[i])
	if err != nil {
		return err
	}
	var got, right []float64
	n := len(order)
	for place, k := range order {
		for j := range ex.PixelSize {
			got = append(got, float64(ex.Pixels[(i*n+k)*ex.PixelSize+j]))
			right = append(right, float64(ex.Pixels[(i*n+ex.Clean[i][place])*ex.PixelSize+j]))
		}
	}
	root, err := metric.RMSE(got, right)
	if err != nil {
		return err
	}
	absolute, err := metric.MAE(got, right)
	if err != nil {
		return err
	}
	p.exact, p.correct = append(p.exact, exact), append(p.correct, 100*correct)
	p.limitExact, p.limitCorrect = p.limitExact+100*limitExact, p.limitCorrect+100*limitCorrect
	p.square, p.absolute = append(p.square, root*root), append(p.absolute, absolute)
	return nil
}

// result sums up, nil where there were no puzzles.
func (p *puzzles) result(seed uint64) (*Puzzle, error) {
	if len(p.exact) == 0 {
		return nil, nil
	}
	var means [4]metric.Interval
	for i, x := range [4][]float64{p.exact, p.correct, p.square, p.absolute} {
		var err error
		if means[i], err = metric.Bootstrap(x, 0, seed); err != nil {
			return nil, err
		}
	}
	// All pictures have as many pixels: the mean of their squares is that of all pixels.
	for _, x := range []*float64{&means[2].Mean, &means[2].Low, &means[2].High} {
		*x = math.Sqrt(*x)
	}
	count := float64(len(p.exact))
	return &Puzzle{means[0], means[1], means[2], means[3], p.limitExact / count, p.limitCorrect / count}, nil
}
