// Package denoiser builds the network of the reverse process. It reads the objects X_t in their
// present arrangement and the time t. It gives the scores of a reverse law p(σ'_t | X_t) (paper
// §3.3 and appendix C).
//
// The work is in two parts, so that objects are encoded once a batch and once a decode:
//
//	[Denoiser.Encode]   objects [batch, n, …]            → embeddings [batch, n, d]
//	[Denoiser.Scores]   embeddings, arrangements, times  → scores [batch·states, …]
//
// Weights live in a GoMLX store under the names that the PyTorch reference in bench/torch
// uses, in PyTorch's layout.
package denoiser

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/reverse"
)

// Denoiser is a network that is put together; its weights are in a store.
type Denoiser struct {
	Config      Config
	params      []*Param
	encoder     encoder
	time        *timeEmbedding
	positions   *Param // with Positions "learned" [2N, d], with "first" [1, d]
	transformer *transformer
	tour        *tour   // with Edges, in its place
	mlp0, mlp2  *linear // for the laws with a score for each object
	direct      *direct // for scores that come from embeddings
	head        *linear // with Head
	transitions *transitions
	contexts    *contexts
	pairs       *pairs   // with Pairs
	graph       *edgeNet // with a Head for edges, in place of all others
}

// New puts a network together.
func New(cfg Config) (*Denoiser, error) {
	if cfg.GPLRows == "" {
		cfg.GPLRows = "dummies"
	}
	if cfg.Precision == "" {
		cfg.Precision = "float32"
	}
	if cfg.Positions == "" {
		cfg.Positions = "sinusoid"
	}
	if cfg.Norm == "" {
		cfg.Norm = "post"
	}
	switch cfg.Score {
	case "":
		cfg.Score = scoreContext
	case ScoreDirect:
		cfg.Layers = 0
	}
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	r := &registry{}
	d := &Denoiser{Config: cfg}
	if cfg.givesEdges() {
		if cfg.Encoder.Kind != "points" {
			return nil, field.Errorf("Encoder.Kind", "edges are between points, wanted points (got %q)", cfg.Encoder.Kind)
		}
		d.encoder, d.graph = pointsEncoder{dim: cfg.Dim}, newEdgeNet(r, "graph", &cfg)
		return d, d.keep(r)
	}
	var err error
	if d.encoder, err = newEncoder(r, "encoder", &cfg); err != nil {
		return nil, err
	}
	if cfg.Pairs != "" {
		if d.pairs, err = newPairs(r, "pairs", &cfg); err != nil {
			return nil, err
		}
	}
	if cfg.Score != scoreContext {
		d.direct = newDirect(r, "direct", cfg.Dim)
	}
	if cfg.Score != ScoreDirect {
		if err := d.addContext(r); err != nil {
			return nil, err
		}
	}
	return d, d.keep(r)
}

// addContext adds what reads the objects of a state together: transformer and head.
func (d *Denoiser) addContext(r *registry) (err error) {
	cfg := &d.Config
	d.time = newTimeEmbedding(r, "time_embedding", cfg.Dim)
	switch cfg.Positions {
	case "learned":
		d.positions = r.add("positions.weight", normal(0.02), 2*cfg.N, cfg.Dim)
	case "first":
		d.positions = r.add("positions.weight", normal(1), 1, cfg.Dim)
	}
	if cfg.Edges {
		if d.tour, err = newTour(r, "transformer", cfg); err != nil {
			return err
		}
	} else {
		d.transformer = newTransformer(r, "transformer", cfg)
	}
	switch {
	case cfg.Head == "assign":
		d.head = newLinear(r, "head", cfg.Dim, cfg.N, false)
	case cfg.Head == "pointer":
		d.head = newLinear(r, "head", cfg.Dim, cfg.Dim, false)
	case d.transitionScores():
		d.transitions = newTransitions(r, "head", cfg.Dim)
	case d.contextualScores():
		d.contexts = newContexts(r, "head", cfg.Dim)
	case !d.matrixScores():
		d.mlp0 = newLinear(r, "head.0", cfg.Dim, cfg.Dim, true)
		d.mlp2 = newLinear(r, "head.2", cfg.Dim, 1, false)
	}
	return nil
}

// keep takes the arrays that the parts have asked for.
func (d *Denoiser) keep(r *registry) error {
	d.params = r.params
	total := 0
	for _, p := range d.params {
		size := 1
		for _, dim := range p.Shape {
			size *= dim // each at most 2^16, see validate, but for flattened images
		}
		if total += size; total > maxParameters {
			return fmt.Errorf("model: more than %d parameters, %s among them %v", maxParameters, p.Name, p.Shape)
		}
	}
	return nil
}

// Params lists the arrays of the network in a fixed order.
func (d *Denoiser) Params() []*Param { return d.params }

// NumParameters counts the weights, also those that are frozen.
func (d *Denoiser) NumParameters() int {
	n := 0
	for _, p := range d.params {
		if p.Trainable || p.Frozen {
			n += p.Size()
		}
	}
	return n
}

// Freeze leaves the weights whose names begin with one of some texts as they are in training, which then computes
// no gradient of theirs. Running statistics of batch norm move on. It is an error where a text begins no name,
// and where nothing is left to train.
func (d *Denoiser) Freeze(beginnings []string) error {
	left := 0
	found := make([]bool, len(beginnings))
	for _, p := range d.params {
		for i, b := range beginnings {
			if (p.Trainable || p.Frozen) && strings.HasPrefix(p.Name, b) {
				found[i] = true
				p.Trainable, p.Frozen = false, true
			}
		}
		if p.Trainable {
			left++
		}
	}
	if i := slices.Index(found, false); i >= 0 {
		return field.Errorf("Frozen", "no weight has a name that begins with %q", beginnings[i])
	}
	if left == 0 {
		return field.Errorf("Frozen", "leaves no weight to train")
	}
	return nil
}

// Init puts the starting weights for a seed into the store.
func (d *Denoiser) Init(store *model.Store, seed uint64) error {
	for _, p := range d.params {
		if err := SetParam(store, p.Name, p.Shape, p.Initial(seed)); err != nil {
			return fmt.Errorf("parameter %s: %w", p.Name, err)
		}
	}
	return nil
}

// ErrSize is returned by [Denoiser.CheckSize].
var ErrSize = errors.New("the network cannot take sets of this size")

// CheckSize says whether the network can order sets of n objects.
func (d *Denoiser) CheckSize(n int) error {
	limited := ""
	switch e, ends := d.encoder.(tableEnds); {
	case d.Config.Positions == "learned" && d.positions != nil:
		limited = "its learned positions end"
	case ends:
		limited = e.ends()
	case d.Config.Head == "assign":
		limited = "its list of places ends"
	}
	if limited != "" && n > d.Config.N {
		return fmt.Errorf("%w: got %d objects, %s at %d", ErrSize, n, limited, d.Config.N)
	}
	return nil
}

// matrixScores tells whether the law takes an n × n matrix (GPL) instead of a vector.
func (d *Denoiser) matrixScores() bool {
	return d.Config.Head == "" && d.Config.Law.Layout() == reverse.Matrix
}

// transitionScores tells whether the law takes a row for the start and one for each object,
// [n+1, n] (path).
func (d *Denoiser) transitionScores() bool {
	return d.Config.Head == "" && d.Config.Law.Layout() == reverse.MatrixPlusRow
}

// contextualScores tells whether the law takes vectors of the start and of each object (cgpl).
func (d *Denoiser) contextualScores() bool {
	return d.Config.Head == "" && d.Config.Law.Layout() == reverse.Contexts
}

// extraToken tells whether the law takes n+1 scores, from a dummy token (IT).
func (d *Denoiser) extraToken() bool {
	return d.Config.Head == "" && d.Config.Law.Layout() == reverse.VectorPlusOne
}

// Encode turns objects [batch, n, …] into embeddings [batch, n, d]. What the objects are depends on
// the encoder. They are images [batch, n, height, width] uint8 (0 to 255) or float32 (0 to 1),
// identities [batch, n] int32, points [batch, n, 2] or features [batch, n, f] float32.
//
// With Edges the points themselves, from which the lengths come, stand behind the d numbers; with
// Pairs the borders of the tiles do.
func (d *Denoiser) Encode(c *Context, objects *graph.Node) *graph.Node {
	return d.EncodePadded(c, objects, nil)
}

// EncodePadded is [Denoiser.Encode] of sets of several sizes, see [Denoiser.ScoresPadded]: padding
// is no part of a batch's statistics.
func (d *Denoiser) EncodePadded(c *Context, objects, lengths *graph.Node) *graph.Node {
	c.lengths = lengths
	defer func() { c.lengths = nil }()
	x := d.encoder.apply(c, objects)
	switch {
	case d.tour != nil:
		x = graph.Concatenate([]*graph.Node{x, objects}, -1)
	case d.pairs != nil:
		x = graph.Concatenate([]*graph.Node{x, d.pairs.borders(objects)}, -1)
	}
	return x
}

// Arrange permutes embeddings [batch, n, d] by arrangements [batch, states, n] int32, in
// order form (arrangement[i] is the object at position i), into [batch·states, n, d]. It is
// a product with one-hot matrices: its gradient needs no scatter.
func Arrange(embeddings, arrangements *graph.Node) *graph.Node {
	dims := arrangements.Shape().Dimensions
	batch, states, n := dims[0], dims[1], dims[2]
	hot := graph.Reshape(oneHot(arrangements, n), batch, states*n, n)
	x := graph.DotGeneral(hot, []int{2}, []int{0}, embeddings, []int{1}, []int{0})
	return graph.Reshape(x, batch*states, n, x.Shape().Dimensions[2])
}

// Tokens is how many tokens a set of n objects is to the transformer, dummies among them.
func (d *Denoiser) Tokens(n int) int { return n + d.dummies(n) }

func (d *Denoiser) dummies(n int) int {
	switch {
	case d.matrixScores():
		return n
	case d.extraToken():
		return 1
	}
	return 0
}

// Scores reads embeddings [batch, n, …] of [Denoiser.Encode] in states. These are arrangements [batch, states, n]
// int32 (order form) at times [batch, states] int32. It returns the scores of the law, or of the Head where there
// is one. With rows = batch·states, scores are [rows, n, n] for GPL, [rows, n+1, n] for path, [rows, n+1, 3w+1] for
// cgpl, [rows, n] for PL, IRS and II, and [rows, n+1] for IT.
func (d *Denoiser) Scores(c *Context, embeddings, arrangements, times *graph.Node) *graph.Node {
	return d.ScoresPadded(c, embeddings, arrangements, times, nil)
}

// ScoresPadded is [Denoiser.Scores] of sets of several sizes. The first lengths[i] objects of set i
// are its own. The rest is padding, which keeps its place in an arrangement. lengths is [batch]
// int32, from 1 to n, or nil where there is no padding. The scores of the first objects, and IT's
// last one, are what the set alone would have; those of padding mean nothing, see [reverse.Padder].
// Networks with a Head take no padding.
func (d *Denoiser) ScoresPadded(c *Context, embeddings, arrangements, times, lengths *graph.Node) *graph.Node {
	if lengths != nil && d.Config.Head != "" {
		panic(fmt.Errorf("denoiser: a network with head %q takes no padding", d.Config.Head))
	}
	c.half = d.halfWanted(c)
	defer func() { c.half = false }()
	if d.direct == nil {
		return d.contextScores(c, embeddings, arrangements, times, lengths)
	}
	scores := d.direct.apply(c, embeddings, arrangements)
	if d.Config.Score == scoreSum {
		scores = graph.Add(scores, d.contextScores(c, embeddings, arrangements, times, lengths))
	}
	return scores
}

// contextScores are those that come from the transformer.
func (d *Denoiser) contextScores(c *Context, embeddings, arrangements, times, lengths *graph.Node) *graph.Node {
	dims := arrangements.Shape().Dimensions
	rows, n, dim := dims[0]*dims[1], dims[2], d.Config.Dim
	var bias *graph.Node // of attention
	if d.pairs != nil {
		borders := graph.SliceAxis(embeddings, 2, graph.AxisRangeToEnd(dim))
		var tokens *graph.Node
		bias, tokens = d.pairs.apply(c, borders, arrangements, lengths)
		embeddings = graph.Add(graph.SliceAxis(embeddings, 2, graph.AxisRange(0, dim)), tokens)
	}
	time := d.time.apply(c, graph.Reshape(times, rows)) // [rows, dim]
	dummies := d.dummies(n)
	var extra *graph.Node // [rows, dummies, dim]
	if dummies > 0 {
		places := d.dummyEncoding(c, n, dummies, dims[1], lengths)
		extra = c.dropout(graph.BroadcastToDims(places, rows, dummies, dim), d.Config.Dropout)
	}
	items := d.itemEncoding(c, n) // [n, dim]
	padding := newPadding(lengths, dims[1], n)
	var y *graph.Node
	if d.tour != nil {
		at := graph.Einsum("bsin,id->bsnd", oneHot(arrangements, n), items)
		y = graph.Slice(embeddings, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, dim))
		y = graph.Add(graph.Add(graph.ExpandAxes(y, 1), graph.Reshape(time, dims[0], dims[1], 1, dim)), at)
		points := graph.Slice(embeddings, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(dim, dim+2))
		y = d.tour.apply(c, c.dropout(y, d.Config.Dropout), points, time, arrangements, extra, d.matrixScores(), padding)
	} else {
		y = graph.Add(graph.Add(Arrange(embeddings, arrangements), graph.ExpandAxes(time, 1)), graph.ExpandAxes(items, 0))
		y = c.dropout(y, d.Config.Dropout)
		if extra != nil {
			y = graph.Concatenate([]*graph.Node{y, extra}, 1)
		}
		if d.extraToken() { // one more token among the others, nothing masked (appendix C)
			y = d.transformer.apply(c, y, n+1, 0, padding, bias)
		} else {
			y = d.transformer.apply(c, y, n, dummies, padding, bias)
		}
	}
	switch {
	case d.Config.Head == "assign":
		return d.head.apply(c, y, activation.TypeNone)
	case d.Config.Head == "pointer":
		keys := graph.MulScalar(d.head.apply(c, embeddings, activation.TypeNone), 1/math.Sqrt(float64(dim)))
		y = graph.Einsum("bsid,bkd->bsik", graph.Reshape(y, dims[0], dims[1], n, dim), keys)
		return graph.Reshape(y, rows, n, n)
	case d.matrixScores():
		y = standardize(y)
		items := graph.Slice(y, graph.AxisRange(), graph.AxisRange(0, n), graph.AxisRange())
		dummy := graph.Slice(y, graph.AxisRange(), graph.AxisRange(n, 2*n), graph.AxisRange())
		if d.Config.GPLRows == "items" {
			return graph.Einsum("rid,rjd->rij", items, dummy)
		}
		return graph.Einsum("rid,rjd->rij", dummy, items)
	case d.transitionScores():
		return d.transitions.apply(c, y)
	case d.contextualScores():
		return d.contexts.apply(c, y)
	}
	h := d.mlp0.apply(c, y, activation.TypeRelu)
	h = d.mlp2.apply(c, h, activation.TypeNone)
	return graph.Squeeze(h, -1)
}
