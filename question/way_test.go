package question

import (
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// Tours that are cut at their longest way may be the same path, which is told once: as its most probable one.
func TestPathsOnce(t *testing.T) {
	x, err := tsp.New([][2]float64{{0, 0}, {1, 0}, {2, 0}, {9, 0}}, tsp.Euc2D)
	if err != nil {
		t.Fatal(err)
	}
	w := &way{ends: tsp.Ends{Start: -1, End: -1}, open: true, city: perm.Identity(4)}
	o := &learn.Ordered{Orders: []learn.Ranked{
		{Order: perm.Order{0, 1, 2, 3}, LogPath: -1},
		{Order: perm.Order{0, 2, 1, 3}, LogPath: -2},
		{Order: perm.Order{0, 1, 2, 3}, LogPath: -3},
	}}
	w.answer(x, o)
	if len(o.Orders) != 2 || slices.Equal(o.Orders[0].Order, o.Orders[1].Order) || o.Orders[0].LogPath != -1 || o.Orders[1].LogPath != -2 {
		t.Errorf("%+v", o.Orders)
	}
}
