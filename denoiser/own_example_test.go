package denoiser_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// words reads words of letters, [batch, n, 4] int32: a vector a letter and place, summed.
type words struct{ letters *denoiser.Param }

func (w words) Encode(c *denoiser.Context, x *graph.Node) *graph.Node {
	shape := c.Value(w.letters).Shape().Dimensions // [4·26, dim]
	hot := graph.OneHot(x, shape[0]/4, c.Value(w.letters).DType())
	dims := x.Shape().Dimensions
	flat := graph.Reshape(hot, dims[0]*dims[1], shape[0])
	return graph.Reshape(graph.Dot(flat, c.Value(w.letters)).Product(), dims[0], dims[1], shape[1])
}

// An encoder of one's own is a value of a small interface. Here words are put in the order of the alphabet by their first letter.
func Example_ownEncoder() {
	const n, batch = 4, 32
	process := &diffusion.Process{Forward: shuffle.Riffle{}, Reverse: reverse.PlackettLuce{}, Steps: []int{0, 7}}
	d, err := denoiser.New(denoiser.Config{
		N: n, Law: process.Reverse, Dim: 32, Layers: 1, Heads: 2, FeedForward: 64,
		Encoder: denoiser.EncoderConfig{Kind: "own", New: func(w *denoiser.Weights, dim int) (denoiser.Encoder, error) {
			return words{w.Normal("letters", 0.5, 4*26, dim)}, nil
		}},
	})
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
	trainer, err := diffusion.NewTrainer(e, store, d, diffusion.BoundLoss(d, process), diffusion.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9}, 1, 0)
	if err != nil {
		log.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	objective := diffusion.Objective{Trajectories: 1}
	for step := 1; step <= 150; step++ {
		letters := make([]int32, 0, batch*n*4)
		states := diffusion.NewStates(batch, objective.PerSet(process), n)
		for b := range batch {
			first := perm.Random(rng, 26)[:n] // different, so that one order is right
			for _, v := range first {
				letters = append(letters, int32(v), rng.Int32N(26), rng.Int32N(26), rng.Int32N(26))
			}
			clean := perm.Identity(n)
			slices.SortFunc(clean, func(i, j int) int { return first[i] - first[j] })
			objective.Fill(states, process, rng, b, clean)
		}
		made, err := trainer.Step(step, 5e-3, append([]*tensors.Tensor{tensors.FromFlatDataAndDimensions(letters, batch, n, 4)}, states.Inputs()...)...)
		if err != nil {
			log.Fatal(err)
		}
		if _, _, _, err := made.Read(); err != nil {
			log.Fatal(err)
		}
	}
	decoder, err := diffusion.NewDecoder(e, store, d, process)
	if err != nil {
		log.Fatal(err)
	}
	mine := []string{"plum", "fig!", "kiwi", "date"}
	var letters []int32
	for _, word := range mine {
		for _, c := range word {
			letters = append(letters, max(0, c-'a'))
		}
	}
	encoded, err := decoder.Encode(context.Background(), tensors.FromFlatDataAndDimensions(letters, 1, n, 4))
	if err != nil {
		log.Fatal(err)
	}
	paths, err := decoder.Greedy(context.Background(), encoded, process.Noise(1, 0, 1, n))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(perm.Act(paths[0].Order(), mine))
	// Output: [date fig! kiwi plum]
}
