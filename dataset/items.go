package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// itemReader reads a table with a line an item.
type itemReader struct {
	in       *records
	header   []string
	at       map[string]int // places of set, item, rank and count, −1 where there is none
	features []int          // and of the features
	columns  *Columns
	options  Options
	table    *table
	faults   *Faults
	numbers  decimals
	zeros    zeroRanks
	row      []float64 // the features of a line
}

// newItems takes the header apart.
func newItems(in *records, header []string, o Options) (*itemReader, error) {
	r := &itemReader{in: in, header: header, at: map[string]int{"set": -1, "item": -1, "rank": -1, "count": -1}, columns: &Columns{}, options: o}
	there := make(map[string]bool, len(header))
	for i, c := range header {
		j, special := r.at[columnOf(c)]
		special = special && (columnOf(c) != "count" || strings.EqualFold(c, "count")) // votes may be a feature
		if special && j >= 0 || !special && there[c] {
			return nil, fmt.Errorf("%s:%d: column %s is there twice", in.name, in.line, quoted(c))
		}
		if special {
			r.at[columnOf(c)] = i
			continue
		}
		if err := checkName(c); err != nil {
			return nil, fmt.Errorf("%s:%d: column %d: %w", in.name, in.line, i+1, err)
		}
		there[c] = true
		r.features, r.columns.Names = append(r.features, i), append(r.columns.Names, c)
	}
	r.faults, r.numbers = &Faults{Path: in.name}, decimals{separator: in.separator}
	r.clear()
	return r, nil
}

// clear begins with other sets.
func (r *itemReader) clear() {
	r.table = &table{columns: r.columns, width: len(r.features)}
}

// itemRow is a line; its texts are valid until the next.
type itemRow struct {
	set, item string
	count     string // how often the set counts, where the table says it
	line      int
	rank      float64 // NaN where it is not known
	features  []float64
}

// next returns the next line that can be read. What is wrong with the lines before it becomes
// faults. At the end it returns io.EOF.
func (r *itemReader) next() (row itemRow, err error) {
	for {
		record, err := r.in.next()
		if err != nil {
			return row, err
		}
		before := r.faults.Count
		if err := checkWidth(record, len(r.header)); err != nil {
			r.faults.add(r.in.line, "", err)
			continue
		}
		for _, c := range []int{r.at["set"], r.at["item"]} {
			if err := checkName(record[c]); err != nil {
				r.bad(c, err)
			}
		}
		row = itemRow{set: record[r.at["set"]], item: record[r.at["item"]], line: r.in.line, rank: math.NaN(), features: r.row[:0]}
		for _, i := range r.features {
			v, err := r.options.feature(record[i], r.in.line, &r.numbers)
			if err != nil {
				r.bad(i, err)
			}
			row.features = append(row.features, v)
		}
		r.row = row.features
		if i := r.at["rank"]; i >= 0 && record[i] != "" {
			if row.rank, err = r.numbers.parse(record[i], r.in.line); err == nil && math.Abs(row.rank) > exactRank {
				err = hint.Errorf("number the ranks, such as 1, 2, 3", "is beyond 2^53, where whole numbers are no longer told apart (got %s)", short(record[i]))
			}
			if err != nil {
				r.bad(i, err)
			}
		}
		if i := r.at["count"]; i >= 0 {
			row.count = record[i]
		}
		if r.faults.Count == before {
			return row, nil
		}
	}
}

// exactRank is the greatest rank up to which all whole ones are different as float64.
const exactRank = 1 << 53

// bad notes what is wrong with a value of the line.
func (r *itemReader) bad(column int, err error) { r.faults.add(r.in.line, r.header[column], err) }

// feature reads a feature; an empty one is NaN where there may be some.
func (o Options) feature(text string, line int, numbers *decimals) (float64, error) {
	if text != "" {
		return numbers.parse(text, line)
	}
	if o.Empty {
		return math.NaN(), nil
	}
	return 0, hint.Errorf(cmp.Or(o.EmptyHint, "fill in a number, or leave the column out"), "is empty, wanted a finite number")
}

// add adds a line to the table.
func (r *itemReader) add(row itemRow) {
	t := r.table
	if i := r.at["count"]; i >= 0 {
		if err := t.weigh(row.set, row.count, row.line); err != nil {
			r.bad(i, err)
			return
		}
	}
	t.features = append(t.features, row.features...)
	t.add(t.inSet(row.set, row.line), t.named(row.item), row.line, -row.rank) // the least is first
}

// sets makes the sets of the table, or tells its faults.
func (r *itemReader) sets() ([]*Set, error) {
	rows := r.table.rows()
	r.table.twice(rows, r.faults)
	if err := r.faults.err(); err != nil {
		return nil, err
	}
	sets, err := r.table.sets(rows, func(v float64) bool { return v == v })
	if err != nil {
		return nil, fmt.Errorf("%s:%w", r.in.name, err)
	}
	r.zeros.see(r.table, rows)
	return sets, nil
}

// warnings are of all that was read.
func (r *itemReader) warnings() []string { return append(r.zeros.warnings(), r.numbers.warnings()...) }

// all reads the lines that are left, of sets in any order.
func (r *itemReader) all() ([]*Set, error) {
	for {
		row, err := r.next()
		if errors.Is(err, io.EOF) {
			return r.sets()
		}
		if err != nil {
			return nil, err
		}
		r.add(row)
	}
}

// stream iterates over the sets. One ends with the first line of the next, as the lines of a set stand
// together. It stops after the first error. Of earlier sets it keeps only the line where they began.
func (r *itemReader) stream() iter.Seq2[*Set, error] {
	return func(yield func(*Set, error) bool) {
		began := map[string]int32{}
		end := func() bool { // of the set in the table
			sets, err := r.sets()
			if err != nil {
				yield(nil, err)
				return false
			}
			r.clear()
			return len(sets) == 0 || yield(sets[0], nil)
		}
		for {
			row, err := r.next()
			switch {
			case errors.Is(err, io.EOF):
				end()
				return
			case err != nil:
				yield(nil, err)
				return
			}
			if ids := r.table.ids; len(ids) == 0 || ids[0] != row.set {
				if len(ids) > 0 && !end() {
					return
				}
				if before, again := began[row.set]; again {
					yield(nil, hint.Errorf("name the file in place of -: in a file they may stand anywhere", "%s:%d: set %s began on line %d already: in a stream the lines of a set stand together", r.in.name, row.line, short(row.set), before))
					return
				}
				began[strings.Clone(row.set)] = int32(row.line)
			}
			r.add(row)
		}
	}
}
