package learn

import (
	"context"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/method"
	"github.com/riffle-ml/riffle/task"
)

// ahead is how many batches are made while the engine works.
const ahead = 2

// share is which part of each batch a process makes: number rank, from 0, of so many equal parts.
type share struct{ rank, of int }

// batch makes a share of the batch of training step s, counted from 1. It is a pure function of the
// configuration and s, so that a resumed training needs no generator's state.
func (m *Model) batch(s int, of share) (*method.Batch, error) {
	n, first, whole := m.setsOf(s)
	work := m.Task
	if n != m.Config.Task.N {
		work = m.Task.(task.Resizer).OfSize(n)
	}
	size := whole / of.of
	offset := of.rank * size
	ex, err := work.Examples(task.Train, first+offset, size)
	if err != nil {
		return nil, err
	}
	if err := m.oneSize(ex); err != nil {
		return nil, err
	}
	b := &method.Batch{Step: s, First: (s-1)*m.Config.BatchOf(m.Config.SmallestSet()) + offset, Offset: offset, Whole: whole, Objects: ex.Objects, Clean: ex.Clean, Padded: ex.Padded, Pixels: ex.Pixels, PixelSize: ex.PixelSize}
	m.Method.Prepare(m.setup(), b)
	return b, nil
}

// setsOf says which sets a training step has: as many as whole says, of n objects, from number first
// of this size on. With several sizes each has its turn once a round. The order of a round is drawn
// anew. It is a function of the configuration and the step.
func (m *Model) setsOf(s int) (n, first, whole int) {
	sizes := m.Config.TrainSizes()
	round, turn := (s-1)/len(sizes), (s-1)%len(sizes)
	rng := rand.New(rand.NewPCG(m.Config.Seed^sizeStream, uint64(round)))
	n = sizes[rng.Perm(len(sizes))[turn]]
	whole = m.Config.BatchOf(n)
	return n, round * whole, whole
}

// setup is what the model's method works on.
func (m *Model) setup() *method.Setup {
	return &method.Setup{Config: &m.Config, Denoiser: m.Denoiser, Process: m.Process, Engine: m.Engine, Store: m.Store, State: &m.State}
}

// CheckData draws an example. So a training does not begin with data that are missing, damaged, or
// not of the kind that the method needs.
func (m *Model) CheckData() error {
	looks := 1
	if m.Config.MixedSizes() && !m.Method.Diffuses() {
		looks = 16 // of which some may be of another size
	}
	for first := range looks {
		ex, err := m.Task.Examples(task.Train, first, 1)
		if err == nil {
			err = m.oneSize(ex)
		}
		if err == nil {
			err = m.Method.CheckPictures(&m.Config, ex.Pixels)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// oneSize is an error where a method that only knows sets of task.n objects is to learn of others.
func (m *Model) oneSize(ex *task.Examples) error {
	if m.Method.Diffuses() {
		return nil
	}
	for _, o := range ex.Clean {
		if len(o) != m.Config.Task.N {
			return hint.With(config.Errorf("method", "%s learns sets of one size alone (got one of %d and one of %d)", m.Method.Name, len(o), m.Config.Task.N), "diffusion learns of all")
		}
	}
	return nil
}

// Streams keep the uses of a seed apart.
const (
	sampleStream = 0x73616d706c // "sampl"
	boundStream  = 0x626f756e64 // "bound"
	sizeStream   = 0x73697a65   // "size"
)

type made struct {
	batch *method.Batch
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
