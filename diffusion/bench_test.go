package diffusion_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// BenchmarkStep times one training step of sorting nine 4-digit numbers, batch 64: with the encoder
// of the quick presets, with strided convolutions in its place, and with the paper's CNN, one
// reverse step. It also times the paper's three steps of three trajectories.
func BenchmarkStep(b *testing.B) {
	window := denoiser.EncoderConfig{Kind: "window", Height: 28, Width: 112, Window: 28, Hidden: []int{1024, 256}}
	strided := window
	strided.Channels, strided.Hidden = []int{16, 32}, []int{64}
	cnn := denoiser.EncoderConfig{Kind: "cnn", Height: 28, Width: 112, Channels: []int{32, 64}, Kernel: 5}
	for _, name := range []string{"go", "xla"} {
		e, err := engine.Open(name)
		if err != nil {
			b.Logf("%s left out: %v", name, err)
			continue
		}
		for _, c := range []struct {
			name    string
			encoder denoiser.EncoderConfig
			layers  int
			steps   []int
			paths   int
		}{
			{"window", window, 4, []int{0, 10}, 1},
			{"strided", strided, 4, []int{0, 10}, 1},
			{"cnn", cnn, 4, []int{0, 10}, 1},
			{"paper", cnn, 7, []int{0, 3, 5, 9}, 3},
		} {
			if name == "go" && c.encoder.Kind == "cnn" && testing.Short() {
				continue // tens of seconds a step
			}
			b.Run(name+"/"+c.name, func(b *testing.B) { benchmarkStep(b, e, c.encoder, c.layers, c.steps, c.paths) })
		}
	}
}

func benchmarkStep(b *testing.B, e *engine.Engine, enc denoiser.EncoderConfig, layers int, steps []int, paths int) {
	const n, batch = 9, 64
	p := &diffusion.Process{Forward: shuffle.Riffle{}, Reverse: reverse.GeneralizedPlackettLuce{}, Steps: steps}
	d, err := denoiser.New(denoiser.Config{N: n, Law: p.Reverse, Encoder: enc, Dim: 128, Layers: layers, Heads: 8, FeedForward: 512})
	if err != nil {
		b.Fatal(err)
	}
	store := model.NewStore()
	if err := d.Init(store, 1); err != nil {
		b.Fatal(err)
	}
	tr, err := diffusion.NewTrainer(e, store, d, diffusion.BoundLoss(d, p), diffusion.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, WeightDecay: 0.01, Clip: 1}, 1, 0)
	if err != nil {
		b.Fatal(err)
	}
	o := diffusion.Objective{Trajectories: paths}
	step := func(s int) {
		rng := rand.New(rand.NewPCG(1, uint64(s)))
		pixels := make([]uint8, batch*n*28*112)
		for i := range pixels {
			pixels[i] = uint8(rng.Uint32())
		}
		states := diffusion.NewStates(batch, o.PerSet(p), n)
		for i := range batch {
			o.Fill(states, p, rng, i, perm.Identity(n))
		}
		st, err := tr.Step(s, 1e-4, append([]*tensors.Tensor{tensors.FromFlatDataAndDimensions(pixels, batch, n, 28, 112)}, states.Inputs()...)...)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, _, err := st.Read(); err != nil {
			b.Fatal(err)
		}
	}
	step(1)
	s := 1
	for b.Loop() {
		s++
		step(s)
	}
	b.ReportMetric(batch*float64(b.N)/b.Elapsed().Seconds(), "sets/s")
}
