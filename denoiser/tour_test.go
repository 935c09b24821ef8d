package denoiser

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

func smallTour(change func(*Config)) Config {
	return small(func(c *Config) {
		c.Encoder, c.Edges, c.Layers = EncoderConfig{Kind: "points"}, true, 4
		if change != nil {
			change(c)
		}
	})
}

// Few states go through the keys' weights the one way, many the other: the scores of a state
// must not depend on how many there are.
func TestTourBothWays(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		d := build(t, smallTour(nil)) // d 8, 2 heads: from 4 states on the edges' way
		points := tensors.FromFlatDataAndDimensions(randomFloats(rand.New(rand.NewPCG(1, 1)), 10), 1, 5, 2)
		order := perm.Order{3, 0, 4, 1, 2}
		one := forward(t, e, d, false, points, order)
		many := forward(t, e, d, false, points, slices.Repeat([]perm.Order{order}, 6)...)
		near.AllWithin(t, "scores", many, slices.Repeat(one, 6), 1e-5)
	})
}

// Naming the cities otherwise names the columns of the scores otherwise, no more: the
// network knows a city by its place and its state.
func TestTourEquivariance(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	d := build(t, smallTour(nil))
	flat := randomFloats(rand.New(rand.NewPCG(1, 1)), 10)
	names := perm.Order{4, 2, 0, 1, 3}
	renamed := make([]float32, 10)
	for i, k := range names {
		copy(renamed[2*i:], flat[2*k:2*k+2])
	}
	state := perm.Order{3, 0, 4, 1, 2}
	same := make(perm.Order, 5)
	for i, k := range state {
		same[i] = names.Rank()[k]
	}
	a := forward(t, e, d, false, tensors.FromFlatDataAndDimensions(flat, 1, 5, 2), state)
	b := forward(t, e, d, false, tensors.FromFlatDataAndDimensions(renamed, 1, 5, 2), same)
	near.AllWithin(t, "scores of the same state", b, a, 1e-5)
	if other := forward(t, e, d, false, tensors.FromFlatDataAndDimensions(flat, 1, 5, 2), perm.Identity(5)); slices.Equal(a, other) {
		t.Error("the state does not matter")
	}
}

// Two cities in one place and a set of a single city have finite scores and gradients.
func TestTourDegenerate(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	d := build(t, smallTour(func(c *Config) { c.Dropout = 0.2 }))
	for n, flat := range map[int][]float32{1: {0.3, 0.4}, 2: {0.5, 0.5, 0.5, 0.5}, 3: {0, 0, 0, 0, 1, 1}} {
		for _, training := range []bool{false, true} {
			got := call(t, e, d, training, func(c *Context, in []*graph.Node) *graph.Node {
				scores := d.Scores(c, d.Encode(c, in[0]), in[1], in[2])
				grads := graph.Gradient(graph.ReduceAllSum(graph.Square(scores)), Variable(c.Store, "transformer.layers.0.multihead_attn.in_proj_weight").NodeValue(c.Graph))
				return graph.Concatenate([]*graph.Node{graph.Reshape(scores, -1), graph.Reshape(grads[0], -1)}, 0)
			}, tensors.FromFlatDataAndDimensions(flat, 1, n, 2), tensors.FromFlatDataAndDimensions([]int32{0, 1, 2}[:n], 1, 1, n), tensors.FromFlatDataAndDimensions([]int32{3}, 1, 1))
			for _, v := range got {
				if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
					t.Fatalf("%d cities: %v", n, got)
				}
			}
		}
	}
}

func TestTourErrors(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`Edges: lengths are between points, wanted encoder points (got "table")`:             func(c *Config) { c.Encoder.Kind = "table" },
		"Layers: must be even with edges, an edge layer before each layer of cities (got 3)": func(c *Config) { c.Layers = 3 },
	} {
		if _, err := New(smallTour(change)); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// What the heads give, in shape and in what they depend on.
func TestHeads(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	objects := tensors.FromFlatDataAndDimensions([]int32{0, 1, 2, 3, 4}, 1, 5)
	of := func(head string, layers int, order perm.Order) []float32 {
		d := build(t, small(func(c *Config) {
			c.Head, c.Layers, c.Positions, c.Law = head, layers, "none", reverse.GeneralizedPlackettLuce{}
			if head == "pointer" {
				c.Positions = "sinusoid"
			}
		}))
		return forward(t, e, d, false, objects, order)
	}
	order := perm.Order{3, 0, 4, 1, 2}
	for head, width := range map[string]int{"score": 1, "assign": 5} {
		for _, layers := range []int{0, 2} { // what an object gets goes with it
			a, b := of(head, layers, perm.Identity(5)), of(head, layers, order)
			if len(a) != 5*width {
				t.Fatalf("%s: %d scores, want %d", head, len(a), 5*width)
			}
			for i, k := range order {
				near.AllWithin(t, head, b[i*width:(i+1)*width], a[k*width:(k+1)*width], 1e-5)
			}
		}
	}
	a := of("pointer", 2, order)
	if len(a) != 25 {
		t.Fatalf("pointer: %d scores, want 25", len(a))
	}
	empty := of("pointer", 2, perm.Order{3, 0, 5, 1, 2}) // 5 is no object: position 2 is masked
	if slices.Equal(a, empty) {
		t.Error("pointer: a masked position does not matter")
	}
	for _, v := range empty {
		if math.IsNaN(float64(v)) {
			t.Fatalf("pointer: %v", empty)
		}
	}
}
