package diffusion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
)

// Decoder runs the reverse process from noise to orders, one decode at a time.
type Decoder struct {
	Process  *Process
	Denoiser *denoiser.Denoiser
	// Network is the time spent in the network so far; the rest of a decode is the choice of orders.
	Network time.Duration

	encode *model.Exec
	scores *model.Exec
	plans  []*constraint.Plan // see Obeying
}

// NewDecoder prepares decoding with the weights in a store.
func NewDecoder(e *engine.Engine, store *model.Store, d *denoiser.Denoiser, p *Process) (*Decoder, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	dec := &Decoder{Process: p, Denoiser: d}
	var err error
	dec.encode, err = model.NewExec(e.Backend, store, func(_ *model.Scope, objects *graph.Node) *graph.Node {
		return d.Encode(denoiser.NewContext(objects.Graph(), store, false, nil), objects)
	})
	if err != nil {
		return nil, err
	}
	dec.scores, err = model.NewExec(e.Backend, store, func(_ *model.Scope, embeddings, arrangements, times *graph.Node) *graph.Node {
		c := denoiser.NewContext(embeddings.Graph(), store, false, nil)
		return p.freeScores(d.Scores(c, embeddings, arrangements, times))
	})
	if err != nil {
		return nil, err
	}
	// A graph is compiled for every shape, as many as there are sizes of sets; GoMLX would refuse
	// the 33rd. Close frees them.
	dec.encode.SetMaxCache(-1)
	dec.scores.SetMaxCache(-1)
	return dec, nil
}

// Close frees the compiled graphs.
func (d *Decoder) Close() {
	d.encode.Finalize()
	d.scores.Finalize()
}

// Encoded are the embeddings of a batch of sets. They are encoded once a decode.
type Encoded struct {
	embeddings *tensors.Tensor
	Batch, N   int
}

// encodeElements bounds what is encoded together: numbers of the objects, such as pixels, of which
// a convolutional network makes a hundred times as many. A variable for the sake of tests.
var encodeElements = 1 << 19

// Encode reads objects [batch, n, …]. Many large ones go through the encoder in parts of one size.
// Where ctx has ended it fails with its error, before the next part.
func (d *Decoder) Encode(ctx context.Context, objects *tensors.Tensor) (*Encoded, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dims := objects.Shape().Dimensions
	if err := d.Denoiser.CheckSize(dims[1]); err != nil {
		return nil, err
	}
	defer d.inNetwork(time.Now())
	e := &Encoded{Batch: dims[0], N: dims[1]}
	atOnce := max(1, encodeElements/max(1, objects.Shape().Size()/dims[0]))
	parts := (dims[0] + atOnce - 1) / atOnce
	if parts == 1 {
		out, err := d.encode.Call1(objects)
		if err != nil {
			return nil, fmt.Errorf("encoding %d sets of %d objects: %w", dims[0], dims[1], err)
		}
		e.embeddings = out
		return e, nil
	}
	atOnce = (dims[0] + parts - 1) / parts
	var all []float32
	var shape []int
	for first := 0; first < dims[0]; first += atOnce {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part, err := sets(objects, first, atOnce)
		if err != nil {
			return nil, err
		}
		out, err := d.encode.Call1(part)
		if err != nil {
			return nil, fmt.Errorf("encoding %d sets of %d objects: %w", atOnce, dims[1], err)
		}
		flat, err := tensors.CopyFlatData[float32](out)
		if err != nil {
			return nil, err
		}
		shape = slices.Clone(out.Shape().Dimensions)
		all = append(all, flat[:len(flat)/atOnce*min(atOnce, dims[0]-first)]...)
		_ = out.FinalizeAll()
		_ = part.FinalizeAll()
	}
	shape[0] = dims[0]
	e.embeddings = tensors.FromFlatDataAndDimensions(all, shape...)
	return e, nil
}

// sets are count sets of a tensor from first on; past the last one it is repeated.
func sets(objects *tensors.Tensor, first, count int) (*tensors.Tensor, error) {
	dims := slices.Clone(objects.Shape().Dimensions)
	all := dims[0]
	dims[0] = count
	var part *tensors.Tensor
	err := objects.ConstFlatData(func(flat any) {
		switch flat := flat.(type) {
		case []uint8:
			part = tensors.FromFlatDataAndDimensions(rows(flat, all, first, count), dims...)
		case []int32:
			part = tensors.FromFlatDataAndDimensions(rows(flat, all, first, count), dims...)
		case []float32:
			part = tensors.FromFlatDataAndDimensions(rows(flat, all, first, count), dims...)
		}
	})
	if err == nil && part == nil {
		err = fmt.Errorf("objects of %s: wanted uint8, int32 or float32", objects.DType())
	}
	return part, err
}

func rows[T any](flat []T, all, first, count int) []T {
	size := len(flat) / all
	out := make([]T, 0, size*count)
	for i := range count {
		at := min(first+i, all-1)
		out = append(out, flat[at*size:(at+1)*size]...)
	}
	return out
}

func (d *Decoder) inNetwork(start time.Time) { d.Network += time.Since(start) }

// Free releases the embeddings.
func (e *Encoded) Free() { _ = e.embeddings.FinalizeAll() }

// Scores returns the law's scores of the free positions ([Process.Free]) for arrangements
// [batch, states, n] (order form), all at time t: float64, row-major [batch·states,
// NumScores(free)]. Many states go through the network in parts of one size, so that the
// memory does not grow with them; between two parts it fails with the error of ctx where that has
// ended.
func (d *Decoder) Scores(ctx context.Context, e *Encoded, arrangements []int32, states, t int) ([]float64, error) {
	width := d.Process.Reverse.NumScores(d.Process.Free(e.N))
	out := make([]float64, e.Batch*states*width)
	part := d.statesAtOnce(e, states)
	flat := make([]int32, e.Batch*part*e.N)
	for first := 0; first < states; first += part {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// The last part is filled up by repeating its last state.
		for i := range e.Batch {
			for j := range part {
				from := i*states + min(first+j, states-1)
				copy(flat[(i*part+j)*e.N:][:e.N], arrangements[from*e.N:])
			}
		}
		scores, err := d.scoresOf(e, flat, part, t)
		if err != nil {
			return nil, err
		}
		for i := range e.Batch {
			count := min(part, states-first)
			for k, v := range scores[i*part*width : (i*part+count)*width] {
				out[(i*states+first)*width+k] = float64(v)
			}
		}
	}
	return out, nil
}

// partElements bounds the largest array of a forward pass, the attention's logits, in
// float32 numbers: 32 MB. A variable for the sake of tests.
var partElements = 8 << 20

// statesAtOnce is how many states of each set go through the network together.
func (d *Decoder) statesAtOnce(e *Encoded, states int) int {
	heads, tokens := d.Denoiser.Config.Heads, d.Denoiser.Tokens(e.N)
	most := max(1, partElements/max(1, e.Batch*heads*tokens*tokens))
	parts := (states + most - 1) / most
	return (states + parts - 1) / parts
}

func (d *Decoder) scoresOf(e *Encoded, arrangements []int32, states, t int) ([]float32, error) {
	times := make([]int32, e.Batch*states)
	for i := range times {
		times[i] = int32(t)
	}
	defer d.inNetwork(time.Now())
	out, err := d.scores.Call1(e.embeddings,
		tensors.FromFlatDataAndDimensions(arrangements, e.Batch, states, e.N),
		tensors.FromFlatDataAndDimensions(times, e.Batch, states))
	if err != nil {
		return nil, fmt.Errorf("scores at t = %d: %w", t, err)
	}
	flat, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		return nil, err
	}
	return flat, out.FinalizeAll()
}

// Path is one way through the reverse process.
type Path struct {
	// States are the arrangements X_{t_k}, …, X_{t_0} in order form, noise first.
	States []perm.Order
	// LogProb is log p(X_{t_{k−1}}, …, X_{t_0} | X_{t_k}) in nats; where a beam met the same
	// state on several ways, their sum.
	LogProb float64
}

// Order is the last state: the order of the objects that the process arrived at.
func (p *Path) Order() perm.Order { return p.States[len(p.States)-1] }

// Greedy takes the law's mode at each step. start holds the noise of one or more paths a
// set, the paths of a set side by side; so does the result. Once ctx has ended it returns
// its error, at the next reverse step or, in a beam and under rules, sooner.
func (d *Decoder) Greedy(ctx context.Context, e *Encoded, start []perm.Order) ([]Path, error) {
	return d.walk(ctx, e, start, func(_ int, scores []float64, dst perm.Order) float64 {
		return d.Process.Reverse.Mode(scores, dst)
	}, func(_ int, last lastStep, dst perm.Order) (float64, error) {
		return last.mode(ctx, dst)
	})
}

// Sample draws every step from the law, path i with rngs[i]; start and ctx are as for Greedy.
// Under rules the last step of several paths is drawn at a time: no two may share a generator.
func (d *Decoder) Sample(ctx context.Context, e *Encoded, start []perm.Order, rngs []*rand.Rand) ([]Path, error) {
	law := d.Process.Reverse
	return d.walk(ctx, e, start, func(i int, scores []float64, dst perm.Order) float64 {
		law.Sample(rngs[i], scores, dst)
		return law.LogProb(scores, dst)
	}, func(i int, last lastStep, dst perm.Order) (float64, error) {
		return last.sample(ctx, rngs[i], dst)
	})
}

// walk follows len(start)/batch paths a set; choose writes path i's step σ' into dst and
// returns its log p; obey does so for the last step where it is restricted.
func (d *Decoder) walk(ctx context.Context, e *Encoded, start []perm.Order, choose func(path int, scores []float64, dst perm.Order) float64, obey func(path int, last lastStep, dst perm.Order) (float64, error)) ([]Path, error) {
	if len(start) == 0 || len(start)%e.Batch != 0 {
		return nil, fmt.Errorf("decoding %d sets: wanted a start for each, or a multiple (got %d)", e.Batch, len(start))
	}
	paths := make([]Path, len(start))
	for i := range paths {
		paths[i].States = []perm.Order{slices.Clone(start[i])}
	}
	free := d.Process.Free(e.N)
	width := d.Process.Reverse.NumScores(free)
	flat := make([]int32, len(start)*e.N)
	steps := d.Process.At(e.N).Steps
	for k := len(steps) - 1; k > 0; k-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i := range paths {
			putOrder(flat[i*e.N:], paths[i].Order())
		}
		scores, err := d.Scores(ctx, e, flat, len(start)/e.Batch, steps[k])
		if err != nil {
			return nil, err
		}
		sigma := make(perm.Order, free)
		step := func(i int, sigma perm.Order) (err error) {
			path, row, logp := &paths[i], scores[i*width:(i+1)*width], 0.0
			if plan := d.plan(i/(len(start)/e.Batch), k); plan != nil {
				logp, err = obey(i, lastStep{d.Process, plan, row, path.Order()}, sigma)
			} else {
				logp = choose(i, row, sigma)
			}
			path.LogProb += logp
			path.States = append(path.States, d.Process.apply(sigma, path.Order()))
			return err
		}
		if k > 1 || d.plans == nil {
			for i := range paths {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				_ = step(i, sigma) // fails only under rules
			}
			continue
		}
		faults := make([]error, len(paths))
		parallel.For(len(paths), func(i int) { faults[i] = step(i, make(perm.Order, free)) })
		if err := errors.Join(faults...); err != nil {
			return nil, cmp.Or(ctx.Err(), err)
		}
	}
	return paths, nil
}

func putOrder(dst []int32, o perm.Order) {
	for i, v := range o {
		dst[i] = int32(v)
	}
}

// Beam searches for probable orders: it keeps the outer best states of each set after every
// reverse step; the candidates of a state are the law's TopK with an inner beam (paper
// appendix D). Equal states are merged and their probabilities added; the greedy state is
// always kept, so a beam of 1 is [Decoder.Greedy] and no beam ends below it. The result is,
// for every set, at most outer paths by falling LogProb. ctx is as for Greedy.
func (d *Decoder) Beam(ctx context.Context, e *Encoded, start []perm.Order, outer, inner int) ([][]Path, error) {
	if outer < 1 || inner < 1 {
		return nil, fmt.Errorf("beam: wanted widths of 1 or more (got %d and %d)", outer, inner)
	}
	beams := make([][]beamState, e.Batch)
	for i := range beams {
		beams[i] = []beamState{{path: Path{States: []perm.Order{slices.Clone(start[i])}}, greedy: true}}
	}
	states := 1
	width := d.Process.Reverse.NumScores(d.Process.Free(e.N))
	steps := d.Process.At(e.N).Steps
	for k := len(steps) - 1; k > 0; k-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// Every set takes the same room, so that the shapes of a schedule are two at the most.
		flat := make([]int32, e.Batch*states*e.N)
		for i, beam := range beams {
			for j := range states {
				putOrder(flat[(i*states+j)*e.N:], beam[min(j, len(beam)-1)].path.Order())
			}
		}
		scores, err := d.Scores(ctx, e, flat, states, steps[k])
		if err != nil {
			return nil, err
		}
		faults := make([]error, e.Batch)
		parallel.For(e.Batch, func(i int) {
			beams[i], faults[i] = d.Process.expand(ctx, beams[i], scores[i*states*width:(i+1)*states*width], width, outer, inner, d.plan(i, k))
		})
		if err := errors.Join(faults...); err != nil {
			return nil, cmp.Or(ctx.Err(), err)
		}
		states = outer
	}
	out := make([][]Path, e.Batch)
	for i, beam := range beams {
		for _, s := range beam {
			out[i] = append(out[i], s.path)
		}
	}
	return out, nil
}
