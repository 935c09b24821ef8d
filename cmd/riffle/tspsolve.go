package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/tsp"
)

type solveOptions struct {
	method string
	starts int
	seed   uint64
	limit  time.Duration
	out    string
	ends   endFlags
}

func (a *app) tspSolveCommand() *cobra.Command {
	var o solveOptions
	cmd := &cobra.Command{
		Use:   "solve FILE",
		Short: "find short tours",
		Long: `solve finds the shortest tour of each instance of FILE and says of each that is not
proven to be the shortest that it is not; or, asked for a method, a tour by it:

  exact   branch and bound, for up to --time an instance; the best tour where that ends it.
          Random instances of 50 cities take a fraction of a second, of 100 often minutes
  2opt    the best of --starts 2-opt descents from random tours (the paper's row has 5)
  oropt   the best of --starts searches by 2-opt, Or-opt and 10 double bridges a city

A line of output has the instance's name, the tour's length and the tour. --out writes
tours in the format of FILE.

An ATSP of TSPLIB has distances that depend on the direction. Exact is proven for up to 16
cities then; 2opt and oropt make moves that turn no part of the tour round.

` + endsHelp + `

` + tourFileHelp,
		Example: `  riffle tsp solve berlin52.tsp --out berlin52.tour
  riffle tsp solve berlin52.tsp --open --start 1 --end 52
  riffle tsp solve tsp50.txt --method 2opt --starts 5 --seed 1 --json`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch o.method {
			case "exact":
				for _, flag := range []string{"starts", "seed"} {
					if cmd.Flags().Changed(flag) {
						return usagef("tsp solve: --%s is for --method 2opt and oropt", flag)
					}
				}
				if o.limit <= 0 {
					return usagef("tsp solve: --time must be above 0 (got %s)", o.limit)
				}
			case "2opt", "oropt":
				if cmd.Flags().Changed("time") {
					return usagef("tsp solve: --time is for --method exact")
				}
				if o.starts < 1 {
					return usagef("tsp solve: --starts must be 1 or more (got %d)", o.starts)
				}
			default:
				return usagef("tsp solve: unknown --method %q, wanted exact, 2opt or oropt", o.method)
			}
			if err := o.ends.check(cmd); err != nil {
				return err
			}
			return exactly("FILE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.tspSolve(cmd.Context(), args[0], o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.method, "method", "exact", "exact, 2opt or oropt")
	f.IntVar(&o.starts, "starts", 5, "random tours to begin with (2opt, oropt)")
	f.Uint64Var(&o.seed, "seed", 1, "seed of what is random (2opt, oropt)")
	f.DurationVar(&o.limit, "time", time.Minute, "how long to look for a proof of each instance (exact)")
	f.StringVar(&o.out, "out", "", "file for the tours")
	o.ends.add(cmd, "")
	return cmd
}

// solved is the tour of an instance.
type solved struct {
	ID     string     `json:"id"`
	Cities int        `json:"cities"`
	Length float64    `json:"length"`
	Proven *bool      `json:"proven,omitempty"` // to be the shortest; of exact alone
	Gap    *float64   `json:"gap,omitempty"`    // percent, to the file's tour where it has one
	Open   bool       `json:"open,omitempty"`   // a path: the length has no way back
	Tour   perm.Order `json:"tour"`
	// Warnings are of the file's distances, and what speaks against its tour.
	Warnings []string `json:"warnings,omitempty"`

	reference float64 // length of the file's tour
}

func (a *app) tspSolve(ctx context.Context, path string, o solveOptions) error {
	f, err := a.readProblems(path)
	if err != nil {
		return err
	}
	if !f.text && f.list[0].x == nil {
		return fmt.Errorf("%s: has a tour and no problem\nhint: riffle tsp check PROBLEM %[1]s", path)
	}
	if o.out != "" && o.ends.open && f.text {
		return usagef("tsp solve: --out: tour text has closed tours alone, not paths")
	}
	if o.out != "" {
		switch same, err := sameFile(o.out, path); {
		case err != nil:
			return err
		case same:
			return fmt.Errorf("%s: is the input, which stays as it is\nhint: another --out", o.out)
		}
	}
	start := time.Now()
	all := make([]solved, len(f.list))
	failed := make([]error, len(all))
	parallel.For(len(all), func(i int) {
		if all[i], failed[i] = o.solve(ctx, &f.list[i], i); failed[i] != nil {
			failed[i] = fmt.Errorf("%s: %w", f.where(i), failed[i])
		}
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for _, err := range failed {
		if err != nil {
			return err
		}
	}
	seconds := time.Since(start).Seconds()
	if o.out != "" {
		if err := runs.WriteFile(o.out, func(w io.Writer) error { return f.writeTours(w, all) }); err != nil {
			return err
		}
	}
	length, gap, unproven, labelled := 0.0, 0.0, 0, 0
	var doubts tsp.Doubts
	for i, s := range all {
		if s.reference > 0 {
			doubts.Found(f.where(i), s.Length, s.reference)
		}
		length += s.Length
		if s.Gap != nil {
			gap += *s.Gap
			labelled++
		}
		s.Warnings = append(slices.Clone(f.warnings), s.Warnings...)
		note := ""
		if s.Proven != nil && !*s.Proven {
			unproven++
			note = "\tnot proven to be the shortest"
		}
		if !a.json {
			fmt.Fprintf(a.out, "%s\t%s\t%s%s\n", s.ID, lengthText(s.Length), s.Tour.Text(perm.OneBased), note)
		} else if err := a.printLine(s); err != nil {
			return err
		}
	}
	a.warn(doubts.Warnings())
	if n := len(all); n > 1 {
		a.note("%d instances, mean length %.6f, %.1f s, %.0f a second", n, length/float64(n), seconds, float64(n)/seconds)
		if o.method == "exact" {
			a.note("%d proven to be the shortest", n-unproven)
		}
		if labelled > 0 {
			a.note("mean gap to the file's tours %.4f %%", gap/float64(labelled))
		}
	}
	return nil
}

// writeTours writes tours in the format that their problems came in.
func (f *problems) writeTours(w io.Writer, all []solved) error {
	if !f.text {
		what := "length "
		if all[0].Open {
			what = "a path, which does not go back to its first city, of length "
		}
		return dataset.WriteTour(w, all[0].ID, what+lengthText(all[0].Length), all[0].Tour)
	}
	sets := make([]*dataset.Set, len(all))
	for i, s := range all {
		sets[i] = &dataset.Set{Kind: dataset.KindPoint, Items: f.list[i].set.Items, Order: s.Tour}
	}
	return dataset.WriteTourText(w, sets)
}

// solve finds the tour of the i-th instance.
func (o solveOptions) solve(ctx context.Context, p *problem, i int) (s solved, err error) {
	x, err := p.instance()
	if err != nil || ctx.Err() != nil {
		return s, err
	}
	ends, err := o.ends.of(x.N())
	if err != nil {
		return s, err
	}
	closed := x
	if o.ends.open {
		if x, err = closed.Open(ends); err != nil {
			return s, err
		}
	}
	rng := rand.New(rand.NewPCG(o.seed, uint64(i)))
	switch o.method {
	case "exact":
		ctx, cancel := context.WithTimeout(ctx, o.limit)
		defer cancel()
		s.Proven = new(bool)
		s.Tour, _, *s.Proven = tsp.Exact(ctx, x)
	case "2opt":
		s.Tour = tsp.TwoOptStarts(x, o.starts, rng)
	case "oropt":
		for range o.starts {
			t := tsp.OrOpt(x, perm.Random(rng, x.N()), 10*x.N(), rng)
			if s.Tour == nil || x.Length(t) < x.Length(s.Tour) {
				s.Tour = t
			}
		}
	}
	s.ID, s.Cities, s.Open = p.id, p.cities, o.ends.open
	if s.Open {
		s.Tour = closed.Path(s.Tour, ends)
		s.Length = closed.PathLength(s.Tour)
		return s, nil
	}
	s.Tour = x.Canonical(s.Tour, max(0, ends.Start))
	s.Length = x.Length(s.Tour)
	if p.tour != nil {
		s.reference = x.Length(p.tour)
		gap, err := metric.Gap(s.Length, s.reference)
		if err != nil {
			return s, err
		}
		s.Gap = &gap
		var doubts tsp.Doubts
		doubts.Found("the file's tour", s.Length, s.reference)
		s.Warnings = doubts.Warnings()
	}
	return s, nil
}

// lengthText is a length as people read it: integers whole, others to ten digits.
func lengthText(v float64) string { return strconv.FormatFloat(v, 'g', 10, 64) }
