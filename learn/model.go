// Package learn puts the pieces together. It trains a model of orders from a configuration and
// loads it again. It asks the model for orders, samples and scores.
package learn

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/method"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/task/tasks"
)

// Model is a network with its weights and what is needed to use it. It is not safe for
// concurrent use.
type Model struct {
	Config   config.Config
	Task     task.Task
	Method   *method.Method
	Denoiser *denoiser.Denoiser
	Process  *diffusion.Process // nil with another method than diffusion
	Engine   *engine.Engine
	Store    *model.Store
	// State is where the training stands, zero for a model that has not been trained.
	State run.State
	// Elsewhere says which data [Load] found in another place than the configuration names.
	Elsewhere []string

	// OnCompile, if not nil, is called before a graph is compiled, which may take seconds. text
	// says so to people.
	OnCompile func(text string)
	// OnAnswered, if not nil, is called when so many more sets of a question are done.
	OnAnswered func(sets int)

	compiled time.Duration // spent on compiling so far
	shapes   int           // compiled so far
	began    *run.Start    // by InitFrom
	decoder  *diffusion.Decoder
	orderer  method.Orderer // of a method without a process
	// schedule and restored are warnings of the configuration and of the checkpoint.
	schedule, restored []string
}

// Warnings are those that concern all answers of the model. [New] returns those of its schedule, and
// [Load] those of its checkpoint. They are in every result of a test and every answer.
func (m *Model) Warnings() []string { return slices.Concat(m.schedule, m.restored) }

// New makes a model with starting weights. It completes the configuration, and fills in its
// schedule. warnings say what works but may not be wanted, also of the engine.
func New(cfg config.Config, e *engine.Engine) (m *Model, warnings []string, err error) {
	if m, warnings, err = Plan(cfg, e); err != nil {
		return nil, nil, err
	}
	return m, warnings, m.start()
}

// Plan is [New] without weights, which may take more memory than there is. [Model.CheckMemory] says
// so. [Model.Train] makes or reads the weights.
func Plan(cfg config.Config, e *engine.Engine) (m *Model, warnings []string, err error) {
	if err = tasks.InferFromData(&cfg); err != nil {
		return nil, nil, err
	}
	if warnings, err = cfg.Resolve(); err != nil {
		return nil, nil, err
	}
	work, err := tasks.New(&cfg)
	if err != nil {
		return nil, nil, err
	}
	if m, err = PlanTask(cfg, work, e); err != nil {
		return nil, nil, err
	}
	m.schedule = warnings
	if e != nil {
		warnings = slices.Concat(e.Warnings, warnings)
	}
	return m, warnings, nil
}

// PlanTask is [Plan] with a task of your own. The configuration must be resolved.
func PlanTask(cfg config.Config, work task.Task, e *engine.Engine) (m *Model, err error) {
	m = &Model{Config: cfg, Task: work, Engine: e, Store: model.NewStore()}
	if m.Method, err = method.Of(&cfg); err != nil {
		return nil, err
	}
	if m.Denoiser, err = cfg.Network(work.Encoder(), m.Method.Head); err != nil {
		return nil, err
	}
	if m.Method.Diffuses() {
		m.Process, err = cfg.DiffusionProcess()
	}
	return m, err
}

// start makes the starting weights, unless the model has some.
func (m *Model) start() error {
	if denoiser.Variable(m.Store, m.Denoiser.Params()[0].Name) != nil {
		return nil
	}
	return m.Denoiser.Init(m.Store, m.Config.Seed)
}

// Load opens the model of a run directory at its last checkpoint. The directory may come from anywhere: see
// [run.Dir]. warnings are those of the engine, of the checkpoint, and of changes of the configuration since the
// training. Those of the configuration itself were said when the training began. Data are looked for as
// [run.Dir.Located] says.
func Load(path string, e *engine.Engine) (m *Model, warnings []string, err error) {
	dir, err := run.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	cfg, elsewhere := dir.Located()
	if m, _, err = Plan(cfg, e); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir.File(run.ConfigFile), err)
	}
	m.Elsewhere = elsewhere
	if k, ok := m.Task.(task.Persister); ok {
		if err := k.Restore(dir); err != nil {
			return nil, nil, err
		}
	}
	warnings, err = m.restore(dir, false)
	if e != nil {
		warnings = slices.Concat(e.Warnings, warnings)
	}
	return m, warnings, err
}

// restore reads the last checkpoint of a run into the store.
func (m *Model) restore(dir *run.Dir, moments bool) (warnings []string, err error) {
	dir.Expect(m.Denoiser)
	if !moments {
		weights, state, warnings, err := dir.LoadModel()
		if err != nil {
			return nil, err
		}
		m.State, m.restored = state, warnings
		return warnings, within(dir, run.IntoStore(m.Store, m.Denoiser, weights, nil, nil))
	}
	c, warnings, err := dir.LoadCheckpoint()
	if err != nil {
		return nil, err
	}
	m.State, m.restored = c.State, warnings
	if c.Trained == nil {
		return warnings, within(dir, run.IntoStore(m.Store, m.Denoiser, c.Model, c.AdamM, c.AdamV))
	}
	return warnings, within(dir, errors.Join(
		run.IntoStore(m.Store, m.Denoiser, c.Trained, c.AdamM, c.AdamV),
		run.AverageIntoStore(m.Store, m.Denoiser, c.Model)))
}

// within says in which run's directory something is wrong.
func within(dir *run.Dir, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", dir.Path, err)
}

// Decoder returns the model's decoder; it stays valid while the model trains on.
func (m *Model) Decoder() (*diffusion.Decoder, error) {
	if err := m.Method.Refuse("decoder of reverse steps"); err != nil {
		return nil, err
	}
	if m.decoder == nil {
		d, err := diffusion.NewDecoder(m.Engine, m.Store, m.Denoiser, m.Process)
		if err != nil {
			return nil, err
		}
		d.OnShape, d.Mixed = m.compiling, m.Config.MixedSizes()
		m.decoder = d
	}
	return m.decoder, nil
}

// ReleaseGraphs frees the compiled graphs of decoding, one for every shape of sets that was asked
// for. They are compiled again when they are needed.
func (m *Model) ReleaseGraphs() {
	if m.decoder != nil {
		m.decoder.Close()
		m.decoder = nil
	}
	if m.orderer != nil {
		m.orderer.Close()
		m.orderer = nil
	}
}

// Close frees the weights and the compiled graphs; the model is of no use after it.
func (m *Model) Close() {
	m.ReleaseGraphs()
	m.Store.Finalize()
}
