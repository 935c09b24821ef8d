package onnx

import (
	"math"

	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

func (b builder) layerNorm(name string, x value) value {
	return b.Op("LayerNormalization", []value{x, b.Weight(name + ".weight"), b.Weight(name + ".bias")}, onnxgraph.FloatAttribute("epsilon", onnxgraph.NormEpsilon))
}

// positionTable is the sinusoidal positional encoding [count, dim]: element 2i is sin(p·ω_i),
// 2i+1 is cos(p·ω_i), ω_i = 10000^(−2i/dim). It is a constant, as its angles want float64.
func (b builder) positionTable(count, dim int) value {
	table := make([]float32, 0, count*dim)
	for p := range count {
		for i := 0; i < dim; i += 2 {
			sin, cos := math.Sincos(float64(p) * math.Exp(-math.Log(10000)*float64(i)/float64(dim)))
			table = append(table, float32(sin), float32(cos))
		}
	}
	return b.Floats("positions", []int{count, dim}, table...)
}

// time is the embedding [batch, 1, dim] of the times [batch] int64.
func (b builder) time(t value) value {
	const dim = 256
	h := b.Linear("time_embedding.0", b.Sinusoid(b.Op("Cast", []value{t}, onnxgraph.IntAttribute("to", onnxgraph.Float)), dim))
	h = b.Mul(h, b.Op("Sigmoid", []value{h}))
	return b.Unsqueeze(b.Linear("time_embedding.2", h), 1)
}

// selfLayer is a transformer layer on x [batch, tokens, dim], with the layer norms before attention
// and network if pre. mask [tokens, tokens] or [batch, heads, tokens, tokens] is added to the
// logits. It may be "".
func (b builder) selfLayer(name string, x value, dim, heads int, mask value, pre bool) value {
	attention, read := name+".self_attn", x
	if pre {
		read = b.layerNorm(name+".norm1", x)
	}
	qkv := b.Affine(read, b.Weight(attention+".in_proj_weight"), b.Weight(attention+".in_proj_bias"))
	part := func(i int, axes ...int) value { // [batch, tokens, heads, dim/heads], then axes
		p := b.Slice(qkv, b.Ints(i*dim), b.Ints((i+1)*dim), 2)
		return b.Transpose(b.Reshape(p, 0, 0, heads, dim/heads), axes...)
	}
	q := b.Mul(part(0, 0, 2, 1, 3), b.Scalar(float32(1/math.Sqrt(float64(dim/heads)))))
	logits := b.MatMul(q, part(1, 0, 2, 3, 1))
	if mask != "" {
		logits = b.Add(logits, mask)
	}
	y := b.MatMul(b.softmax(logits), part(2, 0, 2, 1, 3))
	y = b.Reshape(b.Transpose(y, 0, 2, 1, 3), 0, 0, dim)
	attended := b.Linear(attention+".out_proj", y)
	if !pre {
		return b.residual(name, x, attended)
	}
	x = b.Add(x, attended)
	return b.Add(x, b.feedForward(name, b.layerNorm(name+".norm2", x)))
}

func (b builder) softmax(x value) value {
	return b.Op("Softmax", []value{x}, onnxgraph.IntAttribute("axis", -1))
}

func (b builder) feedForward(name string, x value) value {
	return b.Linear(name+".linear2", b.Relu(b.Linear(name+".linear1", x)))
}

// residual is what a post-norm layer does with what its attention gives.
func (b builder) residual(name string, x, attended value) value {
	x = b.layerNorm(name+".norm1", b.Add(x, attended))
	return b.layerNorm(name+".norm2", b.Add(x, b.feedForward(name, x)))
}

// masked is added to logits that must not count.
const masked = -1e9

// additiveMask turns what a token sees into what is added to logits.
func (b builder) additiveMask(sees value) value {
	return b.Op("Where", []value{sees, b.Scalar(0), b.Scalar(masked)})
}

// counter is 0, 1, …, count−1, of a count that is a vector of one number.
func (b builder) counter(count value) value {
	end := b.Op("Squeeze", []value{count, b.Ints(0)})
	return b.Op("Range", []value{b.Index(0), end, b.Index(1)})
}
