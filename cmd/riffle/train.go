package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/internal/shell"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/presets"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/task/tasks"
)

// trainFlags are what riffle train is asked for.
type trainFlags struct {
	out, engineSpec string
	set             []string
	steps           int
	limit           time.Duration
	resume, quiet   bool
	ignoreMemory    bool
	devices         int
	profile         string
	initial         string
}

func (a *app) trainCommand() *cobra.Command {
	t := &trainFlags{}
	cmd := &cobra.Command{
		Use:   "train PRESET|FILE.toml --out DIR",
		Short: "train a model",
		Long: `train trains the model that a preset or a file of yours describes and keeps
everything in DIR: config.toml (complete), metrics.jsonl, the weights
model.safetensors, the optimiser's state, and at the end eval.json with the result
on the test sets.

Ctrl-C saves and stops, as SIGTERM and SIGHUP (a terminal that is closed) do; a second one
stops at once, unsaved. --resume goes on from the
last checkpoint with the run's configuration and engine, bit for bit as if it had not
been stopped. It is not so where --engine names another engine, and with train.time,
as the clock decides on the learning rate.

--resume --steps N, or --time T, trains on to another length, beyond the end of a run that has
finished too. Both count what was trained before. The learning rate is from then on that of a training
of the whole length: with cosine, which ended at 0, it begins again at what it is at that share of N
steps, so half of train.lr where N is twice what was made; with noam and constant it goes on as it was.

With train.average the weights in model.safetensors are a moving average of those that are
trained, which stand in trained.safetensors.

--devices N shares each batch among N devices of an XLA engine: all GPUs of a machine, or the
devices that XLA's CPU plugin shows. The losses are those of one device but for rounding, and
a run may be resumed with any N that divides train.batch. Each device keeps all weights, gradients
and moments. The first one alone decodes the checks and the final test, and draws the reverse
steps of the latent objective: there the others wait meanwhile.

Under mpirun or srun (a riffle built by make mpi) the processes share each batch, on one machine or
many with a common file system; the first one writes the run. Their number must divide train.batch.
See docs/scale.md.`,
		Example: `  riffle train sort-3-quick --out runs/sort3
  riffle train sort-9 --out runs/sort9 --time 30m --engine xla
  riffle train mine.toml --out runs/mine --set train.batch=32 --set process.schedule=[0,9]
  riffle train sort-9 --init runs/sort3 --out runs/sort9
  riffle train --out runs/sort9 --resume`,
		Args: t.check,
		RunE: func(cmd *cobra.Command, args []string) error { return a.train(cmd, args, t) },
	}
	f := cmd.Flags()
	f.StringVar(&t.out, "out", "", "folder of the run")
	f.StringArrayVar(&t.set, "set", nil, "change a key of the configuration: key=value (again for more)")
	f.IntVar(&t.steps, "steps", 0, "train for this many steps (sets train.steps)")
	f.DurationVar(&t.limit, "time", 0, "train for this long, such as 30m, one step at least, and fit the learning rate to it (sets train.time)")
	f.BoolVar(&t.resume, "resume", false, "go on from the last checkpoint of --out")
	f.StringVar(&t.initial, "init", "", "begin with the weights of this run whose names and shapes fit; says which do not")
	f.BoolVar(&t.quiet, "quiet", false, "no progress")
	f.BoolVar(&t.ignoreMemory, "ignore-memory", false, "train also where the estimate says that the memory is too small")
	f.IntVar(&t.devices, "devices", 1, "devices of the engine that share each batch; must divide train.batch")
	f.StringVar(&t.profile, "profile", "", "folder for a CPU profile (cpu.pprof) and a trace (trace.out) of the training")
	excludes(cmd, "steps", "time")
	addEngine(cmd, &t.engineSpec)
	f.Lookup("engine").Usage += "; --resume keeps the run's"
	return cmd
}

// check tells what of the flags and arguments does not go together.
func (t *trainFlags) check(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed
	switch {
	case t.out == "":
		return usagef("train: --out is missing\nhint: the folder that keeps the run, such as --out runs/first")
	case len(args) == 0 && !t.resume:
		return usagef("train: PRESET or FILE.toml is missing\nhint: riffle presets lists the presets")
	case len(args) > 1:
		return usagef("train: one argument too many: %q\nhint: %s", args[1], cmd.UseLine())
	case len(args) == 1 && args[0] == "":
		return usagef("train: PRESET or FILE.toml is empty\nhint: riffle presets lists the presets")
	case given("time") && t.limit <= 0:
		return usagef("train: --time must be above 0 (got %s)", t.limit)
	case given("steps") && t.steps <= 0:
		return usagef("train: --steps must be above 0 (got %d)", t.steps)
	case t.devices < 1:
		return usagef("train: --devices must be 1 or more (got %d)", t.devices)
	case t.resume && t.initial != "":
		return usagef("train: --init is for a new run, --resume goes on with one")
	case t.resume && (len(args) > 0 || len(t.set) > 0):
		return usagef("train: --resume takes no PRESET and --set: a run keeps its configuration\nhint: riffle train --out %s --resume, with --steps or --time for another length", shell.Quote(t.out))
	}
	return nil
}

func (a *app) train(cmd *cobra.Command, args []string, t *trainFlags) (err error) {
	if t.resume && !cmd.Flags().Changed("engine") {
		t.engineSpec = ""
	}
	if t.limit > 0 {
		t.set = append(t.set, "train.time="+t.limit.String())
	} else if t.steps > 0 {
		t.set = append(t.set, fmt.Sprintf("train.steps=%d", t.steps), "train.time=")
	}
	if t.profile != "" { // what cannot be written is told before a run is made
		if err := os.MkdirAll(t.profile, 0o777); err != nil {
			return fmt.Errorf("train: --profile: %w", err)
		}
	}
	ctx, stop := untilHangup(cmd.Context())
	defer stop()
	all, err := a.processes()
	if err != nil {
		return err
	}
	defer func() { err = all.leave(a, err) }()
	m, dir, err := all.open(func() (*learn.Model, *runs.Dir, error) {
		return a.openRun(args, t)
	}, func() (*learn.Model, *runs.Dir, error) { return a.follow(t) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	a.describe(m)
	if t.profile != "" {
		stop, err := startProfile(t.profile)
		if err != nil {
			return fmt.Errorf("train: --profile: %w", err)
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	opt := a.trainOptions(m, t.quiet)
	opt.Devices, opt.Peers = t.devices, all.peers()
	first := all.first()
	err = all.leave(a, m.Train(ctx, dir, t.resume, opt))
	if errors.Is(err, learn.ErrStopped) {
		again := forced(t.engineSpec, m.Engine)
		if t.devices > 1 {
			again += fmt.Sprintf(" --devices %d", t.devices)
		}
		return fmt.Errorf("stopped at step %d, all is saved\nhint: riffle train --out %s --resume%s goes on", m.State.Step, shell.Quote(t.out), again)
	}
	if err != nil || !first {
		return err
	}
	return a.finish(cmd, m, dir, t.quiet)
}

// untilHangup returns a context that a hang-up signal ends too, as where the terminal is closed,
// unless it is ignored (nohup).
func untilHangup(ctx context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return ctx, func() {}
	}
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}

// openRun makes a model and its run directory, or opens a run that is there. The directory
// is made last: what cannot be trained leaves nothing behind. With engineSpec "" a run that
// is there keeps its engine.
func (a *app) openRun(args []string, t *trainFlags) (m *learn.Model, dir *runs.Dir, err error) {
	cfg, state, spec := config.Config{}, runs.State{}, t.engineSpec
	if t.resume {
		if dir, err = runs.Resume(t.out); err != nil {
			return nil, nil, err
		}
		cfg = dir.Config
	} else if cfg, err = readConfig(args[0]); err != nil {
		return nil, nil, err
	}
	from := filepath.Join(t.out, runs.ConfigFile)
	if !t.resume {
		from = args[0]
	}
	err = change("train", &cfg, t.set)
	if err == nil && !t.resume && args[0] == "ranking" && listsOfFeatures(cfg, t.set) {
		a.note("the items have features: this is the preset ranking-features")
		if cfg, err = readConfig("ranking-features"); err == nil {
			err = change("train", &cfg, t.set)
		}
	}
	if err == nil {
		if _, err = cfg.Resolve(); err != nil {
			err = blame("train", from, t.set, err)
		}
	}
	if err == nil && t.resume {
		state, err = a.checkRun(dir, &cfg)
	}
	if err != nil {
		if dir != nil {
			err = errors.Join(err, dir.Close())
		}
		return nil, nil, err
	}
	kept := spec == "" && state.Engine != ""
	if kept {
		spec = state.Engine
	}
	by := learn.Plan
	if t.initial != "" { // which goes over the starting weights
		by = learn.New
	}
	if m, err = a.newModel(cfg, spec, by); err != nil {
		err = blame("train", from, t.set, err)
	}
	switch {
	case err != nil && kept && spec != "go":
		err = fmt.Errorf("%w\nhint: the run was made with the %s engine; another one, such as --engine go, goes on, but not bit for bit", err, spec)
	case err == nil && state.Engine != "" && m.Engine.Kind != state.Engine:
		a.warn([]string{fmt.Sprintf("the run was made with the %s engine; with %s its steps are not bit for bit the same", state.Engine, m.Engine.Kind)})
	}
	if err == nil {
		if err = m.CheckDevices(t.devices); err != nil {
			err = fmt.Errorf("train: --%w", err)
		}
	}
	if err == nil && !t.ignoreMemory {
		if err = m.CheckMemory(t.devices); err != nil {
			err = fmt.Errorf("%w; --ignore-memory tries all the same", err)
		}
	}
	if err == nil && t.initial != "" {
		var notes []string
		if notes, err = m.InitFrom(t.initial); err != nil {
			err = fmt.Errorf("train: --init: %w", err)
		}
		for _, n := range notes {
			a.note("%s", n)
		}
	}
	if err == nil && !t.resume {
		dir, err = runs.Create(t.out, &m.Config)
	}
	if err != nil && dir != nil {
		err = errors.Join(err, dir.Close())
	}
	return m, dir, err
}

// checkRun holds a run's checkpoint, if it has one, against its configuration, before more memory is
// taken and data are read than its files are long.
func (a *app) checkRun(dir *runs.Dir, cfg *config.Config) (runs.State, error) {
	m, _, err := learn.Plan(*cfg, nil)
	if err != nil {
		return runs.State{}, fmt.Errorf("%s: %w", dir.File(runs.ConfigFile), err)
	}
	dir.Expect(m.Denoiser)
	_, state, _, err := dir.LoadModel()
	if errors.Is(err, runs.ErrNoCheckpoint) {
		err = nil
	}
	return state, err
}

// describe says what is about to be trained.
func (a *app) describe(m *learn.Model) {
	what := m.Config.Method
	if p := m.Process; p != nil {
		what = fmt.Sprintf("%s with %s, schedule %v", p.Forward.Name(), p.Reverse.LongName(), p.Steps)
	}
	a.note("model: %s parameters, %s", thousands(m.Denoiser.NumParameters()), what)
	if t, ok := m.Task.(task.Lister); ok {
		var lists [task.Test + 1]int
		for split := range lists {
			lists[split], _ = t.Lists(task.Split(split)) // the model was made: its data can be read
		}
		a.note("data: %s lists to train on, %s for validation, %s for the test", thousands(lists[task.Train]), thousands(lists[task.Validation]), thousands(lists[task.Test]))
	}
	if t, ok := m.Task.(task.DataDoubter); ok {
		doubts := t.Doubts(task.Train)
		for _, d := range t.Doubts(task.Test) {
			if !slices.Contains(doubts, d) {
				doubts = append(slices.Clip(doubts), d)
			}
		}
		a.warn(doubts)
	}
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

// newModel makes a model by [learn.New] or [learn.Plan].
func (a *app) newModel(cfg config.Config, engineSpec string, by func(config.Config, *engine.Engine) (*learn.Model, []string, error)) (*learn.Model, error) {
	m, warnings, err := by(cfg, nil)
	if err != nil {
		return nil, err
	}
	if err := a.engineFor(m, engineSpec, m.FasterToTrain); err != nil {
		return nil, err
	}
	a.warn(warnings)
	return m, m.CheckData()
}

// listsOfFeatures tells whether a configuration is for lists of items with features, of which one reverse
// step by Plackett–Luce learns more in the same time, unless keys say how the process or its law is to be.
func listsOfFeatures(cfg config.Config, set []string) bool {
	for _, s := range set {
		if strings.HasPrefix(s, "process.") || strings.HasPrefix(s, "model.gpl_rows") {
			return false
		}
	}
	return tasks.InferFromData(&cfg) == nil && cfg.Task.Items == "features" // what is wrong is said later
}

// change changes the keys of a configuration that --set gives.
func change(command string, cfg *config.Config, set []string) error {
	for _, s := range set {
		if err := cfg.Set(s); err != nil {
			return usagef("%s: --set: %w", command, err)
		}
	}
	return nil
}

// blame says where the key that an error is about is from: --set, which is wrong use unless it
// named a file that is not there, or else the configuration called from. An error about no key stays.
func blame(command, from string, set []string, err error) error {
	wrong, ok := errors.AsType[*config.KeyError](err)
	if !ok || wrong.Where != "" {
		return err
	}
	for _, s := range set {
		key, _, _ := strings.Cut(s, "=")
		if key = strings.TrimSpace(key); wrong.Key != key && !strings.HasPrefix(wrong.Key, key+"[") {
			continue
		}
		err = fmt.Errorf("%s: --set: %w", command, err)
		if _, file := errors.AsType[*fs.PathError](err); !file {
			err = usageError{err}
		}
		return err
	}
	return fmt.Errorf("%s: %w", from, err)
}

// readConfig reads a TOML file or a preset.
func readConfig(name string) (config.Config, error) {
	if strings.HasSuffix(name, ".toml") {
		cfg, err := config.LoadConfig(name)
		if err == nil {
			return cfg, nil
		}
		if _, preset := presets.Get(strings.TrimSuffix(name, ".toml")); !preset || !errors.Is(err, os.ErrNotExist) {
			return config.Config{}, err
		}
	}
	data, err := presetData(name)
	if err != nil {
		return config.Config{}, err
	}
	return config.ParseConfig(data, strings.TrimSuffix(name, ".toml")+".toml")
}

// stepLine says how far a training is. What is not known yet, such as the loss of a first step
// that the engine is still at, is a question mark.
func stepLine(p learn.Progress, batch float64) string {
	loss, left := "?", "?"
	if p.Loss != 0 {
		loss = fmt.Sprintf("%.3f", p.Loss)
	}
	if p.Done > 0.001 {
		left = clock(time.Duration(float64(p.Elapsed) * (1 - p.Done) / p.Done))
	}
	return fmt.Sprintf("step %d  loss %s  %.1f sets/s  left %s", p.Step, loss, p.Rate*batch, left)
}

func (a *app) trainOptions(m *learn.Model, quiet bool) learn.TrainOptions {
	bar := a.newProgress("training", 10000, quiet, progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "━", SaucerPadding: " ", BarStart: "", BarEnd: ""}))
	m.OnCompile = func(text string) {
		bar.clear()
		a.note("%s", text)
	}
	return learn.TrainOptions{
		OnStep: func(p learn.Progress) {
			bar.share(p.Done, stepLine(p, m.Config.MeanBatch()))
		},
		Validate: evaluate.Validation(func(step int, r *evaluate.Result) {
			bar.clear()
			correct := ""
			if c := r.Figure("correct"); c != nil {
				correct = fmt.Sprintf("  correct %5.1f %%", c.Mean)
			}
			a.note("step %6d  exact %5.1f %%%s  tau %.3f  (%d sets)", step, r.Mean("exact"), correct, r.Mean("kendall_tau"), r.Sets)
		}),
		OnMessage: func(text string) {
			bar.clear()
			a.note("%s", text)
		},
	}
}

// clock prints a time as 1:02:03 or 2:03.
func clock(d time.Duration) string {
	s := int(d.Seconds() + 0.5)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

var thousands = text.Thousands

// finish judges a trained model on the test sets.
func (a *app) finish(cmd *cobra.Command, m *learn.Model, dir *runs.Dir, quiet bool) error {
	steps := "steps"
	if m.State.Step == 1 {
		steps = "step"
	}
	a.note("trained: %d %s in %s", m.State.Step, steps, clock(m.Duration()))
	err := a.evaluate(cmd, m, dir.Path, task.Test, m.Config.Eval.Examples, learn.DecodeOptions{}, quiet)
	if errors.Is(err, context.Canceled) {
		return fmt.Errorf("interrupted in the test, the trained model is saved\nhint: riffle eval %s tests it", shell.Quote(dir.Path))
	}
	return err
}
