package metric

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/perm"
)

func TestNearest(t *testing.T) {
	// Items 1 and 3 are equal, so are 0 and 4; by hand.
	class := []int{0, 1, 2, 1, 0}
	for _, c := range []struct{ got, want, nearest perm.Order }{
		{perm.Order{0, 1, 2, 3, 4}, perm.Order{4, 3, 2, 1, 0}, perm.Order{0, 1, 2, 3, 4}},
		{perm.Order{0, 1, 2, 3, 4}, perm.Order{0, 3, 1, 2, 4}, perm.Order{0, 1, 3, 2, 4}},
		{perm.Order{2, 1, 0, 3, 4}, perm.Order{0, 1, 2, 3, 4}, perm.Order{0, 1, 2, 3, 4}},
	} {
		if got := Nearest(c.got, c.want, class); !slices.Equal(got, c.nearest) {
			t.Errorf("%v, wanted %v: nearest is %v, by hand %v", c.got, c.want, got, c.nearest)
		}
	}
}

// What is nearest is an order of the right classes that differs only where it must.
func TestNearestIsRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		class := rapid.SliceOfN(rapid.IntRange(0, 3), n, n).Draw(t, "class")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		got, want := perm.Random(rng, n), perm.Random(rng, n)
		near := Nearest(got, want, class)
		if err := near.Validate(); err != nil {
			t.Fatal(err)
		}
		for i := range near {
			if class[near[i]] != class[want[i]] || (near[i] == got[i]) != (class[got[i]] == class[want[i]]) {
				t.Fatalf("got %v, want %v, classes %v: nearest %v", got, want, class, near)
			}
		}
	})
}
