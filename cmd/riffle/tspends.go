package main

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/tsp"
)

// endFlags say where a tour or a path of cities begins and ends.
type endFlags struct {
	open       bool
	start, end string // cities by the file's numbers, "" for any
}

const endsHelp = `--open asks for the shortest path through all cities, which does not go back to its first;
--start and --end say where, by the cities' numbers in FILE. A closed tour has a --start
alone, the city that it is written from.`

func (e *endFlags) add(cmd *cobra.Command, of string) {
	cmd.Flags().BoolVar(&e.open, "open", false, of+"a path, which does not go back to its first city")
	cmd.Flags().StringVar(&e.start, "start", "", of+"the city to begin with, by its number in the file")
	cmd.Flags().StringVar(&e.end, "end", "", of+"with --open: the city to end with")
}

// check is a usage error where the flags ask for nothing that there is.
func (e *endFlags) check(cmd *cobra.Command) error {
	switch {
	case e.end != "" && !e.open:
		return usagef("%s: --end is for --open: a closed tour has no end", name(cmd))
	case e.open && e.start != "" && e.start == e.end:
		return usagef("%s: --start and --end are both %s: without --open a tour goes back to where it began", name(cmd), e.start)
	}
	for _, x := range []struct{ flag, city string }{{"start", e.start}, {"end", e.end}} {
		if k, err := strconv.Atoi(x.city); x.city != "" && (err != nil || k < 1) {
			return usagef("%s: --%s: wanted the number of a city, from 1 (got %q)", name(cmd), x.flag, x.city)
		}
	}
	return nil
}

// of are the ends in an instance of n cities.
func (e *endFlags) of(n int) (tsp.Ends, error) {
	ends := tsp.Free
	for _, x := range []struct {
		flag, city string
		to         *int
	}{{"start", e.start, &ends.Start}, {"end", e.end, &ends.End}} {
		if x.city == "" {
			continue
		}
		k, err := strconv.Atoi(x.city)
		if err != nil || k < 1 || k > n {
			return ends, fmt.Errorf("--%s: city %q: wanted 1 to %d", x.flag, x.city, n)
		}
		*x.to = k - 1
	}
	return ends, ends.Check(n)
}
