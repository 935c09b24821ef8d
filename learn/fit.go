package learn

import (
	"context"
	"errors"
	"fmt"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task/ranking"
)

// Fit makes the model of a configuration ([New]), trains it to the end in the new run directory
// path ([Model.Train]) and returns it. [Load] opens it again. options, one at most, has the
// callbacks of the training. Where ctx ends the training it returns [ErrStopped], and what was
// learned until then is saved.
func Fit(ctx context.Context, cfg config.Config, path string, e *engine.Engine, options ...TrainOptions) (m *Model, warnings []string, err error) {
	opt := TrainOptions{}
	switch len(options) {
	case 0:
	case 1:
		opt = options[0]
	default:
		return nil, nil, fmt.Errorf("fit: wanted at most one TrainOptions (got %d)", len(options))
	}
	if m, warnings, err = New(cfg, e); err != nil {
		return nil, nil, err
	}
	dir, err := run.Create(path, &m.Config)
	if err != nil {
		return nil, nil, err
	}
	return m, warnings, errors.Join(m.Train(ctx, dir, false, opt), dir.Close())
}

// FitSets is [Fit] on ranked lists in memory, sets of items of one kind. The task is "ranking", and
// the sets decide what its configuration leaves open. test are lists to judge on; where they are
// nil, a tenth of sets is put aside for that. Only the returned model can be judged on them. One
// that is loaded again orders, samples and scores, and can be judged on a file ([Model.SetTest]).
func FitSets(ctx context.Context, cfg config.Config, sets, test []*dataset.Set, path string, e *engine.Engine, options ...TrainOptions) (m *Model, warnings []string, err error) {
	if len(sets) == 0 {
		return nil, nil, errors.New("fit: no sets to train on")
	}
	cfg.Task.Name = ranking.Kind.Name
	var release func()
	cfg.Task.Data, release = ranking.Provide(sets)
	defer release()
	if cfg.Task.Test = ""; len(test) > 0 {
		cfg.Task.Test, release = ranking.Provide(test)
		defer release()
	}
	return Fit(ctx, cfg, path, e, options...)
}
