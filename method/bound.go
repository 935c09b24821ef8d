package method

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/parallel"
)

// bound is diffusion by the variational bound, over all steps of a trajectory or one of each.
var bound = &Method{
	Name: "diffusion", Objectives: []string{"bound", "random-step"},
	prepare: shuffle,
	train: func(s *Setup) (Training, error) {
		j, err := judging(s)
		return boundTraining{diffusion.ChoiceLoss(s.Denoiser, s.Process, j)}, err
	},
}

// shuffle draws the noisy states of a batch.
func shuffle(s *Setup, b *Batch) {
	objective := s.Config.Objective()
	n := b.Objects.Shape().Dim(1)
	perSet := objective.PerSet(s.Process.At(n))
	if b.Padded { // a function of n alone, so that it is the same shape whichever sets these are
		for k := n - 1; k > 1 && denoiser.PaddedSize(k, s.Config.Task.N) == n; k-- {
			perSet = max(perSet, objective.PerSet(s.Process.At(k)))
		}
	}
	b.States = diffusion.NewStates(len(b.Clean), perSet, n)
	if b.Padded {
		b.States.Lengths = make([]int32, len(b.Clean))
	}
	if s.Process.HasExactPosterior() {
		b.States.Last = make([]float32, len(b.States.Rank))
	}
	parallel.For(len(b.Clean), func(i int) {
		rng := rand.New(rand.NewPCG(s.Config.Seed^noiseStream, uint64(b.First+i)))
		objective.Fill(b.States, s.Process.At(len(b.Clean[i])), rng, i, b.Clean[i])
	})
}

type boundTraining struct{ loss diffusion.Loss }

func (t boundTraining) Loss(c *denoiser.Context, in []*graph.Node) *graph.Node { return t.loss(c, in) }

func (boundTraining) Inputs(b *Batch) ([]*tensors.Tensor, error) {
	return append([]*tensors.Tensor{b.Objects}, b.States.Inputs()...), nil
}

func (boundTraining) Close() {}
