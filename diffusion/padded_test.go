package diffusion

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// reader is an encoder with objects of its kind.
type reader struct {
	encoder denoiser.EncoderConfig
	edges   bool
	shape   []int // of an object
}

func readers() map[string]reader {
	return map[string]reader{
		"features":      {encoder: denoiser.EncoderConfig{Kind: "features", Features: 2, Hidden: []int{8}}, shape: []int{2}},
		"table":         {encoder: denoiser.EncoderConfig{Kind: "table"}},
		"points":        {encoder: denoiser.EncoderConfig{Kind: "points"}, shape: []int{2}},
		"edges":         {encoder: denoiser.EncoderConfig{Kind: "points"}, edges: true, shape: []int{2}},
		"window":        {encoder: denoiser.EncoderConfig{Kind: "window", Height: 4, Width: 8, Window: 4, Hidden: []int{8}}, shape: []int{4, 8}},
		"window-pooled": {encoder: denoiser.EncoderConfig{Kind: "window", Height: 4, Width: 8, Window: 4, Channels: []int{3}, Kernel: 3, Hidden: []int{8}}, shape: []int{4, 8}},
		"cnn":           {encoder: denoiser.EncoderConfig{Kind: "cnn", Height: 4, Width: 4, Channels: []int{3, 4}, Kernel: 3}, shape: []int{4, 4}},
	}
}

// objects are those of sets of some sizes, padded to n with what must not matter.
func (r reader) objects(rng *rand.Rand, sizes []int, n int) *tensors.Tensor {
	width := 1
	for _, x := range r.shape {
		width *= x
	}
	dims := append([]int{len(sizes), n}, r.shape...)
	if r.shape == nil {
		flat := make([]int32, len(sizes)*n)
		for i := range flat {
			flat[i] = int32(i % n)
		}
		return tensors.FromFlatDataAndDimensions(flat, dims...)
	}
	flat := make([]float32, len(sizes)*n*width)
	for i, size := range sizes {
		for j := range n * width {
			flat[i*n*width+j] = 0.77
			if j < size*width {
				flat[i*n*width+j] = rng.Float32()
			}
		}
	}
	return tensors.FromFlatDataAndDimensions(flat, dims...)
}

// small makes a network for a process over a reader's objects.
func (r reader) small(t *testing.T, p *Process, n int, change func(*denoiser.Config)) (*model.Store, *denoiser.Denoiser) {
	t.Helper()
	c := denoiser.Config{N: n, Law: p.Reverse, Encoder: r.encoder, Edges: r.edges, Dim: 8, Layers: 2, Heads: 2, FeedForward: 16}
	if change != nil {
		change(&c)
	}
	d, err := denoiser.New(c)
	if err != nil {
		t.Fatal(err)
	}
	store := model.NewStore()
	if err := d.Init(store, 7); err != nil {
		t.Fatal(err)
	}
	return store, d
}

// slopes returns the loss of a batch in training, then its gradient in all weights, then the
// running statistics after it.
func slopes(t *testing.T, e *engine.Engine, store *model.Store, d *denoiser.Denoiser, p *Process, inputs []*tensors.Tensor) []float32 {
	t.Helper()
	exec, err := model.NewExec(e.Backend, store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		c := denoiser.NewContext(in[0].Graph(), store, true, nil)
		loss := BoundLoss(d, p)(c, in)
		var weights, all []*graph.Node
		for _, w := range d.Params() {
			if w.Trainable {
				weights = append(weights, denoiser.Variable(store, w.Name).NodeValue(c.Graph))
			}
		}
		all = append(graph.Gradient(loss, weights...), loss)
		for _, w := range d.Params() {
			if c.Changed[w.Name] != nil {
				all = append(all, denoiser.Variable(store, w.Name).NodeValue(c.Graph))
				denoiser.Variable(store, w.Name).SetNodeValue(c.Changed[w.Name])
			}
		}
		for i := range all {
			all[i] = graph.Reshape(all[i], -1)
		}
		return graph.Concatenate(all, 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call1(inputs)
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[float32](out)
}

// paddedBatch are the inputs of [BoundLoss] of sets of some sizes, padded to n; unpadded where all
// have n and exact is set.
func paddedBatch(p *Process, r reader, sizes []int, first, n int, exact bool) []*tensors.Tensor {
	o := Objective{Trajectories: 2}
	perSet := 0
	for _, size := range sizes {
		perSet = max(perSet, o.PerSet(p.At(size)))
	}
	s := NewStates(len(sizes), perSet, n)
	if !exact {
		s.Lengths = make([]int32, len(sizes))
	}
	if p.HasExactPosterior() {
		s.Last = make([]float32, len(s.Rank))
	}
	for i, size := range sizes {
		own := rand.New(rand.NewPCG(3, uint64(first+i)))
		clean := perm.Random(own, size)
		if p.FixFirst {
			clean = p.Start(own, size)
		}
		o.Fill(s, p.At(size), own, i, clean)
	}
	return append([]*tensors.Tensor{r.objects(rand.New(rand.NewPCG(11, uint64(first))), sizes, n)}, s.Inputs()...)
}

func allProcesses() []*Process {
	var out []*Process
	for _, p := range slices.Concat(processes(), fixed()) {
		q := *p
		if !q.Reverse.FullSupport() {
			q.Steps = Every(2)
		}
		out = append(out, &q)
	}
	// Sets of another size may take other steps.
	return append(out, &Process{Forward: shuffle.Riffle{}, Reverse: reverse.GeneralizedPlackettLuce{}, Steps: []int{0, 2, 5, 7}, Sizes: func(n int) []int {
		return []int{0, 2, 5, 7}[:min(4, n)]
	}})
}

func compare(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, wanted %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(float64(got[i]-want[i])) <= tolerance*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("%s: number %d is %g, wanted %g", what, i, got[i], want[i])
		}
	}
}

// Sets of several sizes that are padded to one have the loss and the gradient that they have one by
// one, weighted by their states. That holds for every law, with every encoder, and with the first
// fixed too.
func TestPaddedLossIsThatOneByOne(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for name, r := range readers() {
			if slices.Contains(batchNormed, name) { // the batch's statistics are of all sets: see the next test
				continue
			}
			for _, p := range allProcesses() {
				if e.Kind == "xla" && (name != "features" || p.Reverse.Name() != "gpl" || p.FixFirst || p.Sizes != nil) {
					continue // compiling takes long
				}
				for _, rows := range []string{"dummies", "items"} {
					if rows == "items" && (p.Reverse.Name() != "gpl" || e.Kind == "xla") {
						continue
					}
					const n = 6
					sizes := []int{3, 6, 2, 5}
					store, d := r.small(t, p, n, func(c *denoiser.Config) { c.GPLRows = rows })
					got := slopes(t, e, store, d, p, paddedBatch(p, r, sizes, 0, n, false))
					oneByOne(t, fmt.Sprintf("%s, %s, first fixed %v", name, p.Reverse.Name(), p.FixFirst), e, store, d, p, r, sizes, n, got)
				}
			}
		}
	})
}

// So have those whose scores come from the embeddings.
func TestPaddedDirectLossIsThatOneByOne(t *testing.T) {
	const n = 6
	e, sizes := enginetest.Open(t, "go"), []int{3, 6, 2, 5}
	p := &Process{Forward: shuffle.Riffle{}, Reverse: reverse.PlackettLuce{}, Steps: []int{0, 7}}
	for _, score := range []string{"direct", "sum"} {
		r := readers()["features"]
		store, d := r.small(t, p, n, func(c *denoiser.Config) { c.Score = score })
		oneByOne(t, score, e, store, d, p, r, sizes, n, slopes(t, e, store, d, p, paddedBatch(p, r, sizes, 0, n, false)))
	}
}

// oneByOne compares the slopes of a padded batch with those of its sets alone.
func oneByOne(t *testing.T, what string, e *engine.Engine, store *model.Store, d *denoiser.Denoiser, p *Process, r reader, sizes []int, n int, got []float32) {
	t.Helper()
	whole := paddedBatch(p, r, sizes, 0, n, false)
	objects := whole[0]
	want := make([]float32, len(got))
	total := 0
	for _, size := range sizes {
		total += Objective{Trajectories: 2}.PerSet(p.At(size))
	}
	for i, size := range sizes {
		alone := paddedBatch(p, r, sizes[i:i+1], i, size, true)
		alone[0] = cut(objects, i, size)
		weight := float32(Objective{Trajectories: 2}.PerSet(p.At(size))) / float32(total)
		for j, v := range slopes(t, e, store, d, p, alone) {
			want[j] += weight * v
		}
	}
	compare(t, what, got, want, 2e-5)
}

// cut takes the first size objects of set i.
func cut(objects *tensors.Tensor, i, size int) *tensors.Tensor {
	dims := slices.Clone(objects.Shape().Dimensions)
	width := objects.Shape().Size() / dims[0] / dims[1]
	from, to := i*dims[1]*width, (i*dims[1]+size)*width
	dims[0], dims[1] = 1, size
	var out *tensors.Tensor
	objects.MustConstFlatData(func(flat any) {
		switch flat := flat.(type) {
		case []float32:
			out = tensors.FromFlatDataAndDimensions(slices.Clone(flat[from:to]), dims...)
		case []int32:
			out = tensors.FromFlatDataAndDimensions(slices.Clone(flat[from:to]), dims...)
		}
	})
	return out
}

// batchNormed are the readers with a batch norm.
var batchNormed = []string{"cnn", "window-pooled"}

// A batch norm's statistics are those of the objects without padding. Of sets of one size that are
// padded, loss, gradient and running statistics are what they are unpadded.
func TestPaddedStatistics(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, name := range batchNormed {
			r := readers()[name]
			p := riffleGPL(0, 7)
			sizes := []int{4, 4, 4}
			store, d := r.small(t, p, 6, nil)
			padded := paddedBatch(p, r, sizes, 0, 6, false)
			alone := paddedBatch(p, r, sizes, 0, 4, true)
			var flat []float32
			for i := range sizes {
				flat = append(flat, tensors.MustCopyFlatData[float32](cut(padded[0], i, 4))...)
			}
			alone[0] = tensors.FromFlatDataAndDimensions(flat, append([]int{3, 4}, r.shape...)...)
			tolerance := 2e-5
			if name == "window-pooled" { // XLA sums another number of small windows in another order
				tolerance = 1e-4
			}
			compare(t, name, slopes(t, e, store, d, p, padded), slopes(t, e, store, d, p, alone), tolerance)
		}
	})
}
