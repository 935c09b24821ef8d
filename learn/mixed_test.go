package learn

import (
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
)

// tours is a small training of tours of 3, 4 and 6 cities.
func tours() config.Config {
	c := tiny()
	c.Task = config.Task{Name: "tsp", N: 6, NMin: 3}
	c.Process = config.Process{Forward: "riffle", Reverse: "path", Schedule: []int{0, 8}}
	c.Model.Encoder, c.Model.GPLRows, c.Model.Positions = "points", "", "first"
	return c
}

// In a round every size comes once, with as many objects as a batch of the largest sets has or few
// less. Its sets are numbered from round to round without a gap.
func TestSizesOfSteps(t *testing.T) {
	m := newModel(t, tours(), openEngine(t, "go"))
	next, turns := map[int]int{}, map[[3]int]bool{}
	for round := range 20 {
		var seen [3]int
		for turn := range 3 {
			s := 3*round + turn + 1
			b, err := m.batch(s, share{0, 1})
			if err != nil {
				t.Fatal(err)
			}
			n, first, whole := m.setsOf(s)
			if dims := b.Objects.Shape().Dimensions; dims[0] != whole || dims[1] != n || len(b.Clean[whole-1]) != n || b.Padded {
				t.Fatalf("step %d: objects %v, wanted %d sets of %d", s, dims, whole, n)
			}
			if first != next[n] {
				t.Errorf("step %d: begins at set %d of its size, wanted %d", s, first, next[n])
			}
			next[n], seen[turn] = first+whole, n
		}
		turns[seen] = true
		slices.Sort(seen[:])
		if seen != [3]int{3, 4, 6} {
			t.Errorf("round %d: sizes %v", round, seen)
		}
	}
	if len(turns) < 4 {
		t.Errorf("the sizes come in %d orders in 20 rounds: they are not drawn", len(turns))
	}
	if want := map[int]int{3: 20 * 12, 4: 20 * 6, 6: 20 * 6}; next[3] != want[3] || next[4] != want[4] || next[6] != want[6] {
		t.Errorf("sets so far: %v, wanted %v", next, want)
	}
}

// Sizes of the range are known; what is outside is told.
func TestOtherSizesOfARange(t *testing.T) {
	m := newModel(t, tours(), openEngine(t, "go"))
	for n, want := range map[int]string{
		2: "1 set has 2 objects, the model was trained on sets of 3 to 6: the answers may be worse",
		3: "", 5: "", 6: "",
		7: "1 set has 7 objects, the model was trained on sets of 3 to 6: the answers may be worse",
	} {
		set := &dataset.Set{Kind: dataset.KindPoint, Items: make([]dataset.Item, n)}
		if got := m.otherSizes([]*dataset.Set{set})[n]; got.Text != want {
			t.Errorf("%d: got %q, wanted %q", n, got, want)
		}
	}
}
