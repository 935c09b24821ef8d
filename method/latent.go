package method

import (
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/riffle-ml/riffle/config"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
)

// latent is diffusion judged by pixels. Its moving average is part of a training's state, so
// that a resumed training goes on with it.
var latent = &Method{
	Name: "diffusion", Objectives: []string{"latent"}, Pictures: true, OneProcess: true,
	prepare: shuffle,
	train: func(s *Setup) (Training, error) {
		const elsewhere = "is for " + config.TrainObjective + " bound and random-step, which know the order (got latent)"
		switch t := s.Config.Train; {
		case t.Top > 0:
			return nil, config.Errorf(config.TrainTop, elsewhere)
		case t.Lapse > 0:
			return nil, config.Errorf(config.TrainLapse, elsewhere)
		}
		l := s.Config.Latent()
		t, err := diffusion.NewLatentTrainer(s.Engine, s.Store, s.Denoiser, s.Process, l, s.Config.Seed^latentStream)
		if err != nil {
			return nil, err
		}
		t.Average = s.State.ControlVariate
		return &latentTraining{t, s, l.Loss(s.Denoiser, s.Process)}, nil
	},
}

type latentTraining struct {
	*diffusion.LatentTrainer
	setup *Setup
	loss  diffusion.Loss
}

func (t *latentTraining) Loss(c *denoiser.Context, in []*graph.Node) *graph.Node {
	return t.loss(c, in)
}

func (t *latentTraining) Inputs(b *Batch) ([]*tensors.Tensor, error) {
	if err := latent.CheckPictures(t.setup.Config, b.Pixels); err != nil {
		return nil, err
	}
	in, err := t.LatentTrainer.Inputs(b.Step, t.setup.Config.Seed, b.Objects, b.States.Picture(b.Pixels, b.PixelSize))
	t.setup.State.ControlVariate = t.Average
	return in, err
}
