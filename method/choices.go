package method

import (
	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/reverse"
)

// judging is how the choices of a reverse step count in the loss.
func judging(s *Setup) (diffusion.Judging, error) {
	t := s.Config.Train
	j := diffusion.Judging{Lapse: t.Lapse}
	if _, ok := s.Process.Reverse.(reverse.ByChoice); !ok {
		const wanted = "is for " + config.ProcessReverse + " gpl, cgpl and pl (got %s)"
		switch {
		case t.Top > 0:
			return j, config.Errorf(config.TrainTop, wanted, s.Process.Reverse.Name())
		case t.Lapse > 0:
			return j, config.Errorf(config.TrainLapse, wanted, s.Process.Reverse.Name())
		}
	}
	if t.Top > 0 {
		if steps := len(s.Process.Steps) - 1; steps != 1 {
			return j, config.Errorf(config.TrainTop, "is for one reverse step, whose first positions are those of the order (got %d steps in %s)", steps, config.ProcessSchedule)
		}
		j.Weight = func(position int) float32 { // 1 of the first ones, else 0
			if position < t.Top {
				return 1
			}
			return 0
		}
	}
	return j, nil
}
