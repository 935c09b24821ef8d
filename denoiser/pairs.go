package denoiser

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// pairs tells the transformer how well the borders of two tiles fit. It is computed from the tiles,
// and only two linear maps of it are learned. One gives a number that is added to the logits of
// attention, for each layer and head. The other gives what is added to a tile's token.
//
// Let tile j be to the right of tile i. r is the last column of i, and r' the one before it; l is the first
// column of j, and l' the one after it. Pixels are from 0 to 1. Three differences are taken at each pixel of
// the border,
//
//	d = r − l,   d + ½(r − r') − ½(l − l'),   d_k − d_{k+1} (k along the border),
//
// the step across the border, the gap between what both sides lead to, and the change of the step
// along the border. G is the log of ε plus the mean of their squares. The other three directions
// are likewise, so that a set has 12 matrices G [n, n]. Features are ratios, so the contrast of a
// picture does not matter: G_ij over the best of row i, and over the best of column j (24). A
// tile's own features are its best fit over the mean of the set, and its best product of the two
// ratios (24). That product is 1 where two tiles fit each other best.
type pairs struct {
	attention, tokens *Param // [layers·heads, 24] and [d, 24]
	layers, heads     int
	height, width     int // of a tile, pixels
	planes            int
}

const pairFeatures = 24

// BorderNoise is what is added to the mean squared difference of two borders before its log, with Pairs. It
// is the square of a hundredth of the range of pixels. Borders that differ by less all fit.
const BorderNoise = 1e-4

func newPairs(r *registry, name string, cfg *Config) (*pairs, error) {
	if cfg.Pairs != "borders" {
		return nil, field.Errorf("Pairs", "unknown %q, wanted borders", cfg.Pairs)
	}
	e := &cfg.Encoder
	if e.Reads() != Images {
		return nil, field.Errorf("Pairs", "borders are of images, wanted an encoder of these (got %q)", e.Kind)
	}
	if cfg.Score != scoreContext {
		return nil, field.Errorf("Pairs", "are told to the transformer, wanted score context (got %q)", cfg.Score)
	}
	p := &pairs{layers: cfg.Layers, heads: cfg.Heads, height: e.Height, width: e.Width, planes: max(1, e.Planes)}
	p.tokens = r.add(name+".tokens.weight", xavier(pairFeatures, cfg.Dim), cfg.Dim, pairFeatures)
	if p.layers > 0 {
		p.attention = r.add(name+".attention.weight", xavier(pairFeatures, cfg.Heads), cfg.Layers*cfg.Heads, pairFeatures)
	}
	return p, nil
}

// kept is how many numbers borders keeps of a tile.
func (p *pairs) kept() int { return 4 * (p.height + p.width) * p.planes }

// borders cuts from images [batch, n, height, width(, planes)] what the features are made of, [batch, n,
// kept()]. That is the outermost line of pixels and the one before it, of the left, the right, the upper
// and the lower side.
func (p *pairs) borders(x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	images := graph.Reshape(pixels(x), d[0], d[1], p.height, p.width, p.planes)
	var lines []*graph.Node
	p.lines(func(axis, at int) {
		line := graph.SliceAxis(images, axis, graph.AxisElem(at))
		lines = append(lines, graph.Reshape(line, d[0], d[1], -1))
	})
	return graph.StopGradient(graph.Concatenate(lines, -1))
}

// PairFloats is about how many numbers the features of a pair of objects take, with its bias in so many
// states, forward and backward. It is 0 without Pairs.
func (d *Denoiser) PairFloats(states int) int {
	if d.pairs == nil {
		return 0
	}
	return 2*d.pairs.kept() + 4*pairFeatures + 4*states*d.pairs.layers*d.pairs.heads
}

// lines calls f for the lines of pixels that borders keeps, which are at a place along an axis of
// images [batch, n, height, width, …].
func (p *pairs) lines(f func(axis, at int)) {
	for _, side := range []struct{ axis, size int }{{3, p.width}, {2, p.height}} {
		second := min(1, side.size-1)
		for _, at := range []int{0, second, side.size - 1, side.size - 1 - second} {
			f(side.axis, at)
		}
	}
}

// onnx is borders in ONNX.
func (p *pairs) onnx(b *onnxgraph.Builder) onnxgraph.Value {
	var lines []onnxgraph.Value
	p.lines(func(axis, at int) {
		lines = append(lines, b.Reshape(b.Slice(onnxObjects, b.Ints(at), b.Ints(at+1), axis), 0, 0, -1))
	})
	return b.Concat(-1, lines...)
}

// features takes what borders gives and the lengths of padded sets, or nil, and returns the features
// of pairs [batch, n, n, 24] and of tiles [batch, n, 24].
func (p *pairs) features(borders, lengths *graph.Node) (ofPairs, ofTiles *graph.Node) {
	dims := borders.Shape().Dimensions
	batch, n := dims[0], dims[1]
	var fits []*graph.Node // [batch, n, n, 3] for each direction
	at := 0
	for _, size := range []int{p.height, p.width} { // side by side, then one below the other
		line := func() *graph.Node {
			x := graph.Slice(borders, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(at, at+size*p.planes))
			at += size * p.planes
			return graph.Reshape(x, batch, n, size, p.planes)
		}
		first, afterFirst, last, beforeLast := line(), line(), line(), line()
		fit := logMeanSquares(differences(last, first), differences(beforeLast, afterFirst))
		fits = append(fits, fit, graph.TransposeAllAxes(fit, 0, 2, 1, 3))
	}
	all := graph.Concatenate(fits, -1) // [batch, n, n, 12]
	between := neighbours(borders.Graph(), lengths, batch, n, all.Shape().Dim(3))
	zero, far := graph.ZerosLike(all), graph.AddScalar(graph.ZerosLike(all), -masked)
	best := func(x *graph.Node, axis int) *graph.Node {
		return graph.ReduceAndKeep(graph.Where(between, x, far), graph.ReduceMin, axis)
	}
	row := graph.Where(between, graph.Sub(all, best(all, 2)), zero)
	column := graph.Where(between, graph.Sub(all, best(all, 1)), zero)
	count := graph.ReduceAndKeep(graph.ConvertDType(between, all.DType()), graph.ReduceSum, 1, 2)
	mean := graph.Div(graph.ReduceAndKeep(graph.Where(between, all, zero), graph.ReduceSum, 1, 2), graph.MaxScalar(count, 1))
	tiles := graph.Concatenate([]*graph.Node{graph.Sub(best(all, 2), mean), best(graph.Add(row, column), 2)}, -1)
	tiles = graph.Squeeze(tiles, 2)
	// A tile alone has no fit.
	tiles = graph.Where(graph.GreaterThan(tiles, graph.AddScalar(graph.ZerosLike(tiles), -masked/2)), graph.ZerosLike(tiles), tiles)
	return graph.StopGradient(graph.Concatenate([]*graph.Node{row, column}, -1)), graph.StopGradient(tiles)
}

// differences returns a_i − b_j [batch, n, n, …] of a and b [batch, n, …].
func differences(a, b *graph.Node) *graph.Node {
	return graph.Sub(graph.ExpandAxes(a, 2), graph.ExpandAxes(b, 1))
}

// logMeanSquares takes the differences of the outermost lines and those of the lines before them,
// [batch, n, n, size, planes], and returns the three logs [batch, n, n, 3].
func logMeanSquares(outer, inner *graph.Node) *graph.Node {
	d := outer.Shape().Dimensions
	size := d[3]
	rest := func(from, to int) *graph.Node { return graph.SliceAxis(outer, 3, graph.AxisRange(from, to)) }
	led := graph.Sub(graph.MulScalar(outer, 1.5), graph.MulScalar(inner, 0.5))
	along := graph.ZerosLike(outer) // one pixel has no change along it
	if size > 1 {
		along = graph.Sub(rest(0, size-1), rest(1, size))
	}
	var logs []*graph.Node
	for _, x := range []*graph.Node{outer, led, along} {
		mean := graph.ReduceMean(graph.Square(x), 3, 4)
		logs = append(logs, graph.Log(graph.AddScalar(mean, BorderNoise)))
	}
	return graph.Stack(logs, -1)
}

// neighbours tells which pairs are two tiles of a set, none of them padding: [batch, n, n, width] bool.
func neighbours(g *graph.Graph, lengths *graph.Node, batch, n, width int) *graph.Node {
	shape := shapes.Make(dtypes.Int32, batch, n, n, width)
	i, j := graph.Iota(g, shape, 1), graph.Iota(g, shape, 2)
	between := graph.NotEqual(i, j)
	if lengths != nil {
		end := graph.BroadcastToDims(graph.Reshape(lengths, batch, 1, 1, 1), batch, n, n, width)
		between = graph.LogicalAnd(between, graph.LessThan(graph.Max(i, j), end))
	}
	return between
}

// apply returns what is added to the logits of attention, [batch·states, layers, heads, n, n] for
// arrangements [batch, states, n]. It is nil without layers. apply also returns what is added to
// tokens [batch, n, d].
func (p *pairs) apply(c *Context, borders, arrangements, lengths *graph.Node) (bias, tokens *graph.Node) {
	ofPairs, ofTiles := p.features(borders, lengths)
	tokens = graph.Einsum("bnf,df->bnd", ofTiles, c.get(p.tokens))
	if p.layers == 0 {
		return nil, tokens
	}
	d := arrangements.Shape().Dimensions
	hot := oneHot(arrangements, d[2])
	bias = graph.Einsum("bnmf,hf->bnmh", ofPairs, c.get(p.attention))
	bias = graph.Einsum("bsin,bnmh->bsimh", hot, bias)
	bias = graph.Einsum("bsjm,bsimh->bshij", hot, bias)
	return graph.Reshape(bias, d[0]*d[1], p.layers, p.heads, d[2], d[2]), tokens
}

// layerBias is the part of a bias that is a layer's, [rows·heads, items, items], nil without a bias. Of
// items that are no objects, such as IT's extra token, it says nothing.
func layerBias(bias *graph.Node, layer, items int) *graph.Node {
	if bias == nil {
		return nil
	}
	d := bias.Shape().Dimensions
	return widen(graph.Reshape(graph.SliceAxis(bias, 1, graph.AxisElem(layer)), d[0]*d[2], d[3], d[4]), items-d[3])
}

// widen adds tokens without a bias, as dummies are, to one [count, n, n], or to none.
func widen(bias *graph.Node, more int) *graph.Node {
	if bias == nil || more == 0 {
		return bias
	}
	end := compute.PadAxis{End: more}
	return graph.Pad(bias, graph.ScalarZero(bias.Graph(), bias.DType()), compute.PadAxis{}, end, end)
}
