package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/dataset/check"
)

func (a *app) dataCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "data",
		Short: "look at files of sets and orders",
		Example: `  riffle data check votes.soc
  riffle data check train.txt --json`,
		Args: known,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.dataCheckCommand())
	return cmd
}

func (a *app) dataCheckCommand() *cobra.Command {
	var fill string
	cmd := &cobra.Command{
		Use:   "check FILE",
		Short: "say what a file holds, what is suspicious, and how to train on it",
		Long: `check reads FILE, finds its format from what it holds (then from its name), and says
how many sets there are, of which sizes, what is known of their orders, and what looks
wrong. It reads JSONL, CSV (set,item,rank,features; or ballots: rank1,rank2,…,count, or
names without a header), svmlight (LETOR, MSLR; LightGBM's, with the sizes of the sets in
FILE.query), PrefLib (soc, soi, toc, toi), SUSHI, TSPLIB, tour text, each gzipped or not,
and a folder of pictures. A table's values are separated by commas, semicolons or tabs; it
is in UTF-8, or in UTF-16 with a byte order mark, and may have decimal commas where
semicolons or tabs separate. Suspicious things are warnings, not failures. What cannot be
read is told place by place, the first ten and how many there are. Items and features go by
their names, or by the file's own numbers (PrefLib, TSPLIB and tour text from 1, SUSHI from
0, svmlight as it does); without either they are counted from 0, as places always are, and
lines from 1.`,
		Example: `  riffle data check votes.soc
  riffle data check train.txt --json
  riffle data check lists.csv --fill mean
  riffle data check photos/`,
		Args: exactly("FILE"),
		RunE: func(_ *cobra.Command, args []string) error {
			how, err := dataset.ParseFill(fill)
			if err != nil {
				return usagef("data check: --fill: %w", err)
			}
			r, err := check.File(args[0], how)
			if err != nil {
				return err
			}
			if a.json {
				return a.printJSON(r)
			}
			a.printData(r)
			return nil
		},
	}
	cmd.Flags().StringVar(&fill, "fill", "", "what stands for an empty feature of a table: mean or 0 (task.fill when training)")
	return cmd
}

func (a *app) printData(r *check.Report) {
	line := func(key, value string) { fmt.Fprintf(a.out, "%-10s %s\n", key, value) }
	number := func(key string, value int) { line(key, strconv.Itoa(value)) }
	line("file", r.File)
	format := string(r.Format)
	if r.Type != "" {
		format += " " + r.Type
	}
	line("format", format)
	if r.Title != "" {
		line("title", r.Title)
	}
	number("sets", r.Sets)
	if r.Voters > 0 {
		voters := strconv.Itoa(r.Voters)
		if r.Blank > 0 {
			voters += fmt.Sprintf(" (%d of them say nothing)", r.Blank)
		}
		line("voters", voters)
	}
	if r.Sets > 0 {
		what := kindText(r.Kind)
		if r.Width > 0 {
			what = fmt.Sprintf("features: %d", r.Width)
		}
		line("items", fmt.Sprintf("%d (%s)", r.Items, what))
		size := strconv.Itoa(r.SizeMin)
		if r.SizeMax > r.SizeMin {
			size = fmt.Sprintf("%d to %d, median %d", r.SizeMin, r.SizeMax, r.SizeMedian)
		}
		line("in a set", size)
		line("orders", fmt.Sprintf("%d complete, %d in part, %d unknown", r.Complete, r.Partial, r.Unknown))
		line("ties", inSets(r.Tied))
		line("missing", inSets(r.Missing))
		line("repeated", inSets(r.Repeated))
		if len(r.Filled) > 0 {
			var counts []string
			for _, name := range slices.Sorted(maps.Keys(r.Filled)) {
				counts = append(counts, fmt.Sprintf("%s %d", name, r.Filled[name]))
			}
			line("filled", strings.Join(counts, ", "))
		}
		if r.Parts > 0 {
			number("parts", r.Parts)
		}
	}
	for _, w := range r.Warnings {
		line("warning", w)
	}
	if r.Lacks != "" {
		line("lacks", r.Lacks)
	}
	if r.Train != "" {
		line("train", r.Train)
	}
}

func kindText(kind string) string {
	switch kind {
	case "bare":
		return "known by their name or number alone"
	case "image":
		return "images"
	case "point":
		return "points"
	case "mixed":
		return "of several kinds"
	}
	return kind
}

func inSets(n int) string {
	if n == 1 {
		return "in 1 set"
	}
	return fmt.Sprintf("in %d sets", n)
}
