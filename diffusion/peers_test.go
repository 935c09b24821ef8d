package diffusion

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/peerstest"
	"github.com/riffle-ml/riffle/perm"
)

// withBatchNorm is a network whose encoder keeps running statistics.
func withBatchNorm(t *testing.T, p *Process, n int) (*engine.Engine, *model.Store, *denoiser.Denoiser) {
	t.Helper()
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	d, err := denoiser.New(denoiser.Config{
		N: n, Law: p.Reverse, Encoder: denoiser.EncoderConfig{Kind: "window", Height: 8, Width: 8, Window: 8, Channels: []int{2, 2}, Hidden: []int{4}},
		Dim: 8, Layers: 1, Heads: 2, FeedForward: 16,
	})
	if err != nil {
		t.Fatal(err)
	}
	store := model.NewStore()
	if err := d.Init(store, 7); err != nil {
		t.Fatal(err)
	}
	return e, store, d
}

// rowsOf are the loss's inputs of sets from, …, from+count−1 of a step's batch of features.
func rowsOf(p *Process, step, from, count, n int) []*tensors.Tensor {
	flat := make([]float32, 0, count*n*2)
	s := NewStates(count, Objective{Trajectories: 1}.PerSet(p), n)
	for i := range count {
		rng := rand.New(rand.NewPCG(uint64(step), uint64(from+i)))
		for range n * 2 {
			flat = append(flat, float32(rng.NormFloat64()))
		}
		Objective{Trajectories: 1}.Fill(s, p, rng, i, perm.Identity(n))
	}
	return append([]*tensors.Tensor{tensors.FromFlatDataAndDimensions(flat, count, n, 2)}, s.Inputs()...)
}

// everything is what a store holds, by name.
func everything(t *testing.T, store *model.Store, d *denoiser.Denoiser) (all []float32) {
	t.Helper()
	for _, p := range d.Params() {
		flat, err := values(store, p.Name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, flat...)
	}
	return all
}

// With each batch shared by 2 or 3 processes a training has the losses of one process, but for the
// order of additions. All processes have the same weights, bit for bit.
func TestPeersKeepTheLosses(t *testing.T) {
	const n, batch, steps = 4, 12, 15
	p := riffleGPL(0, 2, 7)
	run := func(size int) (losses []float64, weights [][]float32) {
		world := peerstest.New(size)
		weights = make([][]float32, size)
		losses = make([]float64, steps)
		var wait sync.WaitGroup
		for rank := range size {
			e, store, d := tiny(t, p, n)
			tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			if size > 1 {
				if err := tr.Join(world[rank]); err != nil {
					t.Fatal(err)
				}
			}
			wait.Go(func() {
				defer tr.Close()
				share := batch / size
				for s := 1; s <= steps; s++ {
					loss := trainOne(t, tr, s, 1e-2, rowsOf(p, s, rank*share, share, n))
					if rank == 0 {
						losses[s-1] = loss
					}
				}
				weights[rank] = everything(t, store, d)
			})
		}
		wait.Wait()
		return losses, weights
	}
	want, _ := run(1)
	for _, size := range []int{2, 3} {
		got, all := run(size)
		for s := range want {
			if math.Abs(got[s]-want[s]) > 1e-5 {
				t.Errorf("%d processes, step %d: loss %.8f, wanted %.8f as in one", size, s+1, got[s], want[s])
			}
		}
		for rank := range all {
			if !slices.Equal(all[rank], all[0]) {
				t.Errorf("%d processes: weights of process %d differ from those of the first", size, rank+1)
			}
		}
	}
}

// Two processes with the same share are one: batch normalisation has that share's statistics, and
// the running ones move once a step.
func TestPeersKeepRunningStatistics(t *testing.T) {
	const n, batch = 3, 4
	p := riffleGPL(0, 7)
	images := func() []*tensors.Tensor {
		rng := rand.New(rand.NewPCG(1, 2))
		flat := make([]uint8, batch*n*64)
		for i := range flat {
			flat[i] = uint8(rng.IntN(256))
		}
		in := batchOf(p, 1, batch, n, tensors.FromFlatDataAndDimensions(flat, batch, n, 8, 8))
		return in
	}
	var wants []float32
	for size := 1; size <= 2; size++ {
		world := peerstest.New(size)
		var wait sync.WaitGroup
		for rank := range size {
			e, store, d := withBatchNorm(t, p, n)
			tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			if size > 1 {
				if err := tr.Join(world[rank]); err != nil {
					t.Fatal(err)
				}
			}
			wait.Go(func() {
				defer tr.Close()
				for s := 1; s <= 3; s++ {
					trainOne(t, tr, s, 1e-2, images())
				}
				got := everything(t, store, d)
				if size == 1 {
					wants = got
					return
				}
				for i, w := range got {
					if math.Abs(float64(w-wants[i])) > 1e-3*(1+math.Abs(float64(wants[i]))) {
						t.Errorf("process %d: value %d is %g, wanted %g", rank+1, i, w, wants[i])
						return
					}
				}
			})
		}
		wait.Wait()
	}
}

type lost struct{}

func (lost) Rank() int           { return 1 }
func (lost) Size() int           { return 2 }
func (lost) Sum([]float32) error { return errors.New("process 1 is gone") }

// A process that is lost ends a step with an error that says which.
func TestPeersLost(t *testing.T) {
	const n = 3
	p := riffleGPL(0, 7)
	e, store, d := tiny(t, p, n)
	tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if err := tr.Join(lost{}); err != nil {
		t.Fatal(err)
	}
	before := everything(t, store, d)
	_, err = tr.Step(4, 1e-3, rowsOf(p, 4, 0, 2, n)...)
	if err == nil || !strings.Contains(err.Error(), "training step 4, process 2 of 2: process 1 is gone") {
		t.Errorf("error %v", err)
	}
	if !slices.Equal(before, everything(t, store, d)) {
		t.Error("the weights changed")
	}
}
