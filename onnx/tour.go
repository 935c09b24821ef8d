package onnx

import (
	"fmt"
	"math"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// tour is the network with attention to edges: cities stay in the order of the objects until
// the last layer, see package denoiser.
func (b builder) tour(cfg *denoiser.Config, embeddings, arrangement, n, time, items, dummies, mask value) value {
	dim := cfg.Dim
	y := b.Add(b.Slice(embeddings, b.Ints(0), b.Ints(dim), 2), time)
	if items != "" { // an object's encoding is that of its position: Σ_i [arrangement_i = object]·items_i
		at := b.Op("OneHot", []value{arrangement, n, b.Floats("off_on", []int{2}, 0, 1)})
		y = b.Add(y, b.MatMul(b.Transpose(at, 0, 2, 1), items))
	}
	points := b.Slice(embeddings, b.Ints(dim), b.Ints(dim+2), 2)
	gap := b.Op("Sub", []value{b.Unsqueeze(points, 2), b.Unsqueeze(points, 1)})
	lengths := b.Op("Sqrt", []value{b.Op("ReduceSum", []value{b.Mul(gap, gap), b.Ints(-1)}, onnxgraph.IntAttribute("keepdims", 0))})
	edges := b.Sinusoid(b.Mul(lengths, b.Scalar(denoiser.PointScale)), dim) // [batch, n, n, dim]

	// A city has no edge to itself: [n, 1, 1, n] is added to [batch, n, heads, 1, n].
	city := b.counter(n)
	other := b.Op("Not", []value{b.Op("Equal", []value{city, b.Unsqueeze(city, 1)})})
	noSelf := b.Unsqueeze(b.additiveMask(other), 1, 2)

	for i := 0; i < cfg.Layers; i += 2 {
		y = b.crossLayer(fmt.Sprintf("transformer.layers.%d", i), y, edges, time, noSelf, dim, cfg.Heads)
		layerMask := value("")
		if i == cfg.Layers-2 {
			y = b.arrange(y, arrangement)
			if dummies != "" {
				y = b.Concat(1, y, dummies)
			}
			layerMask = mask
		}
		y = b.selfLayer(fmt.Sprintf("transformer.layers.%d", i+1), y, dim, cfg.Heads, layerMask, false)
	}
	return y
}

// crossLayer is a layer whose attention is from cities y [batch, n, dim] to edges
// [batch, n, n, dim], to whose values the time [batch, 1, dim] is added.
func (b builder) crossLayer(name string, y, edges, time, noSelf value, dim, heads int) value {
	attention := name + ".multihead_attn"
	part := func(array string, i int) value {
		return b.Slice(b.Weight(attention+array), b.Ints(i*dim), b.Ints((i+1)*dim), 0)
	}
	weight := func(i int) value { return b.Transpose(part(".in_proj_weight", i), 1, 0) }
	qw, kw, vw := weight(0), weight(1), weight(2)
	qb, vb := part(".in_proj_bias", 0), part(".in_proj_bias", 2) // that of keys is added to all alike
	split := dim / heads
	q := b.Mul(b.Add(b.MatMul(y, qw), qb), b.Scalar(float32(1/math.Sqrt(float64(split)))))
	q = b.Reshape(q, 0, 0, heads, 1, split)                                                   // [batch, n, heads, 1, split]
	keys := b.Transpose(b.Reshape(b.MatMul(edges, kw), 0, 0, 0, heads, split), 0, 1, 3, 4, 2) // […, heads, split, n]
	values := b.Transpose(b.Reshape(b.MatMul(edges, vw), 0, 0, 0, heads, split), 0, 1, 3, 2, 4)
	weights := b.softmax(b.Add(b.MatMul(q, keys), noSelf))
	seen := b.Reshape(b.MatMul(weights, values), 0, 0, dim)
	seen = b.Add(seen, b.Add(b.MatMul(time, vw), vb))
	return b.residual(name, y, b.Linear(attention+".out_proj", seen))
}
