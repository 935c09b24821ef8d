package denoiser

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// scored is a network of features whose scores come from where score says.
func scored(score string) func(*Config) {
	return func(c *Config) {
		c.Law, c.Score, c.Encoder = reverse.PlackettLuce{}, score, EncoderConfig{Kind: "features", Features: 2, Hidden: []int{6}}
	}
}

// A direct score goes with its object, whatever the place and the company. Sets of any size have
// scores, also those that are larger than the network's N.
func TestDirectScoresAreObjectsOwn(t *testing.T) {
	const n = 5
	features := randomFloats(rand.New(rand.NewPCG(6, 6)), 2*2*n) // of ten objects
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		d := build(t, small(scored("direct")))
		order := perm.Order{3, 0, 4, 1, 2}
		got := forward(t, e, d, false, tensors.FromFlatDataAndDimensions(features[:2*n], 1, n, 2), perm.Identity(n), order)
		first := got[:n]
		near.AllWithin(t, "in another order", got[n:], perm.Act(order, first), 1e-6)
		all := forward(t, e, d, false, tensors.FromFlatDataAndDimensions(features, 1, 2*n, 2), perm.Identity(2*n))
		near.AllWithin(t, "in other company", all[:n], first, 1e-6)
		if slices.Max(first)-slices.Min(first) < 1e-3 {
			t.Errorf("all objects have the score %v: nothing is tested", first)
		}
	})
}

// Direct scores need the encoder and an MLP, 6·2+6 and 8·6+8, 8·8+8 and 8+1 numbers, and no more.
func TestDirectHasNoTransformer(t *testing.T) {
	d := build(t, small(scored("direct")))
	if got := d.NumParameters(); got != 18+56+72+9 {
		t.Errorf("%d parameters, wanted 155", got)
	}
	if d.Config.Layers != 0 {
		t.Errorf("%d layers, wanted none", d.Config.Layers)
	}
	d = build(t, small(func(c *Config) { scored("direct")(c); c.Positions = "learned" }))
	if err := d.CheckSize(100); err != nil { // positions are the transformer's
		t.Error(err)
	}
}

// The weights of a part depend on its name alone: of equal ones a sum is the sum.
func TestSumOfScores(t *testing.T) {
	e := enginetest.Open(t, "go")
	const n = 5
	objects := tensors.FromFlatDataAndDimensions(randomFloats(rand.New(rand.NewPCG(8, 8)), 2*n), 1, n, 2)
	scores := map[string][]float32{}
	for _, score := range []string{"", "context", "direct", "sum"} {
		scores[score] = forward(t, e, build(t, small(scored(score))), false, objects, perm.Identity(n), perm.Order{3, 0, 4, 1, 2})
	}
	var want []float32
	for i, v := range scores["context"] {
		want = append(want, v+scores["direct"][i])
	}
	near.AllWithin(t, "sum", scores["sum"], want, 1e-5)
	if !slices.Equal(scores[""], scores["context"]) || slices.Equal(scores["context"], scores["direct"]) {
		t.Error("context is the default, direct is another score: wanted so")
	}
}

func TestScoreErrors(t *testing.T) {
	for want, change := range map[string]func(*Config){
		`Score: unknown "both", wanted context, direct or sum`:                                               scored("both"),
		"Score: direct is for networks that give each object a score of its own, without attention to edges": func(c *Config) { c.Score = "direct" }, // gpl
		"Score: sum is for networks": func(c *Config) { c.Law, c.Score = reverse.InverseTransposition{}, "sum" },
	} {
		if _, err := New(small(change)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, wanted %s", err, want)
		}
	}
}
