package denoiser

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
)

// transformerLayer is torch.nn.TransformerEncoderLayer (ReLU), norm_first where the residual is.
type transformerLayer struct {
	attention
	rest *residual
}

func newTransformerLayer(r *registry, name string, cfg *Config) *transformerLayer {
	return &transformerLayer{newAttention(r, name+".self_attn", cfg), newResidual(r, name, cfg)}
}

// attention holds the weights of torch.nn.MultiheadAttention.
type attention struct {
	inW, inB       *Param // [3d, d] and [3d]: queries, keys, values
	out            *linear
	heads, headDim int
	dropout        float64
}

func newAttention(r *registry, name string, cfg *Config) attention {
	d := cfg.Dim
	return attention{
		inW:   r.add(name+".in_proj_weight", xavier(d, 3*d), 3*d, d),
		inB:   r.add(name+".in_proj_bias", constant(0), 3*d),
		out:   newLinear(r, name+".out_proj", d, d, false),
		heads: cfg.Heads, headDim: d / cfg.Heads, dropout: cfg.Dropout,
	}
}

// apply takes x [rows, items+dummies, d]. Items attend to items; dummy j attends to all
// items and to the dummies before it. With dummies = 0 this is plain self-attention.
//
// The paper writes this as one (2n × 2n) attention with a mask whose upper right block is −∞.
// Computing the two row blocks apart gives the same numbers and leaves out that block, a quarter of
// the work. With few items cutting and joining costs more than it saves. Nobody attends to padding,
// if there is some. bias [rows·heads, items, items] is added to the logits of items, unless it is
// nil.
func (l *transformerLayer) apply(c *Context, x *graph.Node, items, dummies int, pad *padding, bias *graph.Node) *graph.Node {
	rows, all, d := x.Shape().Dimensions[0], items+dummies, x.Shape().Dimensions[2]
	read := l.rest.before(c, x)
	inW, inB := c.get(l.inW), c.get(l.inB)
	part := func(i int, scale float64) *graph.Node { // [rows·heads, all, headDim]
		w := graph.Slice(inW, graph.AxisRange(i*d, (i+1)*d), graph.AxisRange())
		b := graph.Slice(inB, graph.AxisRange(i*d, (i+1)*d))
		if scale != 1 {
			w, b = graph.MulScalar(w, scale), graph.MulScalar(b, scale)
		}
		p := graph.Reshape(c.dense(read, w, b, activation.TypeNone), rows, all, l.heads, l.headDim)
		return graph.Reshape(graph.TransposeAllAxes(p, 0, 2, 1, 3), rows*l.heads, all, l.headDim)
	}
	q, k, v := part(0, 1/math.Sqrt(float64(l.headDim))), part(1, 1), part(2, 1)
	cut := func(x *graph.Node, from, to int) *graph.Node {
		return graph.Slice(x, graph.AxisRange(), graph.AxisRange(from, to), graph.AxisRange())
	}
	var y *graph.Node
	switch {
	case dummies == 0:
		y = l.attend(c, q, k, v, nil, pad, bias)
	case items <= fewItems:
		y = l.attend(c, q, k, v, tokenMask(c.Graph, items, 0, all), pad, widen(bias, dummies))
	default:
		ofItems := l.attend(c, cut(q, 0, items), cut(k, 0, items), cut(v, 0, items), nil, pad, bias)
		ofDummies := l.attend(c, cut(q, items, all), k, v, tokenMask(c.Graph, items, items, all), pad, nil)
		y = graph.Concatenate([]*graph.Node{ofItems, ofDummies}, 1)
	}
	y = graph.TransposeAllAxes(graph.Reshape(y, rows, l.heads, all, l.headDim), 0, 2, 1, 3)
	return l.rest.apply(c, x, l.out.apply(c, graph.Reshape(y, rows, all, d), activation.TypeNone))
}

// fewItems is up to how many items one masked attention is the faster. Of 9 it takes 5 to 8 % off
// a training step, of 52 nothing. A variable for the sake of tests.
var fewItems = 32

// residual is what a layer does with what its attention gives. It adds that, then adds a ReLU
// network of the sum, each time with dropout before. A layer norm is after each sum, or, with pre,
// before attention and network.
type residual struct {
	pre              bool
	norm1, norm2     *layerNorm
	linear1, linear2 *linear
	dropout          float64
}

func newResidual(r *registry, name string, cfg *Config) *residual {
	return &residual{
		pre:     cfg.Norm == "pre",
		linear1: newLinear(r, name+".linear1", cfg.Dim, cfg.FeedForward, false),
		linear2: newLinear(r, name+".linear2", cfg.FeedForward, cfg.Dim, false),
		norm1:   newLayerNorm(r, name+".norm1", cfg.Dim),
		norm2:   newLayerNorm(r, name+".norm2", cfg.Dim),
		dropout: cfg.Dropout,
	}
}

// before is what attention reads of x.
func (l *residual) before(c *Context, x *graph.Node) *graph.Node {
	if l.pre {
		return l.norm1.apply(c, x)
	}
	return x
}

func (l *residual) apply(c *Context, x, attended *graph.Node) *graph.Node {
	if l.pre {
		x = graph.Add(x, c.dropout(attended, l.dropout))
		h := c.dropout(l.linear1.apply(c, l.norm2.apply(c, x), activation.TypeRelu), l.dropout)
		return graph.Add(x, c.dropout(l.linear2.apply(c, h, activation.TypeNone), l.dropout))
	}
	x = l.norm1.apply(c, graph.Add(x, c.dropout(attended, l.dropout)))
	h := c.dropout(l.linear1.apply(c, x, activation.TypeRelu), l.dropout)
	h = l.linear2.apply(c, h, activation.TypeNone)
	return l.norm2.apply(c, graph.Add(x, c.dropout(h, l.dropout)))
}

// attend takes q [count, a, headDim], already scaled, and k and v [count, b, headDim]. It also takes an
// additive mask [a, b], padding, and a bias [count, a, b], each of which may be nil. It returns [count,
// a, headDim].
func (l *transformerLayer) attend(c *Context, q, k, v, mask *graph.Node, pad *padding, bias *graph.Node) *graph.Node {
	logits := graph.Einsum("nqe,nke->nqk", q, k)
	if bias != nil {
		logits = graph.Add(logits, bias)
	}
	switch {
	case pad != nil:
		dims := logits.Shape().Dimensions
		keys := pad.keys(dims[2])
		if mask != nil {
			keys = graph.Add(keys, graph.ExpandLeftToRank(mask, 4))
		}
		logits = graph.Add(graph.Reshape(logits, -1, l.heads, dims[1], dims[2]), keys)
		logits = graph.Reshape(logits, dims...)
	case mask != nil:
		logits = graph.Add(logits, graph.ExpandLeftToRank(mask, 3))
	}
	weights := c.dropout(c.softmax(logits), l.dropout)
	return graph.Einsum("nqk,nke->nqe", weights, v)
}

// masked is added to a logit that must not count. exp of it is exactly 0 in float32,
// and, unlike −∞, it can never make a NaN.
const masked = -1e9

// tokenMask returns the rows from, …, to−1 of the mask [to, to] over items and dummies. Dummy j is
// token items + j. The mask is 0 where a token may look, else masked.
func tokenMask(g *graph.Graph, items, from, to int) *graph.Node {
	shape := shapes.Make(dtypes.Int32, to-from, to)
	row, column := graph.AddScalar(graph.Iota(g, shape, 0), from), graph.Iota(g, shape, 1)
	sees := graph.LessThan(column, graph.MaxScalar(row, items))
	return graph.Where(sees, graph.Scalar(g, dtypes.Float32, 0), graph.Scalar(g, dtypes.Float32, masked))
}

type transformer struct {
	layers []*transformerLayer
	norm   *layerNorm // after the last, with Norm "pre"
}

func newTransformer(r *registry, name string, cfg *Config) *transformer {
	t := &transformer{}
	for i := range cfg.Layers {
		t.layers = append(t.layers, newTransformerLayer(r, fmt.Sprintf("%s.layers.%d", name, i), cfg))
	}
	if cfg.Norm == "pre" {
		t.norm = newLayerNorm(r, name+".norm", cfg.Dim)
	}
	return t
}

// apply is that of each layer in turn; bias [rows, layers, heads, objects, objects] is that of all layers, or nil.
func (t *transformer) apply(c *Context, x *graph.Node, items, dummies int, pad *padding, bias *graph.Node) *graph.Node {
	for i, l := range t.layers {
		x = l.apply(c, x, items, dummies, pad, layerBias(bias, i, items))
	}
	if t.norm != nil {
		x = t.norm.apply(c, x)
	}
	return x
}
