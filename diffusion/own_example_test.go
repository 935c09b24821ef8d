package diffusion_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// neighbours is a forward law of one's own: with odds of one half, two neighbours change places.
type neighbours struct{}

func (neighbours) Name() string { return "neighbours" }

func (neighbours) Sample(rng *rand.Rand, dst perm.Order) {
	copy(dst, perm.Identity(len(dst)))
	if n := len(dst); n > 1 && rng.IntN(2) == 0 {
		i := rng.IntN(n - 1)
		dst[i], dst[i+1] = dst[i+1], dst[i]
	}
}

func (l neighbours) SampleT(rng *rand.Rand, t int, dst perm.Order) {
	copy(dst, perm.Identity(len(dst)))
	one := make(perm.Order, len(dst))
	for range t {
		l.Sample(rng, one)
		copy(dst, perm.Compose(one, dst))
	}
}

func (neighbours) LogProb(sigma perm.Order) float64 {
	n, moved := len(sigma), 0
	for i, v := range sigma {
		switch {
		case v == i:
		case i+1 < n && v == i+1 && sigma[i+1] == i, i > 0 && v == i-1 && sigma[i-1] == i:
			moved++
		default:
			return math.Inf(-1)
		}
	}
	switch {
	case n < 2:
		return 0
	case moved == 0:
		return math.Log(0.5)
	case moved == 2:
		return math.Log(0.5 / float64(n-1))
	}
	return math.Inf(-1)
}

func (neighbours) CutOff(n int) float64 {
	return float64(n*n*n) * math.Log(float64(max(1, n))) / math.Pi / math.Pi
}

// sharp is a reverse law of one's own: Plackett–Luce with scores that count double, which takes
// what it does not change from the law it is made of.
type sharp struct{ reverse.PlackettLuce }

func double(s []float64) []float64 {
	out := make([]float64, len(s))
	for i, v := range s {
		out[i] = 2 * v
	}
	return out
}

func (sharp) Name() string { return "sharp" }
func (l sharp) LogProb(s []float64, o perm.Order) float64 {
	return l.PlackettLuce.LogProb(double(s), o)
}

func (l sharp) Sample(r *rand.Rand, s []float64, o perm.Order) {
	l.PlackettLuce.Sample(r, double(s), o)
}

func (l sharp) Mode(s []float64, o perm.Order) float64 { return l.PlackettLuce.Mode(double(s), o) }

func (l sharp) TopK(s []float64, k int) []reverse.Candidate { return l.PlackettLuce.TopK(double(s), k) }

func (l sharp) TopKAbove(s []float64, k int, floor float64) []reverse.Candidate {
	return l.PlackettLuce.TopKAbove(double(s), k, floor)
}

func (l sharp) LogProbGraph(s, rank *graph.Node) *graph.Node {
	return l.PlackettLuce.LogProbGraph(graph.MulScalar(s, 2), rank)
}

// A forward and a reverse law of one's own go wherever those of the packages shuffle and reverse
// do.
func Example_ownLaws() {
	const n, batch = 4, 16
	p := &diffusion.Process{Forward: neighbours{}, Reverse: sharp{}, Steps: []int{0, 40}}
	d, err := denoiser.New(denoiser.Config{N: n, Law: p.Reverse, Encoder: denoiser.EncoderConfig{Kind: "table"}, Dim: 16, Layers: 1, Heads: 2, FeedForward: 32})
	if err != nil {
		log.Fatal(err)
	}
	e, err := engine.Open("go")
	if err != nil {
		log.Fatal(err)
	}
	store := model.NewStore()
	if err := d.Init(store, 1); err != nil {
		log.Fatal(err)
	}
	trainer, err := diffusion.NewTrainer(e, store, d, diffusion.BoundLoss(d, p), diffusion.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9}, 1, 0)
	if err != nil {
		log.Fatal(err)
	}
	identities := make([]int32, batch*n)
	for i := range identities {
		identities[i] = int32(i % n)
	}
	want, rng, o := perm.Order{2, 0, 3, 1}, rand.New(rand.NewPCG(1, 1)), diffusion.Objective{Trajectories: 1}
	for step := 1; step <= 100; step++ {
		states := diffusion.NewStates(batch, o.PerSet(p), n)
		for b := range batch {
			o.Fill(states, p, rng, b, want)
		}
		made, err := trainer.Step(step, 5e-3, append([]*tensors.Tensor{tensors.FromFlatDataAndDimensions(identities, batch, n)}, states.Inputs()...)...)
		if err != nil {
			log.Fatal(err)
		}
		if _, _, _, err := made.Read(); err != nil {
			log.Fatal(err)
		}
	}
	dec, err := diffusion.NewDecoder(e, store, d, p)
	if err != nil {
		log.Fatal(err)
	}
	enc, err := dec.Encode(context.Background(), tensors.FromFlatDataAndDimensions(identities[:n], 1, n))
	if err != nil {
		log.Fatal(err)
	}
	paths, err := dec.Greedy(context.Background(), enc, p.Noise(3, 0, 1, n))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(paths[0].Order())
	// Output: [2 0 3 1]
}
