package method

import (
	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/reverse"
)

// topWeight is how much each position counts in the loss: 1 of the first train.top, else 0; nil where all
// count alike.
func topWeight(s *Setup) (func(position int) float32, error) {
	top := s.Config.Train.Top
	if top == 0 {
		return nil, nil
	}
	if _, weighted := s.Process.Reverse.(reverse.Weighted); !weighted {
		return nil, config.Errorf(config.TrainTop, "is for process.reverse pl and gpl (got %s)", s.Process.Reverse.Name())
	}
	if steps := len(s.Process.Steps) - 1; steps != 1 {
		return nil, config.Errorf(config.TrainTop, "is for one reverse step, whose first positions are those of the order (got %d steps in process.schedule)", steps)
	}
	return func(position int) float32 {
		if position < top {
			return 1
		}
		return 0
	}, nil
}
