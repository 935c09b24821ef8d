package learn

import (
	"context"

	"github.com/riffle-ml/riffle/method"
	"github.com/riffle-ml/riffle/task"
)

// ahead is how many batches are made while the engine works.
const ahead = 2

// batch makes the batch of training step s, counted from 1: a pure function of the
// configuration and s, so that a resumed training needs no generator's state.
func (m *Model) batch(s int) (*method.Batch, error) {
	size := m.Config.Train.Batch
	ex, err := m.Task.Examples(task.Train, (s-1)*size, size)
	if err != nil {
		return nil, err
	}
	b := &method.Batch{Step: s, Objects: ex.Objects, Clean: ex.Clean, Padded: ex.Padded, Pixels: ex.Pixels, PixelSize: ex.PixelSize}
	m.Method.Prepare(m.setup(), b)
	return b, nil
}

// setup is what the model's method works on.
func (m *Model) setup() *method.Setup {
	return &method.Setup{Config: &m.Config, Denoiser: m.Denoiser, Process: m.Process, Engine: m.Engine, Store: m.Store, State: &m.State}
}

// CheckData draws an example, so that data that are missing, damaged or of another kind than the
// method needs are told before a training begins.
func (m *Model) CheckData() error {
	ex, err := m.Task.Examples(task.Train, 0, 1)
	if err != nil {
		return err
	}
	return m.Method.CheckPictures(&m.Config, ex.Pixels)
}

// Streams keep the uses of a seed apart.
const (
	sampleStream = 0x73616d706c // "sampl"
	boundStream  = 0x626f756e64 // "bound"
)

type made struct {
	batch *method.Batch
	err   error
}

// batches makes the batches of steps from, from+1, … in order, until ctx is done.
func (m *Model) batches(ctx context.Context, from int) <-chan made {
	out := make(chan made, ahead)
	go func() {
		defer close(out)
		for s := from; ; s++ {
			b, err := m.batch(s)
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
