package learn

import (
	"fmt"
	"reflect"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/machine"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/task/tasks"
)

// SetSize has the model judged on sets of n objects, 2 or more, instead of as many as it was
// trained on. A model of one permutation has no other size, and some networks end at a size.
// Warnings are those of the schedule at n. The model is not to be trained after that.
func (m *Model) SetSize(n int) (warnings []string, err error) {
	if n == m.Config.Task.N {
		return nil, nil
	}
	if t, ok := m.Task.(task.FixedSize); ok {
		return nil, t.OtherSize(n)
	}
	if err := m.Method.Refuse("other size"); err != nil {
		return nil, err
	}
	if err := m.Denoiser.CheckSize(n); err != nil {
		return nil, err
	}
	cfg := m.Config
	cfg.Task.N, cfg.Task.NMin = n, 0 // whatever sizes it was trained on
	if warnings, err = cfg.Resolve(); err != nil {
		return nil, err
	}
	// Sets are judged alike in batches of any size.
	for free := machine.FreeMemory(); free > 0 && m.decodeMemory(n, cfg.Eval.Batch) > free; cfg.Eval.Batch /= 2 {
		if cfg.Eval.Batch == 1 {
			return nil, hint.Errorf("fewer objects", "one set of %d objects needs about %s, %s are free", n, gigabytes(m.decodeMemory(n, 1)), gigabytes(free))
		}
	}
	work, err := m.remade(&cfg)
	if err != nil {
		return nil, err
	}
	m.Config, m.Task, m.schedule = cfg, work, warnings
	return warnings, nil
}

// Rejudge has the model judged with a changed configuration. change may not change the network's shape.
func (m *Model) Rejudge(change func(*config.Config) error) error {
	cfg := m.Config
	if err := change(&cfg); err != nil {
		return err
	}
	if !reflect.DeepEqual(cfg.Task, m.Config.Task) {
		work, err := m.remade(&cfg)
		if err != nil {
			return err
		}
		m.Task = work
	}
	m.Config = cfg
	return nil
}

// SetTest has a model judged on the sets of a file in place of those of its configuration. A model of
// tours takes tour text, and one of ranked lists what it can be trained on.
func (m *Model) SetTest(path string) error {
	if _, ok := m.Task.(task.Tester); !ok {
		return fmt.Errorf("wanted a model of tours or of ranked lists (got one of the task %s)", m.Config.Task.Name)
	}
	cfg := m.Config
	cfg.Task.Test = path
	work, err := m.remade(&cfg)
	if err != nil {
		return err
	}
	m.Config, m.Task = cfg, work
	return nil
}

// remade is the task of a changed configuration, which knows of the items what the model's knows.
func (m *Model) remade(c *config.Config) (task.Task, error) {
	t, ok := m.Task.(task.Tester)
	if !ok {
		return tasks.New(c)
	}
	if err := c.Check("task"); err != nil {
		return nil, err
	}
	work, err := t.OnTest(c)
	return work, config.Within("task", err)
}
