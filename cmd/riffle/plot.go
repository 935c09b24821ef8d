package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/cmd/internal/figures"
	"github.com/riffle-ml/riffle/evaluate"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/task"
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

Where the run's data are gone, a warning says that marginals and strip are left out. That is a
failure where --sets or --samples ask for them, or where there is nothing else to draw.

FILE is one that a run keeps (metrics.jsonl, calibration.json), or what riffle sample --json
printed. Its picture is drawn beside it, without a model.`,
		Example: `  riffle plot runs/sort9
  riffle plot runs/sort9 --format svg --sets 3
  riffle plot runs/sort9/metrics.jsonl`,
		Args: exactly("DIR or FILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "png" && format != "svg" {
				return usagef("plot: unknown --format %q, wanted png or svg", format)
			}
			if err := cmp.Or(usage(cmd, learn.InRange("sets", count, mostInStrip)), usage(cmd, learn.InRange("samples", samples, evaluate.MaxCalibrationSamples))); err != nil {
				return err
			}
			info, err := os.Stat(args[0])
			if err != nil {
				return err
			}
			p := figures.Writer{Format: format}
			var warnings, left []string
			if info.IsDir() {
				left, err = a.plotRun(cmd, &p, args[0], engineSpec, count, samples)
			} else {
				for _, flag := range []string{"sets", "samples", "engine"} {
					if cmd.Flags().Changed(flag) {
						return usagef("plot: --%s is for the folder of a run, %s is a file", flag, args[0])
					}
				}
				warnings, err = p.File(args[0])
			}
			a.Warn(append(warnings, left...))
			if err != nil {
				return err
			}
			return a.print(struct {
				Files    []string `json:"files"`
				Warnings []string `json:"warnings,omitempty"`
			}{p.Files, left}, func() {
				for _, f := range p.Files {
					fmt.Fprintln(a.out, f)
				}
			})
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

// plotRun draws what there is of a run; left says what is left out.
func (a *app) plotRun(cmd *cobra.Command, w *figures.Writer, dir, engineSpec string, count, samples int) (left []string, err error) {
	m, err := a.load(dir, engineSpec, aFewSets)
	missing, _ := errors.AsType[*task.DataError](err)
	if err != nil && missing == nil {
		return nil, err
	}
	var notes, warnings []string
	notes, warnings, err = w.Whole(cmd.Context(), dir, m, count, samples)
	for _, n := range notes {
		a.Note("%s", n)
	}
	a.Warn(warnings)
	if of, ok := errors.AsType[*task.DataError](err); ok {
		missing, err = of, nil
	}
	if err != nil {
		return nil, err
	}
	if missing == nil {
		return nil, nil
	}
	const undrawn = "marginals and strip need the run's data"
	if len(w.Files) == 0 || cmd.Flags().Changed("sets") || cmd.Flags().Changed("samples") {
		return nil, fmt.Errorf("plot: %s: %w", undrawn, missing)
	}
	return []string{undrawn + " and are left out: " + message(missing, nil)}, nil
}
