package constraint

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
)

// drawSet draws rules about n items, few enough that they contradict each other now and then.
func drawSet(t *rapid.T, n int) Rules {
	item, position := rapid.IntRange(0, n-1), rapid.IntRange(0, n-1)
	place := rapid.Custom(func(t *rapid.T) Place { return Place{item.Draw(t, "item"), position.Draw(t, "position")} })
	return Rules{
		Pins:    rapid.SliceOfN(place, 0, 2).Draw(t, "pins"),
		Forbids: rapid.SliceOfN(place, 0, 2*n).Draw(t, "forbids"),
		Befores: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Before { return Before{item.Draw(t, "a"), item.Draw(t, "b")} }), 0, 3).Draw(t, "befores"),
		Firsts: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Among {
			return Among{rapid.SliceOfN(item, 0, 3).Draw(t, "items"), rapid.IntRange(1, n).Draw(t, "count")}
		}), 0, 2).Draw(t, "firsts"),
	}
}

// obeying lists the orders of n items that obey, in lexicographic order.
func obeying(s Rules, n int) (out []perm.Order) {
	for o := range perm.All(n) {
		if s.Check(o) == nil {
			out = append(out, slices.Clone(o))
		}
	}
	return out
}

// walked lists the orders that walks end in, in lexicographic order.
func walked(w *Walk, n int) (out []perm.Order) {
	if len(w.Order()) == n {
		return []perm.Order{slices.Clone(w.Order())}
	}
	may := make([]bool, n)
	w.Next(may)
	for k, ok := range may {
		if ok {
			c := w.Clone()
			c.Place(k)
			out = append(out, walked(c, n)...)
		}
	}
	return out
}

// Compile fails where no order of all obeys, and only there; walks reach those that obey and
// no others. At these sizes no search is cut off.
func TestAgainstEnumeration(t *testing.T) {
	contradictions, searched := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		s := drawSet(t, n)
		want := obeying(s, n)
		p, err := s.Compile(n)
		if (err == nil) != (len(want) > 0) {
			t.Fatalf("%d orders obey, compile: %v", len(want), err)
		}
		if err != nil {
			contradictions++
			return
		}
		w := p.Walk()
		if p.searched {
			searched++
		}
		if got := walked(w, n); !slices.EqualFunc(got, want, func(a, b perm.Order) bool { return slices.Equal(a, b) }) {
			t.Fatalf("walks reach %v, wanted %v", got, want)
		}
	})
	if contradictions == 0 || searched == 0 {
		t.Errorf("%d cases were contradictory, %d needed a search: the cases are too tame", contradictions, searched)
	}
}

// Walks of many items, whose numbers of orders nobody can list, end in orders that obey.
func TestLargeWalksObey(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, kind := range []string{"windows", "holes", "both"} {
		const n = 60
		truth := perm.Random(rng, n) // it obeys, so that there is one
		rank := truth.Rank()
		var s Rules
		for range n / 2 {
			a, b := rng.IntN(n), rng.IntN(n)
			if rank[a] > rank[b] {
				a, b = b, a
			}
			if a != b && kind != "holes" {
				s.Befores = append(s.Befores, Before{a, b})
			}
			if i := rng.IntN(n); rank[a] != i && kind != "windows" {
				s.Forbids = append(s.Forbids, Place{a, i})
			}
		}
		s.Pins = []Place{{truth[0], 0}, {truth[n-1], n - 1}, {truth[30], 30}}
		s.Firsts = []Among{{slices.Clone(truth[5:9]), 12}}
		p, err := s.Compile(n)
		if err != nil {
			t.Fatalf("%s: %v", kind, err)
		}
		may := make([]bool, n)
		for range 3 {
			w := p.Walk()
			for range n {
				w.Next(may)
				var next []int
				for k, ok := range may {
					if ok {
						next = append(next, k)
					}
				}
				if len(next) == 0 {
					t.Fatalf("%s: no item may follow %v", kind, w.Order())
				}
				w.Place(next[rng.IntN(len(next))])
			}
			if err := errors.Join(w.Order().Validate(), p.Check(w.Order())); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
	}
}

func TestContradictionsAreNamed(t *testing.T) {
	for _, c := range []struct {
		n    int
		s    Rules
		want string
	}{
		{3, Rules{Pins: []Place{{0, 1}, {0, 2}}}, "constraints: item 0 is pinned at positions 1 and 2"},
		{3, Rules{Pins: []Place{{0, 1}, {2, 1}}}, "constraints: items 0 and 2 are both pinned at position 1"},
		{4, Rules{Befores: []Before{{0, 1}, {1, 2}, {2, 0}, {2, 3}}}, "constraints: a cycle: item "},
		{2, Rules{Befores: []Before{{1, 1}}}, "constraints: a cycle: item 1 before 1"},
		{3, Rules{Pins: []Place{{0, 2}}, Befores: []Before{{0, 1}}}, "constraints: item 1 has no position left: it is after item 0, which is at 2 or later"},
		{3, Rules{Pins: []Place{{1, 0}}, Befores: []Before{{2, 1}}, Firsts: []Among{{[]int{1}, 2}}, Names: []string{"Ann", "Bob", "Cid"}}, "constraints: item Bob has no position left: it is pinned at position 0, among the first 2, after item Cid, which is at 0 or later"},
		{3, Rules{Pins: []Place{{0, 0}}, Forbids: []Place{{1, 2}}, Befores: []Before{{0, 1}, {1, 2}}, Firsts: []Among{{[]int{2}, 2}}}, "constraints: item 2 has no position left: it is among the first 2, after item 1, which is at 1 or later"},
		{2, Rules{Pins: []Place{{0, 1}, {1, 1}}, Names: []string{"Ann", "Bob"}}, "constraints: items Ann and Bob are both pinned at position 1"},
		{2, Rules{Befores: []Before{{1, 1}}, Names: []string{"Ann", "Bob"}}, "constraints: a cycle: item Bob before Bob"},
		{2, Rules{Pins: []Place{{0, 1}}, Forbids: []Place{{0, 1}}, Names: []string{"Ann", "Bob"}}, "constraints: item Ann has no position left: it is pinned at position 1, forbidden at 1"},
		{2, Rules{Forbids: []Place{{1, 0}, {1, 1}}}, "constraints: item 1 has no position left: it is forbidden at 0, 1"},
		{5, Rules{Firsts: []Among{{[]int{0, 1, 2}, 2}}}, "constraints: items 0, 1, 2 can only stand at positions 0 to 1: 3 items, 2 positions"},
		{4, Rules{Forbids: []Place{{0, 1}, {1, 1}, {2, 1}, {0, 2}, {1, 2}, {2, 2}}}, "constraints: items 0, 1, 2 can only stand at positions 0, 3: 3 items, 2 positions"},
		// Items 2 and 3 are the first and the last, which leaves position 2 to item 0 and 1 to item 1.
		{4, Rules{Forbids: []Place{{0, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 1}, {3, 2}}, Befores: []Before{{0, 1}}}, "constraints: no order obeys all of them"},
		{2, Rules{Pins: []Place{{3, 0}}}, "pin: no item 3 in a set of 2, wanted 0 to 1"},
		{2, Rules{Forbids: []Place{{1, -1}}}, "forbid: item 1: no position -1 in a set of 2, wanted 0 to 1"},
		{2, Rules{Befores: []Before{{0, 2}}}, "before: no item 2 in a set of 2, wanted 0 to 1"},
		{2, Rules{Firsts: []Among{{[]int{0}, 3}}}, "first: no first 3 positions in a set of 2, wanted 1 to 2"},
		{0, Rules{Pins: []Place{{0, 0}}}, "pin: no item 0 in a set of 0, wanted 0 to -1"},
	} {
		if _, err := c.s.Compile(c.n); err == nil || !strings.HasPrefix(hint.Text(err), c.want) {
			t.Errorf("%+v: %v, wanted %q", c.s, err, c.want)
		}
	}
}

// The items of a cycle are named in the order of its rules.
func TestCycle(t *testing.T) {
	_, err := Rules{Befores: []Before{{4, 0}, {0, 1}, {1, 2}, {2, 0}, {2, 3}}}.Compile(5)
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"0 before 1 before 2 before 0", "1 before 2 before 0 before 1", "2 before 0 before 1 before 2"} {
		if strings.HasSuffix(hint.Text(err), "item "+want) {
			return
		}
	}
	t.Errorf("%v: wanted the cycle of 0, 1 and 2", err)
}

func TestNothingToObey(t *testing.T) {
	for n := range 3 {
		p, err := Rules{}.Compile(n)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(walked(p.Walk(), n)), len(obeying(Rules{}, n)); got != want {
			t.Errorf("n = %d: %d orders, wanted %d", n, got, want)
		}
	}
}
