package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/plot"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/task/ranking"
)

func (a *app) plotCommand() *cobra.Command {
	var engineSpec, format string
	var count, samples int
	cmd := &cobra.Command{
		Use:   "plot DIR|FILE",
		Short: "pictures of a run: loss, metrics, marginals, calibration, sets on their way to order",
		Long: `plot writes into DIR/figures:

  training     the loss and the accuracy over the steps; of ranked lists the loss an item,
               Kendall's tau-b and NDCG
  metrics      Kendall's tau, of tours the gap, the gradient's norm and the learning rate
  marginals    of the first test set, in what share of --samples an item stands at a position
  calibration  where riffle eval --calibration has kept one
  strip        some test sets as noise, after each reverse step, and ordered; tours as tours

Where the run's data are gone, marginals and strip are left out, with a warning; asked for by
--sets or --samples, or where there is nothing else to draw, that is a failure.

Given a FILE, one that a run keeps (metrics.jsonl, calibration.json) or what riffle sample --json
printed, it draws what the file holds beside it, without a model.`,
		Example: `  riffle plot runs/sort9
  riffle plot runs/sort9 --format svg --sets 3
  riffle plot runs/sort9/metrics.jsonl`,
		Args: exactly("DIR or FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case format != "png" && format != "svg":
				return usagef("plot: unknown --format %q, wanted png or svg", format)
			case count < 1 || count > mostInStrip:
				return usagef("plot: --sets must be 1 to %d (got %d)", mostInStrip, count)
			case samples < 1 || samples > evaluate.MaxCalibrationSamples:
				return usagef("plot: --samples must be 1 to %d (got %d)", evaluate.MaxCalibrationSamples, samples)
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return err
			}
			p := plotter{format: format}
			if info.IsDir() {
				err = a.plotRun(cmd, &p, args[0], engineSpec, count, samples)
			} else {
				for _, flag := range []string{"sets", "samples", "engine"} {
					if cmd.Flags().Changed(flag) {
						return usagef("plot: --%s is for the folder of a run, %s is a file", flag, args[0])
					}
				}
				err = a.plotFile(&p, args[0])
			}
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(struct {
					Files    []string `json:"files"`
					Warnings []string `json:"warnings,omitempty"`
				}{p.files, p.warnings})
			}
			for _, f := range p.files {
				fmt.Fprintln(a.out, f)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "png", "png or svg")
	cmd.Flags().IntVar(&count, "sets", 2, "sets in the strip")
	cmd.Flags().IntVar(&samples, "samples", 256, "draws behind the marginals")
	addEngine(cmd, &engineSpec)
	return cmd
}

// checkPicture is a usage error where a flag's file is not to be a picture.
func checkPicture(cmd *cobra.Command, flag, path string) error {
	if format := strings.ToLower(filepath.Ext(path)); cmd.Flags().Changed(flag) && format != ".png" && format != ".svg" {
		return usagef("%s: --%s: wanted a name ending in .png or .svg (got %q)", name(cmd), flag, path)
	}
	return nil
}

// mostInStrip is the most sets of a strip: a picture of more is too high to be looked at.
const mostInStrip = 20

// plotter writes figures and remembers their files, and what was not drawn.
type plotter struct {
	format          string
	run             *runs.Dir // whose figures they are, nil where they go beside a file
	files, warnings []string
}

// save writes a figure to the file path and its format's extension, or to that name among the
// figures of the run.
func (p *plotter) save(path string, f plot.Figure) error {
	path += "." + p.format
	if p.run == nil {
		p.files = append(p.files, path)
		return plot.Save(path, f)
	}
	name := filepath.Join(runs.FiguresDir, path)
	p.files = append(p.files, p.run.File(name))
	return p.run.WriteFile(name, func(w io.Writer) error { return plot.Encode(w, p.format, f) })
}

func (a *app) plotRun(cmd *cobra.Command, p *plotter, dir, engineSpec string, count, samples int) error {
	m, err := a.load(dir, engineSpec, aFewSets)
	missing, _ := errors.AsType[*task.DataError](err)
	if err != nil && missing == nil {
		return err
	}
	if p.run, err = runs.Open(dir); err != nil {
		return err
	}
	defer func() { _ = p.run.Close() }()
	steps, events, warnings, err := p.run.ReadMetrics()
	switch log, err := a.readLog(p.run.File(runs.MetricsFile), steps, events, warnings, err); {
	case errors.Is(err, fs.ErrNotExist): // weights that were passed on
		a.note("%s: has no %s, so neither training nor metrics are drawn", dir, runs.MetricsFile)
	case err != nil:
		return err
	default:
		if err := log.save(p, "training", "metrics"); err != nil {
			return err
		}
	}
	data, err := p.run.ReadFile(runs.CalibrationFile)
	if err == nil {
		var calibration plot.Figure
		if calibration, err = calibrationFigure(p.run.File(runs.CalibrationFile), data); err == nil {
			err = p.save("calibration", calibration)
		}
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return err
	}
	if missing == nil {
		err := a.plotTestSets(cmd, p, m, count, samples)
		if missing, _ = errors.AsType[*task.DataError](err); missing == nil {
			return err
		}
	}
	const undrawn = "marginals and strip need the run's data"
	if len(p.files) == 0 || cmd.Flags().Changed("sets") || cmd.Flags().Changed("samples") {
		return fmt.Errorf("plot: %s: %w", undrawn, missing)
	}
	p.warnings = []string{undrawn + " and are left out: " + message(missing, nil)}
	a.warn(p.warnings)
	return nil
}

// plotTestSets draws what a model makes of test sets.
func (a *app) plotTestSets(cmd *cobra.Command, p *plotter, m *learn.Model, count, samples int) error {
	if !m.Method.Diffuses() {
		a.note("method %s: has no marginals and no steps to draw: its network gives one order", m.Method.Name)
		return nil
	}
	switch marginals, err := evaluate.TestMarginals(cmd.Context(), m, 0, samples); {
	case errors.Is(err, task.ErrNoPlaces):
	case err != nil:
		return err
	default:
		heat := plot.HeatMap{Values: marginals.Values, Items: marginals.Items, ItemLabel: "item, in the right order"}
		if !marginals.Whole {
			heat.ItemLabel = "item, as far as known in order"
		}
		if err := p.save("marginals", heat); err != nil {
			return err
		}
	}
	strips, err := strip(cmd.Context(), m, count)
	if err != nil {
		return err
	}
	return p.save("strip", strips)
}

// runLog is what a log says, as series over the steps.
type runLog struct {
	loss, gradient, rate     plot.Series
	exact, correct, tau, gap plot.Series
	ndcg                     plot.Series // of ranked lists alone
	lists                    bool
}

// readLog makes series of what was read of the log path.
func (a *app) readLog(path string, steps []runs.StepLine, events []runs.Event, warnings []string, err error) (*runLog, error) {
	if err != nil {
		return nil, err
	}
	a.warn(warnings)
	if len(steps) == 0 {
		return nil, fmt.Errorf("%s: has no step", path)
	}
	return newRunLog(steps, events), nil
}

func newRunLog(steps []runs.StepLine, events []runs.Event) *runLog {
	l := &runLog{loss: plot.Series{Name: "loss"}, exact: plot.Series{Name: "exact"}, correct: plot.Series{Name: "correct"}, ndcg: plot.Series{Name: fmt.Sprintf("NDCG@%d", ranking.NDCGAt)}}
	add := func(s *plot.Series, step int, y float64) {
		s.X, s.Y = append(s.X, float64(step)), append(s.Y, y)
	}
	for _, s := range steps {
		l.lists = l.lists || s.Items > 0
		add(&l.loss, s.Step, s.Loss/max(1, s.Items)) // of ranked lists an item
		add(&l.gradient, s.Step, s.GradNorm)
		add(&l.rate, s.Step, s.LR)
	}
	of := map[string]*plot.Series{"exact": &l.exact, "correct": &l.correct, "kendall_tau": &l.tau, "gap": &l.gap, "ndcg": &l.ndcg}
	for _, e := range events {
		if e.Event != "validation" {
			continue
		}
		for name, s := range of {
			if y, ok := e.Fields[name].(float64); ok {
				add(s, e.Step, y)
			}
		}
	}
	return l
}

// save writes both figures of a log.
func (l *runLog) save(p *plotter, training, metrics string) error {
	accuracy := []plot.Series{l.exact, l.correct}
	if len(l.correct.X) == 0 { // of ranked lists that were trained on before NDCG was in the log
		accuracy = accuracy[:1]
	}
	figure := plot.Training([]plot.Series{l.loss}, accuracy)
	if l.lists {
		tau := l.tau
		tau.Name = "Kendall's tau-b"
		figure = plot.RankingTraining([]plot.Series{l.loss}, []plot.Series{tau, l.ndcg})
	}
	if len(l.exact.X) == 0 { // train.validate is 0, or no check was made yet
		figure.Panels = slices.Clip(figure.Panels[:1])
	}
	if err := p.save(training, figure); err != nil {
		return err
	}
	return p.save(metrics, plot.Metrics(l.tau, l.gap, l.gradient, l.rate))
}
