package metric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/metric"
)

// By hand: 0.25 and 0.29 of which one came true, 1 which did, and 0 which did not. The error
// is (2·|0.5 − 0.27| + 0 + 0)/4 = 0.115.
func TestCalibration(t *testing.T) {
	var c metric.Calibration
	if c.Error() != 0 {
		t.Errorf("without predictions the error is %g", c.Error())
	}
	for _, x := range []struct {
		p    float64
		came bool
	}{{0.25, true}, {0.29, false}, {1, true}, {0, false}} {
		if err := c.Add(x.p, x.came, 1); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Error(); math.Abs(got-0.115) > 1e-12 {
		t.Errorf("error %g, wanted 0.115", got)
	}
	bins := c.Bins()
	if b := bins[2]; b.Count != 2 || math.Abs(b.Mean-0.27) > 1e-12 || b.Frequency != 0.5 || b.Low != 0.2 || b.High != 0.3 {
		t.Errorf("the bin of 0.25 is %+v", b)
	}
	if bins[9].Count != 1 || bins[0].Count != 1 || len(bins) != 10 {
		t.Errorf("bins %+v: wanted 1 in the last and 0 in the first", bins)
	}
	var many metric.Calibration // each of them three times
	for _, b := range []struct {
		p    float64
		came bool
	}{{0.25, true}, {0.29, false}} {
		if err := many.Add(b.p, b.came, 3); err != nil {
			t.Fatal(err)
		}
	}
	if b := many.Bins()[2]; b.Count != 6 || math.Abs(b.Mean-0.27) > 1e-12 || b.Frequency != 0.5 {
		t.Errorf("three times: %+v", b)
	}
	if many.Add(0.5, true, -1) == nil {
		t.Error("a count of −1: no error")
	}
	for _, p := range []float64{-0.1, 1.1, math.NaN()} {
		if c.Add(p, true, 1) == nil {
			t.Errorf("%g: no error", p)
		}
	}
}

// What comes true as often as was said has a small error. What does so half as often has the mean
// of p/2, which is 0.25 for p from 0 to 1.
func TestCalibrationError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var good, bad metric.Calibration
	for range 20000 {
		p := rng.Float64()
		if good.Add(p, rng.Float64() < p, 1) != nil || bad.Add(p, rng.Float64() < p/2, 1) != nil {
			t.Fatal("an error")
		}
	}
	if e := good.Error(); e > 0.02 { // ten bins of 2,000: √(p(1−p)/2000) ≤ 0.011 each
		t.Errorf("calibrated: error %g", e)
	}
	if e := bad.Error(); math.Abs(e-0.25) > 0.02 {
		t.Errorf("twice too sure: error %g, wanted 0.25", e)
	}
}
