package delta

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Task is the task of learning one permutation: the objects are the identities 0 … n−1 and the
// right order is always the same (paper appendix H.1). With several modes a distribution over
// orders is learned. Each set has one of them for its right order, drawn by the weights. Nothing
// about its objects tells which.
type Task struct {
	n       int
	seed    uint64
	modes   []perm.Order // different from each other
	weights []float64    // of the modes: above 0, together 1
}

// Kind is the task in the list of all.
var Kind = task.Kind{Name: "delta", New: open, Measures: task.PlaceMeasures}

func open(c *config.Config) (task.Task, error) {
	if err := task.Reads(c, "identities", denoiser.Identities); err != nil {
		return nil, err
	}
	d := &Task{n: c.Task.N, seed: c.Seed}
	rng := task.Source(c.Seed, 0, 0)
	switch c.Task.Target {
	case "identity":
		d.modes = []perm.Order{perm.Identity(d.n)}
	case "random":
		d.modes = []perm.Order{perm.Random(rng, d.n)}
	case "mixture":
		if d.n < 8 { // 8! is far above maxModes
			if all := int(math.Gamma(float64(d.n) + 1)); c.Task.Modes > all {
				return nil, field.Errorf("Modes", "%d objects have %d orders (got %d)", d.n, all, c.Task.Modes)
			}
		}
		for len(d.modes) < c.Task.Modes {
			o := perm.Random(rng, d.n)
			if !slices.ContainsFunc(d.modes, func(m perm.Order) bool { return slices.Equal(m, o) }) {
				d.modes = append(d.modes, o)
			}
		}
	case "rotations":
		for first := range d.n {
			o := make(perm.Order, d.n)
			for i := range o {
				o[i] = (first + i) % d.n
			}
			d.modes = append(d.modes, o)
		}
	}
	var err error
	d.weights, err = weights(c.Task.Weights, len(d.modes))
	return d, err
}

// weights returns given weights with a sum of 1, equal ones where none are given.
func weights(given []float64, count int) ([]float64, error) {
	if given == nil {
		return slices.Repeat([]float64{1 / float64(count)}, count), nil
	}
	if len(given) != count {
		return nil, field.Errorf("Weights", "wanted %d, one a mode (got %d)", count, len(given))
	}
	sum := 0.0
	for i, w := range given {
		if !(w > 0 && w <= 1e9) { // NaN too
			return nil, field.Errorf(fmt.Sprintf("Weights[%d]", i), "must be above 0 and at most 1e9 (got %g)", w)
		}
		sum += w
	}
	out := slices.Clone(given)
	for i := range out {
		out[i] /= sum
	}
	return out, nil
}

// Encoder implements [task.Task].
func (d *Task) Encoder() denoiser.EncoderConfig { return denoiser.EncoderConfig{} }

// Examples implements [task.Task]. The objects of all sets are equal; what differs is the mode
// that is right, and the noise they start from.
func (d *Task) Examples(split task.Split, first, count int) (*task.Examples, error) {
	e := &task.Examples{Objects: d.identities(count, d.n), Clean: make([]perm.Order, count)}
	for i := range e.Clean {
		e.Clean[i] = d.modes[0]
		if len(d.modes) > 1 {
			e.Clean[i] = d.modes[d.pick(task.Source(d.seed, split, first+i).Float64())]
		}
	}
	e.Judge = judge{task.One{Clean: e.Clean}, d.modes}
	return e, nil
}

// pick returns the mode where the sum of the weights passes u, from 0 to below 1.
func (d *Task) pick(u float64) int {
	for i, w := range d.weights {
		if u -= w; u < 0 {
			return i
		}
	}
	return len(d.weights) - 1
}

func (d *Task) identities(count, n int) *tensors.Tensor {
	flat := make([]int32, count*n)
	for i := range flat {
		flat[i] = int32(i % n)
	}
	return tensors.FromFlatDataAndDimensions(flat, count, n)
}

// Objects implements [task.Task]: sets of n bare items.
func (d *Task) Objects(_ context.Context, sets []*dataset.Set) (*tensors.Tensor, []dataset.Warning, error) {
	n := len(sets[0].Items)
	for _, set := range sets {
		if set.Kind != dataset.KindBare {
			return nil, nil, fmt.Errorf("set %s: items are %s, wanted bare items", set.ID, set.Kind.Items())
		}
	}
	return d.identities(len(sets), n), nil, nil
}
