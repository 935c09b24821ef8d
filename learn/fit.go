package learn

import (
	"context"
	"errors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/run"
)

// Fit makes the model of a configuration ([New]), trains it to the end in the new run directory
// path ([Model.Train]) and returns it; [Load] opens it again. Where ctx ends the training it
// returns [ErrStopped], and what was learned until then is saved.
func Fit(ctx context.Context, cfg config.Config, path string, e *engine.Engine) (m *Model, warnings []string, err error) {
	if m, warnings, err = New(cfg, e); err != nil {
		return nil, nil, err
	}
	dir, err := run.Create(path, &m.Config)
	if err != nil {
		return nil, nil, err
	}
	return m, warnings, errors.Join(m.Train(ctx, dir, false, TrainOptions{}), dir.Close())
}
