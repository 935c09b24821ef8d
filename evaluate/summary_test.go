package evaluate

import (
	"math"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/task"
)

// By hand: the root is of the mean of squares, a plain mean has no interval, a list that many gave
// counts as often, and the paper's figure goes by the key. What no set has is left out.
func TestFigures(t *testing.T) {
	measures := []task.Measure{
		{Key: "puzzle.rmse", Label: "RMSE", Root: true},
		{Key: "limit", Label: "limit", Plain: true},
		{Key: "exact", Label: "exact", Unit: "%"},
		{Key: "absent", Label: "absent"},
	}
	c := columns{}
	c.add(task.Figures{"puzzle.rmse": 1, "limit": 2, "exact": 100}, 1)
	c.add(task.Figures{"puzzle.rmse": 9, "exact": 0}, 3)
	rmse := 0.5
	got, err := c.figures(measures, 1, &config.Paper{RMSE: &rmse})
	if err != nil || len(got) != 3 {
		t.Fatalf("%+v, %v: wanted three figures", got, err)
	}
	if v := got[0].Interval; v == nil || math.Abs(v.Mean-math.Sqrt(7)) > 1e-12 || v.Low < 1 || v.High > 3 { // (1 + 9 + 9 + 9)/4
		t.Errorf("RMSE %+v, wanted √7", v)
	}
	if got[0].Paper == nil || *got[0].Paper != 0.5 || got[2].Paper != nil {
		t.Errorf("the paper's figures are %v and %v, wanted 0.5 and none", got[0].Paper, got[2].Paper)
	}
	if got[1].Interval != nil || got[1].Value == nil || *got[1].Value != 2 {
		t.Errorf("limit %+v, wanted 2 without an interval", got[1])
	}
	if v := got[2].Interval; v == nil || v.Mean != 25 {
		t.Errorf("exact %+v, wanted 25 of four lists", v)
	}
}
