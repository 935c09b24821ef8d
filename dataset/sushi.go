package dataset

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ParseSushi reads the .order files of the SUSHI preference data. The first line is skipped. Every
// other has two fields, then the ids of items from 0, best first. n is one more than the greatest
// id, and a line that does not rank all of 0 … n−1 is incomplete. One that ranks none is a voter
// who says nothing. name stands for the file in errors.
func ParseSushi(r io.Reader, name string) ([]*Set, error) {
	sets, _, err := newSushi(r, name)
	return sets, err
}

// newSushi is [ParseSushi] with warnings. They tell of lines whose second field is not how many ids
// follow. They also tell of a first line that does not begin with the number of items.
func newSushi(r io.Reader, name string) (sets []*Set, warnings []string, err error) {
	type row struct {
		line int
		ids  []int
	}
	var rows []row
	n := 0
	first := true
	said, other, otherLine := "", 0, 0
	for number, line := range lines(r) {
		err := line.err
		fields := strings.Fields(line.text)
		switch {
		case err != nil:
		case first:
			first = false
			if len(fields) == 2 {
				said = fields[0]
			}
			continue
		case len(fields) == 0:
			continue
		case len(fields) < 2, len(fields) == 2 && fields[1] != "0":
			err = errors.New("wanted two fields and the ids of items")
		default:
			if count, e := strconv.Atoi(fields[1]); e == nil && count != len(fields)-2 {
				if other++; other == 1 {
					otherLine = number
				}
			}
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
			return nil, nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		rows = append(rows, x)
	}
	items := make([]Item, n) // shared by all orders
	for k := range items {
		items[k].ID = strconv.Itoa(k)
	}
	sets = make([]*Set, len(rows))
	last := make([]int, n) // the row that named an item last, from 1
	for i, x := range rows {
		s := &Set{ID: strconv.Itoa(i + 1), Line: x.line, Items: items}
		for _, k := range x.ids {
			if last[k] == i+1 {
				return nil, nil, fmt.Errorf("%s:%d: item %d is there twice", name, x.line, k)
			}
			last[k] = i + 1
		}
		if len(x.ids) > 0 {
			s.setLevels(Strict(x.ids))
		}
		sets[i] = s
	}
	if other > 0 {
		warnings = append(warnings, fmt.Sprintf("%s not as many items as the second field says, first line %d: was the file cut off, or changed?", plural(other, "line has", "lines have"), otherLine))
	}
	if count, e := strconv.Atoi(said); e == nil && len(rows) > 0 && count != n {
		warnings = append(warnings, fmt.Sprintf("the first line says %d items, the lists name 0 to %d", count, n-1))
	}
	return sets, warnings, nil
}
