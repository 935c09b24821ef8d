package main

import (
	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
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
