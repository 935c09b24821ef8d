package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/shell"
	"github.com/riffle-ml/riffle/task/ranking"
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
			return a.checkData(args[0], how)
		},
	}
	cmd.Flags().StringVar(&fill, "fill", "", "what stands for an empty feature of a table: mean or 0 (task.fill when training)")
	return cmd
}

func (a *app) checkData(path string, fill dataset.Fill) error {
	f, err := dataset.OpenWith(path, dataset.Options{Empty: fill != dataset.FillNone})
	if err != nil {
		return err
	}
	filled, err := fill.In(f.Sets)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	r := dataChecked{File: f.Path, Format: f.Format, Type: f.Type, Title: f.Title, Report: dataset.Inspect(f.Sets)}
	r.Warnings = append(slices.Insert(r.Warnings, 0, f.Warnings...), f.Doubts()...)
	for j, count := range filled {
		if count > 0 && r.Filled == nil {
			r.Filled = map[string]int{}
		}
		if count > 0 {
			r.Filled[f.FeatureName(j)] = count
		}
	}
	r.Train, r.Lacks = trainLine(f, r.Report, fill)
	if a.json {
		return a.printJSON(r)
	}
	a.printData(&r)
	return nil
}

// dataChecked is what a file holds.
type dataChecked struct {
	File   string         `json:"file"`
	Format dataset.Format `json:"format"`
	Type   string         `json:"type,omitempty"`
	Title  string         `json:"title,omitempty"`
	*dataset.Report
	Filled map[string]int `json:"filled,omitempty"` // empty features, by their columns
	Train  string         `json:"train,omitempty"`  // the command that trains on it
	Lacks  string         `json:"lacks,omitempty"`  // what is missing before one does
}

// trainLine returns the command that trains on a file, or what is missing for one.
func trainLine(f *dataset.File, r *dataset.Report, fill dataset.Fill) (line, lacks string) {
	name := filepath.Base(filepath.Clean(f.Path))
	name = strings.TrimSuffix(name, ".gz")
	name = strings.TrimSuffix(name, filepath.Ext(name))
	train := func(preset string, more ...string) string {
		if fill != dataset.FillNone && r.Width > 0 {
			more = append(more, "--set", "task.fill="+string(fill))
		}
		words := append([]string{"riffle", "train", preset}, more...)
		return strings.Join(append(words, "--set", shell.Quote("task.data="+f.Path), "--out", shell.Quote("runs/"+name)), " ")
	}
	switch {
	case r.Sets == 0:
		return "", "sets"
	case f.Format == dataset.FormatPictures:
		return train("jigsaw-photos-2x2"), ""
	case f.Format == dataset.FormatTSPLIB:
		return "", "instances: one problem trains nothing; riffle tsp solve " + shell.Quote(f.Path) + " solves it, and riffle train tsp-20 --out runs/tsp20 draws instances"
	case f.Format == dataset.FormatTourText:
		switch {
		case r.Unknown > 0:
			return "", "tours of all instances: riffle tsp solve " + shell.Quote(f.Path) + " --out " + shell.Quote(name+"-solved.txt") + " finds them"
		case r.SizeMin != r.SizeMax:
			return "", fmt.Sprintf("one number of cities for all instances (there are %d to %d)", r.SizeMin, r.SizeMax)
		case r.SizeMax < 4:
			return "", "instances of four cities or more: fewer have one tour"
		case r.SizeMax == 20 || r.SizeMax == 50:
			return train(fmt.Sprintf("tsp-%d", r.SizeMax)), ""
		}
		return train("tsp-20", "--set", fmt.Sprintf("task.n=%d", r.SizeMax), "--set", shell.Quote("process.schedule=[]")), ""
	case r.Unknown == r.Sets:
		return "", "orders: riffle train learns from sets whose order is known"
	case r.Kind == "mixed":
		return "", "items of one kind"
	case r.SizeMax < 2:
		return "", "sets of two items or more"
	}
	// The largest set that is trained on has ranking.MaxItems items unless told otherwise; bare
	// items are all in each set.
	least, most := r.SizeMin, r.SizeMax
	if r.Kind == dataset.KindBare.String() {
		least, most = r.Items, r.Items
	}
	preset := "ranking"
	if r.Kind == dataset.KindFeatures.String() {
		preset = "ranking-features"
	}
	switch {
	case least > mostRanked:
		return "", fmt.Sprintf("sets of at most %d items: a network's work grows with their square (there are %d)", mostRanked, most)
	case least > ranking.MaxItems:
		return train(preset, "--set", fmt.Sprintf("task.n=%d", min(most, mostRanked))), ""
	}
	return train(preset), ""
}

// mostRanked is the largest set for which a command is printed.
const mostRanked = 1000

func (a *app) printData(r *dataChecked) {
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
