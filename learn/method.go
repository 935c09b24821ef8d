package learn

import (
	"math"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/task"
)

// method is what a training minimises.
type method struct {
	loss diffusion.Loss
	// inputs makes what the loss reads of the batch of step s. It is called once a step, in
	// their order, before the step is made.
	inputs func(s int, b *batch) ([]*tensors.Tensor, error)
	close  func()
}

func (m *Model) method() (*method, error) {
	switch {
	case m.Config.Method == "sedd":
		return m.seddMethod()
	case m.Config.Method == "gumbel-sinkhorn":
		return m.gumbelSinkhorn()
	case m.Process == nil:
		return m.diffSort()
	case m.Config.Train.Objective == "latent":
		return m.latent()
	}
	weight, err := m.positionWeight()
	if err != nil {
		return nil, err
	}
	return &method{
		loss: diffusion.WeightedLoss(m.Denoiser, m.Process, weight),
		inputs: func(_ int, b *batch) ([]*tensors.Tensor, error) {
			return append([]*tensors.Tensor{b.objects}, b.states.Inputs()...), nil
		},
		close: func() {},
	}, nil
}

// positionWeight is how much a position counts in the loss, nil where all count alike.
func (m *Model) positionWeight() (func(position int) float32, error) {
	top := m.Config.Train.Top
	switch _, weighted := m.Process.Reverse.(reverse.Weighted); {
	case top == 0:
		return nil, nil
	case !weighted:
		return nil, config.Errorf("train.top", "is for process.reverse pl and gpl (got %s)", m.Process.Reverse.Name())
	case len(m.Process.Steps) != 2:
		return nil, config.Errorf("train.top", "is for one reverse step, whose first positions are those of the order (got process.schedule of %d steps)", len(m.Process.Steps)-1)
	}
	return func(i int) float32 {
		if m.Config.Train.Discount {
			return float32(1 / math.Log2(float64(i)+2))
		}
		if i < top {
			return 1
		}
		return 0
	}, nil
}

// CheckData draws an example, so that data that are missing, damaged or of another kind than the
// objective needs are told before a training begins.
func (m *Model) CheckData() error {
	ex, err := m.Task.Examples(task.Train, 0, 1)
	if err == nil && m.Process != nil && m.Config.Train.Objective == "latent" && ex.Pixels == nil {
		err = m.errNoPictures()
	}
	return err
}

func (m *Model) errNoPictures() error {
	return config.Errorf(config.TrainObjective, "latent compares pictures, which the objects of task %s are not", m.Config.Task.Name)
}

// latent is diffusion judged by pixels. Its moving average is part of the model's state, so
// that a resumed training goes on with it.
func (m *Model) latent() (*method, error) {
	l := m.Config.Latent()
	t, err := diffusion.NewLatentTrainer(m.Engine, m.Store, m.Denoiser, m.Process, l, m.Config.Seed^latentStream)
	if err != nil {
		return nil, err
	}
	t.Average = m.State.ControlVariate
	return &method{
		loss: l.Loss(m.Denoiser, m.Process),
		inputs: func(s int, b *batch) ([]*tensors.Tensor, error) {
			if b.pixels == nil {
				return nil, m.errNoPictures()
			}
			in, err := t.Inputs(s, m.Config.Seed, b.objects, b.states.Picture(b.pixels, b.size))
			m.State.ControlVariate = t.Average
			return in, err
		},
		close: t.Close,
	}, nil
}
