package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/internal/progress"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/question"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

func (a *app) evalCommand() *cobra.Command {
	var e evaluation
	cmd := &cobra.Command{
		Use:   "eval DIR",
		Short: "judge a trained model on test sets",
		Long: `eval orders test sets with the model of DIR and prints how often the order is exactly
right, how many objects stand in their right place, and Kendall's tau, each with a
95 % bootstrap interval, beside the paper's figures where the run has them. The
same seed gives the same test sets. The result is kept in DIR/eval.json where it is
what the run's configuration asks for: of eval.examples sets of task.n objects,
decoded as decode says. Any other result is printed only, also with --n and --test. --probe
keeps its result in DIR/probe.json, --calibration in DIR/calibration.json.

--calibration draws --samples orders of every test set instead, and says how often what they
give a probability of 0 to 10 %, 10 to 20 %, … is so: item a before item b, and item k at
position i.

Of a target of several orders it prints in what proportion samples are each of them, and
the total variation distance to what was asked for.

Of tours it prints lengths and gaps; with --finish 2opt also, under names of their own, those of what 2-opt
makes of them. --test takes the instances of a file of tour text,
one a line, such as riffle tsp generate writes, and all of them. Of ranked lists --test
takes those of any file that riffle train ranking takes; its columns, or its items where
they are nothing but names, are known by their names.

Of puzzles it also prints the error of the pictures put together, how often the order
is right if tiles that noise alone tells apart (the black ones of a digit) count as one,
and the limit that these tiles set: the share of right orders of someone who knows all else and
guesses among them.`,
		Example: `  riffle eval runs/sort9
  riffle eval runs/sort9 --n 15
  riffle eval runs/tsp20 --test tsp20_test.txt --decode beam --beam 256
  riffle eval runs/votes --test autumn.soc
  riffle eval runs/sort9 --decode beam --beam 20 --inner 200 --examples 10000`,
		Args: exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := e.check(cmd); err != nil {
				return err
			}
			return a.eval(cmd, args[0], e)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&e.probe, "probe", false, "instead, say how well a sorting model's encoder reads digits, and what that limits it to")
	f.BoolVar(&e.calibration, "calibration", false, "instead, hold the model's probabilities against test sets")
	f.IntVar(&e.samples, "samples", 64, "of --calibration: orders drawn of each test set")
	f.IntVar(&e.examples, "examples", 0, "test sets (default: the run's eval.examples)")
	f.StringVar(&e.test, "test", "", "of tours and ranked lists: file of test sets in place of the run's")
	f.IntVar(&e.n, "n", 0, "objects a set, where the task has sets of any size (default: the run's task.n)")
	f.StringVar(&e.finish, "finish", "", "of tours: 2opt, to tell as well what 2-opt makes of them (default: the run's eval.finish)")
	f.BoolVar(&e.quiet, "quiet", false, "no progress")
	addDecode(cmd, &e.decode)
	addEngine(cmd, &e.engine)
	return cmd
}

// evaluation is what eval is asked for.
type evaluation struct {
	examples, n, samples      int
	probe, calibration, quiet bool
	engine, test, finish      string
	decode                    learn.DecodeOptions
}

// check finds what is wrong with the flags.
func (e *evaluation) check(cmd *cobra.Command) error {
	given := cmd.Flags().Changed
	switch {
	case e.examples < 1 && given("examples"):
		return usagef("eval: --examples must be 1 or more (got %d)", e.examples)
	case given("n") && e.n < 2:
		return usagef("eval: --n must be 2 or more (got %d)", e.n)
	case e.test != "" && e.n > 0:
		return usagef("eval: --test has its own size (asked for --n %d)", e.n)
	case e.samples < 1 || e.samples > evaluate.MaxCalibrationSamples:
		return usagef("eval: --samples must be 1 to %d (got %d)", evaluate.MaxCalibrationSamples, e.samples)
	case given("samples") && !e.calibration:
		return usagef("eval: --samples is for --calibration alone")
	}
	for _, x := range []struct {
		on    bool
		name  string
		why   string
		flags []string
	}{
		{e.calibration, "calibration", "", []string{"probe", "n", "decode", "beam", "inner", "test", "finish"}},
		{e.probe, "probe", ": it orders nothing", []string{"examples", "n", "decode", "beam", "inner", "test", "finish"}},
	} {
		for _, flag := range x.flags {
			if x.on && given(flag) {
				return usagef("eval: --%s takes no --%s%s", x.name, flag, x.why)
			}
		}
	}
	return checkDecode(cmd, question.Order{Top: 1, Decode: e.decode})
}

// eval judges the model of a run as asked.
func (a *app) eval(cmd *cobra.Command, dir string, e evaluation) error {
	many := e.examples
	if many == 0 {
		many = manySets
	}
	m, err := a.load(dir, e.engine, many)
	if err != nil {
		return err
	}
	if err := e.finishing(m, dir); err != nil {
		return err
	}
	keep := dir
	if e.test == "" { // whose figures these will be
		for _, file := range m.Elsewhere {
			a.Note("%s", file)
		}
	} else {
		keep = ""
		if err := e.take(m, dir); err != nil {
			return err
		}
	}
	if e.examples == 0 {
		e.examples = m.Config.Eval.Examples
	}
	switch {
	case e.probe:
		return a.probe(cmd, m, dir)
	case e.calibration:
		return a.calibrate(cmd, m, dir, e.examples, e.samples, e.quiet)
	case e.n > 0:
		keep = ""
		if err := a.resize(m, e.n); err != nil {
			return err
		}
	}
	return a.evaluate(cmd, m, keep, task.Test, e.examples, e.decode, e.quiet)
}

// finishing has the figures of finished tours told as well.
func (e *evaluation) finishing(m *learn.Model, dir string) error {
	switch {
	case e.finish == "":
		return nil
	case e.finish != "2opt":
		return usagef("eval: --finish must be 2opt (got %q)", e.finish)
	}
	if _, ok := m.Task.(task.Turner); !ok {
		return fmt.Errorf("eval: --finish: is for tours (the model of %s is of the task %s)", dir, m.Config.Task.Name)
	}
	m.Config.Eval.Finish = e.finish
	return nil
}

// take has a model tested on the file of --test, and all sets of it where it says how many.
func (e *evaluation) take(m *learn.Model, dir string) error {
	if _, err := os.Stat(e.test); err != nil {
		return fmt.Errorf("eval: --test: %w", err)
	}
	if _, ok := m.Task.(task.Tester); !ok {
		return fmt.Errorf("eval: --test: wanted a model of tours or of ranked lists, that of %s is of the task %s", dir, m.Config.Task.Name)
	}
	if err := m.SetTest(e.test); err != nil {
		return err
	}
	if e.examples == 0 {
		e.examples = m.Task.(task.Tester).TestSets()
	}
	return nil
}

// resize has a model judged on sets of n objects.
func (a *app) resize(m *learn.Model, n int) error {
	trained := m.Config
	warnings, err := m.SetSize(n)
	if err != nil {
		return fmt.Errorf("eval: --n: %w", err)
	}
	a.Note("sets of %d: the model was trained on sets of %s; the result is printed only", n, trained.SizesInWords())
	a.Warn(warnings)
	if n != trained.Task.N {
		m.Config.Paper = nil // its figures are for the run's size
	}
	return nil
}

func addDecode(cmd *cobra.Command, opt *learn.DecodeOptions) {
	cmd.Flags().StringVar(&opt.Method, "decode", "", "greedy or beam (default: the run's)")
	cmd.Flags().IntVar(&opt.Beam, "beam", 0, "states kept after each reverse step (default: the run's)")
	cmd.Flags().IntVar(&opt.Inner, "inner", 0, "prefixes kept inside a reverse step (default: the run's)")
	cmd.Flags().IntVar(&opt.Symmetries, "symmetries", 0, "tours: copies that are turned, mirrored and begun elsewhere; the shortest tour counts (default: the run's, 1: none)")
}

// checkDecode finds what is wrong with the flags of [addDecode], for the orders that are asked for.
func checkDecode(cmd *cobra.Command, q question.Order) error {
	for flag, x := range map[string][2]int{"beam": {q.Decode.Beam, learn.MaxBeam}, "inner": {q.Decode.Inner, learn.MaxBeam}, "symmetries": {q.Decode.Symmetries, learn.MaxSymmetries}} {
		if cmd.Flags().Changed(flag) && x[0] == 0 { // which stands for the run's own where no flag is given
			return usage(cmd, learn.InRange(flag, x[0], x[1]))
		}
	}
	return usage(cmd, q.Check())
}

// Questions that do not say how many sets they are about are taken to be about a few or many.
const (
	aFewSets = 64
	manySets = 4096
)

// load opens a run's model to ask about so many sets.
func (a *app) load(dir, engineSpec string, sets int) (*learn.Model, error) {
	m, warnings, err := learn.Load(dir, nil)
	if err != nil {
		return nil, err
	}
	err = a.EngineFor(m, engineSpec, func() learn.Choice {
		q := learn.Query{Kind: learn.KindOrder, Top: 1, Decode: learn.DecodeOptions{Method: m.Config.Decode.Method, Beam: m.Config.Decode.Beam, Inner: m.Config.Decode.Inner}}
		return m.FasterToAsk(q, sets)
	})
	if err != nil {
		return nil, err
	}
	a.Warn(warnings)
	m.OnCompile = func(text string) { a.Note("%s", text) }
	return m, nil
}

// evaluate judges a model, prints the result and keeps it in dir, if not "".
func (a *app) evaluate(cmd *cobra.Command, m *learn.Model, dir string, split task.Split, count int, opt learn.DecodeOptions, quiet bool) error {
	bar := progress.New(a.err, "test sets", count, quiet, progressbar.OptionShowCount())
	m.OnCompile = func(text string) {
		bar.Clear()
		a.Note("%s", text)
	}
	r, err := evaluate.Run(cmd.Context(), m, split, count, opt, bar.At)
	bar.Clear()
	if err != nil {
		return err
	}
	a.compiled(m)
	switch path := filepath.Join(dir, runs.EvalFile); {
	case dir == "":
	case evaluate.AsConfigured(m, r):
		err = runs.WriteJSONIn(dir, runs.EvalFile, r)
	default:
		a.Note("the result is printed only: %s is for all %s test sets (eval.examples), decoded as the run does (decode)", path, thousands(m.Config.Eval.Examples))
	}
	a.Warn(r.Warnings[len(m.Warnings()):]) // those of the model are said already
	if a.json {                            // printed also where it could not be kept: it may have taken long
		return errors.Join(a.printJSON(r), err)
	}
	a.printResult(r)
	return err
}

func (a *app) printResult(r *evaluate.Result) {
	size := fmt.Sprintf("sets of %d", r.N)
	if r.Lists > 0 {
		size = fmt.Sprintf("different lists of up to %d, %s in all", r.N, thousands(r.Lists))
	}
	fmt.Fprintf(a.out, "%s %s, %s; %s engine, %.0f sets/s; trained %s steps, %s; seed %d\n\n", thousands(r.Sets), size, r.Decoding(), r.Engine, r.Rate(), thousands(r.Step), clock(time.Duration(r.TrainSeconds*float64(time.Second))), r.Seed)
	for _, n := range r.Notes {
		a.Note("%s", n)
	}
	header, rows := r.Table()
	text.Table(a.out, header, rows)
	if r.Below != nil {
		fmt.Fprintln(a.out)
		a.sections(r.Below)
	}
}

// sections prints texts with their tables, an empty line between them.
func (a *app) sections(all []evaluate.Section) {
	for i, s := range all {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintln(a.out, s.Text)
		if s.Rows != nil {
			text.Table(a.out, s.Header, s.Rows)
		}
	}
}

// probe probes a model, prints the result and keeps it in dir.
func (a *app) probe(cmd *cobra.Command, m *learn.Model, dir string) error {
	p, err := evaluate.ProbeDigits(cmd.Context(), m)
	if errors.Is(err, evaluate.ErrNoProbe) {
		return fmt.Errorf("eval: --probe: %w, that of %s is of the task %s", err, dir, m.Config.Task.Name)
	}
	if err != nil {
		return err
	}
	err = runs.WriteJSONIn(dir, runs.ProbeFile, p)
	if a.json {
		return errors.Join(a.printJSON(p), err)
	}
	fmt.Fprintf(a.out, "digits misread by a linear probe on the encoder  %.2f %% of %s test digits\n", p.DigitError, thousands(p.TestDigits))
	fmt.Fprintf(a.out, "exact %% of a perfect sorter with that reader      %.1f (simulated, ± %.1f)\n", p.Limit, p.LimitStdErr)
	return err
}
