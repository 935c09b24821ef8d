// Package check says what a file of sets holds, what is suspicious in it, and how to train on it.
package check

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/shell"
	"github.com/riffle-ml/riffle/task/ranking"
)

// Report is what a file holds.
type Report struct {
	File   string         `json:"file"`
	Format dataset.Format `json:"format"`
	Type   string         `json:"type,omitempty"`
	Title  string         `json:"title,omitempty"`
	*dataset.Report
	Filled map[string]int `json:"filled,omitempty"` // empty features, by their columns
	Train  string         `json:"train,omitempty"`  // the command that trains on it
	Lacks  string         `json:"lacks,omitempty"`  // what is missing before one does
}

// File looks at a file; fill is what stands for empty features of a table.
func File(path string, fill dataset.Fill) (*Report, error) {
	in, err := dataset.Open(path, dataset.Options{Empty: fill != dataset.FillNone})
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }() // only read from
	f, err := in.ReadAll()
	if err != nil {
		return nil, err
	}
	filled, err := fill.In(f.Sets)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := &Report{File: f.Path, Format: f.Format, Type: f.Type, Title: f.Title, Report: dataset.Inspect(f.Sets)}
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
	return r, nil
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
