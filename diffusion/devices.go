package diffusion

import (
	"fmt"

	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"
)

// batchAxis is the only axis of the mesh of devices: the sets of a batch lie along it.
const batchAxis = "batch"

// devices are what the steps of a trainer are spread over.
type devices struct {
	count               int
	replicated, sharded *distributed.ShardingSpec
}

// Spread makes the trainer's steps on the first count devices of its engine, before the first
// step: the weights and the moments are on each of them, and each has its share of the sets of
// a batch. The graph stays that of the whole batch, which XLA's partitioner (Shardy) divides
// and to which it adds the sums between devices, so that the loss, statistics over the batch
// and the noise of dropout are those of one device, but for the order of additions.
//
// count must divide the batch of every step; the go engine has one device.
func (t *Trainer) Spread(count int) error {
	switch has := t.backend.NumDevices(); {
	case count < 1:
		return fmt.Errorf("devices: must be 1 or more (got %d)", count)
	case count > has:
		return fmt.Errorf("devices: wanted %d, the engine %s has %d", count, t.backend.Name(), has)
	case count == 1:
		return nil
	}
	mesh, err := distributed.NewDeviceMesh([]int{count}, []string{batchAxis})
	if err != nil {
		return fmt.Errorf("devices: %w", err)
	}
	sharded, err := distributed.BuildSpec(mesh).S(batchAxis).Done()
	if err != nil {
		return fmt.Errorf("devices: %w", err)
	}
	t.devices = &devices{count: count, replicated: distributed.NewReplicatedShardingSpec(mesh), sharded: sharded}
	t.exec.AutoSharding(mesh).WithOutputShardingSpecs(t.devices.replicated)
	return nil
}

// ahead is how many inputs of a step's graph come before those of the loss, on every device:
// learning rate and dropout state.
const ahead = 2

// step makes training step s. Of the loss's inputs those whose first axis is the batch, or a
// multiple of it, are shared out, the others are on every device.
func (d *devices) step(t *Trainer, s int, rate float64, inputs []*tensors.Tensor) (*Step, error) {
	batch := inputs[ahead].Shape().Dim(0)
	if batch%d.count != 0 {
		return nil, fmt.Errorf("training step %d: a batch of %d sets cannot be divided among %d devices", s, batch, d.count)
	}
	step := &Step{Number: s, Rate: rate, inputs: inputs}
	var parts []any
	var specs []*distributed.ShardingSpec
	for i, input := range inputs {
		spec := d.replicated
		if shape := input.Shape(); i >= ahead && shape.Rank() > 0 && shape.Dim(0)%batch == 0 {
			spec = d.sharded
		}
		part, err := dtensor.ShardTensor(spec, input)
		if err != nil {
			return nil, fmt.Errorf("training step %d: %w", s, err)
		}
		parts, specs = append(parts, part), append(specs, spec)
		step.inputs = append(step.inputs, part.Shards()...)
	}
	out, err := t.exec.WithInputShardingSpecs(specs...).Exec(parts...)
	if err != nil {
		return nil, fmt.Errorf("training step %d on %d devices: %w", s, d.count, err)
	}
	step.result, step.inputs = out[0], append(step.inputs, out[1:]...) // the same on all
	return step, nil
}
