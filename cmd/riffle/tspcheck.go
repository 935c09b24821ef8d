package main

import (
	"fmt"
	"math"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/question"
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
			a.warn(r.Doubts)
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

func (a *app) printCheck(r *question.TourReport) {
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
