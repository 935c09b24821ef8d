package metric_test

import (
	"testing"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

func TestTopOverlap(t *testing.T) {
	got, want := perm.Order{3, 1, 0, 2}, perm.Order{1, 2, 3, 0}
	for k, share := range map[int]float64{1: 0, 2: 0.5, 3: 2.0 / 3, 4: 1, 9: 1} { // {3}, {1}; {3,1}, {1,2}; …
		if s, err := metric.TopOverlap(got, want, k); err != nil || s != share {
			t.Errorf("k = %d: %v, %v, wanted %v", k, s, err, share)
		}
	}
	if s, err := metric.TopOverlap(nil, nil, 3); err != nil || s != 1 {
		t.Errorf("no items: %v, %v, wanted 1", s, err)
	}
	for _, c := range []struct {
		got, want perm.Order
		k         int
		message   string
	}{
		{got, want[:3], 1, "top-k overlap: orders of 4 and 3 items, wanted equal lengths"},
		{got, want, 0, "top-k overlap: k must be 1 or more (got 0)"},
		{perm.Order{0, 5}, perm.Order{0, 1}, 2, "top-k overlap: place 1 has item 5, wanted 0 to 1"},
		{perm.Order{0, 1}, perm.Order{-1, 1}, 2, "top-k overlap: place 0 has item -1, wanted 0 to 1"},
	} {
		if _, err := metric.TopOverlap(c.got, c.want, c.k); err == nil || err.Error() != c.message {
			t.Errorf("got %v, want %s", err, c.message)
		}
	}
}
