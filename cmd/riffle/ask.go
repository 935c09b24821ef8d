package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/shell"
	"github.com/riffle-ml/riffle/learn"
)

// readTourSets reads a TSPLIB problem or tour text, nil where a file is neither.
func readTourSets(path string) ([]*dataset.Set, error) {
	if strings.EqualFold(filepath.Ext(path), ".tsp") {
		f, err := dataset.ReadTSPLIB(path)
		if err != nil {
			return nil, err
		}
		s, err := f.Set()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return []*dataset.Set{s}, nil
	}
	if text, err := dataset.IsTourText(path); err != nil || !text {
		return nil, err
	}
	return dataset.ReadTourText(path)
}

// readTable reads a table, CSV or svmlight, or votes, PrefLib or SUSHI; nil where a file is none
// of these.
func (a *app) readTable(path string) ([]*dataset.Set, error) {
	format, err := dataset.Sniff(path)
	votes := format == dataset.FormatPrefLib || format == dataset.FormatSushi
	if err != nil || !votes && format != dataset.FormatCSV && format != dataset.FormatSVMLight {
		return nil, nil //nolint:nilerr // the reader of JSONL says what is wrong
	}
	f, err := dataset.Open(path)
	if err != nil {
		return nil, err
	}
	for _, w := range f.Warnings {
		a.warn([]string{path + ": " + w})
	}
	return f.Sets, nil
}

const inputHelp = `INPUT is a folder of images (one set, in natural order of the file names) or a JSONL
file, one set a line: {"id": "q7", "items": [{"image": "a.png"}, {"image": "b.png"}]}
({} for a bare item), or a table of features or votes as riffle train ranking takes (CSV,
svmlight; PrefLib, SUSHI: a set for each different vote), or, of cities, a TSPLIB problem (.tsp) or tour text. All orders are 0-based: order[i] is the item at position i.
A model of ranked lists knows columns, and items without features, by their names: they may stand
in another order, or some of the items alone, and an unknown one is an error.`

// ask reads the sets of INPUT, puts a question about them to the model of DIR, and prints
// the answer for each set, as a line of JSON or by print.
func ask[R any](a *app, read func(path string) ([]*dataset.Set, error), args []string, engineSpec string, question func(*learn.Model, []*dataset.Set) ([]R, []string, error), print func(R, *dataset.Set)) error {
	sets, err := read(args[1])
	if err != nil {
		return err
	}
	m, err := a.load(args[0], engineSpec)
	if err != nil {
		return err
	}
	ranks := 0
	for _, s := range sets {
		if s.OrderGiven == "rank" {
			ranks++
		}
	}
	switch ranks {
	case 0:
	case 1:
		a.note(`1 set gives "rank"; it was read as the inverse of "order"`)
	default:
		a.note(`%d sets give "rank"; it was read as the inverse of "order"`, ranks)
	}
	answers, warnings, err := question(m, sets)
	if err != nil && sets[0].Line > 0 && strings.HasPrefix(err.Error(), "set ") {
		err = fmt.Errorf("%s: %w", args[1], err) // of a folder the set has the name
	}
	if err != nil {
		return err
	}
	a.warn(warnings)
	for i, answer := range answers {
		if !a.json {
			print(answer, sets[i])
		} else if err := a.printLine(answer); err != nil {
			return err
		}
	}
	return nil
}

// readSets reads a user's sets.
func (a *app) readSets(path string) ([]*dataset.Set, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		s, err := dataset.ReadFolder(path)
		if err != nil {
			return nil, err
		}
		return []*dataset.Set{s}, nil
	}
	if dataset.IsPicture(path) {
		return nil, fmt.Errorf("%s: one picture is no set\nhint: riffle order DIR %[1]s --grid 3x3 puts its tiles in order, riffle sample draws with --grid; a folder of images is a set", path)
	}
	sets, err := a.readTable(path)
	if sets == nil && err == nil {
		sets, err = readTourSets(path)
	}
	if sets == nil && err == nil {
		if sets, err = dataset.ReadJSONL(path); err != nil {
			if format, _ := dataset.Sniff(path); format != "" && format != dataset.FormatJSONL {
				err = fmt.Errorf("%s: is %s, wanted JSONL, cities or a folder of images\nhint: riffle data check %s says what is in it; riffle train ranking learns from it", path, format, shell.Quote(path))
			}
		}
	}
	if err != nil {
		return nil, err
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("%s: has no sets", path)
	}
	return sets, nil
}
