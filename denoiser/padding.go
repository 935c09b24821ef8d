package denoiser

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// PaddedSize is the size that sets of n objects are padded to, so that sets of many sizes share few
// compiled shapes. It is the next of 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, …. It is not beyond most,
// the size of the largest sets, unless n is. If sizes are spread evenly from one rung to the next,
// the layers do a fifth more work than without padding, and half more at the worst. Powers of two
// would do a third more. 64 sizes take 11 shapes, where powers of two take 6.
func PaddedSize(n, most int) int {
	rung := 2
	for rung < n {
		if rung&(rung-1) == 0 { // a power of two
			rung += rung / 2
		} else {
			rung += rung / 3
		}
	}
	if n <= most {
		return min(rung, most)
	}
	return rung
}

// padding is what attention does not look at.
type padding struct {
	items  *graph.Node // [batch, n] additive: 0, or masked for padding
	states int
}

// newPadding returns nil where there is none.
func newPadding(lengths *graph.Node, states, n int) *padding {
	if lengths == nil {
		return nil
	}
	inside := within(lengths, n)
	zero := graph.Scalar(lengths.Graph(), dtypes.Float32, 0)
	return &padding{graph.Where(inside, zero, graph.AddScalar(zero, masked)), states}
}

// within tells which of n objects are none of the padding: lengths [batch] → [batch, n] bool.
func within(lengths *graph.Node, n int) *graph.Node {
	shape := shapes.Make(dtypes.Int32, lengths.Shape().Dim(0), n)
	return graph.LessThan(graph.Iota(lengths.Graph(), shape, 1), graph.ExpandAxes(lengths, 1))
}

// keys returns [batch·states, 1, 1, tokens] of the first tokens of items and dummies. Dummies need
// no mask: those of padding come after all others, which do not look at later ones.
func (p *padding) keys(tokens int) *graph.Node {
	d := p.items.Shape().Dimensions
	x := p.items
	if tokens > d[1] {
		x = graph.Concatenate([]*graph.Node{x, graph.Zeros(x.Graph(), shapes.Make(x.DType(), d[0], tokens-d[1]))}, 1)
	}
	x = graph.BroadcastToDims(graph.ExpandAxes(x, 1), d[0], p.states, tokens)
	return graph.Reshape(x, d[0]*p.states, 1, 1, tokens)
}

// itemEncoding is the positional encoding of items, [n, d].
func (d *Denoiser) itemEncoding(c *Context, n int) *graph.Node {
	switch d.Config.Positions {
	case "learned":
		return graph.Slice(c.get(d.positions), graph.AxisRange(0, n), graph.AxisRange())
	case "first":
		w := c.get(d.positions)
		return graph.Pad(w, graph.ScalarZero(c.Graph, w.DType()), compute.PadAxis{End: n - 1}, compute.PadAxis{})
	case "none":
		return graph.BroadcastToDims(graph.Scalar(c.Graph, c.get(d.params[0]).DType(), 0), n, d.Config.Dim)
	}
	return positionTable(c.Graph, n, d.Config.Dim)
}

// dummyEncoding is that of dummies, [1 or batch·states, dummies, d]. With "sinusoid" their
// positions follow the items' of the set, of which there are lengths [batch], or n for nil.
func (d *Denoiser) dummyEncoding(c *Context, n, dummies, states int, lengths *graph.Node) *graph.Node {
	switch d.Config.Positions {
	case "learned":
		x := graph.Slice(c.get(d.positions), graph.AxisRange(d.Config.N, d.Config.N+dummies), graph.AxisRange())
		return graph.ExpandAxes(x, 0)
	case "first", "none":
		return graph.ExpandAxes(positionTable(c.Graph, dummies, d.Config.Dim), 0)
	}
	table := positionTable(c.Graph, n+dummies, d.Config.Dim)
	if lengths == nil {
		return graph.ExpandAxes(graph.Slice(table, graph.AxisRange(n, n+dummies), graph.AxisRange()), 0)
	}
	batch := lengths.Shape().Dim(0)
	at := graph.Add(graph.Iota(c.Graph, shapes.Make(dtypes.Int32, batch, dummies), 1), graph.ExpandAxes(lengths, 1))
	x := graph.Einsum("bjp,pd->bjd", oneHot(at, n+dummies), table)
	x = graph.BroadcastToDims(graph.ExpandAxes(x, 1), batch, states, dummies, d.Config.Dim)
	return graph.Reshape(x, batch*states, dummies, d.Config.Dim)
}
