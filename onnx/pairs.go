package onnx

import (
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// pairs reads the borders of tiles [batch, n, …]. It returns what is added to the logits of
// attention, [batch, layers·heads, n, n], and to tokens, [batch, n, dim]. See package denoiser.
func (b builder) pairs(cfg *denoiser.Config, borders, n value) (bias, tokens value) {
	var fits []value // [batch, n, n, 1] each
	at := 0
	for _, size := range []int{cfg.Encoder.Height, cfg.Encoder.Width} {
		width := size * max(1, cfg.Encoder.Planes)
		line := func() value {
			at += width
			return b.Reshape(b.Slice(borders, b.Ints(at-width), b.Ints(at), 2), 0, 0, size, -1)
		}
		first, afterFirst, last, beforeLast := line(), line(), line(), line()
		logs := b.logMeanSquares(b.differences(last, first), b.differences(beforeLast, afterFirst), size)
		fits = append(fits, logs...)
		for _, x := range logs {
			fits = append(fits, b.Transpose(x, 0, 2, 1, 3))
		}
	}
	all := b.Concat(-1, fits...)

	tile := b.counter(n)
	between := b.Unsqueeze(b.Op("Not", []value{b.Op("Equal", []value{tile, b.Unsqueeze(tile, 1)})}), 2) // [n, n, 1]
	only := func(x value, other float32) value { return b.Op("Where", []value{between, x, b.Scalar(other)}) }
	best := func(x value, axis int) value {
		return b.Op("ReduceMin", []value{only(x, -masked)}, onnxgraph.IntsAttribute("axes", axis))
	}
	row, column := only(b.sub(all, best(all, 2)), 0), only(b.sub(all, best(all, 1)), 0)
	count := b.Op("ReduceSum", []value{b.Op("Cast", []value{between}, onnxgraph.IntAttribute("to", onnxgraph.Float))})
	mean := b.Op("Div", []value{b.Op("ReduceSum", []value{only(all, 0), b.Ints(1, 2)}), b.Op("Max", []value{count, b.Scalar(1)})})
	tiles := b.Op("Squeeze", []value{b.Concat(-1, b.sub(best(all, 2), mean), best(b.Add(row, column), 2)), b.Ints(2)})
	alone := b.Op("Greater", []value{tiles, b.Scalar(-masked / 2)})
	tiles = b.Op("Where", []value{alone, b.Scalar(0), tiles})

	weight := func(name string) value { return b.Transpose(b.Weight(name), 1, 0) }
	bias = b.MatMul(b.Concat(-1, row, column), weight("pairs.attention.weight"))
	return b.Transpose(bias, 0, 3, 1, 2), b.MatMul(tiles, weight("pairs.tokens.weight"))
}

func (b builder) sub(x, y value) value { return b.Op("Sub", []value{x, y}) }

// differences are x_i − y_j of all pairs.
func (b builder) differences(x, y value) value {
	return b.sub(b.Unsqueeze(x, 2), b.Unsqueeze(y, 1))
}

// logMeanSquares are the three measures of a border of so many pixels, [batch, n, n, 1] each.
func (b builder) logMeanSquares(outer, inner value, size int) []value {
	led := b.sub(b.Mul(outer, b.Scalar(1.5)), b.Mul(inner, b.Scalar(0.5)))
	var along value
	if size == 1 { // one pixel has no change along it
		along = b.sub(outer, outer)
	} else {
		along = b.sub(b.Slice(outer, b.Ints(0), b.Ints(size-1), 3), b.Slice(outer, b.Ints(1), b.Ints(size), 3))
	}
	var logs []value
	for _, x := range []value{outer, led, along} {
		mean := b.Op("ReduceMean", []value{b.Mul(x, x)}, onnxgraph.IntsAttribute("axes", 3, 4), onnxgraph.IntAttribute("keepdims", 0))
		logs = append(logs, b.Unsqueeze(b.Op("Log", []value{b.Add(mean, b.Scalar(denoiser.BorderNoise))}), -1))
	}
	return logs
}

// layerBias adds to a mask, or to none, the part of a bias that is a layer's. more (a vector of one
// number, or "") is how many tokens are no tiles: these have no bias.
func (b builder) layerBias(bias value, layer, heads int, more, mask value) value {
	x := b.Slice(bias, b.Ints(layer*heads), b.Ints((layer+1)*heads), 1)
	if more != "" {
		x = b.Op("Pad", []value{x, b.Concat(0, b.Ints(0, 0, 0, 0, 0, 0), more, more)})
	}
	if mask != "" {
		x = b.Add(x, mask)
	}
	return x
}
