package learn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/perm"
)

// Of four objects 0, 2 and 3 are identical.
func TestIdenticalObjectsAreInIndexOrder(t *testing.T) {
	var beam []diffusion.Path
	found := []perm.Order{{3, 1, 2, 0}, {2, 0, 1, 3}, {0, 1, 3, 2}, {3, 1, 0, 2}}
	for i, o := range found {
		beam = append(beam, diffusion.Path{States: []perm.Order{{2, 3, 0, 1}, o}, LogProb: -float64(i)})
	}
	inIndexOrder(beam, []int{0, 1, 0, 0})
	want := []diffusion.Path{
		{States: []perm.Order{{2, 0, 3, 1}, {0, 1, 2, 3}}},
		{States: []perm.Order{{0, 3, 2, 1}, {0, 2, 1, 3}}, LogProb: -1},
		{States: []perm.Order{{2, 3, 0, 1}, {0, 1, 3, 2}}, LogProb: -2},
		{States: []perm.Order{{3, 2, 0, 1}, {2, 1, 0, 3}}, LogProb: -3},
	}
	if diff := cmp.Diff(want, beam); diff != "" {
		t.Error(diff)
	}
}

// All names of three identical objects, in lexicographic order.
func TestNextNames(t *testing.T) {
	alike := []int{0, 0, 0}
	var got []perm.Order
	o := firstNames(perm.Order{2, 0, 1}, alike)
	for range 7 {
		got = append(got, o)
		o = nextNames(o, alike)
	}
	want := []perm.Order{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {0, 1, 2}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// A set has one answer, to the last bit, alone and in company of 2, 7 and 48 sets of several sizes.
// Identical items are in index order there.
func TestOneAnswerInAnyCompany(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		m := newScalars(t, scalars{N: 6}, func(c *config.Config) { c.Model.Dim, c.Model.FeedForward, c.Eval.Batch = 16, 32, 16 })
		m.Engine = e
		rng := rand.New(rand.NewPCG(1, 9))
		var all []*dataset.Set
		for i := range 48 {
			values := make([]float64, 5+i%2)
			for k := range values {
				values[k] = rng.NormFloat64()
			}
			if i < 8 { // identical items, some of them or all
				values[2], values[4] = values[0], values[0]
			}
			if i == 3 || i == 4 {
				for k := range values {
					values[k] = 0.5
				}
			}
			all = append(all, numbers(values...))
		}
		ask := func(from, to int) []Ordered {
			out, _, err := m.Order(t.Context(), all[from:to], 3, DecodeOptions{Method: "beam", Beam: 8, Inner: 12})
			if err != nil {
				t.Fatal(err)
			}
			for i := range out {
				out[i].ID = ""
			}
			return out
		}
		whole := ask(0, 48)
		for _, size := range []int{1, 2, 7} {
			for from := 0; from < 8; from += size {
				for i, a := range ask(from, from+size) {
					if diff := cmp.Diff(whole[from+i], a); diff != "" {
						t.Fatalf("set %d, among 48 −, among %d +:\n%s", from+i, size, diff)
					}
				}
			}
		}
		for _, i := range []int{3, 4} { // all alike: the first two orders by the names alone
			n := len(all[i].Items)
			second := perm.Identity(n)
			second[n-2], second[n-1] = n-1, n-2
			got := []perm.Order{whole[i].Orders[0].Order, whole[i].Orders[1].Order}
			if diff := cmp.Diff([]perm.Order{perm.Identity(n), second}, got); diff != "" {
				t.Error(diff)
			}
		}
		for i := range 8 {
			for _, o := range whole[i].Orders[:1] {
				rank := o.Order.Rank()
				if rank[0] > rank[2] || rank[2] > rank[4] {
					t.Errorf("set %d: items 0, 2 and 4 are identical, ordered as %v", i, o.Order)
				}
			}
		}
	})
}

// Sets of 2 to 30 items have one answer, to the last bit, in one file, alone, in another order and cut off.
// The network is as wide as the presets', and its products are of the sizes that engines share out among
// cores.
func TestOneAnswerOfMixedSizes(t *testing.T) {
	m := newScalars(t, scalars{N: 30}, func(c *config.Config) {
		c.Process = config.Process{Forward: "riffle", Reverse: "pl", Schedule: []int{0, 20}}
		c.Model.Dim, c.Model.Heads, c.Model.FeedForward, c.Model.Positions = 64, 4, 128, "none"
	})
	rng := rand.New(rand.NewPCG(10, 4))
	var all []*dataset.Set
	for i := range 120 {
		values := make([]float64, 2+rng.IntN(29))
		for k := range values {
			values[k] = rng.NormFloat64()
		}
		s := numbers(values...)
		s.ID, s.Order, s.OrderGiven = fmt.Sprint(i), perm.Identity(len(values)), "order"
		all = append(all, s)
	}
	type answer struct {
		Order  Ordered
		Scored Scored
	}
	ask := func(sets []*dataset.Set) map[string]answer {
		ordered, _, err := m.Order(t.Context(), sets, 1, DecodeOptions{Method: "greedy"})
		if err != nil {
			t.Fatal(err)
		}
		scored, _, err := m.Score(t.Context(), sets, 2, 1)
		if err != nil {
			t.Fatal(err)
		}
		out := map[string]answer{}
		for i, o := range ordered {
			out[o.ID] = answer{o, scored[i]}
		}
		return out
	}
	whole := ask(all)
	shuffled := slices.Clone(all)
	rng.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for _, some := range [][]*dataset.Set{all, shuffled, shuffled[:50], all[100:], all[7:8], all[30:31], all[31:32]} {
		for id, a := range ask(some) {
			if diff := cmp.Diff(whole[id], a); diff != "" {
				t.Fatalf("set %s, among 120 −, among %d +:\n%s", id, len(some), diff)
			}
		}
	}
}
