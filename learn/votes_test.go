package learn

import (
	"fmt"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

// Items are the same by their names, whatever their places; without names by their numbers.
func TestVotes(t *testing.T) {
	set := func(count int, order perm.Order, ids ...string) *dataset.Set {
		s := &dataset.Set{Kind: dataset.KindFeatures, Order: order, OrderGiven: "order", Count: count}
		for _, id := range ids {
			s.Items = append(s.Items, dataset.Item{ID: id, Features: []float64{1}})
		}
		return s
	}
	votes, names, err := Votes([]*dataset.Set{set(3, perm.Order{1, 0}, "x", "y"), set(0, perm.Order{0, 2, 1}, "y", "z", "x"), set(2, perm.Order{0}, "w")})
	want := "[{[[1] [0]] 3} {[[1] [0] [2]] 1}] [x y z w] <nil>"
	if got := fmt.Sprint(votes, names, err); got != want {
		t.Errorf("%s, wanted %s", got, want)
	}
	bare := &dataset.Set{Items: make([]dataset.Item, 3), Levels: dataset.BucketOrder{{2}, {0, 1}}}
	votes, names, err = Votes([]*dataset.Set{bare, {Items: make([]dataset.Item, 2)}})
	if got := fmt.Sprint(votes, names, err); got != "[{[[2] [0 1]] 1}] [0 1 2] <nil>" {
		t.Errorf("bare: %s", got)
	}
	if _, _, err := Votes([]*dataset.Set{set(1, perm.Order{0, 1}, "x", "")}); err == nil {
		t.Error("an item without a name: no error")
	}
	if _, _, err := Votes([]*dataset.Set{set(1, perm.Order{0, 1}, "", "")}); err == nil {
		t.Error("features without names: no error")
	}
}
