package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/tsp"
)

func (a *app) tspCheckCommand() *cobra.Command {
	var best float64
	cmd := &cobra.Command{
		Use:   "check FILE [TOUR]",
		Short: "say what a file holds; measure tours",
		Long: `check reads FILE, says what it holds, and measures its tours, or those of the file
TOUR, one for each instance of FILE. Where there is something to compare with, the
length that --best gives or else, with TOUR, FILE's own tours, it prints the gap:
100 (length − reference) / reference, the mean over instances and the largest. Lengths
count the way back to the first city. It warns of tours that cannot be the shortest: an
exchange of two edges (2-opt) shortens them, or they are longer than one that was found.

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
		RunE: func(_ *cobra.Command, args []string) error {
			r, err := a.tspCheck(args, best)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			a.printCheck(r)
			return nil
		},
	}
	cmd.Flags().Float64Var(&best, "best", 0, "length of the shortest tour, where it is known")
	return cmd
}

// checked is what a file holds.
type checked struct {
	File      string   `json:"file"`
	Format    string   `json:"format"` // TSPLIB or tour text
	Name      string   `json:"name,omitempty"`
	Distance  tsp.Kind `json:"distance,omitempty"`
	Instances int      `json:"instances"` // 0 in a file of a tour alone
	// The cities of the smallest and the largest instance.
	CitiesMin int `json:"cities_min"`
	CitiesMax int `json:"cities_max"`
	Tours     int `json:"tours"` // that were measured; in a file of a tour alone only looked at
	// Means over instances with a tour, and the largest gap; nil without such, or without a
	// reference.
	Length    *float64 `json:"length,omitempty"`
	Reference *float64 `json:"reference,omitempty"`
	Gap       *float64 `json:"gap,omitempty"` // percent
	GapMax    *float64 `json:"gap_max,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}

func (a *app) tspCheck(args []string, best float64) (*checked, error) {
	f, err := a.readProblems(args[0])
	if err != nil {
		return nil, err
	}
	r := &checked{File: f.path, Format: "TSPLIB", Name: f.name, Instances: len(f.list), CitiesMin: math.MaxInt}
	if f.text {
		r.Format, r.Distance = "tour text", tsp.Euclidean
	} else if x := f.list[0].x; x != nil {
		r.Distance = x.Kind
	} else {
		r.Instances = 0
	}
	tours := f
	if len(args) == 2 {
		if tours, err = a.toursOf(f, args[1]); err != nil {
			return nil, err
		}
	}
	if best > 0 && len(f.list) > 1 {
		return nil, usagef("tsp check: --best is for one instance (%s has %d)", f.path, len(f.list))
	}
	length, reference, gap, most, compared := 0.0, 0.0, 0.0, math.Inf(-1), 0
	var doubts tsp.Doubts
	for i := range f.list {
		p := &f.list[i]
		r.CitiesMin, r.CitiesMax = min(r.CitiesMin, p.cities), max(r.CitiesMax, p.cities)
		x, err := p.instance()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.where(i), err)
		}
		tour := tours.list[i].tour
		if tours != f {
			if err := sameCities(f, tours, i); err != nil {
				return nil, err
			}
			if tour == nil {
				return nil, fmt.Errorf("%s: has no tour", tours.where(i))
			}
		}
		switch {
		case x == nil:
		case p.tour != nil: // a reference
			doubts.Look(f.where(i), x, p.tour)
		case tour != nil && best == 0: // nothing else to hold it against
			doubts.Look(tours.where(i), x, tour)
		}
		if tour == nil {
			continue
		}
		if r.Tours++; x == nil {
			continue
		}
		l := x.Length(tour)
		length += l
		against := best
		if best == 0 && tours != f && p.tour != nil {
			against = x.Length(p.tour)
		} else if best == 0 {
			continue
		}
		g, err := metric.Gap(l, against)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", tours.where(i), err)
		}
		doubts.Found(tours.where(i), l, against)
		reference, gap, most, compared = reference+against, gap+g, max(most, g), compared+1
	}
	r.Warnings = append(slices.Clone(f.warnings), doubts.Warnings()...)
	a.warn(doubts.Warnings())
	if r.Tours > 0 && r.Instances > 0 {
		r.Length = mean(length, r.Tours)
	}
	if compared > 0 {
		r.Reference, r.Gap, r.GapMax = mean(reference, compared), mean(gap, compared), &most
	}
	return r, nil
}

// toursOf reads a file of tours, one for each instance of f.
func (a *app) toursOf(f *problems, path string) (*problems, error) {
	if !f.text && f.list[0].x == nil {
		return nil, fmt.Errorf("%s: has a tour and no problem\nhint: riffle tsp check PROBLEM TOUR", f.path)
	}
	tours, err := a.readProblems(path)
	if err != nil {
		return nil, err
	}
	if len(tours.list) != len(f.list) {
		return nil, fmt.Errorf("%s: has %d tours, wanted %d as %s has instances", tours.path, len(tours.list), len(f.list), f.path)
	}
	return tours, nil
}

func mean(sum float64, count int) *float64 {
	m := sum / float64(count)
	return &m
}

// sameCities checks that the i-th tour is one of the i-th problem.
func sameCities(f, tours *problems, i int) error {
	p, q := &f.list[i], &tours.list[i]
	if p.cities != q.cities {
		return fmt.Errorf("%s: %d cities, wanted %d as in %s", tours.where(i), q.cities, p.cities, f.where(i))
	}
	if p.set == nil || q.set == nil {
		return nil
	}
	for k, it := range p.set.Items {
		if at := q.set.Items[k].Point; at != it.Point {
			return fmt.Errorf("%s: city %d is at %g, %g, wanted %g, %g as in %s", tours.where(i), k+1, at[0], at[1], it.Point[0], it.Point[1], f.where(i))
		}
	}
	return nil
}

func (a *app) printCheck(r *checked) {
	line := func(key, value string) { fmt.Fprintf(a.out, "%-10s %s\n", key, value) }
	line("file", r.File)
	line("format", r.Format)
	if r.Name != "" {
		line("name", r.Name)
	}
	if r.Distance != "" {
		line("distance", string(r.Distance))
	}
	line("instances", strconv.Itoa(r.Instances))
	cities := strconv.Itoa(r.CitiesMin)
	if r.CitiesMax > r.CitiesMin {
		cities += " to " + strconv.Itoa(r.CitiesMax)
	}
	line("cities", cities)
	line("tours", strconv.Itoa(r.Tours))
	if r.Length != nil {
		line("length", lengthText(*r.Length))
	}
	if r.Gap != nil {
		line("reference", lengthText(*r.Reference))
		line("gap %", fmt.Sprintf("%.4f", *r.Gap))
		if r.Tours > 1 {
			line("largest", fmt.Sprintf("%.4f", *r.GapMax))
		}
	}
}
