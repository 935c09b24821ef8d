package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// ReadCSV reads ranked lists from a table with a header:
//
//	set,item,rank,FEATURE,FEATURE,…
//
// A line is an item: the set it is in, its id, its rank in the set (1 or any number; the least
// comes first, equal ranks are tied, an empty one is unknown), and its features, if the table
// has any: without them items are bare, and an item has the same number in all sets, by the
// order in which ids first occur. A column count, one whole number throughout a set, is how often
// the set counts. Lines of a set may stand anywhere. Columns are told by their
// name; "set", "item" and "rank" may be in any place.
//
// A table of ballots has a line for each voter, and the names of items in the columns, from the
// best on: rank1,rank2,… (or choice, preference, place), and perhaps count, how many voted so, and voter, each once. Equal
// ballots are one set, with their count; one that names no item is a voter who says nothing. Without a header a table is one of ballots where its
// first lines have no more names than columns and none twice in a line.
//
// A table of numbers alone is LightGBM's: the relevance, then features, without a header; FILE.query
// beside it has the sizes of the sets, a line each.
//
// Values are separated by commas, semicolons or tabs, as the first line, "sep=;", or the header
// shows. White space around values is left out. Numbers are decimal; beside semicolons and tabs
// they may have decimal commas. The text is UTF-8, or UTF-16 with a byte order mark.
//
// All faults of a file are told at once, as [Faults].
func ReadCSV(path string) ([]*Set, error) {
	return readFile(path, func(r io.Reader, name string) ([]*Set, error) {
		f := &File{Format: FormatCSV, query: queryFile(path)}
		err := f.parse(r, name)
		return f.Sets, err
	})
}

// ParseCSV is [ReadCSV] for a reader; name stands for the file in errors.
func ParseCSV(r io.Reader, name string) ([]*Set, error) {
	f, err := ParseTable(r, name, Options{})
	if err != nil {
		return nil, err
	}
	return f.Sets, nil
}

// ParseTable is [ParseCSV] with what was odd about the table, [File.Warnings].
func ParseTable(r io.Reader, name string, o Options) (*File, error) {
	f := &File{Path: name, Format: FormatCSV, Options: o}
	return f, f.readCSV(r, name)
}

// readCSV reads a table of any kind.
func (f *File) readCSV(r io.Reader, name string) error {
	in, err := newRecords(r, name)
	if err != nil {
		return err
	}
	var first, columns []string
	for len(columns) == 0 { // lines of nothing may come first
		record, err := in.next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s: is empty, wanted a header such as set,item,rank", name)
		}
		if err != nil {
			return err
		}
		first = make([]string, len(record))
		for i, c := range record {
			first[i] = strings.Clone(c)
		}
		for columns = first; len(columns) > 0 && columns[len(columns)-1] == ""; { // it may be wider than its header
			columns = columns[:len(columns)-1]
		}
	}
	numbers := !slices.ContainsFunc(columns, func(c string) bool { return c != "" && !isNumber(strings.Replace(c, ",", ".", 1)) })
	switch {
	case isItemHeader(columns):
		err = f.readItems(in, columns)
	case isBallotHeader(columns):
		err = f.readBallots(in, columns, nil)
	case numbers && f.query != "":
		err = f.readLabelled(in, first)
	case in.ballots:
		err = f.readBallots(in, nil, first)
	default:
		err = fmt.Errorf("%s:%d: %w", name, in.line, errHeader(columns))
	}
	return err
}

// readItems reads a table with a line an item.
func (f *File) readItems(in *records, columns []string) error {
	at := map[string]int{"set": -1, "item": -1, "rank": -1, "count": -1}
	t := &table{columns: &Columns{}}
	var features []int
	for i, c := range columns {
		j, special := at[columnOf(c)]
		special = special && (columnOf(c) != "count" || strings.EqualFold(c, "count")) // votes may be a feature
		if special && j >= 0 || !special && slices.Contains(t.columns.Names, c) {
			return fmt.Errorf("%s:%d: column %s is there twice", in.name, in.line, quoted(c))
		}
		if special {
			at[columnOf(c)] = i
			continue
		}
		if err := checkName(c); err != nil {
			return fmt.Errorf("%s:%d: column %d: %w", in.name, in.line, i+1, err)
		}
		features, t.columns.Names = append(features, i), append(t.columns.Names, c)
	}
	t.width = len(features)
	faults := &Faults{Path: in.name}
	numbers := decimals{separator: in.separator}
	for {
		record, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		before, start := faults.Count, len(t.features)
		bad := func(column int, err error) { faults.add(in.line, columns[column], err) }
		if err := checkWidth(record, len(columns)); err != nil {
			faults.add(in.line, "", err)
			continue
		}
		for _, c := range []int{at["set"], at["item"]} {
			if err := checkName(record[c]); err != nil {
				bad(c, err)
			}
		}
		for _, i := range features {
			v, err := f.feature(record[i], in.line, &numbers)
			if err != nil {
				bad(i, err)
			}
			t.features = append(t.features, v)
		}
		rank := math.NaN()
		if i := at["rank"]; i >= 0 && record[i] != "" {
			if rank, err = numbers.parse(record[i], in.line); err != nil {
				bad(i, err)
			}
		}
		if i := at["count"]; i >= 0 {
			if err := t.weigh(record[at["set"]], record[i], in.line); err != nil {
				bad(i, err)
			}
		}
		if faults.Count > before {
			t.features = t.features[:start]
			continue
		}
		t.add(t.inSet(record[at["set"]], in.line), t.named(record[at["item"]]), in.line, -rank) // the least is first
	}
	rows := t.rows()
	t.twice(rows, faults)
	if err := faults.err(); err != nil {
		return err
	}
	sets, err := t.sets(rows, func(v float64) bool { return v == v })
	if err != nil {
		return fmt.Errorf("%s:%w", in.name, err)
	}
	f.Sets, f.Warnings = sets, append(t.zeroRanks(rows), numbers.warnings()...)
	return nil
}

// feature reads a feature; an empty one is NaN where the file may have some.
func (f *File) feature(text string, line int, numbers *decimals) (float64, error) {
	if text != "" {
		return numbers.parse(text, line)
	}
	if f.Empty {
		return math.NaN(), nil
	}
	return 0, hint.Errorf("--fill mean or --fill 0 fills empty features; in a training task.fill does", "is empty, wanted a finite number")
}
