package denoiser

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
)

// edgeNet is a gated graph network on the complete graph of a set's points (Bresson & Laurent 2017).
// Nodes and edges have d numbers each, and a node hears from the others through gates on its edges. It
// gives each edge a number, the logit that it is in the tour.
//
// Head "edges" is the network of Joshi, Laurent & Bresson (2019): with batch norm, an edge begins with its
// length. Head "noisy-edges" is that of DIFUSCO (Sun & Yang 2023). It has layer norm. An edge begins with
// its state in a noisy tour, and the time is added in each layer.
type edgeNet struct {
	nodes, edges *linear
	time         *timeEmbedding // of noisy edges
	layers       []*gatedLayer
	out          []*linear
	dim          int
}

func newEdgeNet(r *registry, name string, cfg *Config) *edgeNet {
	d := cfg.Dim
	e := &edgeNet{dim: d}
	noisy := cfg.Head == headNoisyEdges
	if noisy {
		e.nodes, e.edges = newLinear(r, name+".nodes", d, d, false), newLinear(r, name+".edges", d, d, false)
		e.time = newTimeEmbedding(r, name+".time", d)
	} else {
		e.nodes, e.edges = newLinear(r, name+".nodes", 2, d, false), newLinear(r, name+".edges", 1, d, false)
	}
	for i := range cfg.Layers {
		e.layers = append(e.layers, newGatedLayer(r, fmt.Sprintf("%s.layers.%d", name, i), d, noisy))
	}
	e.out = newMLP(r, name+".out", d, []int{d}, 1)
	return e
}

// apply takes points [batch, n, 2] and, for noisy edges, their states [batch, n, n], 0 or 1, at times
// [batch] int32. It returns [batch, n, n]; an edge has a logit from each of its ends.
func (e *edgeNet) apply(c *Context, points, states, times *graph.Node) *graph.Node {
	dims := points.Shape().Dimensions
	batch, n := dims[0], dims[1]
	var x, y, t *graph.Node
	if e.time != nil {
		x = pointsEncoder{dim: e.dim}.apply(c, points)
		// −1 or 1, spread over the wavelengths of the sinusoid as a coordinate is.
		y = sinusoid(graph.MulScalar(graph.AddScalar(graph.MulScalar(states, 2), -1), PointScale), e.dim)
		t = graph.Reshape(e.time.apply(c, times), batch, 1, 1, e.dim)
	} else {
		x, y = points, graph.ExpandAxes(lengths(points), -1)
	}
	x = e.nodes.apply(c, x, activation.TypeNone)
	y = e.edges.apply(c, y, activation.TypeNone)
	for _, l := range e.layers {
		x, y = l.apply(c, x, y, t)
	}
	return graph.Reshape(applyMLP(c, e.out, y), batch, n, n)
}

// gatedLayer makes of nodes x and edges y, with ŷ_ij = W₃ y_ij + W₄ x_i + W₅ x_j,
//
//	x_i + ReLU(norm(W₁ x_i + Σ_j g_ij ⊙ W₂ x_j)),   y_ij + ReLU(norm(ŷ_ij)),   g_ij = σ(ŷ_ij) / Σ_k σ(ŷ_ik);
//
// of noisy edges the gates are not divided by their sum, and an edge becomes
// y_ij + MLP(norm(ŷ_ij)) + W t.
type gatedLayer struct {
	w            [5]*linear
	nodes, edges normalizer
	mlp          []*linear
	time         *linear
}

// normalizer is a batch norm or a layer norm.
type normalizer interface {
	apply(c *Context, x *graph.Node) *graph.Node
}

func newGatedLayer(r *registry, name string, d int, noisy bool) *gatedLayer {
	l := &gatedLayer{}
	for i := range l.w {
		l.w[i] = newLinear(r, fmt.Sprintf("%s.w%d", name, i+1), d, d, false)
	}
	if !noisy {
		l.nodes, l.edges = newBatchNorm(r, name+".norm_nodes", d), newBatchNorm(r, name+".norm_edges", d)
		return l
	}
	l.nodes, l.edges = newLayerNorm(r, name+".norm_nodes", d), newLayerNorm(r, name+".norm_edges", d)
	l.mlp, l.time = newMLP(r, name+".mlp", d, []int{d}, d), newLinear(r, name+".time", d, d, false)
	return l
}

func (l *gatedLayer) apply(c *Context, x, y, t *graph.Node) (nodes, edges *graph.Node) {
	w := func(i int, v *graph.Node) *graph.Node { return l.w[i-1].apply(c, v, activation.TypeNone) }
	hat := graph.Add(w(3, y), graph.Add(graph.ExpandAxes(w(4, x), 2), graph.ExpandAxes(w(5, x), 1)))
	gates := graph.Sigmoid(hat)
	if l.time == nil {
		gates = graph.Div(gates, graph.AddScalar(graph.ReduceAndKeep(gates, graph.ReduceSum, 2), 1e-20))
	}
	heard := graph.ReduceSum(graph.Mul(gates, graph.ExpandAxes(w(2, x), 1)), 2)
	nodes = graph.Add(x, activation.Relu(l.nodes.apply(c, graph.Add(w(1, x), heard))))
	if l.time == nil {
		return nodes, graph.Add(y, activation.Relu(l.edges.apply(c, hat)))
	}
	edges = graph.Add(y, applyMLP(c, l.mlp, l.edges.apply(c, hat)))
	return nodes, graph.Add(edges, l.time.apply(c, t, activation.TypeNone))
}

// apply normalises x […, channels].
func (l *batchNorm) apply(c *Context, x *graph.Node) *graph.Node {
	dims := x.Shape().Dimensions
	flat := graph.Reshape(x, -1, dims[len(dims)-1])
	mean, variance := c.get(l.mean), c.get(l.variance)
	if c.Training {
		rows := float64(flat.Shape().Dimensions[0])
		mean = graph.ReduceMean(flat, 0)
		variance = graph.ReduceMean(graph.Square(graph.Sub(flat, graph.ExpandLeftToRank(mean, 2))), 0)
		l.move(c, mean, graph.MulScalar(variance, rows/max(1, rows-1)))
	}
	scale := graph.Div(c.get(l.w), graph.Sqrt(graph.AddScalar(variance, normEpsilon))) // Rsqrt has no gradient
	shift := graph.Sub(c.get(l.b), graph.Mul(mean, scale))
	y := graph.Add(graph.Mul(flat, graph.ExpandLeftToRank(scale, 2)), graph.ExpandLeftToRank(shift, 2))
	return graph.Reshape(y, dims...)
}

// The heads that give numbers to edges.
const (
	headEdges      = "edges"
	headNoisyEdges = "noisy-edges"
)

// givesEdges tells whether the network is one of edges alone.
func (c *Config) givesEdges() bool { return c.Head == headEdges || c.Head == headNoisyEdges }

// EdgeFloats is about how many numbers the network keeps of each pair of points for the way back, 0 where
// it does not score edges.
func (d *Denoiser) EdgeFloats() int {
	if d.graph == nil {
		return 0
	}
	return 9 * d.Config.Dim * (d.Config.Layers + 1)
}

// EdgeScores returns the logits [batch, n, n] that edges between points [batch, n, 2] are in the tour.
// With Head "noisy-edges" it reads the states of the edges, [batch, n, n] of 0 and 1, at times
// [batch] int32; with "edges" both are nil.
func (d *Denoiser) EdgeScores(c *Context, points, states, times *graph.Node) *graph.Node {
	c.half = d.halfWanted(c)
	return d.graph.apply(c, points, states, times)
}
