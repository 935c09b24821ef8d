package denoiser

import (
	"fmt"
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/nn"
)

// linear is y = x·Wᵀ + b with W [out, in], as torch.nn.Linear.
type linear struct{ w, b *Param }

func newLinear(r *registry, name string, in, out int, relu bool) *linear {
	init := xavier(in, out)
	if relu {
		init = kaiming(in)
	}
	return &linear{
		w: r.add(name+".weight", init, out, in),
		b: r.add(name+".bias", constant(0), out),
	}
}

func (l *linear) apply(c *Context, x *graph.Node, act activation.Type) *graph.Node {
	return c.dense(x, c.get(l.w), c.get(l.b), act)
}

// newMLP makes the layers in → hidden… → out, named name1, name2, ….
func newMLP(r *registry, name string, in int, hidden []int, out int) []*linear {
	var layers []*linear
	for i, units := range hidden {
		layers = append(layers, newLinear(r, fmt.Sprintf("%s%d", name, i+1), in, units, true))
		in = units
	}
	return append(layers, newLinear(r, fmt.Sprintf("%s%d", name, len(hidden)+1), in, out, false))
}

// applyMLP puts a ReLU between the layers.
func applyMLP(c *Context, layers []*linear, x *graph.Node) *graph.Node {
	for i, l := range layers {
		act := activation.TypeRelu
		if i == len(layers)-1 {
			act = activation.TypeNone
		}
		x = l.apply(c, x, act)
	}
	return x
}

// layerNorm is torch.nn.LayerNorm over the last axis, ε = 1e-5.
type layerNorm struct{ w, b *Param }

const normEpsilon = 1e-5

func newLayerNorm(r *registry, name string, dim int) *layerNorm {
	return &layerNorm{w: r.add(name+".weight", constant(1), dim), b: r.add(name+".bias", constant(0), dim)}
}

func (l *layerNorm) apply(c *Context, x *graph.Node) *graph.Node {
	return nn.LayerNorm(x, []int{-1}, normEpsilon, c.get(l.w), c.get(l.b), nil)
}

// standardize is a layer norm without weights.
func standardize(x *graph.Node) *graph.Node {
	return nn.LayerNorm(x, []int{-1}, normEpsilon, nil, nil, nil)
}

// batchNorm is torch.nn.BatchNorm2d over all axes but the last (channels last here):
// the batch's statistics while training, running ones (momentum 0.1) otherwise.
type batchNorm struct{ w, b, mean, variance *Param }

const batchNormMomentum = 0.1

func newBatchNorm(r *registry, name string, channels int) *batchNorm {
	return &batchNorm{
		w:        r.add(name+".weight", constant(1), channels),
		b:        r.add(name+".bias", constant(0), channels),
		mean:     r.buffer(name+".running_mean", 0, channels),
		variance: r.buffer(name+".running_var", 1, channels),
	}
}

// pooled is maxPool2(relu(norm(conv(x)))) of images x [images, height, width, channels] in parts.
//
// Of the norm γ·(y − μ)/σ + β only the sign of γ decides which of four pixels ends as the
// greatest. The convolution's weights take that sign, and the norm and the ReLU are left for a
// quarter of the pixels. What the convolution's bias adds the mean takes away again: it only
// shows in the running mean. own [images] is 1, or 0 for padding, which is no part of the
// statistics; nil where there is none.
func (l *batchNorm) pooled(c *Context, conv *conv, parts []*graph.Node, own *graph.Node) []*graph.Node {
	gamma, bias := c.get(l.w), c.get(conv.b)
	one := graph.OnesLike(gamma)
	sign := graph.StopGradient(graph.Where(graph.LessThan(gamma, graph.ZerosLike(gamma)), graph.Neg(one), one))
	ys := make([]*graph.Node, len(parts))
	for i, x := range parts {
		ys[i] = conv.product(c, x, sign)
	}
	mean, variance := graph.Mul(graph.Sub(c.get(l.mean), bias), sign), c.get(l.variance)
	if c.Training {
		var sum, squares *graph.Node
		rows, images := 0, 0
		for _, y := range ys {
			d := y.Shape().Dimensions
			flat, pixels := graph.Reshape(y, -1, conv.out), d[1]*d[2]
			square := graph.Square(flat)
			if own != nil {
				some := graph.Slice(own, graph.AxisRange(images, images+d[0]))
				some = graph.Reshape(graph.BroadcastToDims(graph.ExpandAxes(some, 1), d[0], pixels), -1, 1)
				flat, square = graph.Mul(flat, some), graph.Mul(square, some)
			}
			rows, images = rows+d[0]*pixels, images+d[0]
			sum, squares = plus(sum, graph.ReduceSum(flat, 0)), plus(squares, graph.ReduceSum(square, 0))
		}
		unbiased := graph.Scalar(c.Graph, sum.DType(), float64(rows)/max(1, float64(rows-1)))
		each := func(x *graph.Node) *graph.Node { return graph.DivScalar(x, float64(rows)) }
		if own != nil {
			count := graph.MulScalar(graph.ReduceAllSum(own), float64(rows/images))
			unbiased = graph.Div(count, graph.MaxScalar(graph.AddScalar(count, -1), 1))
			each = func(x *graph.Node) *graph.Node { return graph.Div(x, count) }
		}
		mean = each(sum)
		batch := graph.Sub(each(squares), graph.Square(mean))
		batch = graph.MaxScalar(batch, 0) // rounding may leave a little below 0
		l.move(c, graph.Add(graph.Mul(mean, sign), bias), graph.Mul(batch, unbiased))
		variance = batch
	}
	scale := graph.Div(graph.Mul(gamma, sign), graph.Sqrt(graph.AddScalar(variance, normEpsilon))) // Rsqrt has no gradient
	shift := graph.Sub(c.get(l.b), graph.Mul(mean, scale))
	for i, y := range ys {
		y = graph.Mul(maxPool2(y), graph.ExpandLeftToRank(scale, 4))
		ys[i] = activation.Relu(graph.Add(y, graph.ExpandLeftToRank(shift, 4)))
	}
	return ys
}

// move has the running statistics follow those of a batch.
func (l *batchNorm) move(c *Context, mean, variance *graph.Node) {
	mix := func(p *Param, now *graph.Node) {
		c.set(p, graph.Add(graph.MulScalar(c.get(p), 1-batchNormMomentum), graph.MulScalar(graph.StopGradient(now), batchNormMomentum)))
	}
	mix(l.mean, mean)
	mix(l.variance, variance)
}

// plus is a + b, or b where there is no a yet.
func plus(a, b *graph.Node) *graph.Node {
	if a == nil {
		return b
	}
	return graph.Add(a, b)
}

// sinusoid returns [len(values)…, dim]: cos(v·ω) then sin(v·ω) with
// ω_i = 10000^(−i/(dim/2)), i = 0 … dim/2−1 (Vaswani et al. 2017; cosines first). values
// is float32 of any shape.
func sinusoid(values *graph.Node, dim int) *graph.Node {
	g := values.Graph()
	half := dim / 2
	omega := make([]float32, half)
	for i := range omega {
		omega[i] = float32(math.Exp(-math.Log(10000) * float64(i) / float64(half)))
	}
	angles := graph.Mul(graph.ExpandAxes(values, -1), graph.ExpandLeftToRank(graph.Const(g, omega), values.Rank()+1))
	return graph.Concatenate([]*graph.Node{graph.Cos(angles), graph.Sin(angles)}, -1)
}

// positionTable returns the sinusoidal positional encoding [count, dim] as a constant:
// element 2i is sin(p·ω_i), 2i+1 is cos(p·ω_i), ω_i = 10000^(−2i/dim) (Vaswani et al. 2017).
func positionTable(g *graph.Graph, count, dim int) *graph.Node {
	table := make([][]float32, count)
	for p := range table {
		row := make([]float32, dim)
		for i := 0; i < dim; i += 2 {
			a := float64(p) * math.Exp(-math.Log(10000)*float64(i)/float64(dim))
			row[i] = float32(math.Sin(a))
			if i+1 < dim {
				row[i+1] = float32(math.Cos(a))
			}
		}
		table[p] = row
	}
	return graph.Const(g, table)
}

// timeEmbedding is the 256-number sinusoid of t, then linear, SiLU, linear.
type timeEmbedding struct{ l0, l2 *linear }

const timeDim = 256

func newTimeEmbedding(r *registry, name string, dim int) *timeEmbedding {
	return &timeEmbedding{l0: newLinear(r, name+".0", timeDim, dim, false), l2: newLinear(r, name+".2", dim, dim, false)}
}

// apply takes t [rows] int32 and returns [rows, dim].
func (e *timeEmbedding) apply(c *Context, t *graph.Node) *graph.Node {
	h := e.l0.apply(c, sinusoid(graph.ConvertDType(t, dtypes.Float32), timeDim), activation.TypeNone)
	h = graph.Mul(h, graph.Sigmoid(h))
	return e.l2.apply(c, h, activation.TypeNone)
}

// oneHot returns x[..., k] == position as float32: indices [...] int32 → [..., depth].
func oneHot(indices *graph.Node, depth int) *graph.Node {
	shape := indices.Shape().Clone()
	shape.Dimensions = append(shape.Dimensions, depth)
	iota := graph.Iota(indices.Graph(), shapes.Make(dtypes.Int32, shape.Dimensions...), -1)
	return graph.ConvertDType(graph.Equal(graph.ExpandAxes(indices, -1), iota), dtypes.Float32)
}
