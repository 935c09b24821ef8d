package learn

import (
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/diffusion"
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
	return &method{
		loss: diffusion.BoundLoss(m.Denoiser, m.Process),
		inputs: func(_ int, b *batch) ([]*tensors.Tensor, error) {
			return append([]*tensors.Tensor{b.objects}, b.states.Inputs()...), nil
		},
		close: func() {},
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
