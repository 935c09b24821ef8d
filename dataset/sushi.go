package dataset

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ReadSushi reads the .order files of the SUSHI preference data: the first line is skipped,
// every other is two fields, then the ids of items from 0, best first. Lines that rank other
// items than all of 0 … n−1, n being one more than the greatest id, are incomplete.
func ReadSushi(path string) ([]*Set, error) { return readFile(path, NewSushi) }

// NewSushi is [ReadSushi] for a reader; name stands for the file in errors.
func NewSushi(r io.Reader, name string) ([]*Set, error) {
	type row struct {
		line int
		ids  []int
	}
	var rows []row
	n := 0
	first := true
	for number, line := range lines(r) {
		err := line.err
		fields := strings.Fields(line.text)
		switch {
		case err != nil:
		case first:
			first = false
			continue
		case len(fields) == 0:
			continue
		case len(fields) < 3:
			err = errors.New("wanted two fields and the ids of items")
		}
		x := row{line: number}
		for _, f := range fields[min(2, len(fields)):] {
			k, e := strconv.Atoi(f)
			if e != nil || k < 0 || k >= MaxAlternatives {
				err = fmt.Errorf("item %q: wanted 0 to %d", f, MaxAlternatives-1)
				break
			}
			x.ids, n = append(x.ids, k), max(n, k+1)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		rows = append(rows, x)
	}
	items := make([]Item, n) // shared by all orders
	for k := range items {
		items[k].ID = strconv.Itoa(k)
	}
	sets := make([]*Set, len(rows))
	for i, x := range rows {
		s := &Set{ID: strconv.Itoa(i + 1), Line: x.line, Items: items}
		l := Strict(x.ids)
		if err := l.Validate(n); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, x.line, err)
		}
		s.setLevels(l)
		sets[i] = s
	}
	return sets, nil
}
