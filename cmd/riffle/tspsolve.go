package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/question"
	runs "github.com/riffle-ml/riffle/run"
)

func (a *app) tspSolveCommand() *cobra.Command {
	q, out := question.DefaultSearch, ""
	cmd := &cobra.Command{
		Use:   "solve FILE",
		Short: "find short tours",
		Long: `solve finds the shortest tour of each instance of FILE. It says so where a tour is not proven to be
the shortest. --method names another method:

  exact   branch and bound, for up to --time an instance; the best tour where that ends it.
          Random instances of 50 cities take a fraction of a second, of 100 often minutes
  2opt    the best of --starts 2-opt descents from random tours (the paper's row has 5)
  oropt   the best of --starts searches by 2-opt, Or-opt and 10 double bridges a city

A line of output has the instance's name, the tour's length and the tour. --out writes
tours in the format of FILE.

An ATSP of TSPLIB has distances that depend on the direction. exact then proves tours of up to 16
cities. 2opt and oropt only make moves that turn no part of the tour round.

` + endsHelp + `

` + tourFileHelp,
		Example: `  riffle tsp solve berlin52.tsp --out berlin52.tour
  riffle tsp solve berlin52.tsp --open --start 1 --end 52
  riffle tsp solve tsp50.txt --method 2opt --starts 5 --seed 1 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			exact := q.Method == "exact"
			return cmp.Or(only(cmd, exact, "--method exact", "time"), only(cmd, !exact, "--method 2opt and oropt", "starts", "seed"), usage(cmd, q.Check()), exactly("FILE")(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.tspSolve(cmd.Context(), args[0], out, &q) },
	}
	f := cmd.Flags()
	f.StringVar(&q.Method, "method", q.Method, "exact, 2opt or oropt")
	f.IntVar(&q.Starts, "starts", q.Starts, "random tours to begin with (2opt, oropt)")
	f.Uint64Var(&q.Seed, "seed", q.Seed, "seed of what is random (2opt, oropt)")
	f.DurationVar(&q.Limit, "time", q.Limit, "how long to look for a proof of each instance (exact)")
	f.StringVar(&out, "out", "", "file for the tours")
	addEnds(cmd, &q.Ends, "")
	return cmd
}

func (a *app) tspSolve(ctx context.Context, path, out string, q *question.Search) error {
	f, err := a.readCities(path)
	if err != nil {
		return err
	}
	if f.Problems()[0].TourAlone() {
		return hint.Errorf("riffle tsp check PROBLEM "+path, "%s: has a tour and no problem", path)
	}
	if out != "" && q.Open && f.Format == dataset.FormatTourText {
		return usagef("tsp solve: --out: tour text has closed tours alone, not paths")
	}
	if err := runs.CheckOutputs([]string{path}, out); err != nil {
		return err
	}
	start := time.Now()
	all, warnings, err := q.Find(ctx, f)
	if err != nil {
		return err
	}
	took := time.Since(start)
	if out != "" {
		if err := runs.WriteFile(out, func(w io.Writer) error { return question.WriteTours(w, f, all) }); err != nil {
			return err
		}
	}
	for _, s := range all {
		note := ""
		if s.Proven != nil && !*s.Proven {
			note = "\tnot proven to be the shortest"
		}
		if !a.json {
			fmt.Fprintf(a.out, "%s\t%s\t%s%s\n", s.ID, text.Length(s.Length), s.Tour.Text(perm.OneBased), note)
		} else if err := a.printLine(s); err != nil {
			return err
		}
	}
	a.Warn(warnings)
	for _, line := range q.Summary(all, took) {
		a.Note("%s", line)
	}
	return nil
}
