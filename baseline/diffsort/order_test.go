package diffsort

import (
	"math"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

func TestOrder(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		scores []float64
		want   perm.Order
	}{
		{nil, perm.Order{}},
		{[]float64{3, 1, 2}, perm.Order{1, 2, 0}},
		{[]float64{1, 0, 1, 0}, perm.Order{1, 3, 0, 2}},
		{[]float64{nan, inf, nan, -inf, 0}, perm.Order{3, 4, 1, 0, 2}},
		{[]float64{nan, 5, 4, nan, 3, 2, nan, 1, 0, nan, -1, -2, nan, -3, -4}, perm.Order{14, 13, 11, 10, 8, 7, 5, 4, 2, 1, 0, 3, 6, 9, 12}},
		{[]float64{0, math.Copysign(0, -1)}, perm.Order{0, 1}},
	} {
		if got := Order(c.scores); !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, wanted %v", c.scores, got, c.want)
		}
	}
	if got := Order([]float32{2, 1}); !slices.Equal(got, perm.Order{1, 0}) {
		t.Errorf("float32: %v", got)
	}
}
