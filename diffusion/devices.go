package diffusion

import (
	"fmt"

	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/hint"
)

// devices are what the steps of a trainer are spread over.
type devices struct {
	count               int
	replicated, sharded *distributed.ShardingSpec
}

// CheckDevices tells whether an engine has count devices for [Trainer.Spread].
func CheckDevices(e *engine.Engine, count int) error {
	switch has := e.NumDevices(); {
	case count < 1:
		return fmt.Errorf("devices: must be 1 or more (got %d)", count)
	case count > has && e.Kind == "go":
		return hint.Errorf("--engine xla shares batches among devices", "devices: the go engine has 1, which uses all cores (got %d)", count)
	case count > has:
		return fmt.Errorf("devices: the %s engine has %d here (got %d)", e.Kind, has, count)
	}
	return nil
}

// Spread makes the trainer's steps run on the first count devices of its engine; it is called
// before the first step. Each device has all weights and moments and its share of a batch's sets.
// The graph stays that of the whole batch. XLA's partitioner (Shardy) divides it, and adds the sums
// over devices that the loss, the gradients and statistics of the batch need. So a step means what
// it means on one device, the noise of dropout included, and differs by the order of additions
// alone. count must divide the batch of every step.
func (t *Trainer) Spread(count int) error {
	if err := CheckDevices(t.engine, count); err != nil || count == 1 {
		return err
	}
	const sets = "sets" // the one axis of the mesh
	mesh, err := distributed.NewDeviceMesh([]int{count}, []string{sets})
	if err != nil {
		return fmt.Errorf("devices: %w", err)
	}
	sharded, err := distributed.BuildSpec(mesh).S(sets).Done()
	if err != nil {
		return fmt.Errorf("devices: %w", err)
	}
	t.devices = &devices{count: count, replicated: distributed.NewReplicatedShardingSpec(mesh), sharded: sharded}
	t.exec.AutoSharding(mesh).WithOutputShardingSpecs(t.devices.replicated)
	return nil
}

// step makes training step s from the learning rate, the state of dropout and the loss's
// inputs. Of these the ones whose first axis is the batch, or a multiple of it, are shared
// out; all else is on every device.
func (d *devices) step(t *Trainer, s int, rate float64, inputs []*tensors.Tensor) (*Step, error) {
	const first = 2 // of the loss's inputs, the objects
	batch := inputs[first].Shape().Dim(0)
	if batch%d.count != 0 {
		return nil, fmt.Errorf("training step %d: a batch of %d sets cannot be divided among %d devices", s, batch, d.count)
	}
	step := &Step{Number: s, Rate: rate, inputs: inputs}
	var parts []any
	var specs []*distributed.ShardingSpec
	for i, input := range inputs {
		spec := d.replicated
		if shape := input.Shape(); i >= first && shape.Rank() > 0 && shape.Dim(0)%batch == 0 {
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
	// Every device has the same result.
	step.result, step.inputs = out[0], append(step.inputs, out[1:]...)
	return step, nil
}
