package denoiser

import (
	"math"

	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"

	"github.com/riffle-ml/riffle/reverse"
)

// contexts is the head of contextual Plackett–Luce: every token gives its vectors by a linear layer,
//
//	row 1 + j = ( 4·k_j/√w, b_j, c_j, a_j ),  row 0 = ( 0, start, 0, 0 ),
//
// with a learned vector start [w]. The factor 4 is that of [transitions].
type contexts struct {
	out   *linear
	start *Param
}

func newContexts(r *registry, name string, dim int) *contexts {
	return &contexts{out: newLinear(r, name+".out", dim, 3*reverse.ContextWidth+1, false), start: r.add(name+".start", normal(1), reverse.ContextWidth)}
}

// apply takes tokens y [rows, n, d] and returns scores [rows, n+1, 3w+1].
func (h *contexts) apply(c *Context, y *graph.Node) *graph.Node {
	const w = reverse.ContextWidth
	rows := y.Shape().Dimensions[0]
	objects := h.out.apply(c, y, activation.TypeNone)
	keys := graph.MulScalar(graph.SliceAxis(objects, 2, graph.AxisRange(0, w)), transitionScale/math.Sqrt(w))
	objects = graph.Concatenate([]*graph.Node{keys, graph.SliceAxis(objects, 2, graph.AxisRangeToEnd(w))}, 2)
	start := graph.BroadcastToDims(graph.Reshape(c.get(h.start), 1, 1, w), rows, 1, w)
	nothing := func(size int) *graph.Node { return graph.Zeros(y.Graph(), shapes.Make(y.DType(), rows, 1, size)) }
	first := graph.Concatenate([]*graph.Node{nothing(w), start, nothing(w + 1)}, 2)
	return graph.Concatenate([]*graph.Node{first, objects}, 1)
}
