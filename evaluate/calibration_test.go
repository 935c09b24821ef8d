package evaluate

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// By hand: two samples of three objects, 0 1 2 and 0 2 1, and 0 2 1 is right.
func TestCalibrateByHand(t *testing.T) {
	ranks := []perm.Rank{perm.Order{0, 1, 2}.Rank(), perm.Order{0, 2, 1}.Rank()}
	var pairs, places metric.Calibration
	one := task.One{Clean: []perm.Order{{0, 2, 1}}}
	ex := &task.Examples{Clean: one.Clean, Judge: one}
	if err := calibrate(ex, 0, ranks, &pairs, &places); err != nil {
		t.Fatal(err)
	}
	p, k := newCalibrationTable(&pairs), newCalibrationTable(&places)
	// P(0 before 1) = P(0 before 2) = 1 and true, P(1 before 2) = 1/2 and false.
	if p.Predictions != 3 || p.Bins[9].Count != 2 || p.Bins[9].Frequency != 1 || p.Bins[5].Count != 1 || p.Bins[5].Frequency != 0 || math.Abs(p.Error-0.5/3) > 1e-12 {
		t.Errorf("pairs %+v", p)
	}
	// Item 0 at 0 for certain. Items 1 and 2 at 1 and 2 by halves, two of four true. There are four
	// places that no sample has.
	if k.Predictions != 9 || k.Bins[9].Count != 1 || k.Bins[5].Count != 4 || k.Bins[5].Frequency != 0.5 || k.Bins[0].Count != 4 || k.Error != 0 {
		t.Errorf("places %+v", k)
	}
	// Items of equal value are no pair.
	pairs = metric.Calibration{}
	ex.Judge = task.ByValue{One: one, Values: [][]float64{{1, 2, 2}}}
	if err := calibrate(ex, 0, ranks, &pairs, &places); err != nil {
		t.Fatal(err)
	}
	if p := newCalibrationTable(&pairs); p.Predictions != 2 {
		t.Errorf("%d pairs, wanted 2", p.Predictions)
	}
}

func TestCalibrate(t *testing.T) {
	m := newScalars(t, scalars{N: 4}, func(c *config.Config) { c.Eval.Batch = 3 })
	c, err := Calibrate(t.Context(), m, 7, 20, nil) // a ragged end
	if err != nil {
		t.Fatal(err)
	}
	if c.Pairs.Predictions != 7*6 || c.Places.Predictions != 7*16 || c.Sets != 7 || c.Samples != 20 {
		t.Errorf("%+v: wanted 42 pairs and 112 places", c)
	}
	again, err := Calibrate(t.Context(), m, 7, 20, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, again); diff != "" {
		t.Error(diff)
	}
	for _, bad := range [][2]int{{0, 1}, {1, 0}, {1, 5000}} {
		if _, err := Calibrate(t.Context(), m, bad[0], bad[1], nil); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
