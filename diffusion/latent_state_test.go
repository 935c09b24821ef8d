package diffusion

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/perm"
)

// A latent step goes through the network twice, and both passes are one step of training: the
// running statistics of batch norms move once, and what is drawn is drawn from the scores that the
// gradient sees, under the same mask of dropout.
func TestLatentPassesAreOneStep(t *testing.T) {
	const n, batch, side = 3, 2, 4
	p := riffleGPL(0, 7)
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	d, err := denoiser.New(denoiser.Config{
		N: n, Law: p.Reverse, Encoder: denoiser.EncoderConfig{Kind: "cnn", Height: side, Width: side, Channels: []int{2}, Kernel: 3},
		Dim: 8, Layers: 1, Heads: 2, FeedForward: 16, Dropout: 0.5,
	})
	if err != nil {
		t.Fatal(err)
	}
	store := model.NewStore()
	if err := d.Init(store, 7); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	bytes := make([]uint8, batch*n*side*side)
	for i := range bytes {
		bytes[i] = uint8(rng.IntN(256))
	}
	objects := func() *tensors.Tensor {
		return tensors.FromFlatDataAndDimensions(slices.Clone(bytes), batch, n, side, side)
	}
	fill := func() *LatentStates {
		s := NewStates(batch, 1, n)
		for i := range batch {
			Objective{Trajectories: 1}.Fill(s, p, rand.New(rand.NewPCG(2, uint64(i))), i, perm.Identity(n))
		}
		// Pictures that are all alike: each draw explains them as well, so that its factor is
		// 1/N − λ·log p and tells the log p that it was drawn with.
		return s.Picture(make([]float32, batch*n), 1)
	}
	statistics := func() []float32 {
		var all []float32
		for _, name := range []string{"mean", "var"} {
			found := false
			for _, param := range d.Params() {
				if !strings.HasSuffix(param.Name, "running_"+name) {
					continue
				}
				found = true
				flat, err := tensors.CopyFlatData[float32](denoiser.Variable(store, param.Name).MustValue())
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, flat...)
			}
			if !found {
				t.Fatalf("the network has no running %s", name)
			}
		}
		return all
	}
	l := Latent{Samples: 6, Entropy: 1, Rate: 1, SD: 1}
	const seed, step = 5, 3
	lt, err := NewLatentTrainer(e, store, d, p, l, 11)
	if err != nil {
		t.Fatal(err)
	}
	defer lt.Close()
	before := statistics()
	in, err := lt.Inputs(step, seed, objects(), fill())
	if err != nil {
		t.Fatal(err)
	}
	if after := statistics(); !slices.Equal(before, after) {
		t.Errorf("drawing moved the running statistics from %v to %v: the step moves them", before, after)
	}
	// log p of the draws as a training step number 3 computes it.
	exec, err := model.NewExec(e.Backend, store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		c := denoiser.NewContext(in[0].Graph(), store, true, in[4])
		scores := d.Scores(c, d.Encode(c, in[0]), in[1], in[2])
		shape := append([]int{batch, l.Samples}, scores.Shape().Dimensions[1:]...)
		return p.Reverse.LogProbGraph(graph.BroadcastToDims(graph.ExpandAxes(scores, 1), shape...), in[3])
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	noise, err := DropoutState(seed, step)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Call1(objects(), in[1], in[2], in[3], noise)
	if err != nil {
		t.Fatal(err)
	}
	logp, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		t.Fatal(err)
	}
	factors, err := tensors.CopyFlatData[float32](in[4])
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range factors {
		if drawn := 1/float32(l.Samples) - f; max(drawn-logp[i], logp[i]-drawn) > 1e-3 {
			t.Errorf("draw %d: log p %.5f when it was drawn, %.5f in the step", i, drawn, logp[i])
		}
	}
}
