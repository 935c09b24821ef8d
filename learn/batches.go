package learn

import (
	"context"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// ahead is how many batches are made while the engine works.
const ahead = 2

// batch is what a training step reads.
type batch struct {
	first   int             // number of its first set, of all that training draws
	step    int             // that of the step's whole batch, of which this may be a process's share
	whole   int             // how many sets that has
	objects *tensors.Tensor // [batch, n, …]
	clean   []perm.Order
	states  *diffusion.States // of method diffusion
	pixels  []float32         // [batch, n, size], nil where the objects are no pictures
	size    int
}

// share is which part of each batch a process makes: number rank, from 0, of so many equal ones.
type share struct{ rank, of int }

// batch makes a share of the batch of training step s, counted from 1: a pure function of the
// configuration and s, so that a resumed training needs no generator's state.
func (m *Model) batch(s int, of share) (*batch, error) {
	whole := m.Config.Train.Batch
	size := whole / of.of
	first := (s-1)*whole + of.rank*size
	ex, err := m.Task.Examples(task.Train, first, size)
	if err != nil {
		return nil, err
	}
	b := &batch{first: first, step: (s - 1) * whole, whole: whole, objects: ex.Objects, clean: ex.Clean, pixels: ex.Pixels, size: ex.PixelSize}
	if m.Process == nil {
		return b, nil
	}
	objective := m.Config.Objective()
	n := ex.Objects.Shape().Dim(1)
	perSet := objective.PerSet(m.Process.At(n))
	if ex.Padded { // a function of n alone, so that it is the same shape whichever sets these are
		for k := n - 1; k > 1 && denoiser.PaddedSize(k, m.Config.Task.N) == n; k-- {
			perSet = max(perSet, objective.PerSet(m.Process.At(k)))
		}
	}
	b.states = diffusion.NewStates(size, perSet, n)
	if ex.Padded {
		b.states.Lengths = make([]int32, size)
	}
	if m.Process.HasExactPosterior() {
		b.states.Last = make([]float32, len(b.states.Rank))
	}
	parallel.For(size, func(i int) {
		rng := rand.New(rand.NewPCG(m.Config.Seed^noiseStream, uint64(first+i)))
		objective.Fill(b.states, m.Process.At(len(ex.Clean[i])), rng, i, ex.Clean[i])
	})
	return b, nil
}

// Streams keep the uses of a seed apart.
const (
	noiseStream  = 0x6e6f697365 // "noise"
	sampleStream = 0x73616d706c // "sampl"
	boundStream  = 0x626f756e64 // "bound"
	latentStream = 0x6c6174656e // "laten"
	seddStream   = 0x73656464   // "sedd"
)

type made struct {
	batch *batch
	err   error
}

// batches makes the batches of steps from, from+1, … in order, until ctx is done.
func (m *Model) batches(ctx context.Context, from int, of share) <-chan made {
	out := make(chan made, ahead)
	go func() {
		defer close(out)
		for s := from; ; s++ {
			b, err := m.batch(s, of)
			select {
			case out <- made{b, err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return out
}
