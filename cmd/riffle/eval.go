package main

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

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
		Long: `eval orders test sets with the model of DIR. It prints how often the order is exactly right, how
many objects stand in their right place, and Kendall's tau. Each has a 95 % bootstrap interval, and
the paper's figure beside it where there is one. The same seed gives the same test sets.
DIR/eval.json keeps the result where it is what the configuration asks for: eval.examples sets of
task.n objects, decoded as decode says. Any other result is printed only.

--calibration draws --samples orders of every test set instead. Their shares are probabilities that
item a is before item b, and that item k is at position i. It says how often what has a probability
of 0 to 10 %, 10 to 20 %, … is so. The result is kept in DIR/calibration.json, that of --probe in
DIR/probe.json.

Where a target has several orders, it prints the share of each of them in samples. It prints the
total variation distance to the shares that were asked for as well. Of tours it prints lengths and
gaps. --finish 2opt adds those of what 2-opt makes of the tours. For tours --test takes all
instances of a file of tour text, such as riffle tsp generate writes. For ranked lists it takes any
file that riffle train ranking takes. Columns, and items without features, are known by their names.

Of puzzles it also prints the error of the pictures put together. Only noise tells some tiles apart,
such as the black ones of a digit. It prints how often the order is right if such tiles count as
one. It also prints a limit: the share of right orders of someone who knows all else and guesses
among such tiles.`,
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
	f.IntVar(&e.Examples, "examples", 0, "test sets (default: the run's eval.examples)")
	f.StringVar(&e.Test, "test", "", "of tours and ranked lists: file of test sets in place of the run's")
	f.IntVar(&e.N, "n", 0, "objects a set, where the task has sets of any size (default: the run's task.n)")
	f.StringVar(&e.Finish, "finish", "", "of tours: 2opt, to tell as well what 2-opt makes of them (default: the run's eval.finish)")
	addQuiet(cmd, &e.quiet)
	addDecode(cmd, &e.decode)
	addEngine(cmd, &e.engine)
	excludes(cmd, "calibration", "probe", "n", "decode", "beam", "inner", "symmetries", "test", "finish")
	excludes(cmd, "probe", "examples", "n", "decode", "beam", "inner", "symmetries", "test", "finish")
	return cmd
}

// evaluation is what eval is asked for.
type evaluation struct {
	evaluate.Changes
	samples                   int
	probe, calibration, quiet bool
	engine                    string
	decode                    learn.DecodeOptions
}

// check finds what is wrong with the flags.
func (e *evaluation) check(cmd *cobra.Command) error {
	return cmp.Or(atLeast(cmd, "examples", e.Examples, 1), atLeast(cmd, "n", e.N, 2), usage(cmd, e.Check()),
		usage(cmd, learn.InRange("samples", e.samples, evaluate.MaxCalibrationSamples)), only(cmd, e.calibration, "--calibration", "samples"),
		checkDecode(cmd, question.Order{Top: 1, Decode: e.decode}))
}

// eval judges the model of a run as asked.
func (a *app) eval(cmd *cobra.Command, dir string, e evaluation) error {
	m, err := a.load(dir, e.engine, cmp.Or(e.Examples, manySets))
	if err != nil {
		return err
	}
	notes, warnings, other, err := e.Apply(m, dir)
	if err != nil {
		return fmt.Errorf("eval: %w", err)
	}
	for _, n := range notes {
		a.Note("%s", n)
	}
	a.Warn(warnings)
	switch {
	case e.probe:
		return a.probe(cmd, m, dir)
	case e.calibration:
		return a.calibrate(cmd, m, dir, &e)
	case other:
		dir = ""
	}
	return a.evaluate(cmd, m, dir, task.Test, e.Examples, e.decode, e.quiet)
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
		a.Note("the result is printed only: %s is for all %s test sets (eval.examples), decoded as the run does (decode)", path, text.Thousands(m.Config.Eval.Examples))
	}
	a.Warn(r.Warnings[len(m.Warnings()):]) // those of the model are said already
	return errors.Join(a.print(r, func() {
		fmt.Fprintf(a.out, "%s\n\n", r.Headline())
		for _, n := range r.Notes {
			a.Note("%s", n)
		}
		header, rows := r.Table()
		text.Table(a.out, header, rows)
		if r.Below != nil {
			fmt.Fprintln(a.out)
			a.sections(r.Below)
		}
	}), err)
}

// keep keeps a result in a run and prints it. It prints it also where it could not be kept, since it
// may have taken long.
func (a *app) keep(dir, file string, v any, text func()) error {
	err := runs.WriteJSONIn(dir, file, v)
	return errors.Join(a.print(v, text), err)
}

// calibrate compares a model's probabilities with test sets, prints the result and keeps it.
func (a *app) calibrate(cmd *cobra.Command, m *learn.Model, dir string, e *evaluation) error {
	bar := progress.New(a.err, "test sets", e.Examples, e.quiet, progressbar.OptionShowCount())
	c, err := evaluate.Calibrate(cmd.Context(), m, e.Examples, e.samples, bar.At)
	bar.Clear()
	if err != nil {
		return err
	}
	return a.keep(dir, runs.CalibrationFile, c, func() { a.sections(c.Sections()) })
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
	return a.keep(dir, runs.ProbeFile, p, func() {
		fmt.Fprintf(a.out, "digits misread by a linear probe on the encoder  %.2f %% of %s test digits\n", p.DigitError, text.Thousands(p.TestDigits))
		fmt.Fprintf(a.out, "exact %% of a perfect sorter with that reader      %.1f (simulated, ± %.1f)\n", p.Limit, p.LimitStdErr)
	})
}
