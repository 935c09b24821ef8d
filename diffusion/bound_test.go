package diffusion

import (
	"math"
	"testing"
)

// By hand: weights 1 and 3 have the mean 2, their logs the mean log(3)/2; of them
// 4²/10 = 1.6 count. The standard errors: |log 3|/2 of the logs, and of log(mean weight),
// to first order, the deviation √2 over √2 draws over the mean, 1/2.
func TestEstimate(t *testing.T) {
	for _, shift := range []float64{0, -2000} { // weights below the smallest float64
		got := estimate([]float64{shift, math.Log(3) + shift})
		want := Estimate{math.Log(3)/2 + shift, math.Log(3) / 2, math.Log(2) + shift, 0.5, 1.6}
		for _, x := range [][2]float64{{got.Bound, want.Bound}, {got.BoundStdErr, want.BoundStdErr}, {got.LogProb, want.LogProb}, {got.StdErr, want.StdErr}, {got.Effective, want.Effective}} {
			if math.Abs(x[0]-x[1]) > 1e-9 {
				t.Errorf("got %+v, wanted %+v", got, want)
			}
		}
	}
	if got := estimate([]float64{-3}); !math.IsNaN(got.BoundStdErr) || !math.IsNaN(got.StdErr) || got.Bound != -3 || got.LogProb != -3 || got.Effective != 1 {
		t.Errorf("of one draw: %+v", got)
	}
	// One trajectory in two that the model thinks impossible halves p, and the bound is −∞.
	got := estimate([]float64{math.Inf(-1), 0})
	if !math.IsInf(got.Bound, -1) || math.Abs(got.LogProb+math.Log(2)) > 1e-12 || got.Effective != 1 {
		t.Errorf("with an impossible draw: %+v", got)
	}
	if got := estimate([]float64{math.Inf(-1), math.Inf(-1)}); !math.IsInf(got.LogProb, -1) || got.Effective != 0 {
		t.Errorf("where all is impossible: %+v", got)
	}
}
