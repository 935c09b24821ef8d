package metric_test

import (
	"math"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

func TestExactAndCorrect(t *testing.T) {
	cases := []struct {
		got, want perm.Order
		exact     bool
		correct   float64
	}{
		{perm.Order{}, perm.Order{}, true, 1},
		{perm.Order{0}, perm.Order{0}, true, 1},
		{perm.Order{1, 0}, perm.Order{0, 1}, false, 0},
		{perm.Order{2, 0, 1}, perm.Order{2, 0, 1}, true, 1},
		{perm.Order{0, 1, 3, 2}, perm.Order{0, 1, 2, 3}, false, 0.5},
		{perm.Order{0, 2, 1}, perm.Order{0, 1, 2}, false, 1.0 / 3},
	}
	for _, c := range cases {
		if got := metric.Exact(c.got, c.want); got != c.exact {
			t.Errorf("Exact(%v, %v) = %v", c.got, c.want, got)
		}
		got, err := metric.Correct(c.got, c.want)
		if err != nil || math.Abs(got-c.correct) > 1e-15 {
			t.Errorf("Correct(%v, %v) = %v, %v, wanted %v", c.got, c.want, got, err, c.correct)
		}
	}
	if metric.Exact(perm.Order{0}, perm.Order{0, 1}) {
		t.Error("orders of 1 and 2 items are exact")
	}
	if _, err := metric.Correct(perm.Order{0}, perm.Order{0, 1}); err == nil || err.Error() != "correct: 1 positions, wanted 2" {
		t.Errorf("Correct of 1 and 2 items: %v", err)
	}
}

func TestEqualValuesAreInterchangeable(t *testing.T) {
	values := []int{7, 3, 7, 1} // sorted: 1 3 7 7
	sorted := slices.Sorted(slices.Values(values))
	for _, c := range []struct {
		order   perm.Order
		correct float64
	}{
		{perm.Order{3, 1, 0, 2}, 1},
		{perm.Order{3, 1, 2, 0}, 1},
		{perm.Order{1, 3, 2, 0}, 0.5},
		{perm.Order{0, 1, 2, 3}, 0.5},
		{perm.Order{0, 3, 1, 2}, 0.25},
	} {
		got := perm.Act(c.order, values)
		if correct, err := metric.Correct(got, sorted); err != nil || correct != c.correct {
			t.Errorf("Correct(%v) = %v, %v, wanted %v", got, correct, err, c.correct)
		}
	}
	if correct, err := metric.Correct([]string{}, nil); err != nil || correct != 1 {
		t.Errorf("Correct of nothing = %v, %v, wanted 1", correct, err)
	}
}
