package onnx

import (
	"fmt"
	"math"
	"sync"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
	"github.com/riffle-ml/riffle/reverse"
)

// scores reads embeddings [batch, n, width], in states that are arrangements [batch, n] at times
// [batch], and returns the law's scores and the axes they have.
func (b builder) scores(cfg *denoiser.Config, width int) (scores value, axes []any) {
	embeddings := b.Input("embeddings", "what the encoder gives", onnxgraph.Float, "batch", "n", width)
	arrangement := b.Input("arrangement", "order form: arrangement[i] is the object at position i", onnxgraph.Int64, "batch", "n")
	times := b.Input("time", "how often the cards were shuffled", onnxgraph.Int64, "batch")
	if cfg.Score != denoiser.ScoreDirect {
		scores, axes = b.contextScores(cfg, width, embeddings, arrangement, times)
	}
	if cfg.Score == "context" {
		return scores, axes
	}
	direct := b.scoreMLP("direct", b.arrange(embeddings, arrangement))
	if cfg.Score == "sum" {
		direct = b.Add(direct, scores)
	}
	return direct, []any{"batch", "n"}
}

// contextScores are those that come from the transformer.
func (b builder) contextScores(cfg *denoiser.Config, width int, embeddings, arrangement, times value) (scores value, axes []any) {
	dim, time := cfg.Dim, b.time(times)
	matrix, extra, transitions := cfg.Law.Layout() == reverse.Matrix, cfg.Law.Layout() == reverse.VectorPlusOne, cfg.Law.Layout() == reverse.MatrixPlusRow // GPL; IT; path
	n := sync.OnceValue(func() value { return b.Sizes(arrangement, 1, 2) })                                                                                // not every network asks
	items, dummies := b.positions(cfg, n, matrix, extra)
	if dummies != "" { // the same ones in each set
		dummies = b.Op("Expand", []value{b.Unsqueeze(dummies, 0), b.Concat(0, b.Sizes(arrangement, 0, 1), b.Ints(1, 1))})
	}
	mask := value("")
	if matrix {
		mask = b.dummyMask(n())
	}
	var y value
	if cfg.Edges {
		y = b.tour(cfg, embeddings, arrangement, n(), time, items, dummies, mask)
	} else {
		y = b.arrange(embeddings, arrangement)
		bias, more := value(""), value("")
		if cfg.Pairs != "" {
			var tokens value
			bias, tokens = b.pairs(cfg, b.Slice(y, b.Ints(dim), b.Ints(width), 2), n())
			y = b.Add(b.Slice(y, b.Ints(0), b.Ints(dim), 2), tokens)
			switch {
			case matrix:
				more = n()
			case extra:
				more = b.Ints(1)
			}
		}
		y = b.Add(y, time)
		if items != "" {
			y = b.Add(y, items)
		}
		if dummies != "" {
			y = b.Concat(1, y, dummies)
		}
		for i := range cfg.Layers {
			added := mask
			if bias != "" {
				added = b.layerBias(bias, i, cfg.Heads, more, mask)
			}
			y = b.selfLayer(fmt.Sprintf("transformer.layers.%d", i), y, dim, cfg.Heads, added, cfg.Norm == "pre")
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
		y = b.Op("LayerNormalization", []value{y, b.Floats("ones", []int{dim}, ones...)}, onnxgraph.FloatAttribute("epsilon", onnxgraph.NormEpsilon))
		rows, columns := b.Slice(y, n(), b.Ints(math.MaxInt64), 1), b.Slice(y, b.Ints(0), n(), 1)
		if cfg.GPLRows == "items" {
			rows, columns = columns, rows
		}
		return b.MatMul(rows, b.Transpose(columns, 0, 2, 1)), []any{"batch", "n", "n"}
	}
	if transitions {
		return b.transitions(y, dim), []any{"batch", "n + 1", "n"}
	}
	if cfg.Law.Layout() == reverse.Contexts {
		return b.contexts(y), []any{"batch", "n + 1", 3*reverse.ContextWidth + 1}
	}
	y = b.scoreMLP("head", y)
	if extra {
		return y, []any{"batch", "n + 1"}
	}
	return y, []any{"batch", "n"}
}

// scoreMLP gives each vector of x [batch, n, dim] a number: [batch, n].
func (b builder) scoreMLP(name string, x value) value {
	x = b.Linear(name+".2", b.Relu(b.Linear(name+".0", x)))
	return b.Op("Squeeze", []value{x, b.Ints(-1)})
}

// positions returns the positional encodings of items [n, dim] and of dummies [m, dim], "" for
// none. Their tables end at the size the network is made for.
func (b builder) positions(cfg *denoiser.Config, n func() value, matrix, extra bool) (items, dummies value) {
	most, count := 0, n // dummies of the largest sets; of these
	switch {
	case matrix:
		most = cfg.N
	case extra:
		most, count = 1, func() value { return b.Ints(1) }
	}
	zero := b.Ints(0)
	switch cfg.Positions {
	case "first", "none":
		if most > 0 {
			dummies = b.Slice(b.positionTable(most, cfg.Dim), zero, count(), 0)
		}
		if cfg.Positions == "first" { // nothing but for the first
			first := b.Op("Equal", []value{b.Unsqueeze(b.counter(n()), 1), b.Index(0)})
			items = b.Op("Where", []value{first, b.Weight("positions.weight"), b.Scalar(0)})
		}
		return items, dummies
	case "learned":
		table := b.Weight("positions.weight")
		if most > 0 {
			first := b.Ints(cfg.N)
			dummies = b.Slice(table, first, b.Add(first, count()), 0)
		}
		return b.Slice(table, zero, n(), 0), dummies
	}
	table := b.positionTable(cfg.N+most, cfg.Dim)
	if most > 0 {
		dummies = b.Slice(table, n(), b.Add(n(), count()), 0)
	}
	return b.Slice(table, zero, n(), 0), dummies
}

// transitions are the scores [batch, n+1, n] of tokens y [batch, n, dim], see package denoiser.
func (b builder) transitions(y value, dim int) value {
	one := b.Op("Expand", []value{b.Weight("head.start"), b.Concat(0, b.Op("Shape", []value{y}, onnxgraph.IntAttribute("end", 1)), b.Ints(1, dim))})
	queries := b.Concat(1, one, b.Linear("head.query", y))
	keys := b.Mul(b.Linear("head.key", y), b.Scalar(float32(4/math.Sqrt(float64(dim)))))
	return b.MatMul(queries, b.Transpose(keys, 0, 2, 1))
}

// contexts are the scores [batch, n+1, 3w+1] of tokens y [batch, n, dim], see package denoiser.
func (b builder) contexts(y value) value {
	const w = reverse.ContextWidth
	objects := b.Linear("head.out", y)
	keys := b.Mul(b.Slice(objects, b.Ints(0), b.Ints(w), 2), b.Scalar(float32(4/math.Sqrt(w))))
	objects = b.Concat(2, keys, b.Slice(objects, b.Ints(w), b.Ints(3*w+1), 2))
	first := b.Concat(0, b.Floats("none", []int{w}, make([]float32, w)...), b.Weight("head.start"), b.Floats("none behind", []int{w + 1}, make([]float32, w+1)...))
	one := b.Op("Expand", []value{first, b.Concat(0, b.Op("Shape", []value{y}, onnxgraph.IntAttribute("end", 1)), b.Ints(1, 3*w+1))})
	return b.Concat(1, one, objects)
}

// dummyMask is added to the logits [2n, 2n] of n items and n dummies after them: items see
// items, dummy j sees all items and the dummies before it. So token i sees max(i, n) tokens.
func (b builder) dummyMask(n value) value {
	token := b.counter(b.Add(n, n))
	return b.additiveMask(b.Op("Less", []value{token, b.Op("Max", []value{b.Unsqueeze(token, 1), n})}))
}

// arrange puts x [batch, n, …] in order: result[:, i] = x[:, arrangement[:, i]].
func (b builder) arrange(x, arrangement value) value {
	return b.Op("GatherND", []value{x, b.Unsqueeze(arrangement, -1)}, onnxgraph.IntAttribute("batch_dims", 1))
}
