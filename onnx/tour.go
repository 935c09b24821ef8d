package onnx

import (
	"fmt"
	"math"

	"github.com/riffle-ml/riffle/denoiser"
)

// tour is the network with attention to edges: cities stay in the order of the objects until
// the last layer, see package denoiser.
func (b *builder) tour(cfg *denoiser.Config, embeddings, arrangement, n, time, items, dummies, mask value) value {
	dim := cfg.Dim
	y := b.add(b.slice(embeddings, b.ints(0), b.ints(dim), 2), time)
	if items != "" { // an object's encoding is that of its position: Σ_i [arrangement_i = object]·items_i
		at := b.op("OneHot", []value{arrangement, n, b.floats("off_on", []int{2}, 0, 1)})
		y = b.add(y, b.matMul(b.transpose(at, 0, 2, 1), items))
	}
	points := b.slice(embeddings, b.ints(dim), b.ints(dim+2), 2)
	gap := b.op("Sub", []value{b.unsqueeze(points, 2), b.unsqueeze(points, 1)})
	lengths := b.op("Sqrt", []value{b.op("ReduceSum", []value{b.mul(gap, gap), b.ints(-1)}, intAttribute("keepdims", 0))})
	edges := b.sinusoid(b.mul(lengths, b.scalar(coordinateScale)), dim) // [batch, n, n, dim]

	// A city has no edge to itself: [n, 1, 1, n] is added to [batch, n, heads, 1, n].
	city := b.counter(n)
	other := b.op("Not", []value{b.op("Equal", []value{city, b.unsqueeze(city, 1)})})
	noSelf := b.unsqueeze(b.additiveMask(other), 1, 2)

	for i := 0; i < cfg.Layers; i += 2 {
		y = b.crossLayer(fmt.Sprintf("transformer.layers.%d", i), y, edges, time, noSelf, dim, cfg.Heads)
		layerMask := value("")
		if i == cfg.Layers-2 {
			y = b.arrange(y, arrangement)
			if dummies != "" {
				y = b.concat(1, y, dummies)
			}
			layerMask = mask
		}
		y = b.selfLayer(fmt.Sprintf("transformer.layers.%d", i+1), y, dim, cfg.Heads, layerMask, false)
	}
	return y
}

// crossLayer is a layer whose attention is from cities y [batch, n, dim] to edges
// [batch, n, n, dim], to whose values the time [batch, 1, dim] is added.
func (b *builder) crossLayer(name string, y, edges, time, noSelf value, dim, heads int) value {
	attention := name + ".multihead_attn"
	part := func(array string, i int) value {
		return b.slice(b.weight(attention+array), b.ints(i*dim), b.ints((i+1)*dim), 0)
	}
	weight := func(i int) value { return b.transpose(part(".in_proj_weight", i), 1, 0) }
	qw, kw, vw := weight(0), weight(1), weight(2)
	qb, vb := part(".in_proj_bias", 0), part(".in_proj_bias", 2) // that of keys is added to all alike
	split := dim / heads
	q := b.mul(b.add(b.matMul(y, qw), qb), b.scalar(float32(1/math.Sqrt(float64(split)))))
	q = b.reshape(q, 0, 0, heads, 1, split)                                                   // [batch, n, heads, 1, split]
	keys := b.transpose(b.reshape(b.matMul(edges, kw), 0, 0, 0, heads, split), 0, 1, 3, 4, 2) // […, heads, split, n]
	values := b.transpose(b.reshape(b.matMul(edges, vw), 0, 0, 0, heads, split), 0, 1, 3, 2, 4)
	weights := b.softmax(b.add(b.matMul(q, keys), noSelf))
	seen := b.reshape(b.matMul(weights, values), 0, 0, dim)
	seen = b.add(seen, b.add(b.matMul(time, vw), vb))
	return b.residual(name, y, b.linear(attention+".out_proj", seen))
}
