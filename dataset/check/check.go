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
	Train  *Training      `json:"-"`                // what trains on it, nil where nothing does
	Lacks  string         `json:"lacks,omitempty"`  // what is missing before one does
}

// Training is what trains on a file: a preset, and what it does not have by itself.
type Training struct {
	Preset string
	N      int          // objects of a set, 0 as the preset has it
	Fill   dataset.Fill // for empty features
	// OwnSchedule is whether the schedule is worked out for N: the preset's is for its own number.
	OwnSchedule bool
}

// File looks at a file. fill is what stands for empty features of a table. emptyHint is the hint
// where there are some and fill is none, as in [dataset.Options].
func File(path string, fill dataset.Fill, emptyHint string) (*Report, error) {
	in, err := dataset.Open(path, dataset.Options{Empty: fill != dataset.FillNone, EmptyHint: emptyHint})
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
	if r.Train, r.Lacks = training(f, r.Report); r.Train != nil && r.Width > 0 {
		r.Train.Fill = fill
	}
	return r, nil
}

// Name is what the file is called without its folder and the end of its name, such as .csv.gz.
func (r *Report) Name() string { return stem(r.File) }

func stem(path string) string {
	name := strings.TrimSuffix(filepath.Base(filepath.Clean(path)), ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// training returns what trains on a file, or what is missing for that.
func training(f *dataset.File, r *dataset.Report) (train *Training, lacks string) {
	switch {
	case r.Sets == 0:
		return nil, "sets"
	case f.Format == dataset.FormatPictures:
		return &Training{Preset: "jigsaw-photos-2x2"}, ""
	case f.Format == dataset.FormatTSPLIB:
		return nil, "instances: one problem trains nothing; riffle tsp solve " + shell.Quote(f.Path) + " solves it, and riffle train tsp-20 --out runs/tsp20 draws instances"
	case f.Format == dataset.FormatTourText:
		switch {
		case r.Unknown > 0:
			return nil, "tours of all instances: riffle tsp solve " + shell.Quote(f.Path) + " --out " + shell.Quote(stem(f.Path)+"-solved.txt") + " finds them"
		case r.SizeMin != r.SizeMax:
			return nil, fmt.Sprintf("one number of cities for all instances (there are %d to %d)", r.SizeMin, r.SizeMax)
		case r.SizeMax < 4:
			return nil, "instances of four cities or more: fewer have one tour"
		case r.SizeMax == 20 || r.SizeMax == 50:
			return &Training{Preset: fmt.Sprintf("tsp-%d", r.SizeMax)}, ""
		}
		return &Training{Preset: "tsp-20", N: r.SizeMax, OwnSchedule: true}, ""
	case r.Unknown == r.Sets:
		return nil, "orders: riffle train learns from sets whose order is known"
	case r.Kind == "mixed":
		return nil, "items of one kind"
	case r.SizeMax < 2:
		return nil, "sets of two items or more"
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
		return nil, fmt.Sprintf("sets of at most %d items: a network's work grows with their square (there are %d)", mostRanked, most)
	case least > ranking.MaxItems:
		return &Training{Preset: preset, N: min(most, mostRanked)}, ""
	}
	return &Training{Preset: preset}, ""
}

// mostRanked is the largest set that a training is named for.
const mostRanked = 1000
