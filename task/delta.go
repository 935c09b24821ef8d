package task

import (
	"fmt"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
)

// Delta is the task of learning one permutation: the objects are the identities 0 … n−1
// and the right order is always the same (paper appendix H.1).
type Delta struct {
	n      int
	Target perm.Order
}

func newDelta(c *run.Config) (*Delta, error) {
	d := &Delta{n: c.Task.N}
	switch c.Task.Target {
	case "identity":
		d.Target = perm.Identity(d.n)
	case "random":
		d.Target = perm.Random(source(c.Seed, 0, 0), d.n)
	default:
		return nil, fmt.Errorf("task.target: unknown %q, wanted identity or random", c.Task.Target)
	}
	return d, nil
}

// Encoder implements [Task].
func (d *Delta) Encoder() denoiser.EncoderConfig { return denoiser.EncoderConfig{} }

// Examples implements [Task]. All sets are equal; what differs is the noise they start from.
func (d *Delta) Examples(_ Split, _, count int) (*Examples, error) {
	e := &Examples{Objects: d.identities(count, d.n), Clean: make([]perm.Order, count)}
	for i := range e.Clean {
		e.Clean[i] = d.Target
	}
	return e, nil
}

func (d *Delta) identities(count, n int) *tensors.Tensor {
	flat := make([]int32, count*n)
	for i := range flat {
		flat[i] = int32(i % n)
	}
	return tensors.FromFlatDataAndDimensions(flat, count, n)
}

// Objects implements [Task]: sets of n bare items.
func (d *Delta) Objects(sets []*dataset.Set) (*tensors.Tensor, []string, error) {
	n := len(sets[0].Items)
	for _, set := range sets {
		if set.Kind != dataset.KindBare {
			return nil, nil, fmt.Errorf("set %s: items are %s, wanted bare items", set.ID, set.Kind)
		}
	}
	return d.identities(len(sets), n), nil, nil
}
