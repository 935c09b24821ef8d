package denoiser

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
)

// transitions is the head of transition Plackett–Luce: every token asks which comes next,
//
//	S[0, j] = 4·start·k_j/√d,  S[1+i, j] = 4·q_i·k_j/√d,  q = W_q·y, k = W_k·y,
//
// with a learned vector start [d]. The factor 4 lets a network that begins near 0 become certain
// soon.
type transitions struct {
	query, key *linear
	start      *Param
}

const transitionScale = 4

func newTransitions(r *registry, name string, dim int) *transitions {
	return &transitions{
		query: newLinear(r, name+".query", dim, dim, false), key: newLinear(r, name+".key", dim, dim, false),
		start: r.add(name+".start", normal(1), dim),
	}
}

// apply takes tokens y [rows, n, d] and returns scores [rows, n+1, n].
func (t *transitions) apply(c *Context, y *graph.Node) *graph.Node {
	dims := y.Shape().Dimensions
	rows, dim := dims[0], dims[2]
	start := graph.BroadcastToDims(graph.Reshape(c.get(t.start), 1, 1, dim), rows, 1, dim)
	queries := graph.Concatenate([]*graph.Node{start, t.query.apply(c, y, activation.TypeNone)}, 1)
	keys := graph.MulScalar(t.key.apply(c, y, activation.TypeNone), transitionScale/math.Sqrt(float64(dim)))
	return graph.Einsum("rid,rjd->rij", queries, keys)
}
