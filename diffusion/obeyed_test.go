package diffusion

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/perm"
)

// ruled are rules about five objects, of each kind alone and of several together, with how many
// of the 120 orders obey, counted by hand.
var ruled = []struct {
	name string
	set  constraint.Rules
	obey int
}{
	{"pin", constraint.Rules{Pins: []constraint.Place{{Item: 3, Position: 1}}}, 24},                                                                             // 4!
	{"two pins", constraint.Rules{Pins: []constraint.Place{{Item: 3, Position: 1}, {Item: 0, Position: 4}}}, 6},                                                 // 3!
	{"before", constraint.Rules{Befores: []constraint.Before{{A: 4, B: 0}}}, 60},                                                                                // half
	{"a chain of befores", constraint.Rules{Befores: []constraint.Before{{A: 4, B: 2}, {A: 2, B: 0}}}, 20},                                                      // 1 in 3!
	{"first", constraint.Rules{Firsts: []constraint.Among{{Items: []int{1, 3}, Count: 2}}}, 12},                                                                 // 2!·3!
	{"forbid", constraint.Rules{Forbids: []constraint.Place{{Item: 2, Position: 0}, {Item: 2, Position: 4}}}, 72},                                               // 3·4!
	{"a derangement of two", constraint.Rules{Forbids: []constraint.Place{{Item: 0, Position: 0}, {Item: 1, Position: 1}}}, 78},                                 // 120 − 2·24 + 6
	{"pin and before", constraint.Rules{Pins: []constraint.Place{{Item: 2, Position: 2}}, Befores: []constraint.Before{{A: 2, B: 1}}}, 12},                      // 1 in 2 places after, 3!
	{"first and forbid", constraint.Rules{Firsts: []constraint.Among{{Items: []int{0, 4}, Count: 3}}, Forbids: []constraint.Place{{Item: 0, Position: 1}}}, 24}, // (6 − 2)·3!
	{"all four", constraint.Rules{
		Pins: []constraint.Place{{Item: 1, Position: 0}}, Firsts: []constraint.Among{{Items: []int{3}, Count: 3}},
		Befores: []constraint.Before{{A: 2, B: 4}}, Forbids: []constraint.Place{{Item: 0, Position: 4}},
	}, 4}, // 3 at 1 or 2: the rest 0, 2, 4 in three orders with 2 before 4, of which one has 0 last
	{"one order is left", constraint.Rules{Befores: []constraint.Before{{A: 4, B: 3}, {A: 3, B: 2}, {A: 2, B: 1}, {A: 1, B: 0}}}, 1},
}

// A thousand samples under each set of rules, by each reverse law, from a network that has learned
// nothing: all are permutations and obey. So does the greedy order. What is counted by hand guards
// against rules that say nothing.
func TestThousandSamplesObey(t *testing.T) {
	const n, draws = 5, 1000
	for _, r := range ruled {
		obey := 0
		for o := range perm.All(n) {
			if r.set.Check(o) == nil {
				obey++
			}
		}
		if obey != r.obey {
			t.Fatalf("%s: %d orders obey, wanted %d", r.name, obey, r.obey)
		}
	}
	for _, p := range processes() {
		t.Run(p.Reverse.Name(), func(t *testing.T) {
			e, store, d := tiny(t, p, n)
			dec, err := NewDecoder(e, store, d, p)
			if err != nil {
				t.Fatal(err)
			}
			defer dec.Close()
			plans := make([]*constraint.Plan, len(ruled))
			for i, r := range ruled {
				plans[i] = compile(t, r.set, n)
			}
			if dec, err = dec.WithConstraints(plans); err != nil {
				t.Fatal(err)
			}
			enc, err := dec.Encode(t.Context(), features(rand.New(rand.NewPCG(1, 1)), len(ruled), n))
			if err != nil {
				t.Fatal(err)
			}
			starts, rngs := make([]perm.Order, len(ruled)*draws), make([]*rand.Rand, len(ruled)*draws)
			for i := range starts {
				rngs[i] = rand.New(rand.NewPCG(9, uint64(i)))
				starts[i] = p.Start(rngs[i], n)
			}
			paths, err := dec.Sample(t.Context(), enc, starts, rngs)
			if err != nil {
				t.Fatal(err)
			}
			greedy, err := dec.Greedy(t.Context(), enc, p.Noise(9, 0, len(ruled), n))
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range ruled {
				seen := map[string]bool{}
				for j := range draws + 1 {
					path := &greedy[i]
					if j < draws {
						path = &paths[i*draws+j]
					}
					o := path.Order()
					if err := o.Validate(); err != nil {
						t.Fatalf("%s: %v", r.name, err)
					}
					if err := r.set.Check(o); err != nil {
						t.Fatalf("%s, draw %d: %v: %v", r.name, j, o, err)
					}
					if err := plans[i].Check(o); err != nil {
						t.Fatalf("%s, draw %d: the plan says %v, the rules obeyed", r.name, j, err)
					}
					seen[fmt.Sprint(o)] = true
				}
				// A network that has learned nothing leaves no obeying order far behind.
				if len(seen) > r.obey || len(seen) < min(r.obey, 2) {
					t.Errorf("%s: %d different orders of %d that obey", r.name, len(seen), r.obey)
				}
			}
		})
	}
}

// Rules that contradict each other are refused before anything is drawn, by a message that names
// the rules.
func TestContradictionsAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		set  constraint.Rules
		said []string
	}{
		"two at a place":        {constraint.Rules{Pins: []constraint.Place{{Item: 1, Position: 2}, {Item: 3, Position: 2}}}, []string{"items 1 and 3", "pinned at position 2"}},
		"one at two places":     {constraint.Rules{Pins: []constraint.Place{{Item: 1, Position: 2}, {Item: 1, Position: 3}}}, []string{"item 1 ", "pinned at positions 2 and 3"}},
		"a circle":              {constraint.Rules{Befores: []constraint.Before{{A: 0, B: 1}, {A: 1, B: 2}, {A: 2, B: 0}}}, []string{"0 before 1 before 2 before 0"}},
		"before itself":         {constraint.Rules{Befores: []constraint.Before{{A: 2, B: 2}}}, []string{"item 2"}},
		"three in two":          {constraint.Rules{Firsts: []constraint.Among{{Items: []int{0, 1, 2}, Count: 2}}}, []string{"items 0, 1, 2", "positions 0 to 1"}},
		"pinned and forbidden":  {constraint.Rules{Pins: []constraint.Place{{Item: 4, Position: 0}}, Forbids: []constraint.Place{{Item: 4, Position: 0}}}, []string{"item 4 has no position left"}},
		"pinned behind":         {constraint.Rules{Pins: []constraint.Place{{Item: 0, Position: 4}}, Befores: []constraint.Before{{A: 0, B: 1}}}, []string{"item 1 has no position left", "after item 0, which is at 4 or later"}},
		"forbidden everywhere":  {constraint.Rules{Forbids: []constraint.Place{{Item: 3}, {Item: 3, Position: 1}, {Item: 3, Position: 2}, {Item: 3, Position: 3}, {Item: 3, Position: 4}}}, []string{"item 3"}},
		"first, but pinned out": {constraint.Rules{Pins: []constraint.Place{{Item: 2, Position: 3}}, Firsts: []constraint.Among{{Items: []int{2}, Count: 1}}}, []string{"item 2"}},
	} {
		_, err := c.set.Compile(5)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		for _, want := range c.said {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, wanted it to name %q", name, err, want)
			}
		}
	}
}
