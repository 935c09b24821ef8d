package dataset

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// mostFaults is how many places of a file are told.
const mostFaults = 10

// Faults are what is wrong in a file, which can be read on after each of them. They have the first
// ten places by line, and how many there are.
type Faults struct {
	Path  string
	First []Fault
	Count int
	// Columns is how many of them are in each column of a table, those that are in one.
	Columns map[string]int
}

// Fault is one of them.
type Fault struct {
	Line   int
	Column string // of a table
	Text   string
	Hint   string
}

// add notes an error of a line and a column, "" where it is in none.
func (f *Faults) add(line int, column string, err error) {
	f.Count++
	if column != "" {
		if f.Columns == nil {
			f.Columns = map[string]int{}
		}
		f.Columns[column]++
	}
	text := concise(err)
	at, _ := slices.BinarySearchFunc(f.First, line+1, func(x Fault, line int) int { return x.Line - line })
	if at < mostFaults {
		f.First = slices.Insert(f.First, at, Fault{line, column, text.Error(), strings.Join(hint.Of(text), "; ")})
		f.First = f.First[:min(mostFaults, len(f.First))]
	}
}

// longest is the longest fault in bytes, without the hint: names in a file have any length.
const longest = 1000

// concise leaves out the end of a long error, and a hint that is long.
func concise(err error) error {
	text := err.Error()
	if len(text) <= longest {
		return err
	}
	short := errors.New(strings.ToValidUTF8(text[:longest], "") + "…")
	if help := strings.Join(hint.Of(err), "; "); len(help) <= longest {
		return hint.With(short, help)
	}
	return short
}

// err is nil where there are none.
func (f *Faults) err() error {
	if f.Count == 0 {
		return nil
	}
	return f
}

// Error says the first ten, a line each, and then how many more there are and in which columns.
func (f *Faults) Error() string {
	var lines []string
	for _, x := range f.First {
		line := fmt.Sprintf("%s:%d: ", f.Path, x.Line)
		if x.Column != "" {
			line += x.Column + ": "
		}
		lines = append(lines, line+x.Text)
	}
	if more := f.Count - len(f.First); more > 0 {
		line := fmt.Sprintf("and %d more", more)
		if len(f.Columns) > 0 {
			line += ", of all in column " + f.columns()
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// Help says how to mend them, each way once.
func (f *Faults) Help() string {
	var hints []string
	for _, x := range f.First {
		if x.Hint != "" && !slices.Contains(hints, x.Hint) {
			hints = append(hints, x.Hint)
		}
	}
	return strings.Join(hints, "\nhint: ")
}

// columns lists the columns with the most faults.
func (f *Faults) columns() string {
	type column struct {
		name  string
		count int
	}
	var all []column
	for name, count := range f.Columns {
		all = append(all, column{name, count})
	}
	slices.SortFunc(all, func(a, b column) int {
		if a.count != b.count {
			return b.count - a.count
		}
		return strings.Compare(a.name, b.name)
	})
	const most = 5
	var texts []string
	for _, c := range all[:min(most, len(all))] {
		texts = append(texts, fmt.Sprintf("%s %d", c.name, c.count))
	}
	if len(all) > most {
		texts = append(texts, "…")
	}
	return strings.Join(texts, ", ")
}
