package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// queryFile returns the file that has the sizes of the sets of a table or of search results. It
// stands beside them, as LightGBM names it. "" is none.
func queryFile(path string) string {
	for _, p := range []string{path + ".query", strings.TrimSuffix(path, ".gz") + ".query"} {
		if info, err := os.Stat(p); err == nil && info.Mode().IsRegular() {
			return p
		}
	}
	return ""
}

// groups deals out the rows of a file to sets by the sizes of a file beside it.
type groups struct {
	path  string
	sizes []int
	at    int // the set that is being filled
	left  int // rows that it has room for
	rows  int
}

func readGroups(path string) (*groups, error) {
	sizes, err := readFile(path, func(r io.Reader, name string) (sizes []int, err error) {
		for number, line := range lines(r) {
			if line.err != nil {
				return nil, fmt.Errorf("%s:%d: %w", name, number, line.err)
			}
			if line.text == "" {
				continue
			}
			size, err := strconv.Atoi(line.text)
			if err != nil || size < 1 || size > MaxItems {
				return nil, fmt.Errorf("%s:%d: wanted the size of a set, 1 to %d (got %s)", name, number, MaxItems, quoted(line.text))
			}
			sizes = append(sizes, size)
		}
		return sizes, nil
	})
	return &groups{path: path, sizes: sizes, at: -1}, err
}

// next returns the id of the next row's set, from 1.
func (g *groups) next() string {
	g.rows++
	if g.left == 0 && g.at+1 < len(g.sizes) {
		g.at++
		g.left = g.sizes[g.at]
	}
	g.left--
	return strconv.Itoa(g.at + 1)
}

// check reports sizes that are not those of all rows.
func (g *groups) check() error {
	sum := 0
	for _, size := range g.sizes {
		sum += size
	}
	if sum != g.rows {
		return fmt.Errorf("%s: its sets have %d items in all, wanted %d, one a line", g.path, sum, g.rows)
	}
	return nil
}

// readLabelled reads LightGBM's table of numbers: a relevance, then features; first is its first
// line.
func (f *File) readLabelled(in *records, first []string) error {
	g, err := readGroups(f.query)
	if err != nil {
		return err
	}
	t := &table{width: len(first) - 1}
	if t.width == 0 {
		return fmt.Errorf("%s:%d: has 1 field, wanted a relevance and features", in.name, in.line)
	}
	faults := &Faults{Path: in.name}
	numbers := decimals{separator: in.separator}
	for record := first; ; {
		if err := checkWidth(record, t.width+1); err != nil {
			faults.add(in.line, "", fmt.Errorf("has %d fields, wanted %d as the first line has", len(record), t.width+1))
			g.next()
		} else {
			relevance, err := numbers.parse(record[0], in.line)
			if err != nil {
				faults.add(in.line, "relevance", err)
			}
			for i, text := range record[1 : t.width+1] {
				v, err := f.feature(text, in.line, &numbers)
				if err != nil {
					faults.add(in.line, "feature "+strconv.Itoa(i), err)
				}
				t.features = append(t.features, v)
			}
			t.add(t.inSet(g.next(), in.line), -1, in.line, relevance)
		}
		if record, err = in.next(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
	}
	if err := faults.err(); err != nil {
		return err
	}
	if err := g.check(); err != nil {
		return err
	}
	f.Warnings = numbers.warnings()
	return f.graded(t, in.name)
}

// graded makes the sets of a table whose values are relevances.
func (f *File) graded(t *table, name string) error {
	rows := t.rows()
	sets, err := t.sets(rows, func(v float64) bool { return v >= 0 })
	if err != nil {
		return fmt.Errorf("%s:%w", name, err)
	}
	relevance := make([]float64, 0, len(t.value))
	for k, rows := range rows {
		from := len(relevance)
		for _, row := range rows {
			relevance = append(relevance, t.value[row])
		}
		sets[k].Relevance = relevance[from:len(relevance):len(relevance)]
	}
	f.Sets = sets
	return nil
}
