package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/question"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

func (a *app) evalCommand() *cobra.Command {
	var examples, n, samples int
	var probe, calibration, quiet bool
	var engineSpec, test string
	var opt learn.DecodeOptions
	cmd := &cobra.Command{
		Use:   "eval DIR",
		Short: "judge a trained model on test sets",
		Long: `eval orders test sets with the model of DIR and prints how often the order is exactly
right, how many objects stand in their right place, and Kendall's tau, each with a
95 % bootstrap interval, beside the paper's figures where the run has them. The
same seed gives the same test sets. The result is kept in DIR/eval.json where it is
what the run's configuration asks for: of eval.examples sets of task.n objects,
decoded as decode says. Any other is printed only, as is that of --n and --test. That
of --probe is kept in DIR/probe.json, that of --calibration in DIR/calibration.json.

--calibration draws --samples orders of every test set instead, and says how often what they
give a probability of 0 to 10 %, 10 to 20 %, … is so: item a before item b, and item k at
position i.

Of a target of several orders it prints in what proportion samples are each of them, and
the total variation distance to what was asked for.

Of tours it prints lengths and gaps. --test takes the instances of a file of tour text,
one a line, such as riffle tsp generate writes, and all of them. Of ranked lists --test
takes those of any file that riffle train ranking takes; its columns, or its items where
they are nothing but names, are known by their names.

Of puzzles it also prints the error of the pictures put together, how often the order
is right if tiles that noise alone tells apart (the black ones of a digit) count as one,
and the limit that they set: the share of one who knows all else and guesses there.`,
		Example: `  riffle eval runs/sort9
  riffle eval runs/sort9 --n 15
  riffle eval runs/tsp20 --test tsp20_test.txt --decode beam --beam 256
  riffle eval runs/votes --test autumn.soc
  riffle eval runs/sort9 --decode beam --beam 20 --inner 200 --examples 10000`,
		Args: exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if examples < 1 && cmd.Flags().Changed("examples") {
				return usagef("eval: --examples must be 1 or more (got %d)", examples)
			}
			if cmd.Flags().Changed("n") && n < 2 {
				return usagef("eval: --n must be 2 or more (got %d)", n)
			}
			if err := checkDecode(cmd, question.Order{Top: 1, Decode: opt}); err != nil {
				return err
			}
			if test != "" && n > 0 {
				return usagef("eval: --test has its own size (asked for --n %d)", n)
			}
			if samples < 1 || samples > evaluate.MaxCalibrationSamples {
				return usagef("eval: --samples must be 1 to %d (got %d)", evaluate.MaxCalibrationSamples, samples)
			}
			if cmd.Flags().Changed("samples") && !calibration {
				return usagef("eval: --samples is for --calibration alone")
			}
			if calibration {
				for _, flag := range []string{"probe", "n", "decode", "beam", "inner", "test"} {
					if cmd.Flags().Changed(flag) {
						return usagef("eval: --calibration takes no --%s", flag)
					}
				}
			}
			if probe {
				for _, flag := range []string{"examples", "n", "decode", "beam", "inner", "test"} {
					if cmd.Flags().Changed(flag) {
						return usagef("eval: --probe takes no --%s: it orders nothing", flag)
					}
				}
			}
			many := examples
			if many == 0 {
				many = manySets
			}
			m, err := a.load(args[0], engineSpec, many)
			if err != nil {
				return err
			}
			if test == "" { // whose figures these will be
				for _, file := range m.Elsewhere {
					a.note("%s", file)
				}
			}
			dir := args[0]
			if test != "" {
				if _, err := os.Stat(test); err != nil {
					return fmt.Errorf("eval: --test: %w", err)
				}
				if name := m.Config.Task.Name; name != "tsp" && name != "ranking" {
					return fmt.Errorf("eval: --test: wanted a model of tours or of ranked lists, that of %s is of the task %s", args[0], name)
				}
				if err := m.SetTest(test); err != nil {
					return err
				}
				dir = ""
				if tours, ok := m.Task.(*task.Tour); ok && examples == 0 {
					examples = tours.Instances(task.Test)
				}
			}
			if examples == 0 {
				examples = m.Config.Eval.Examples
			}
			if probe {
				return a.probe(cmd, m, args[0])
			}
			if calibration {
				return a.calibrate(cmd, m, args[0], examples, samples, quiet)
			}
			if trained := m.Config.Task.N; n > 0 {
				warnings, err := m.SetSize(n)
				if err != nil {
					return fmt.Errorf("eval: --n: %w", err)
				}
				a.note("sets of %d: the model was trained on sets of %d; the result is printed only", n, trained)
				a.warn(warnings)
				dir = ""
				if n != trained {
					m.Config.Paper = nil // its figures are for the run's size
				}
			}
			return a.evaluate(cmd, m, dir, task.Test, examples, opt, quiet)
		},
	}
	cmd.Flags().BoolVar(&probe, "probe", false, "instead, say how well a sorting model's encoder reads digits, and what that limits it to")
	cmd.Flags().BoolVar(&calibration, "calibration", false, "instead, hold the model's probabilities against test sets")
	cmd.Flags().IntVar(&samples, "samples", 64, "of --calibration: orders drawn of each test set")
	cmd.Flags().IntVar(&examples, "examples", 0, "test sets (default: the run's eval.examples)")
	cmd.Flags().StringVar(&test, "test", "", "of tours and ranked lists: file of test sets in place of the run's")
	cmd.Flags().IntVar(&n, "n", 0, "objects a set, for a sorting model (default: the run's task.n)")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "no progress")
	addDecode(cmd, &opt)
	addEngine(cmd, &engineSpec)
	return cmd
}

func addDecode(cmd *cobra.Command, opt *learn.DecodeOptions) {
	cmd.Flags().StringVar(&opt.Method, "decode", "", "greedy or beam (default: the run's)")
	cmd.Flags().IntVar(&opt.Beam, "beam", 0, "states kept after each reverse step (default: the run's)")
	cmd.Flags().IntVar(&opt.Inner, "inner", 0, "prefixes kept inside a reverse step (default: the run's)")
	cmd.Flags().IntVar(&opt.Symmetries, "symmetries", 0, "tours: copies that are turned, mirrored and begun elsewhere; the shortest tour counts (default: the run's, 1: none)")
}

// checkDecode finds what is wrong with the flags of [addDecode], for the orders that are asked for.
func checkDecode(cmd *cobra.Command, q question.Order) error {
	for flag, value := range map[string]int{"beam": q.Decode.Beam, "inner": q.Decode.Inner, "symmetries": q.Decode.Symmetries} {
		if cmd.Flags().Changed(flag) && value == 0 { // which stands for the run's own where no flag is given
			return usage(cmd, learn.InRange(flag, value, learn.MaxBeam))
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
	err = a.engineFor(m, engineSpec, func() learn.Choice {
		q := learn.Query{Kind: learn.KindOrder, Top: 1, Decode: learn.DecodeOptions{Method: m.Config.Decode.Method, Beam: m.Config.Decode.Beam, Inner: m.Config.Decode.Inner}}
		return m.FasterToAsk(q, sets)
	})
	if err != nil {
		return nil, err
	}
	a.warn(warnings)
	m.OnCompile = func(text string) { a.note("%s", text) }
	return m, nil
}

// evalFile is what eval.json holds.
type evalFile struct {
	*evaluate.Result
	TrainSteps   int           `json:"train_steps"`
	TrainSeconds float64       `json:"train_seconds"`
	Paper        *config.Paper `json:"paper,omitempty"`
}

// evaluate judges a model, prints the result and keeps it in dir, if not "".
func (a *app) evaluate(cmd *cobra.Command, m *learn.Model, dir string, split task.Split, count int, opt learn.DecodeOptions, quiet bool) error {
	bar := a.newProgress("test sets", count, quiet, progressbar.OptionShowCount())
	m.OnCompile = func(text string) {
		bar.clear()
		a.note("%s", text)
	}
	r, err := evaluate.Run(cmd.Context(), m, split, count, opt, bar.at)
	bar.clear()
	if err != nil {
		return err
	}
	file := evalFile{Result: r, TrainSteps: m.State.Step, TrainSeconds: m.State.Elapsed, Paper: m.Config.Paper}
	switch path := filepath.Join(dir, runs.EvalFile); {
	case dir == "":
	case evaluate.AsConfigured(m, r):
		err = keepJSON(dir, runs.EvalFile, file)
	default:
		a.note("the result is printed only: %s is for all %s test sets (eval.examples), decoded as the run does (decode)", path, thousands(m.Config.Eval.Examples))
	}
	if r.Tour != nil { // what speaks against the references; those of the model are said already
		a.warn(r.Warnings[len(m.Warnings()):])
	}
	if a.json { // printed also where it could not be kept: it may have taken long
		return errors.Join(a.printJSON(file), err)
	}
	a.printResult(file)
	return err
}

// keepJSON writes a result to a file of a run's directory.
func keepJSON(dir, name string, result any) error {
	return runs.WriteIn(dir, name, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(result)
	})
}

func (a *app) printResult(f evalFile) {
	how := f.Decode.Method
	if how == "beam" {
		how = fmt.Sprintf("beam %d, inner %d", f.Decode.Beam, f.Decode.Inner)
	}
	if f.Decode.Symmetries > 1 {
		how += fmt.Sprintf(", best of %d copies", f.Decode.Symmetries)
	}
	if f.Method != "diffusion" {
		how = f.Method
	}
	size := fmt.Sprintf("sets of %d", f.N)
	if f.Ranking != nil {
		size = fmt.Sprintf("different lists of up to %d, %s in all", f.N, thousands(f.Ranking.Lists))
	}
	fmt.Fprintf(a.out, "%s %s, %s; %s engine, %.0f sets/s; trained %s steps, %s; seed %d\n\n", thousands(f.Sets), size, how, f.Engine, f.SetsPerSecond, thousands(f.TrainSteps), clock(time.Duration(f.TrainSeconds*float64(time.Second))), f.Seed)
	none := func(*config.Paper) *float64 { return nil }
	header := []string{"metric", "ours", "95 % interval"}
	if f.Paper != nil {
		header = append(header, "paper")
	}
	row := func(name, format string, v metric.Interval, paper func(*config.Paper) *float64) []string {
		r := []string{name, rounded(format, v.Mean), rounded(format, v.Low) + " to " + rounded(format, v.High)}
		if f.Paper != nil {
			p := ""
			if figure := paper(f.Paper); figure != nil {
				p = fmt.Sprintf(format, *figure)
			}
			r = append(r, p)
		}
		return r
	}
	var rows [][]string
	if f.Ranking == nil {
		rows = [][]string{
			row("exact %", "%.2f", f.Exact, func(p *config.Paper) *float64 { return p.Exact }),
			row("correct %", "%.2f", *f.Correct, func(p *config.Paper) *float64 { return p.Correct }),
			row("Kendall tau (lists)", "%.4f", *f.KendallTauLists, func(p *config.Paper) *float64 { return p.KendallTau }),
			row("Kendall tau (ranks)", "%.4f", f.KendallTau, none),
		}
	}
	if f.Tour != nil {
		rows = append(rows,
			row("tour length", "%.4f", f.Tour.Length, func(p *config.Paper) *float64 { return p.Length }),
			row("gap %", "%.3f", f.Tour.Gap, func(p *config.Paper) *float64 { return p.Gap }),
			row("shortest length", "%.4f", f.Tour.Best, func(*config.Paper) *float64 { return nil }))
	}
	if f.Permutations != nil {
		rows = append(rows, row("permutations %", "%.2f", *f.Permutations, none))
	}
	if p := f.Modes; p != nil {
		figure := func(name string, v float64) []string {
			return append([]string{name, fmt.Sprintf("%.4f", v)}, make([]string, len(header)-2)...)
		}
		rows = append(rows,
			figure("TV of the modes", p.TV),
			figure("TV of perfect draws", p.Perfect),
			figure("TV of one PL law", p.PlackettLuce),
			figure("no mode %", 100*p.None))
	}
	if p := f.Puzzle; p != nil {
		limit := func(name string, mean float64) []string {
			return append([]string{name, fmt.Sprintf("%.2f", mean)}, make([]string, len(header)-2)...)
		}
		rows = append(rows,
			row("RMSE", "%.4f", p.RMSE, func(p *config.Paper) *float64 { return p.RMSE }),
			row("MAE", "%.4f", p.MAE, func(p *config.Paper) *float64 { return p.MAE }),
			row("exact %, but for noise", "%.2f", p.ExactAlike, none),
			row("correct %, but for noise", "%.2f", p.CorrectAlike, none),
			limit("limit of exact %", p.LimitExact),
			limit("limit of correct %", p.LimitCorrect),
		)
	}
	if r := f.Ranking; r != nil {
		rows = [][]string{
			row("exact %, known pairs", "%.2f", r.Exact, none),
			row("Kendall tau-b", "%.4f", r.TauB, none),
			row(fmt.Sprintf("NDCG@%d", r.NDCGAt), "%.4f", r.NDCG, none),
		}
		if r.TopK != nil {
			rows = append(rows, row(fmt.Sprintf("top-%d overlap", r.TopKAt), "%.4f", *r.TopK, none))
		}
		rows = append(rows,
			row("bound, nats an item", "%.4f", r.Bound, none),
			row("uniform, nats an item", "%.4f", r.Uniform, none))
		a.warn(r.Dropped)
		for _, p := range r.Populations {
			value := "none"
			if p.LogProb != nil {
				value = fmt.Sprintf("%.4f", *p.LogProb)
			}
			rows = append(rows, append([]string{p.Name, value}, make([]string, len(header)-2)...))
			if p.Note != "" {
				a.note("%s: %s", p.Name, p.Note)
			}
		}
	}
	table(a.out, header, rows)
	if m := f.Modes; m != nil {
		fmt.Fprintf(a.out, "\nexact: the order is one of the %d modes. TV: total variation distance between the target\nand %s samples, as many perfect draws from it, and a fitted Plackett–Luce law\n\n", len(m.Weights), thousands(m.Samples))
		var modes [][]string
		for i, w := range m.Weights {
			modes = append(modes, []string{fmt.Sprint(i), fmt.Sprintf("%.4f", w), fmt.Sprintf("%.4f", m.Shares[i])})
		}
		table(a.out, []string{"mode", "target", "samples"}, modes)
	}
	if f.Puzzle != nil {
		fmt.Fprintln(a.out, "\npixels go from 0 to 1. But for noise: tiles that noise alone tells apart count as one;\nthe limits are those of one who guesses among them and knows all else")
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
	err = keepJSON(dir, runs.ProbeFile, p)
	if a.json {
		return errors.Join(a.printJSON(p), err)
	}
	fmt.Fprintf(a.out, "digits misread by a linear probe on the encoder  %.2f %% of %s test digits\n", p.DigitError, thousands(p.TestDigits))
	fmt.Fprintf(a.out, "exact %% of a perfect sorter with that reader      %.1f (simulated, ± %.1f)\n", p.Limit, p.LimitStdErr)
	return err
}

// rounded is a figure in a format, where what rounds to zero has no sign.
func rounded(format string, v float64) string {
	text := fmt.Sprintf(format, v)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}
