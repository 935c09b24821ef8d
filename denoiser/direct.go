package denoiser

import (
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"

	"github.com/riffle-ml/riffle/reverse"
)

// What the score of an object comes from, see [Config.Score].
const (
	scoreContext = "context"
	ScoreDirect  = "direct"
	scoreSum     = "sum"
)

// objectScores tells whether the network ends in a score for each object.
func (c *Config) objectScores() bool {
	return c.Head == "score" || c.Head == "" && c.Law.Layout() == reverse.Vector
}

// direct scores each object by its embedding e alone, w·ReLU(W·e + b) + c. What else is in the set,
// where the object lies and what time it is do not matter.
type direct struct{ l0, l2 *linear }

func newDirect(r *registry, name string, dim int) *direct {
	return &direct{l0: newLinear(r, name+".0", dim, dim, true), l2: newLinear(r, name+".2", dim, 1, false)}
}

// apply takes embeddings [batch, n, d] and arrangements [batch, states, n] and returns the scores
// [batch·states, n] of the objects by position. An object is scored once, whatever the states.
func (h *direct) apply(c *Context, embeddings, arrangements *graph.Node) *graph.Node {
	x := h.l0.apply(c, embeddings, activation.TypeRelu)
	x = h.l2.apply(c, x, activation.TypeNone) // [batch, n, 1]
	return graph.Squeeze(Arrange(x, arrangements), -1)
}
