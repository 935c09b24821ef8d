package delta

import (
	"fmt"
	"math"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Measures implements [task.Task].
func (d *Task) Measures() []task.Measure { return nil }

// Modes implements [task.Modal].
func (d *Task) Modes() (orders []perm.Order, weights []float64) {
	if len(d.modes) < 2 {
		return nil, nil
	}
	return d.modes, d.weights
}

// OtherSize implements [task.FixedSize].
func (d *Task) OtherSize(n int) error {
	return fmt.Errorf("task delta: is one order of %d objects, there is none of %d", d.n, n)
}

// All implements [task.Population].
func (d *Task) All() (*dataset.Set, error) {
	return &dataset.Set{Kind: dataset.KindBare, Items: make([]dataset.Item, d.n)}, nil
}

// judge takes all modes for right, in whatever share of the sets.
type judge struct {
	task.One
	modes []perm.Order
}

// Nearest implements [task.Judge].
func (j judge) Nearest(set int, o perm.Order) perm.Order {
	if len(j.modes) < 2 {
		return j.Clean[set]
	}
	return nearestMode(o, j.modes)
}

// nearestMode returns the mode of the least Kendall distance to an order, the first of equals.
func nearestMode(order perm.Order, modes []perm.Order) perm.Order {
	best, nearest := math.Inf(-1), modes[0]
	rank := order.Rank()
	for _, mode := range modes {
		if tau, err := metric.KendallTau(rank, mode.Rank()); err == nil && tau > best {
			best, nearest = tau, mode
		}
	}
	return nearest
}
