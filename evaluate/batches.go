package evaluate

import (
	"context"

	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// batches calls f with the examples of count sets of a split, at most size at a time. They have the
// numbers first, first+1, … The first own of them are asked for. The last batch may reach beyond
// count, so that one shape is compiled; what is beyond is to be dropped.
func batches(ctx context.Context, m *learn.Model, split task.Split, count, size int, f func(ex *task.Examples, first, own int) error) error {
	size = min(size, count)
	for first := 0; first < count; first += size {
		if err := ctx.Err(); err != nil {
			return err
		}
		ex, err := m.Task.Examples(split, first, size)
		if err != nil {
			return err
		}
		if err := f(ex, first, min(size, count-first)); err != nil {
			return err
		}
	}
	return nil
}

// draws draws orders of examples, each so many of one: draw j of example i by the generator that the
// run's seed has for number(i, j). Those of an example stand side by side.
func draws(ctx context.Context, m *learn.Model, ex *task.Examples, each int, number func(i, j int) uint64) ([]perm.Order, error) {
	enc, err := m.EncodeExamples(ctx, ex)
	if err != nil {
		return nil, err
	}
	numbers := make([]uint64, enc.Batch*each)
	for at := range numbers {
		numbers[at] = number(at/each, at%each)
	}
	return m.Draw(ctx, enc, numbers)
}
