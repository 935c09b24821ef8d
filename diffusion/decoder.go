package diffusion

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// Decoder runs the reverse process from noise to orders, one decode at a time.
//
// The network is always asked in parts of one shape. A part is so many states of sets that are
// padded to one size ([denoiser.PaddedSize]), whichever sets they are of. The last part is filled
// up. So the shapes that are compiled are few, and memory does not grow with what is asked. Nor
// does the answer for a set depend on the sets beside it, to the last bit. A matrix product of
// another shape may round another way; one of the same shape gives equal rows equal sums (see
// wholeRows).
type Decoder struct {
	Process  *Process
	Denoiser *denoiser.Denoiser
	// Network is the time spent in the network so far; the rest of a decode is the choice of orders.
	Network time.Duration
	// OnShape, if not nil, is called before a shape is asked for the first time, which compiles it.
	// The shape is that of sets of up to size objects, or that of the encoder, where size is 0. It
	// returns what is called after.
	OnShape func(size int) (done func())
	// Mixed tells that sets are of several sizes, so that those of the network's own are padded like
	// the others, in one shape with them.
	Mixed bool

	encode, exact, padded *model.Exec
	known                 map[shape]bool     // shapes that were asked for
	tokens, elements      int                // in a part: see PartTokens and partElements
	plans                 []*constraint.Plan // see WithConstraints
}

// shape is what a part of the network's work is compiled for; the encoder's is zero.
type shape struct {
	n      int
	padded bool
}

const (
	// PartTokens is about how many tokens go through the network together. More are no faster on two
	// cores, on either engine, and a question of one set takes as long as a part.
	PartTokens = 512
	// partElements is about how many numbers of objects, such as pixels, are encoded together, of
	// which a convolutional network makes a hundred times as many.
	partElements = 1 << 16
	// mostObjects is how many objects are encoded together at most.
	mostObjects = 256
	// wide is how many times as much a GPU takes together.
	wide = 32
)

// PartRows is how many states of so many tokens go through the network together.
func PartRows(tokens int) int { return wholeRows(PartTokens / tokens) }

// wholeRows rounds down to a multiple of 8, but for few: 4, or 1 alone. A matrix product takes some
// rows together, four on the go engine, and rounds those that are left over another way. In
// multiples all rows are alike, and a single one is always at the same place.
func wholeRows(rows int) int {
	switch {
	case rows >= 8:
		return rows / 8 * 8
	case rows > 1:
		return 4
	}
	return 1
}

// NewDecoder prepares decoding with the weights in a store.
func NewDecoder(e *engine.Engine, store *model.Store, d *denoiser.Denoiser, p *Process) (*Decoder, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	dec := &Decoder{Process: p, Denoiser: d, known: map[shape]bool{}, tokens: PartTokens, elements: partElements}
	if e.Kind == "cuda" {
		dec.tokens, dec.elements = wide*PartTokens, wide*partElements
	}
	var err error
	dec.encode, err = model.NewExec(e.Backend, store, func(_ *model.Scope, objects *graph.Node) *graph.Node {
		return d.Encode(denoiser.NewContext(objects.Graph(), store, false, nil), objects)
	})
	if err != nil {
		return nil, err
	}
	dec.exact, err = model.NewExec(e.Backend, store, func(_ *model.Scope, embeddings, arrangements, times *graph.Node) *graph.Node {
		c := denoiser.NewContext(embeddings.Graph(), store, false, nil)
		return p.freeScores(d.Scores(c, embeddings, arrangements, times))
	})
	if err != nil {
		return nil, err
	}
	dec.padded, err = model.NewExec(e.Backend, store, func(_ *model.Scope, embeddings, arrangements, times, lengths *graph.Node) *graph.Node {
		c := denoiser.NewContext(embeddings.Graph(), store, false, nil)
		return p.freeScores(d.ScoresPadded(c, embeddings, arrangements, times, lengths))
	})
	if err != nil {
		return nil, err
	}
	for _, exec := range []*model.Exec{dec.encode, dec.exact, dec.padded} {
		exec.SetMaxCache(-1) // they are few but for laws that take no padding
	}
	return dec, nil
}

// Close frees the compiled graphs.
func (d *Decoder) Close() {
	d.encode.Finalize()
	d.exact.Finalize()
	d.padded.Finalize()
}

// Encoded are the embeddings of some sets, of whatever sizes. They are encoded once a decode.
type Encoded struct {
	Batch   int // how many sets
	vectors [][]float32
	width   int // of an object's vector
}

// Size is how many objects set i has.
func (e *Encoded) Size(i int) int { return len(e.vectors[i]) / e.width }

// Alike returns, for each object of set i, the first object whose embedding is the same, to the last
// bit: to the network they are one.
func (e *Encoded) Alike(i int) []int {
	out := make([]int, e.Size(i))
	vector := func(k int) []float32 { return e.vectors[i][k*e.width : (k+1)*e.width] }
	for k := range out {
		out[k] = k
		for first := range k {
			if out[first] == first && sameBits(vector(first), vector(k)) {
				out[k] = first
				break
			}
		}
	}
	return out
}

func sameBits(a, b []float32) bool {
	for i, v := range a {
		if math.Float32bits(v) != math.Float32bits(b[i]) {
			return false
		}
	}
	return true
}

// Join puts the sets of several encodings by one decoder together.
func Join(parts ...*Encoded) *Encoded {
	all := &Encoded{}
	for _, e := range parts {
		all.Batch, all.width = all.Batch+e.Batch, e.width
		all.vectors = append(all.vectors, e.vectors...)
	}
	return all
}

// Median joins several encodings of the same sets, of other views of their objects. Each object has the embedding of
// the view whose score is the median (the lower one of two). It is for scores that depend on the embedding alone
// ([denoiser.ScoreDirect]). A mean would not do: where a view is misread it lies between what is read.
// Where ctx has ended it fails with its error.
func (d *Decoder) Median(ctx context.Context, views []*Encoded) (*Encoded, error) {
	if d.Denoiser.Config.Score != denoiser.ScoreDirect {
		return nil, fmt.Errorf("median of %d views: wanted direct scores (got %q)", len(views), d.Denoiser.Config.Score)
	}
	first := views[0]
	asked := make([]query, first.Batch)
	for i := range asked {
		asked[i] = query{i, perm.Identity(first.Size(i)), d.Process.Steps[len(d.Process.Steps)-1]}
	}
	scores := make([][][]float64, len(views))
	for v, e := range views {
		var err error
		if scores[v], err = d.scoresOf(ctx, e, asked); err != nil {
			return nil, err
		}
	}
	out := &Encoded{Batch: first.Batch, width: first.width}
	byScore := make([]int, len(views))
	for i := range first.Batch {
		var vectors []float32
		for k := range first.Size(i) {
			for v := range byScore {
				byScore[v] = v
			}
			slices.SortStableFunc(byScore, func(a, b int) int { return cmp.Compare(scores[a][i][k], scores[b][i][k]) })
			v := byScore[(len(views)-1)/2]
			vectors = append(vectors, views[v].vectors[i][k*out.width:(k+1)*out.width]...)
		}
		out.vectors = append(out.vectors, vectors)
	}
	return out, nil
}

// Encode reads objects [batch, n, …]. sizes are how many of the n objects are the sets' own where
// the rest is padding; none are given where there is none. Where ctx has ended it fails with its
// error, before the next part.
func (d *Decoder) Encode(ctx context.Context, objects *tensors.Tensor, sizes ...int) (*Encoded, error) {
	dims := objects.Shape().Dimensions
	if len(sizes) == 0 {
		sizes = slices.Repeat([]int{dims[1]}, dims[0])
	}
	if len(sizes) != dims[0] {
		return nil, fmt.Errorf("encoding %d sets: wanted as many sizes (got %d)", dims[0], len(sizes))
	}
	if err := d.Denoiser.CheckSize(slices.Max(sizes)); err != nil {
		return nil, err
	}
	defer d.inNetwork(time.Now())
	var all []float32
	var err error
	if e := objects.ConstFlatData(func(flat any) {
		switch flat := flat.(type) {
		case []uint8:
			all, err = encodeParts(ctx, d, flat, dims, sizes)
		case []int32:
			all, err = encodeParts(ctx, d, flat, dims, sizes)
		case []float32:
			all, err = encodeParts(ctx, d, flat, dims, sizes)
		default:
			err = fmt.Errorf("objects of %s: wanted uint8, int32 or float32", objects.DType())
		}
	}); e != nil {
		err = e
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("encoding %d sets of %d objects: %w", dims[0], dims[1], err)
	}
	total := 0
	for _, n := range sizes {
		total += n
	}
	e := &Encoded{Batch: dims[0], width: len(all) / total}
	for _, n := range sizes {
		e.vectors = append(e.vectors, all[:n*e.width:n*e.width])
		all = all[n*e.width:]
	}
	return e, nil
}

// encodeParts encodes the objects of sets, so many at a time, the last of them repeated.
func encodeParts[T uint8 | int32 | float32](ctx context.Context, d *Decoder, flat []T, dims, sizes []int) ([]float32, error) {
	size := len(flat) / dims[0] / dims[1] // of an object
	total := 0
	for _, n := range sizes {
		total += n
	}
	own := make([]T, 0, total*size)
	for i, n := range sizes {
		own = append(own, flat[i*dims[1]*size:][:n*size]...)
	}
	atOnce := min(mostObjects, wholeRows(d.elements/size))
	dims = slices.Concat([]int{1, atOnce}, dims[2:])
	var out []float32
	for len(own) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		count := min(atOnce, len(own)/size)
		part := append(make([]T, 0, atOnce*size), own[:count*size]...)
		for len(part) < atOnce*size {
			part = append(part, own[(count-1)*size:count*size]...)
		}
		own = own[count*size:]
		vectors, err := d.call(d.encode, shape{}, tensors.FromFlatDataAndDimensions(part, dims...))
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = make([]float32, 0, len(vectors)/atOnce*total)
		}
		out = append(out, vectors[:len(vectors)/atOnce*count]...)
	}
	return out, nil
}

// call asks for a shape; it frees the inputs.
func (d *Decoder) call(exec *model.Exec, s shape, inputs ...*tensors.Tensor) ([]float32, error) {
	done := func() {}
	if !d.known[s] && d.OnShape != nil {
		done = d.OnShape(s.n)
	}
	d.known[s] = true
	args := make([]any, len(inputs))
	for i, x := range inputs {
		args[i] = x
	}
	out, err := exec.Call1(args...)
	done()
	if err != nil {
		return nil, err
	}
	flat, err := tensors.CopyFlatData[float32](out)
	for _, x := range append(inputs, out) {
		if e := x.FinalizeAll(); err == nil {
			err = e
		}
	}
	return flat, err
}

func (d *Decoder) inNetwork(start time.Time) { d.Network += time.Since(start) }

// shapeOf is the shape in which sets of n objects are judged. It is their own where it is that of
// the network, as it is in models that are not of Mixed sizes.
func (d *Decoder) shapeOf(n int) shape {
	most := d.Denoiser.Config.N
	if _, pads := d.Process.Reverse.(reverse.Padder); !pads || n == most && !d.Mixed {
		return shape{n, false}
	}
	return shape{denoiser.PaddedSize(n, most), true}
}

// query is a state of a set that the network is asked about: an arrangement of its objects in order
// form, and its time.
type query struct {
	set   int
	order perm.Order
	time  int
}

// scoresOf returns the law's scores of the free positions ([Process.Free]) of each state. Where ctx
// has ended it fails with its error, between two parts.
func (d *Decoder) scoresOf(ctx context.Context, e *Encoded, asked []query) ([][]float64, error) {
	defer d.inNetwork(time.Now())
	together := map[shape][]int{}
	var shapes []shape
	for i, q := range asked {
		s := d.shapeOf(e.Size(q.set))
		if together[s] == nil {
			shapes = append(shapes, s)
		}
		together[s] = append(together[s], i)
	}
	out := make([][]float64, len(asked))
	for _, s := range shapes {
		for part := range slices.Chunk(together[s], wholeRows(d.tokens/d.Denoiser.Tokens(s.n))) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if err := d.scorePart(e, s, asked, part, out); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// scorePart writes the scores of the states number part of asked, all of one shape.
func (d *Decoder) scorePart(e *Encoded, s shape, asked []query, part []int, out [][]float64) error {
	rows := wholeRows(d.tokens / d.Denoiser.Tokens(s.n))
	vectors := make([]float32, rows*s.n*e.width)
	arrangements, times, lengths := make([]int32, rows*s.n), make([]int32, rows), make([]int32, rows)
	for row := range rows {
		q := asked[part[min(row, len(part)-1)]]
		copy(vectors[row*s.n*e.width:], e.vectors[q.set])
		putOrder(arrangements[row*s.n:], q.order)
		for i := len(q.order); i < s.n; i++ { // padding stays where it is
			arrangements[row*s.n+i] = int32(i)
		}
		times[row], lengths[row] = int32(q.time), int32(len(q.order))
	}
	exec, inputs := d.exact, []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(vectors, rows, s.n, e.width),
		tensors.FromFlatDataAndDimensions(arrangements, rows, 1, s.n),
		tensors.FromFlatDataAndDimensions(times, rows, 1),
	}
	if s.padded {
		exec, inputs = d.padded, append(inputs, tensors.FromFlatDataAndDimensions(lengths, rows))
	}
	flat, err := d.call(exec, s, inputs...)
	if err != nil {
		return fmt.Errorf("scores of sets of %d objects: %w", s.n, err)
	}
	width := len(flat) / rows
	for row, i := range part {
		scores := make([]float64, width)
		for j, v := range flat[row*width : (row+1)*width] {
			scores[j] = float64(v)
		}
		if s.padded {
			free := d.Process.Free(int(lengths[row]))
			scores = d.Process.Reverse.(reverse.Padder).Unpad(scores, d.Process.Free(s.n), free)
		}
		out[i] = scores
	}
	return nil
}

// Scores returns the law's scores of the free positions ([Process.Free]). It takes arrangements
// [batch, states, n] (order form) of sets of one size, all at time t. Scores are float64, row-major
// [batch·states, NumScores(free)]. Between two parts it fails with the error of ctx where that has
// ended.
func (d *Decoder) Scores(ctx context.Context, e *Encoded, arrangements []int32, states, t int) ([]float64, error) {
	n := e.Size(0)
	asked := make([]query, e.Batch*states)
	for i := range asked {
		order := make(perm.Order, n)
		for j := range order {
			order[j] = int(arrangements[i*n+j])
		}
		asked[i] = query{i / states, order, t}
	}
	scores, err := d.scoresOf(ctx, e, asked)
	return slices.Concat(scores...), err
}

func putOrder(dst []int32, o perm.Order) {
	for i, v := range o {
		dst[i] = int32(v)
	}
}
