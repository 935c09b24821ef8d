package metric_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/metric"
)

// What overflows is an error and no NaN.
func TestBootstrapOverflow(t *testing.T) {
	if i, err := metric.Bootstrap([]float64{1e308, 1e308}, 5, 1); err == nil {
		t.Errorf("%+v: wanted an error", i)
	}
	if _, err := metric.Bootstrap([]float64{math.Inf(-1), 1}, 5, 1); err != nil {
		t.Error(err)
	}
}

func TestBootstrapOfConstants(t *testing.T) {
	for _, n := range []int{1, 2, 50} {
		values := make([]float64, n)
		for i := range values {
			values[i] = 0.75
		}
		got, err := metric.Bootstrap(values, 0, 1)
		if want := (metric.Interval{Mean: 0.75, Low: 0.75, High: 0.75}); err != nil || got != want {
			t.Errorf("%d equal values: %v, %v, wanted %v", n, got, err, want)
		}
	}
}

// For many values the means are nearly normal: mean ± 1.96·s/√n.
func TestBootstrapIsNearlyNormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	values := make([]float64, 1000)
	sum, square := 0.0, 0.0
	for i := range values {
		values[i] = 3 + 2*rng.NormFloat64()
		sum += values[i]
		square += values[i] * values[i]
	}
	mean := sum / 1000
	half := 1.959964 * math.Sqrt((square/1000-mean*mean)/1000)
	got, err := metric.Bootstrap(values, 4000, 7)
	if err != nil || math.Abs(got.Mean-mean) > 1e-12 {
		t.Fatalf("mean %v, %v, wanted %v", got.Mean, err, mean)
	}
	if math.Abs(got.Low-(mean-half)) > 0.1*half || math.Abs(got.High-(mean+half)) > 0.1*half {
		t.Errorf("interval %v to %v, wanted about %v to %v", got.Low, got.High, mean-half, mean+half)
	}
}

func TestBootstrapCovers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const trials = 300
	covered := 0
	values := make([]float64, 100)
	for trial := range trials {
		for i := range values {
			values[i] = 0
			if rng.Float64() < 0.6 {
				values[i] = 1
			}
		}
		got, err := metric.Bootstrap(values, 300, uint64(trial))
		if err != nil {
			t.Fatal(err)
		}
		if got.Low <= 0.6 && 0.6 <= got.High {
			covered++
		}
	}
	// 95 % of 300 is 285; 4 standard deviations are 15, and the percentile
	// interval of 100 yes-or-no values covers a little less than 95 %.
	if covered < 265 || covered > 299 {
		t.Errorf("the interval covers the truth %d times of %d, wanted about 285", covered, trials)
	}
}

func TestBootstrapIsAFunctionOfTheSeed(t *testing.T) {
	values := []float64{1, 5, 2, 8, 3, 9, 4}
	a, errA := metric.Bootstrap(values, 0, 42)
	b, errB := metric.Bootstrap(values, metric.Resamples, 42)
	c, errC := metric.Bootstrap(values, 0, 43)
	if errA != nil || errB != nil || errC != nil {
		t.Fatal(errA, errB, errC)
	}
	if a != b {
		t.Errorf("one seed gives %v and %v", a, b)
	}
	if a == c {
		t.Errorf("two seeds give %v", a)
	}
}

// One log of 0 in many makes the mean minus infinity, and the interval as far as it reaches; JSON
// says so and is read back.
func TestBootstrapMinusInfinity(t *testing.T) {
	values := make([]float64, 5000)
	values[7] = math.Inf(-1) // drawn in 1 − 1/e of the resamplings
	got, err := metric.Bootstrap(values, 0, 1)
	if want := (metric.Interval{Mean: math.Inf(-1), Low: math.Inf(-1), High: 0}); err != nil || got != want {
		t.Fatalf("%+v, %v, wanted %+v", got, err, want)
	}
	data, err := json.Marshal(got)
	if err != nil || string(data) != `{"mean":"-Infinity","low":"-Infinity","high":0}` {
		t.Errorf("%s, %v", data, err)
	}
	var again metric.Interval
	if err := json.Unmarshal(data, &again); err != nil || again != got {
		t.Errorf("read again: %+v, %v", again, err)
	}
}

func TestBootstrapErrors(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		resamples int
		want      string
	}{
		{nil, 0, "bootstrap: no values, wanted 1 or more"},
		{[]float64{1}, -1, "bootstrap: resamples must be 0 or more (got -1)"},
		{[]float64{1, math.NaN()}, 0, "bootstrap: value 1 is NaN, wanted a finite number or -Inf"},
		{[]float64{math.Inf(1)}, 0, "bootstrap: value 0 is +Inf, wanted a finite number or -Inf"},
	} {
		if _, err := metric.Bootstrap(c.values, c.resamples, 1); err == nil || err.Error() != c.want {
			t.Errorf("Bootstrap(%v, %d): %v, wanted %q", c.values, c.resamples, err, c.want)
		}
	}
}

// Examples that share a value are resampled apart, however many they are.
func TestBootstrapCounts(t *testing.T) {
	values, counts := []float64{1, 0, -2}, []int{5, 3, 2}
	var each []float64
	for i, v := range values {
		for range counts[i] {
			each = append(each, v)
		}
	}
	want, err := metric.Bootstrap(each, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := metric.BootstrapCounts(values, counts, 0, 1); err != nil || got != want {
		t.Errorf("%v, %v, wanted %v as of the values one by one", got, err, want)
	}
	// Of a million, 1 with 0.9 and 0 with 0.1: the mean is normal, of variance 0.09/1e6.
	got, err := metric.BootstrapCounts([]float64{0, 1}, []int{100_000, 900_000}, 4000, 7)
	half := 1.959964 * math.Sqrt(0.09/1e6)
	if err != nil || got.Mean != 0.9 || math.Abs(got.Low-(0.9-half)) > 0.1*half || math.Abs(got.High-(0.9+half)) > 0.1*half {
		t.Errorf("%v, %v, wanted 0.9, %v to %v", got, err, 0.9-half, 0.9+half)
	}
	// What nobody is drawn to does not count, not even the log of 0.
	rare, err := metric.BootstrapCounts([]float64{math.Inf(-1), 1}, []int{1, 1 << 40}, 100, 1)
	if err != nil || rare.High != 1 {
		t.Errorf("%v, %v: wanted 1 where the one is not drawn", rare, err)
	}
	for _, counts := range [][]int{{1}, {1, 0, 1}} {
		if _, err := metric.BootstrapCounts(values, counts, 0, 1); err == nil {
			t.Errorf("counts %v: no error", counts)
		}
	}
}
