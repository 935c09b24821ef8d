package onnx

import (
	"fmt"
	"math"
	"sync"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/reverse"
)

// scores reads embeddings [batch, n, dim], in states that are arrangements [batch, n] at times
// [batch], and returns the law's scores and the axes they have.
func (b *builder) scores(cfg *denoiser.Config) (scores value, axes []any) {
	dim, width := cfg.Dim, cfg.Dim
	if cfg.Edges {
		width += 2
	}
	embeddings := b.input("embeddings", "what the encoder gives", elementFloat, "batch", "n", width)
	arrangement := b.input("arrangement", "order form: arrangement[i] is the object at position i", elementInt64, "batch", "n")
	time := b.time(b.input("time", "how often the cards were shuffled", elementInt64, "batch"))

	matrix, extra, transitions := cfg.Law.Layout() == reverse.Matrix, cfg.Law.Layout() == reverse.VectorPlusOne, cfg.Law.Layout() == reverse.MatrixPlusRow // GPL; IT; path
	n := sync.OnceValue(func() value { return b.sizes(arrangement, 1, 2) })                                                                                // not every network asks
	items, dummies := b.positions(cfg, n, matrix, extra)
	if dummies != "" { // the same ones in each set
		dummies = b.op("Expand", []value{b.unsqueeze(dummies, 0), b.concat(0, b.sizes(arrangement, 0, 1), b.ints(1, 1))})
	}
	mask := value("")
	if matrix {
		mask = b.dummyMask(n())
	}
	var y value
	if cfg.Edges {
		y = b.tour(cfg, embeddings, arrangement, n(), time, items, dummies, mask)
	} else {
		y = b.add(b.arrange(embeddings, arrangement), time)
		if items != "" {
			y = b.add(y, items)
		}
		if dummies != "" {
			y = b.concat(1, y, dummies)
		}
		for i := range cfg.Layers {
			y = b.selfLayer(fmt.Sprintf("transformer.layers.%d", i), y, dim, cfg.Heads, mask, cfg.Norm == "pre")
		}
		if cfg.Norm == "pre" {
			y = b.layerNorm("transformer.norm", y)
		}
	}
	if matrix {
		ones := make([]float32, dim)
		for i := range ones {
			ones[i] = 1
		}
		y = b.op("LayerNormalization", []value{y, b.floats("ones", []int{dim}, ones...)}, floatAttribute("epsilon", normEpsilon))
		rows, columns := b.slice(y, n(), b.ints(math.MaxInt64), 1), b.slice(y, b.ints(0), n(), 1)
		if cfg.GPLRows == "items" {
			rows, columns = columns, rows
		}
		return b.matMul(rows, b.transpose(columns, 0, 2, 1)), []any{"batch", "n", "n"}
	}
	if transitions {
		return b.transitions(y, dim), []any{"batch", "n + 1", "n"}
	}
	y = b.linear("head.2", b.relu(b.linear("head.0", y)))
	y = b.op("Squeeze", []value{y, b.ints(-1)})
	if extra {
		return y, []any{"batch", "n + 1"}
	}
	return y, []any{"batch", "n"}
}

// positions returns the positional encodings of items [n, dim] and of dummies [m, dim], "" for
// none. Their tables end at the size the network is made for.
func (b *builder) positions(cfg *denoiser.Config, n func() value, matrix, extra bool) (items, dummies value) {
	most, count := 0, n // dummies of the largest sets; of these
	switch {
	case matrix:
		most = cfg.N
	case extra:
		most, count = 1, func() value { return b.ints(1) }
	}
	zero := b.ints(0)
	switch cfg.Positions {
	case "first", "none":
		if most > 0 {
			dummies = b.slice(b.positionTable(most, cfg.Dim), zero, count(), 0)
		}
		if cfg.Positions == "first" { // nothing but for the first
			first := b.op("Equal", []value{b.unsqueeze(b.counter(n()), 1), b.index(0)})
			items = b.op("Where", []value{first, b.weight("positions.weight"), b.scalar(0)})
		}
		return items, dummies
	case "learned":
		table := b.weight("positions.weight")
		if most > 0 {
			first := b.ints(cfg.N)
			dummies = b.slice(table, first, b.add(first, count()), 0)
		}
		return b.slice(table, zero, n(), 0), dummies
	}
	table := b.positionTable(cfg.N+most, cfg.Dim)
	if most > 0 {
		dummies = b.slice(table, n(), b.add(n(), count()), 0)
	}
	return b.slice(table, zero, n(), 0), dummies
}

// transitions are the scores [batch, n+1, n] of tokens y [batch, n, dim], see package denoiser.
func (b *builder) transitions(y value, dim int) value {
	one := b.op("Expand", []value{b.weight("head.start"), b.concat(0, b.op("Shape", []value{y}, intAttribute("end", 1)), b.ints(1, dim))})
	queries := b.concat(1, one, b.linear("head.query", y))
	keys := b.mul(b.linear("head.key", y), b.scalar(float32(4/math.Sqrt(float64(dim)))))
	return b.matMul(queries, b.transpose(keys, 0, 2, 1))
}

// dummyMask is added to the logits [2n, 2n] of n items and n dummies after them: items see
// items, dummy j sees all items and the dummies before it. So token i sees max(i, n) tokens.
func (b *builder) dummyMask(n value) value {
	token := b.counter(b.add(n, n))
	return b.additiveMask(b.op("Less", []value{token, b.op("Max", []value{b.unsqueeze(token, 1), n})}))
}

// arrange puts x [batch, n, …] in order: result[:, i] = x[:, arrangement[:, i]].
func (b *builder) arrange(x, arrangement value) value {
	return b.op("GatherND", []value{x, b.unsqueeze(arrangement, -1)}, intAttribute("batch_dims", 1))
}
