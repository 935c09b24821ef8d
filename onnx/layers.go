package onnx

import (
	"fmt"
	"math"
)

// The layers follow package denoiser; what they do is told there.

const normEpsilon = 1e-5

// linear is x·Wᵀ + b with W [out, in].
func (b *builder) linear(name string, x value) value {
	return b.affine(x, b.weight(name+".weight"), b.weight(name+".bias"))
}

func (b *builder) affine(x, w, bias value) value {
	return b.add(b.matMul(x, b.transpose(w, 1, 0)), bias)
}

// mlp is the layers name1 … nameCount with a ReLU between.
func (b *builder) mlp(name string, count int, x value) value {
	for i := range count {
		if i > 0 {
			x = b.relu(x)
		}
		x = b.linear(fmt.Sprint(name, i+1), x)
	}
	return x
}

func (b *builder) layerNorm(name string, x value) value {
	return b.op("LayerNormalization", []value{x, b.weight(name + ".weight"), b.weight(name + ".bias")}, floatAttribute("epsilon", normEpsilon))
}

// sinusoid returns [values…, dim]: cos(v·ω) then sin(v·ω), ω_i = 10000^(−i/(dim/2)).
func (b *builder) sinusoid(values value, dim int) value {
	omega := make([]float32, dim/2)
	for i := range omega {
		omega[i] = float32(math.Exp(-math.Log(10000) * float64(i) / float64(len(omega))))
	}
	angles := b.mul(b.unsqueeze(values, -1), b.floats(value(fmt.Sprintf("omega_%d", dim)), []int{len(omega)}, omega...))
	return b.concat(-1, b.op("Cos", []value{angles}), b.op("Sin", []value{angles}))
}

// positionTable is the sinusoidal positional encoding [count, dim]: element 2i is sin(p·ω_i),
// 2i+1 is cos(p·ω_i), ω_i = 10000^(−2i/dim). It is a constant, as its angles want float64.
func (b *builder) positionTable(count, dim int) value {
	table := make([]float32, 0, count*dim)
	for p := range count {
		for i := 0; i < dim; i += 2 {
			sin, cos := math.Sincos(float64(p) * math.Exp(-math.Log(10000)*float64(i)/float64(dim)))
			table = append(table, float32(sin), float32(cos))
		}
	}
	return b.floats("positions", []int{count, dim}, table...)
}

// time is the embedding [batch, 1, dim] of the times [batch] int64.
func (b *builder) time(t value) value {
	const dim = 256
	h := b.linear("time_embedding.0", b.sinusoid(b.op("Cast", []value{t}, intAttribute("to", elementFloat)), dim))
	h = b.mul(h, b.op("Sigmoid", []value{h}))
	return b.unsqueeze(b.linear("time_embedding.2", h), 1)
}

// selfLayer is a transformer layer on x [batch, tokens, dim], with the layer norms before
// attention and network if pre; mask [tokens, tokens], added to the logits, may be "".
func (b *builder) selfLayer(name string, x value, dim, heads int, mask value, pre bool) value {
	attention, read := name+".self_attn", x
	if pre {
		read = b.layerNorm(name+".norm1", x)
	}
	qkv := b.affine(read, b.weight(attention+".in_proj_weight"), b.weight(attention+".in_proj_bias"))
	part := func(i int, axes ...int) value { // [batch, tokens, heads, dim/heads], then axes
		p := b.slice(qkv, b.ints(i*dim), b.ints((i+1)*dim), 2)
		return b.transpose(b.reshape(p, 0, 0, heads, dim/heads), axes...)
	}
	q := b.mul(part(0, 0, 2, 1, 3), b.scalar(float32(1/math.Sqrt(float64(dim/heads)))))
	logits := b.matMul(q, part(1, 0, 2, 3, 1))
	if mask != "" {
		logits = b.add(logits, mask)
	}
	y := b.matMul(b.softmax(logits), part(2, 0, 2, 1, 3))
	y = b.reshape(b.transpose(y, 0, 2, 1, 3), 0, 0, dim)
	attended := b.linear(attention+".out_proj", y)
	if !pre {
		return b.residual(name, x, attended)
	}
	x = b.add(x, attended)
	return b.add(x, b.feedForward(name, b.layerNorm(name+".norm2", x)))
}

func (b *builder) softmax(x value) value {
	return b.op("Softmax", []value{x}, intAttribute("axis", -1))
}

func (b *builder) feedForward(name string, x value) value {
	return b.linear(name+".linear2", b.relu(b.linear(name+".linear1", x)))
}

// residual is what a post-norm layer does with what its attention gives.
func (b *builder) residual(name string, x, attended value) value {
	x = b.layerNorm(name+".norm1", b.add(x, attended))
	return b.layerNorm(name+".norm2", b.add(x, b.feedForward(name, x)))
}

// masked is added to logits that must not count.
const masked = -1e9

// additiveMask turns what a token sees into what is added to logits.
func (b *builder) additiveMask(sees value) value {
	return b.op("Where", []value{sees, b.scalar(0), b.scalar(masked)})
}

// counter is 0, 1, …, count−1, of a count that is a vector of one number.
func (b *builder) counter(count value) value {
	end := b.op("Squeeze", []value{count, b.ints(0)})
	return b.op("Range", []value{b.index(0), end, b.index(1)})
}
