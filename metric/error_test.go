package metric_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/metric"
)

func TestErrorsByHand(t *testing.T) {
	got, want := []float64{1, -2, 5, 0}, []float64{1, 2, 2, 0} // differences 0, −4, 3, 0
	rmse, err := metric.RMSE(got, want)
	if err != nil || math.Abs(rmse-2.5) > 1e-15 {
		t.Errorf("RMSE = %v, %v, wanted 2.5", rmse, err)
	}
	mae, err := metric.MAE(got, want)
	if err != nil || math.Abs(mae-1.75) > 1e-15 {
		t.Errorf("MAE = %v, %v, wanted 1.75", mae, err)
	}
}

func TestMAEIsAtMostRMSE(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		values := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), n, n)
		got, want := values.Draw(t, "got"), values.Draw(t, "want")
		rmse, err := metric.RMSE(got, want)
		if err != nil {
			t.Fatal(err)
		}
		mae, err := metric.MAE(got, want)
		if err != nil {
			t.Fatal(err)
		}
		if mae > rmse*(1+1e-12) || rmse > mae*math.Sqrt(float64(n))*(1+1e-12) {
			t.Fatalf("MAE %v, RMSE %v, wanted MAE ≤ RMSE ≤ √n·MAE", mae, rmse)
		}
	})
}

func TestErrorErrors(t *testing.T) {
	measures := map[string]func(got, want []float64) (float64, error){"rmse": metric.RMSE, "mae": metric.MAE}
	for name, measure := range measures {
		if _, err := measure([]float64{1}, []float64{1, 2}); err == nil || err.Error() != name+": 1 elements, wanted 2" {
			t.Errorf("%s of lengths 1 and 2: %v", name, err)
		}
		if _, err := measure(nil, nil); err == nil || err.Error() != name+": no elements, wanted 1 or more" {
			t.Errorf("%s of nothing: %v", name, err)
		}
	}
}
