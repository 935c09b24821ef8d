package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
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

// problem is an instance of a file, or a tour of a file that has nothing else.
type problem struct {
	id     string
	cities int
	tour   perm.Order    // the file's, nil where it has none; closed
	set    *dataset.Set  // of tour text
	x      *tsp.Instance // of TSPLIB
}

// instance has the distances, which a file of many lines does not keep all at once; nil where
// there is only a tour.
func (p *problem) instance() (*tsp.Instance, error) {
	if p.set == nil {
		return p.x, nil
	}
	points := make([][2]float64, len(p.set.Items))
	for k, it := range p.set.Items {
		points[k] = it.Point
	}
	x, err := tsp.New(points, tsp.Euclidean)
	if pair, ok := errors.AsType[*tsp.PairError](err); ok {
		pair.Base = 1
	}
	return x, err
}

// problems are what a file holds: one or more.
type problems struct {
	path, name string
	text       bool // tour text, else TSPLIB
	list       []problem
	warnings   []string // of the file itself
}

// readProblems reads a file of problems or tours.
func (a *app) readProblems(path string) (*problems, error) {
	text, err := dataset.IsTourText(path)
	if err != nil {
		return nil, err
	}
	f := &problems{path: path, text: text}
	if text {
		sets, err := dataset.ReadTourText(path)
		if err != nil {
			return nil, err
		}
		for _, s := range sets {
			f.list = append(f.list, problem{id: s.ID, cities: len(s.Items), tour: s.Order, set: s})
		}
		return f, nil
	}
	lib, err := dataset.ReadTSPLIB(path)
	if err != nil {
		return nil, err
	}
	p := problem{id: lib.Name, cities: lib.Dimension, x: lib.Instance}
	if p.id == "" {
		p.id = "1"
	}
	if len(lib.Tours) > 0 {
		p.tour = lib.Tours[0]
	}
	if len(lib.Tours) > 1 {
		a.note("%s: has %d tours, the first is taken", path, len(lib.Tours))
	}
	f.name, f.list, f.warnings = lib.Name, []problem{p}, lib.Warnings
	for _, w := range f.warnings {
		a.note("warning: %s: %s", path, w)
	}
	return f, nil
}

// where names a problem in errors.
func (f *problems) where(i int) string {
	if s := f.list[i].set; s != nil {
		return fmt.Sprintf("%s:%d", f.path, s.Line)
	}
	return f.path
}
