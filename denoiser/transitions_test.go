package denoiser

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// moved are scores [n+1, n] of path where the objects stand in another order: its rows and
// columns go with them, the start's row stays.
func moved(scores []float32, order perm.Order) (out []float32) {
	n := len(order)
	for r := range n + 1 {
		from := 0
		if r > 0 {
			from = 1 + order[r-1]
		}
		out = append(out, perm.Act(order, scores[from*n:(from+1)*n])...)
	}
	return out
}

// Without positions the scores of path move with the objects. A mark on the first lets only
// the others move.
func TestTransitionsMove(t *testing.T) {
	e := enginetest.Open(t, "go")
	const n = 5
	points := tensors.FromFlatDataAndDimensions(randomFloats(rand.New(rand.NewPCG(4, 4)), 2*n), 1, n, 2)
	others, all := perm.Order{0, 4, 1, 3, 2}, perm.Order{3, 0, 4, 1, 2}
	for _, norm := range []string{"post", "pre"} {
		for _, positions := range []string{"none", "first"} {
			d := build(t, small(func(c *Config) {
				c.Law, c.Norm, c.Positions, c.Encoder.Kind = reverse.TransitionPlackettLuce{}, norm, positions, "points"
			}))
			got := forward(t, e, d, false, points, perm.Identity(n), others, all)
			size := len(got) / 3
			if size != n*(n+1) {
				t.Fatalf("%d scores, wanted %d", size, n*(n+1))
			}
			first := got[:size]
			near.AllWithin(t, norm+" "+positions+": others", got[size:2*size], moved(first, others), 1e-4)
			want := moved(first, all)
			if positions == "none" {
				near.AllWithin(t, norm+" none: all", got[2*size:], want, 1e-4)
			} else if slices.Equal(got[2*size:], want) {
				t.Errorf("%s: no mark on the first item", norm)
			}
		}
	}
}

// Pre-norm has a norm at the end and, with the same weights, other scores than post-norm; the
// network with attention to edges refuses it.
func TestNorm(t *testing.T) {
	e := enginetest.Open(t, "go")
	points := tensors.FromFlatDataAndDimensions(randomFloats(rand.New(rand.NewPCG(5, 5)), 10), 1, 5, 2)
	var scores [][]float32
	for _, norm := range []string{"", "post", "pre"} {
		d := build(t, small(func(c *Config) { c.Norm, c.Encoder.Kind = norm, "points" }))
		ends := slices.ContainsFunc(d.Params(), func(p *Param) bool { return p.Name == "transformer.norm.weight" })
		if ends != (norm == "pre") {
			t.Errorf("%q: a norm at the end: %t", norm, ends)
		}
		scores = append(scores, forward(t, e, d, false, points, perm.Identity(5)))
	}
	if !slices.Equal(scores[0], scores[1]) || slices.Equal(scores[1], scores[2]) {
		t.Error("post is the default, and pre is another network: wanted so")
	}
	c := small(func(c *Config) { c.Norm, c.Encoder.Kind, c.Edges = "pre", "points", true })
	if _, err := New(c); err == nil || err.Error() != "Norm: pre does not go with edges, wanted post" {
		t.Errorf("pre with edges: %v", err)
	}
}
