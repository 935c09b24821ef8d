package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/plot"
	runs "github.com/riffle-ml/riffle/run"
)

func (a *app) plotCommand() *cobra.Command {
	var engineSpec, format string
	var count int
	cmd := &cobra.Command{
		Use:   "plot DIR",
		Short: "pictures of a run: loss and accuracy, and sets on their way from noise to order",
		Long: `plot writes into DIR/figures: training, the loss and the accuracy over the steps, and
strip, some test sets as noise, after each reverse step, and ordered; and calibration where
riffle eval --calibration has kept one.`,
		Example: `  riffle plot runs/sort9
  riffle plot runs/sort9 --format svg --sets 3`,
		Args: exactly("DIR"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "png" && format != "svg" {
				return usagef("plot: unknown format %q, wanted png or svg", format)
			}
			if count < 1 {
				return usagef("plot: --sets must be 1 or more (got %d)", count)
			}
			files, err := a.plotRun(cmd, args[0], engineSpec, format, count)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(map[string][]string{"files": files})
			}
			for _, f := range files {
				fmt.Fprintln(a.out, f)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "png", "png or svg")
	cmd.Flags().IntVar(&count, "sets", 2, "sets in the strip")
	addEngine(cmd, &engineSpec)
	return cmd
}

func (a *app) plotRun(cmd *cobra.Command, dir, engineSpec, format string, count int) (files []string, err error) {
	m, err := a.load(dir, engineSpec)
	if err != nil {
		return nil, err
	}
	figures := filepath.Join(dir, "figures")
	if err := os.MkdirAll(figures, 0o755); err != nil {
		return nil, err
	}
	save := func(name string, f plot.Figure) error {
		path := filepath.Join(figures, name+"."+format)
		files = append(files, path)
		return plot.Save(path, f)
	}
	switch training, err := a.trainingFigure(dir); {
	case errors.Is(err, fs.ErrNotExist):
		a.note("%s: has no %s, so there is no picture of the training", dir, runs.MetricsFile)
	case err != nil:
		return nil, err
	default:
		if err := save("training", training); err != nil {
			return nil, err
		}
	}
	calibration, err := calibrationFigure(dir)
	if err != nil {
		return nil, err
	}
	if calibration != nil {
		if err := save("calibration", calibration); err != nil {
			return nil, err
		}
	}
	strip, err := m.Strip(cmd.Context(), count, learn.DecodeOptions{})
	if err != nil {
		return nil, err
	}
	return files, save("strip", strip)
}

func (a *app) trainingFigure(dir string) (plot.Lines, error) {
	steps, events, warnings, err := runs.ReadMetrics(filepath.Join(dir, runs.MetricsFile))
	if err != nil {
		return plot.Lines{}, err
	}
	a.warn(warnings)
	loss := plot.Series{Name: "loss"}
	for _, s := range steps {
		loss.X, loss.Y = append(loss.X, float64(s.Step)), append(loss.Y, s.Loss)
	}
	exact, correct := plot.Series{Name: "exact"}, plot.Series{Name: "correct"}
	for _, e := range events {
		if e.Event != "validation" {
			continue
		}
		for _, s := range []*plot.Series{&exact, &correct} {
			if y, ok := e.Fields[s.Name].(float64); ok {
				s.X, s.Y = append(s.X, float64(e.Step)), append(s.Y, y)
			}
		}
	}
	figure := plot.Training([]plot.Series{loss}, []plot.Series{exact, correct})
	if len(exact.X) == 0 { // train.validate is 0, or no check was made yet
		figure.Panels = figure.Panels[:1]
	}
	return figure, nil
}
