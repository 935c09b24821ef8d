package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/progress"
	"github.com/riffle-ml/riffle/internal/shell"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/training"
)

// trainFlags are what riffle train is asked for.
type trainFlags struct {
	training.Request
	steps   int
	limit   time.Duration
	quiet   bool
	profile string
}

func (a *app) trainCommand() *cobra.Command {
	t := &trainFlags{}
	cmd := &cobra.Command{
		Use:   "train PRESET|FILE.toml --out DIR",
		Short: "train a model",
		Long: `train trains the model that a preset or a TOML file describes. The folder --out keeps
everything: config.toml (complete), metrics.jsonl, the weights model.safetensors, the optimiser's
state, and at the end eval.json with the result on the test sets.

Ctrl-C saves and stops; so do SIGTERM and SIGHUP. A second one stops at once, unsaved. --resume goes
on from the last checkpoint with the run's configuration and engine, and gives the same bits as an
unbroken training. Another --engine gives other bits. So does --time, since the clock then decides
the learning rate.

--resume with --steps N or --time T trains to a new length, even if the training had finished. The
new length includes what was trained before. The learning rate is the one that a training of the new
length has at this point. A cosine that had ended at 0 goes back up; noam and constant just go on.

With train.validate the best model so far is kept in DIR/best, a run of its own that all commands
take. DIR has the last one. train.patience ends a training after that many validations without a
gain. With train.average model.safetensors holds a moving average; trained.safetensors holds the
weights that are trained.

--devices N shares each batch among N devices of an XLA engine. N must divide train.batch, and may
change with --resume. The losses are those of one device, up to rounding. Each device keeps all
weights, gradients and moments. The first one alone decodes checks and the final test, and draws the
reverse steps of the latent objective.

Under mpirun or srun the processes of a riffle built by make mpi share each batch, on one machine or
on several with a common file system. Their number must divide train.batch. See docs/scale.md.`,
		Example: `  riffle train sort-3-quick --out runs/sort3
  riffle train sort-9 --out runs/sort9 --time 30m --engine xla
  riffle train mine.toml --out runs/mine --set train.batch=32 --set process.schedule=[0,9]
  riffle train sort-9 --init runs/sort3 --out runs/sort9
  riffle train --out runs/sort9 --resume`,
		Args: t.check,
		RunE: func(cmd *cobra.Command, args []string) error { return a.train(cmd, args, t) },
	}
	f := cmd.Flags()
	f.StringVar(&t.Out, "out", "", "folder of the run")
	addSet(cmd, &t.Set)
	f.IntVar(&t.steps, "steps", 0, "train for this many steps (sets train.steps)")
	f.DurationVar(&t.limit, "time", 0, "train for this long, such as 30m, but at least one step; the learning rate follows the clock (sets train.time)")
	f.BoolVar(&t.Resume, "resume", false, "go on from the last checkpoint of --out")
	f.StringVar(&t.Initial, "init", "", "begin with those weights of this run whose names and shapes fit; it reports the others")
	addQuiet(cmd, &t.quiet)
	f.BoolVar(&t.IgnoreMemory, "ignore-memory", false, "train also where the estimate says that the memory is too small")
	f.IntVar(&t.Devices, "devices", 1, "devices of the engine that share each batch; must divide train.batch")
	f.StringVar(&t.profile, "profile", "", "folder for a CPU profile (cpu.pprof) and a trace (trace.out) of the training")
	excludes(cmd, "steps", "time")
	addEngine(cmd, &t.Engine)
	f.Lookup("engine").Usage += "; --resume keeps the run's"
	return cmd
}

// check says which flags and arguments do not go together.
func (t *trainFlags) check(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed
	switch {
	case t.Out == "":
		return usageHint("the folder that keeps the run, such as --out runs/first", "train: --out is missing")
	case len(args) == 0 && !t.Resume:
		return usageHint("riffle presets lists the presets", "train: PRESET or FILE.toml is missing")
	case len(args) > 1:
		return usageHint(cmd.UseLine(), "train: one argument too many: %q", args[1])
	case len(args) == 1 && args[0] == "":
		return usageHint("riffle presets lists the presets", "train: PRESET or FILE.toml is empty")
	case given("time") && t.limit <= 0:
		return usagef("train: --time must be above 0 (got %s)", t.limit)
	case given("steps") && t.steps <= 0:
		return usagef("train: --steps must be above 0 (got %d)", t.steps)
	case t.Devices < 1:
		return usagef("train: --devices must be 1 or more (got %d)", t.Devices)
	case t.Resume && t.Initial != "":
		return usagef("train: --init is for a new run, --resume goes on with one")
	case t.Resume && (len(args) > 0 || len(t.Set) > 0):
		return usageHint(fmt.Sprintf("riffle train --out %s --resume, with --steps or --time for another length", shell.Quote(t.Out)), "train: --resume takes neither PRESET nor --set: a run keeps its configuration")
	}
	return nil
}

func (a *app) train(cmd *cobra.Command, args []string, t *trainFlags) (err error) {
	if t.Resume && !cmd.Flags().Changed("engine") {
		t.Engine = ""
	}
	if t.limit > 0 {
		t.Set = append(t.Set, "train.time="+t.limit.String())
	} else if t.steps > 0 {
		t.Set = append(t.Set, fmt.Sprintf("train.steps=%d", t.steps), "train.time=")
	}
	if t.profile != "" { // a folder that cannot be written is reported before a run is made
		if err := os.MkdirAll(t.profile, 0o777); err != nil {
			return fmt.Errorf("train: --profile: %w", err)
		}
	}
	ctx, stop := untilHangup(cmd.Context())
	defer stop()
	all, err := training.Join()
	if err != nil {
		return err
	}
	if !all.First() {
		a.out, a.err = io.Discard, io.Discard
	}
	defer func() { err = all.Leave(a.stderr, err) }()
	if len(args) > 0 {
		t.From = args[0]
	}
	m, dir, err := all.Open(a, &t.Request)
	if err != nil {
		return ofSet("train", err)
	}
	defer func() { err = errors.Join(err, dir.Close()) }()
	training.Describe(a, m)
	if t.profile != "" {
		stop, err := training.Profile(t.profile)
		if err != nil {
			return fmt.Errorf("train: --profile: %w", err)
		}
		defer func() { err = errors.Join(err, stop()) }()
	}
	opt := a.trainOptions(m, t.quiet)
	opt.Devices, opt.Peers = t.Devices, all.Peers()
	first := all.First()
	err = all.Leave(a.stderr, m.Train(ctx, dir, t.Resume, opt))
	if errors.Is(err, learn.ErrStopped) {
		return hint.Errorf(fmt.Sprintf("riffle train --out %s --resume%s goes on", shell.Quote(t.Out), t.Again(m.Engine)), "stopped at step %d, everything is saved", m.State.Step)
	}
	if err != nil || !first {
		return err
	}
	return a.finish(cmd, m, dir, t.quiet)
}

// untilHangup returns a context that a hang-up signal ends too, as when the terminal is closed.
// Where that signal is ignored (nohup) it does not.
func untilHangup(ctx context.Context) (context.Context, context.CancelFunc) {
	if signal.Ignored(syscall.SIGHUP) {
		return ctx, func() {}
	}
	return signal.NotifyContext(ctx, syscall.SIGHUP)
}

func (a *app) trainOptions(m *learn.Model, quiet bool) learn.TrainOptions {
	bar := progress.New(a.err, "training", 10000, quiet, progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false),
		progressbar.OptionSetTheme(progressbar.Theme{Saucer: "━", SaucerPadding: " ", BarStart: "", BarEnd: ""}))
	m.OnCompile = func(text string) {
		bar.Clear()
		a.Note("%s", text)
	}
	return learn.TrainOptions{
		OnStep: func(p learn.Progress) {
			bar.Share(p.Done, p.Line(m.Config.MeanBatch()))
		},
		Validate: evaluate.Validation(func(step int, r *evaluate.Result) {
			bar.Clear()
			a.Note("step %6d  %s", step, r.Short())
		}),
		OnMessage: func(text string) {
			bar.Clear()
			a.Note("%s", text)
		},
	}
}

// trained says how long a training took.
func (a *app) trained(m *learn.Model) {
	a.Note("trained: %s in %s", text.Count(m.State.Step, "step"), text.Clock(m.Duration()))
}

// finish judges a trained model on the test sets.
func (a *app) finish(cmd *cobra.Command, m *learn.Model, dir *runs.Dir, quiet bool) error {
	a.trained(m)
	err := a.evaluate(cmd, m, dir.Path, task.Test, m.Config.Eval.Examples, learn.DecodeOptions{}, quiet)
	if errors.Is(err, context.Canceled) {
		return hint.Errorf(fmt.Sprintf("riffle eval %s tests it", shell.Quote(dir.Path)), "interrupted in the test, the trained model is saved")
	}
	return err
}
