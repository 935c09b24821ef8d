package denoiser

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/nn"

	"github.com/gomlx/compute"
)

// transformerLayer is torch.nn.TransformerEncoderLayer (post-norm, ReLU).
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
// The paper writes this as one (2n × 2n) attention with a mask whose upper right block
// is −∞. Computing the two row blocks apart gives the same numbers and leaves out that
// block, a quarter of the work.
func (l *transformerLayer) apply(c *Context, x *graph.Node, items, dummies int) *graph.Node {
	rows, d := x.Shape().Dimensions[0], x.Shape().Dimensions[2]
	qkv := nn.Dense(x, c.get(l.inW), c.get(l.inB), compute.DenseLayoutOutputsInput)
	part := func(i, from, to int) *graph.Node { // [rows, to-from, heads, headDim]
		p := graph.Slice(qkv, graph.AxisRange(), graph.AxisRange(from, to), graph.AxisRange(i*d, (i+1)*d))
		return graph.Reshape(p, rows, to-from, l.heads, l.headDim)
	}
	all := items + dummies
	attended := l.attend(c, part(0, 0, items), part(1, 0, items), part(2, 0, items), nil)
	if dummies > 0 {
		q, k, v := part(0, items, all), part(1, 0, all), part(2, 0, all)
		attended = graph.Concatenate([]*graph.Node{attended, l.attend(c, q, k, v, dummyMask(c.Graph, items, dummies))}, 1)
	}
	return l.rest.apply(c, x, l.out.apply(c, attended, activation.TypeNone))
}

// residual is what a post-norm layer does with what its attention gives: it adds it, then
// adds a ReLU network of the sum, each time with dropout before and a layer norm after.
type residual struct {
	norm1, norm2     *layerNorm
	linear1, linear2 *linear
	dropout          float64
}

func newResidual(r *registry, name string, cfg *Config) *residual {
	return &residual{
		linear1: newLinear(r, name+".linear1", cfg.Dim, cfg.FeedForward, false),
		linear2: newLinear(r, name+".linear2", cfg.FeedForward, cfg.Dim, false),
		norm1:   newLayerNorm(r, name+".norm1", cfg.Dim),
		norm2:   newLayerNorm(r, name+".norm2", cfg.Dim),
		dropout: cfg.Dropout,
	}
}

func (l *residual) apply(c *Context, x, attended *graph.Node) *graph.Node {
	x = l.norm1.apply(c, graph.Add(x, c.dropout(attended, l.dropout)))
	h := c.dropout(l.linear1.apply(c, x, activation.TypeRelu), l.dropout)
	h = l.linear2.apply(c, h, activation.TypeNone)
	return l.norm2.apply(c, graph.Add(x, c.dropout(h, l.dropout)))
}

// attend takes q [rows, a, heads, headDim], k and v [rows, b, heads, headDim] and an
// additive mask [a, b] or nil, and returns [rows, a, heads·headDim].
func (l *transformerLayer) attend(c *Context, q, k, v, mask *graph.Node) *graph.Node {
	rows, a := q.Shape().Dimensions[0], q.Shape().Dimensions[1]
	logits := graph.Einsum("rqhe,rkhe->rhqk", graph.MulScalar(q, 1/math.Sqrt(float64(l.headDim))), k)
	if mask != nil {
		logits = graph.Add(logits, graph.ExpandLeftToRank(mask, 4))
	}
	weights := c.dropout(graph.Softmax(logits, -1), l.dropout)
	return graph.Reshape(graph.Einsum("rhqk,rkhe->rqhe", weights, v), rows, a, l.heads*l.headDim)
}

// masked is added to a logit that must not count. exp of it is exactly 0 in float32,
// and, unlike −∞, it can never make a NaN.
const masked = -1e9

// dummyMask returns [dummies, items+dummies]: 0 where dummy j may look, else masked.
func dummyMask(g *graph.Graph, items, dummies int) *graph.Node {
	shape := shapes.Make(dtypes.Int32, dummies, items+dummies)
	row, column := graph.Iota(g, shape, 0), graph.Iota(g, shape, 1)
	sees := graph.LessThan(column, graph.AddScalar(row, items))
	return graph.Where(sees, graph.Scalar(g, dtypes.Float32, 0), graph.Scalar(g, dtypes.Float32, masked))
}

type transformer struct{ layers []*transformerLayer }

func newTransformer(r *registry, name string, cfg *Config) *transformer {
	t := &transformer{}
	for i := range cfg.Layers {
		t.layers = append(t.layers, newTransformerLayer(r, fmt.Sprintf("%s.layers.%d", name, i), cfg))
	}
	return t
}

func (t *transformer) apply(c *Context, x *graph.Node, items, dummies int) *graph.Node {
	for _, l := range t.layers {
		x = l.apply(c, x, items, dummies)
	}
	return x
}
