package evaluate

import (
	"context"
	"errors"

	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/task"
)

// Validation is the short check of a training, greedy, for [learn.TrainOptions.Validate]. seen, if
// not nil, is called with each result. Data without sets for validation have none.
func Validation(seen func(step int, r *Result)) func(ctx context.Context, m *learn.Model, count int) (map[string]any, error) {
	return func(ctx context.Context, m *learn.Model, count int) (map[string]any, error) {
		r, err := Run(ctx, m, task.Validation, count, learn.DecodeOptions{Method: "greedy"}, nil)
		if errors.Is(err, task.ErrNoSets) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if seen != nil {
			seen(m.State.Step, r)
		}
		return r.logged(), nil
	}
}
