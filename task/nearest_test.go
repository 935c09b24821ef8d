package task

import (
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

func TestNearestMode(t *testing.T) {
	modes := []perm.Order{{0, 1, 2, 3}, {3, 2, 1, 0}}
	for i, o := range []perm.Order{{0, 1, 3, 2}, {3, 2, 0, 1}} {
		if got := nearestMode(o, modes); !slices.Equal(got, modes[i]) {
			t.Errorf("%v: nearest is %v, wanted %v", o, got, modes[i])
		}
	}
}

// The right order beside an order that was found is the nearest that ties allow, by hand.
func TestNearestConsistent(t *testing.T) {
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
		if got := nearestConsistent(c.order, c.levels); !slices.Equal(got, c.want) {
			t.Errorf("%v of %v: %v, wanted %v", c.order, c.levels, got, c.want)
		}
	}
}
