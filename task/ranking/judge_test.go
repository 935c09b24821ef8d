package ranking

import (
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

// The right order beside an order that was found is the nearest that ties allow, by hand.
func TestConsistent(t *testing.T) {
	for _, c := range []struct {
		order  perm.Order
		levels dataset.BucketOrder
		want   perm.Order
	}{
		{perm.Order{0, 2, 1, 3}, dataset.BucketOrder{{0}, {1, 2}, {3}}, perm.Order{0, 2, 1, 3}},
		{perm.Order{3, 2, 1, 0}, dataset.BucketOrder{{0}, {1, 2}, {3}}, perm.Order{0, 2, 1, 3}},
		{perm.Order{3, 1, 0, 2}, dataset.BucketOrder{{0}, {3}}, perm.Order{0, 1, 3, 2}}, // 1 and 2 stay
		{perm.Order{1, 0}, nil, perm.Order{1, 0}},
	} {
		if got := consistent(c.order, c.levels); !slices.Equal(got, c.want) {
			t.Errorf("%v of %v: %v, wanted %v", c.order, c.levels, got, c.want)
		}
	}
}

// An item of which nothing is known may stand first: of those known, 0 and 2, the order is 2, 0.
func TestCondensed(t *testing.T) {
	order, grades := condensed(perm.Order{1, 2, 3, 0}, dataset.BucketOrder{{2}, {0}}, []float64{0, 9, 4, 9})
	if !slices.Equal(order, perm.Order{0, 1}) || !slices.Equal(grades, []float64{4, 0}) {
		t.Errorf("order %v of grades %v, wanted 0 1 of 4 and 0", order, grades)
	}
	if v, err := metric.NDCG(order, grades, 10); err != nil || v != 1 {
		t.Errorf("NDCG %g, %v", v, err)
	}
}
