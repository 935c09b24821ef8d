package main

import (
	"math"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/question"
)

const tourFileHelp = `FILE is a problem of TSPLIB, or tour text, one instance a line: x1 y1 … xn yn output
t1 … tn t1, the tour being optional. Which it is, is read from the file. Cities are
numbered from 1 in files, printed tours and messages; in JSON from 0, as all orders here.`

func (a *app) tspCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tsp",
		Short: "solve, check and generate travelling salesman problems, without a model",
		Long: `tsp finds shortest tours by classical means, checks files of problems and tours, and
generates instances with their shortest tours to train on.`,
		Example: `  riffle tsp solve berlin52.tsp --out berlin52.tour
  riffle tsp check berlin52.tsp berlin52.tour --best 7542
  riffle tsp generate --n 20 --count 1000 --out tsp20.txt`,
		Args: known,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.tspSolveCommand(), a.tspCheckCommand(), a.tspGenerateCommand())
	return cmd
}

// readCities reads a file of problems or tours.
func (a *app) readCities(path string) (*dataset.File, error) {
	in, err := dataset.Open(path, dataset.Options{Cities: true})
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // only read from
	a.noteTours(in.File)
	a.warnOf(path)(in.Warnings)
	return in.File, nil
}

// noteTours says that of several tours the first is taken.
func (a *app) noteTours(f *dataset.File) {
	if f.Tours() > 1 {
		a.Note("%s: has %d tours, the first is taken", f.Path, f.Tours())
	}
}

func (a *app) tspCheckCommand() *cobra.Command {
	var best float64
	cmd := &cobra.Command{
		Use:   "check FILE [TOUR]",
		Short: "say what a file holds; measure tours",
		Long: `check reads FILE, says what it holds, and measures its tours. With TOUR it measures the tours of
that file, one for each instance of FILE. The reference is the length that --best gives or else,
with TOUR, FILE's own tours. Where there is one, it prints the gap, 100 (length − reference) /
reference: the mean over instances, and the largest. Lengths count the way back to the first city.
It warns of tours that cannot be the shortest: an exchange of two edges (2-opt) shortens them, or a
shorter one was found.

` + tourFileHelp,
		Example: `  riffle tsp check berlin52.tsp
  riffle tsp check berlin52.tsp berlin52.tour --best 7542
  riffle tsp check tsp50.txt mine.txt --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("best") && !(best > 0 && best <= math.MaxFloat64) {
				return usagef("tsp check: --best must be above 0 and finite (got %g)", best)
			}
			names := []string{"FILE", "TOUR"}
			return exactly(names[:max(1, min(2, len(args)))]...)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			f, err := a.readCities(args[0])
			if err != nil {
				return err
			}
			var other *dataset.File
			if len(args) == 2 {
				if other, err = a.readCities(args[1]); err != nil {
					return err
				}
			}
			r, err := question.ReportTours(f, other, best)
			if err != nil {
				return usage(cmd, err)
			}
			a.Warn(r.Doubts)
			return a.print(r, func() { a.lines(r.Lines()) })
		},
	}
	cmd.Flags().Float64Var(&best, "best", 0, "length of the shortest tour, where it is known")
	return cmd
}
