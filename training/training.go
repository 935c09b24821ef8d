// Package training begins trainings. They are of a preset or a file, with changes by key and value, or of a
// run that is to go on. One process makes them, or several that were started together.
package training

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task/tasks"
)

// Request is what is to be trained.
type Request struct {
	Out    string // folder of the run
	Resume bool   // go on with the run that is there
	// From is a preset or a TOML file, where a run begins.
	From string
	// Set are changes of the configuration, key=value each.
	Set []string
	// Engine is what [engine.Open] takes; "" is that of the run, or auto.
	Engine string
	// Initial is a run to begin with the weights of, "" for none.
	Initial string
	begun   *run.Start // what a run without a checkpoint was to begin with
	// Devices of the engine share each batch.
	Devices int
	// IgnoreMemory tries also what seems too large for the memory.
	IgnoreMemory bool
}

// Host is where a training begins: how engines are opened, and messages shown.
type Host interface {
	// EngineFor opens the engine of a model that has none; faster chooses where spec does not.
	EngineFor(m *learn.Model, spec string, faster func() learn.Choice) error
	Note(format string, args ...any)
	Warn(warnings []string)
}

// Open makes a model and its run directory, or opens a run that is there. The directory is made last: what
// cannot be trained leaves nothing behind.
func Open(h Host, r *Request) (m *learn.Model, dir *run.Dir, err error) {
	cfg, from, state := config.Config{}, r.From, run.State{}
	if r.Resume {
		if dir, err = run.Resume(r.Out); err != nil {
			return nil, nil, err
		}
		defer closeAfter(dir, &err)
		cfg, from = dir.Config, filepath.Join(r.Out, run.ConfigFile)
	} else if cfg, err = ReadConfig(r.From); err != nil {
		return nil, nil, err
	}
	if cfg, err = r.changed(h, cfg); err != nil {
		return nil, nil, err
	}
	if _, err = cfg.Resolve(); err != nil {
		return nil, nil, Blame(from, r.Set, err)
	}
	if r.Resume {
		if state, err = check(dir, &cfg); err != nil {
			return nil, nil, err
		}
		if r, err = r.beginning(dir, state); err != nil {
			return nil, nil, err
		}
	}
	if m, err = r.model(h, cfg, from, &state); err != nil {
		return nil, nil, err
	}
	switch start := m.Start(); {
	case r.Resume:
	case start != nil:
		dir, err = run.CreateFrom(r.Out, &m.Config, *start)
	default:
		dir, err = run.Create(r.Out, &m.Config)
	}
	return m, dir, err
}

// closeAfter closes a run that could not be opened whole.
func closeAfter(dir *run.Dir, err *error) {
	if *err != nil {
		*err = errors.Join(*err, dir.Close())
	}
}

// changed is a configuration as Set changes it. Of lists whose items have features the preset ranking is
// the preset ranking-features.
func (r *Request) changed(h Host, cfg config.Config) (config.Config, error) {
	err := Change(&cfg, r.Set)
	if err != nil || r.Resume || r.From != "ranking" || !listsOfFeatures(cfg, r.Set) {
		return cfg, err
	}
	h.Note("the items have features: this is the preset ranking-features")
	if cfg, err = ReadConfig("ranking-features"); err == nil {
		err = Change(&cfg, r.Set)
	}
	return cfg, err
}

// model makes the model of a configuration called from, on the engine that the run had, and sees whether it
// can be trained.
func (r *Request) model(h Host, cfg config.Config, from string, state *run.State) (*learn.Model, error) {
	spec := r.Engine
	kept := spec == "" && state.Engine != ""
	if kept {
		spec = state.Engine
	}
	m, err := NewModel(h, cfg, spec, r.by())
	if err != nil {
		if err = Blame(from, r.Set, err); kept && spec != "go" {
			err = hint.With(err, fmt.Sprintf("the run was made with the %s engine; another one, such as --engine go, goes on, but not bit for bit", spec))
		}
		return nil, err
	}
	if state.Engine != "" && m.Engine.Kind != state.Engine {
		h.Warn([]string{fmt.Sprintf("the run was made with the %s engine; with %s its steps are not bit for bit the same", state.Engine, m.Engine.Kind)})
	}
	if err := m.CheckDevices(r.Devices); err != nil {
		return nil, fmt.Errorf("train: --%w", err)
	}
	if !r.IgnoreMemory {
		if err := m.CheckMemory(r.Devices); err != nil {
			return nil, fmt.Errorf("%w; --ignore-memory tries all the same", err)
		}
	}
	if r.Initial == "" {
		if frozen := m.Config.Train.Frozen; len(frozen) > 0 && state.Engine == "" {
			return nil, hint.Errorf("--init RUN names the run they come from", "train: %s: the weights that stay as they are (%s) would be random", config.TrainFrozen, strings.Join(frozen, ", "))
		}
		return m, nil
	}
	notes, err := m.InitFrom(r.Initial)
	if err != nil {
		return nil, fmt.Errorf("train: --init: %w", err)
	}
	if err := r.asBegun(m); err != nil {
		return nil, err
	}
	for _, n := range notes {
		h.Note("%s", n)
	}
	return m, nil
}

// beginning is the request where a run that is gone on with has no checkpoint yet: to begin with the weights that it was
// to begin with.
func (r *Request) beginning(dir *run.Dir, state run.State) (*Request, error) {
	if state.Engine != "" {
		return r, nil
	}
	start, err := dir.Start()
	if err != nil || start == nil {
		return r, err
	}
	again := *r
	again.Initial, again.begun = start.Run, start
	return &again, nil
}

// asBegun is an error where the run that a training began with has other weights since then.
func (r *Request) asBegun(m *learn.Model) error {
	if r.begun != nil && r.begun.SHA256 != "" && m.Start().SHA256 != r.begun.SHA256 {
		return hint.Errorf("put them back, or train anew in another folder", "%s: has other weights than the training in %s began with", r.Initial, r.Out)
	}
	return nil
}

// by makes models without weights where a run's or starting weights are to come, with them where others go
// over the starting weights.
func (r *Request) by() func(config.Config, *engine.Engine) (*learn.Model, []string, error) {
	if r.Initial != "" {
		return learn.New
	}
	return learn.Plan
}

// check holds a run's checkpoint, if it has one, against its configuration, before more memory is
// taken and data are read than its files are long.
func check(dir *run.Dir, cfg *config.Config) (run.State, error) {
	m, _, err := learn.Plan(*cfg, nil)
	if err != nil {
		return run.State{}, fmt.Errorf("%s: %w", dir.File(run.ConfigFile), err)
	}
	dir.Expect(m.Denoiser)
	_, state, _, err := dir.LoadModel()
	if errors.Is(err, run.ErrNoCheckpoint) {
		err = nil
	}
	return state, err
}

// NewModel makes a model by [learn.New] or [learn.Plan] on an engine.
func NewModel(h Host, cfg config.Config, spec string, by func(config.Config, *engine.Engine) (*learn.Model, []string, error)) (*learn.Model, error) {
	m, warnings, err := by(cfg, nil)
	if err != nil {
		return nil, err
	}
	if err := h.EngineFor(m, spec, m.FasterToTrain); err != nil {
		return nil, err
	}
	if cfg.Model.Precision == "bfloat16" && m.Engine.Kind == "go" {
		warnings = append(warnings, `model.precision "bfloat16" is for XLA: the go engine multiplies in float32`)
	}
	h.Warn(warnings)
	return m, m.CheckData()
}

// listsOfFeatures tells whether a configuration is for lists of items with features, unless keys say how
// the process or its law is to be. One reverse step by Plackett–Luce learns more of such lists in the same
// time.
func listsOfFeatures(cfg config.Config, set []string) bool {
	for _, s := range set {
		if strings.HasPrefix(s, "process.") || strings.HasPrefix(s, "model.gpl_rows") {
			return false
		}
	}
	return tasks.InferFromData(&cfg) == nil && cfg.Task.Items == "features" // what is wrong is said later
}

// Again are the flags that have riffle train --resume go on as it did, with the engine and the devices.
func (r *Request) Again(e *engine.Engine) string {
	flags := forced(r.Engine, e)
	if r.Devices > 1 {
		flags += fmt.Sprintf(" --devices %d", r.Devices)
	}
	return flags
}

// forced returns the flag that names engine e, where auto would take another one here.
func forced(spec string, e *engine.Engine) string {
	auto := os.Getenv("GOMLX_BACKEND")
	if auto == "" {
		for _, x := range engine.List() {
			if x.Default {
				auto = x.Name + ":" + x.Path
			}
		}
	}
	name := e.Kind
	if e.Path != "" {
		name += ":" + e.Path
	}
	if spec == "auto" || auto == e.Kind || strings.TrimSuffix(auto, ":") == name {
		return ""
	}
	return " --engine " + name
}
