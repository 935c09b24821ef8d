package evaluate

import (
	"context"
	"fmt"
	"strconv"

	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Marginals are where a model puts the items of a test set.
type Marginals struct {
	// Values[j][i] is the share of the samples with item Items[j] at position i. The items are in
	// their right order, so that the better a model is, the more stands on the diagonal. Where a
	// list is not known whole, they are level by level, and last those of which nothing is known.
	Values [][]float64
	// Whole is whether all of the order is known.
	Whole bool
	// Items are what the task sorts by, else the data's names, else numbers.
	Items   []string
	Samples int
}

// mostScores bounds the scores that a call of TestMarginals asks the network for at once.
const mostScores = 1 << 24

// TestMarginals draws samples of a test set, the index-th, by the run's seed. Of large sets they
// are drawn in parts, so that memory stays bounded. It fails with [task.ErrNoPlaces] on tours.
func TestMarginals(ctx context.Context, m *learn.Model, index, samples int) (*Marginals, error) {
	if index < 0 || samples < 1 || samples > MaxCalibrationSamples {
		return nil, fmt.Errorf("marginals: wanted a set from 0 on and 1 to %d samples (got set %d, %d samples)", MaxCalibrationSamples, index, samples)
	}
	ex, err := m.Task.Examples(task.Test, index, 1)
	if err != nil {
		return nil, err
	}
	right, whole, err := ex.Judge.Places(0)
	if err != nil {
		return nil, fmt.Errorf("marginals: %w (task %s)", err, m.Config.Task.Name)
	}
	enc, err := m.EncodeExamples(ctx, ex)
	if err != nil {
		return nil, err
	}
	n := len(right)
	values := make([][]float64, n)
	for k := range values {
		values[k] = make([]float64, n)
	}
	at := right.Rank()
	size := min(samples, max(1, mostScores/max(1, n*n)))
	for done := 0; done < samples; done += size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		numbers := make([]uint64, size)
		for i := range numbers {
			numbers[i] = uint64(index)<<32 | uint64(done+i)
		}
		orders, err := m.Draw(ctx, enc, numbers)
		if err != nil {
			return nil, err
		}
		for i := range min(size, samples-done) {
			for position, k := range orders[i] {
				values[at[k]][position] += 1 / float64(samples)
			}
		}
	}
	for _, row := range values { // sums of shares may be off by rounding
		for i := range row {
			row[i] = min(1, row[i])
		}
	}
	return &Marginals{Values: values, Whole: whole, Items: itemNames(ex, right), Samples: samples}, nil
}

// itemNames are the names of the first example's items in the order right.
func itemNames(ex *task.Examples, right perm.Order) []string {
	if ex.Look.Names != nil {
		return perm.Act(right, ex.Look.Names(0))
	}
	names := make([]string, len(right))
	for j, k := range right {
		names[j] = strconv.Itoa(k)
	}
	return names
}
