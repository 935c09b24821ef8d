package dataset

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// ParseTable reads ranked lists from a table with a header; name stands for the file in errors:
//
//	set,item,rank,FEATURE,FEATURE,…
//
// A line is an item: the set it is in, its id, its rank in the set, and its features, if the table
// has any. A rank may be any number. The lowest rank comes first, equal ranks are tied, and an
// empty rank is unknown. Items without features are bare. Then the same id is the same item in all
// sets, and items are numbered as their ids first occur. A column count says how often a set
// counts. It is a whole number, the same on all lines of the set. The lines of a set may stand
// anywhere. Columns are recognised by their names; "set", "item" and "rank" may be in any place.
//
// A table of ballots has a line for each voter. Its columns rank1,rank2,… (or choice, preference,
// place) hold the names of items, from the best on. It may have a column count, the number of
// voters who voted this way, and a column voter. Equal ballots are one set, with their count. A
// ballot that names no item is a voter who says nothing. A table without a header is read as
// ballots if no name occurs twice in one of its first lines, and these have no more names than
// columns.
//
// A table of numbers alone is LightGBM's: the relevance, then features, without a header. FILE.query
// beside it has the sizes of the sets, a line each.
//
// Values are separated by commas, semicolons or tabs, as the first line, "sep=;", or the header
// shows. White space around values is ignored. Numbers are decimal. Where semicolons or tabs
// separate, they may have decimal commas. The text is UTF-8, or UTF-16 with a byte order mark.
//
// All faults of a file are reported at once, as [Faults].
func ParseTable(r io.Reader, name string, o Options) (*File, error) {
	f := &File{Path: name, Format: FormatCSV, Options: o}
	return f, f.readCSV(r, name)
}

// readCSV reads a table of any kind.
func (f *File) readCSV(r io.Reader, name string) error {
	items, err := f.openCSV(r, name)
	if err == nil && items != nil {
		f.Sets, err = items.all()
		f.Warnings = items.warnings()
	}
	return err
}

// openCSV reads the header of a table. It also reads the rest, unless the table has one line per
// item.
func (f *File) openCSV(r io.Reader, name string) (*itemReader, error) {
	in, err := newRecords(r, name)
	if err != nil {
		return nil, err
	}
	var first, columns []string
	for len(columns) == 0 { // empty lines may come first
		record, err := in.next()
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: is empty, wanted a header such as set,item,rank", name)
		}
		if err != nil {
			return nil, err
		}
		first = make([]string, len(record))
		for i, c := range record {
			first[i] = strings.Clone(c)
		}
		for columns = first; len(columns) > 0 && columns[len(columns)-1] == ""; { // the table may be wider than its header
			columns = columns[:len(columns)-1]
		}
	}
	numbers := !slices.ContainsFunc(columns, func(c string) bool { return c != "" && !isNumber(strings.Replace(c, ",", ".", 1)) })
	switch {
	case isItemHeader(columns):
		return newItems(in, columns, f.Options)
	case isBallotHeader(columns):
		err = f.readBallots(in, columns, nil)
	case numbers && f.query != "":
		err = f.readLabelled(in, first)
	case in.ballots:
		err = f.readBallots(in, nil, first)
	default:
		err = fmt.Errorf("%s:%d: %w", name, in.line, errHeader(columns))
	}
	return nil, err
}
