package denoiser

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"

	"github.com/riffle-ml/riffle/internal/field"
)

// tour is the paper's network for TSP-20 (appendix, "TSP"). In edge layers a city attends to the
// edges that it is on; in city layers cities attend to cities. The two alternate, an edge layer
// first and a city layer last. The dummies enter at the last.
//
// Two properties of attention keep the edges cheap, with the same numbers as the paper's
// mask over all n(n−1)/2 edges:
//
//   - A city sees a set of edges, in whatever order. So cities are kept in the order of the
//     objects, where the edges of all states of a set are the same ones, and a state is only
//     in the positional encoding. Only the last layer's result is arranged.
//   - What is added to all keys of a query shifts all its logits alike, which the softmax
//     takes out again; what is added to all values comes out as it is, times the sum of the
//     weights. So the time, which the paper adds to every edge, needs no keys of its own.
type tour struct {
	crosses []*crossLayer
	selfs   []*transformerLayer
	dim     int
}

// edgeScale spreads the lengths of edges, up to √2 in the unit square, over the wavelengths
// of the sinusoid, as PointScale does coordinates.
const edgeScale = PointScale

func newTour(r *registry, name string, cfg *Config) (*tour, error) {
	switch {
	case cfg.Encoder.Reads() != Points:
		return nil, field.Errorf("Edges", "lengths are between points, wanted encoder points (got %q)", cfg.Encoder.Kind)
	case cfg.Layers < 2 || cfg.Layers%2 != 0:
		return nil, field.Errorf("Layers", "must be even with edges, an edge layer before each layer of cities (got %d)", cfg.Layers)
	}
	t := &tour{dim: cfg.Dim}
	for i := 0; i < cfg.Layers; i += 2 {
		t.crosses = append(t.crosses, newCrossLayer(r, fmt.Sprintf("%s.layers.%d", name, i), cfg))
		t.selfs = append(t.selfs, newTransformerLayer(r, fmt.Sprintf("%s.layers.%d", name, i+1), cfg))
	}
	return t, nil
}

// apply takes the cities y [batch, states, n, d] in the order of the objects, with time and position
// added. points are [batch, n, 2], time is the embedding [batch·states, d], and arrangements are
// [batch, states, n]. The last layer adds dummies [batch·states, m, d] to the cities, none where they are
// nil; masked tells that GPL's mask is wanted for them. It returns the cities by position,
// [batch·states, n+m, d].
func (t *tour) apply(c *Context, y, points, time, arrangements, dummies *graph.Node, masked bool, pad *padding) *graph.Node {
	dims := y.Shape().Dimensions
	batch, states, n, d := dims[0], dims[1], dims[2], dims[3]
	edges := graph.StopGradient(sinusoid(graph.MulScalar(lengths(points), edgeScale), d)) // [batch, n, n, d]
	for i, cross := range t.crosses {
		y = cross.apply(c, y, edges, time, pad)
		rows := graph.Reshape(y, batch*states, n, d)
		if i < len(t.crosses)-1 {
			y = graph.Reshape(t.selfs[i].apply(c, rows, n, 0, pad, nil), batch, states, n, d)
			continue
		}
		hot := oneHot(graph.Reshape(arrangements, batch*states, n), n)
		rows = graph.Einsum("rin,rnd->rid", hot, rows)
		items, extra := n, 0
		if dummies != nil {
			rows = graph.Concatenate([]*graph.Node{rows, dummies}, 1)
			if extra = dummies.Shape().Dimensions[1]; !masked {
				items, extra = n+extra, 0
			}
		}
		y = t.selfs[i].apply(c, rows, items, extra, pad, nil)
	}
	return y
}

// lengths returns the distances [batch, n, n] between points [batch, n, 2].
func lengths(points *graph.Node) *graph.Node {
	gap := graph.Sub(graph.ExpandAxes(points, 2), graph.ExpandAxes(points, 1))
	return graph.Sqrt(graph.ReduceSum(graph.Square(gap), -1))
}

// crossLayer is a post-norm transformer layer whose attention is to edges; its weights are
// named as in torch.nn.TransformerDecoderLayer, of which it has no self-attention.
type crossLayer struct {
	attention
	rest *residual
}

func newCrossLayer(r *registry, name string, cfg *Config) *crossLayer {
	return &crossLayer{newAttention(r, name+".multihead_attn", cfg), newResidual(r, name, cfg)}
}

// apply takes cities y [batch, states, n, d], edges [batch, n, n, d] without the time, and
// the time's embedding [batch·states, d].
func (l *crossLayer) apply(c *Context, y, edges, time *graph.Node, pad *padding) *graph.Node {
	dims := y.Shape().Dimensions
	batch, states, n, d := dims[0], dims[1], dims[2], dims[3]
	w, b := c.get(l.inW), c.get(l.inB)
	part := func(i int) (*graph.Node, *graph.Node) { // [d, d] and [d]
		return graph.Slice(w, graph.AxisRange(i*d, (i+1)*d), graph.AxisRange()), graph.Slice(b, graph.AxisRange(i*d, (i+1)*d))
	}
	qw, qb := part(0)
	kw, _ := part(1) // the bias is added to all keys alike
	vw, vb := part(2)
	perHead := func(w *graph.Node) *graph.Node { return graph.Reshape(w, l.heads, l.headDim, d) }
	q := graph.Add(graph.Einsum("bsnd,ed->bsne", y, qw), graph.ExpandLeftToRank(qb, 4))
	q = graph.Reshape(graph.MulScalar(q, 1/math.Sqrt(float64(l.headDim))), batch, states, n, l.heads, l.headDim)

	// A product of three may begin at either end. Few states: the queries go through the keys'
	// weights, [states·heads] vectors of d a city; many: the edges do, n−1 a city.
	folded := states*l.heads < d
	var logits *graph.Node // [batch, states, n, heads, n]
	if folded {
		asked := graph.Einsum("bsnhe,hed->bsnhd", q, perHead(kw))
		logits = graph.Einsum("bsnhd,bnmd->bsnhm", asked, edges)
	} else {
		keys := graph.Reshape(graph.Einsum("bnmd,ed->bnme", edges, kw), batch, n, n, l.heads, l.headDim)
		logits = graph.Einsum("bsnhe,bnmhe->bsnhm", q, keys)
	}
	barred := graph.Reshape(noSelf(c.Graph, n), 1, 1, n, 1, n)
	if pad != nil {
		barred = graph.Add(barred, graph.Reshape(pad.items, batch, 1, 1, 1, n))
	}
	logits = graph.Add(logits, barred)
	weights := c.softmax(logits)
	whole := weights
	weights = c.dropout(weights, l.dropout)
	var seen *graph.Node // [batch, states, n, heads, headDim]
	if folded {
		mixed := graph.Einsum("bsnhm,bnmd->bsnhd", weights, edges)
		seen = graph.Einsum("bsnhd,hed->bsnhe", mixed, perHead(vw))
	} else {
		values := graph.Reshape(graph.Einsum("bnmd,ed->bnme", edges, vw), batch, n, n, l.heads, l.headDim)
		seen = graph.Einsum("bsnhm,bnmhe->bsnhe", weights, values)
	}
	// The time's part of the values, and their bias.
	common := graph.Add(graph.Einsum("rd,ed->re", time, vw), graph.ExpandLeftToRank(vb, 2))
	common = graph.Reshape(common, batch, states, 1, l.heads, l.headDim)
	if weights != whole { // dropout leaves weights that do not sum to one
		common = graph.Mul(common, graph.ExpandAxes(graph.ReduceSum(weights, -1), -1))
	}
	seen = graph.Reshape(graph.Add(seen, common), batch, states, n, d)

	return l.rest.apply(c, y, l.out.apply(c, seen, activation.TypeNone))
}

// noSelf returns [n, n]: masked on the diagonal, as a city has no edge to itself. Of a
// single city the mask takes everything, and its attention is to the edge that is not there.
func noSelf(g *graph.Graph, n int) *graph.Node {
	shape := shapes.Make(dtypes.Int32, n, n)
	self := graph.Equal(graph.Iota(g, shape, 0), graph.Iota(g, shape, 1))
	return graph.Where(self, graph.Scalar(g, dtypes.Float32, masked), graph.Scalar(g, dtypes.Float32, 0))
}
