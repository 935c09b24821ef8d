package dataset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// isBallots reports whether a table without a header begins with ballots. It then has two lines or
// more, no name twice in a line, and no more names than columns.
func (h *tableHead) isBallots() bool {
	names := map[string]bool{}
	columns, lines := 0, 0
	for _, row := range h.rows {
		in := map[string]bool{}
		for _, name := range row {
			if name == "" {
				continue
			}
			if in[name] {
				return false
			}
			in[name], names[name] = true, true
		}
		columns = max(columns, len(row))
		if len(in) > 0 {
			lines++
		}
	}
	return lines > 1 && columns > 1 && len(names) > 1 && len(names) <= columns
}

// readBallots reads ballots. columns are those of the header; where they are nil there is none, and
// first is the first ballot.
func (f *File) readBallots(in *records, columns, first []string) error {
	f.Format = FormatBallots
	b := ballots{at: map[string]int{}, names: map[string]int32{}, voterAt: map[string]int32{}, faults: &Faults{Path: in.name}, count: -1, voter: -1, width: len(columns), columns: columns}
	for i, c := range columns {
		at, special := map[string]*int{"count": &b.count, "voter": &b.voter}[columnOf(c)]
		if special && *at >= 0 {
			return fmt.Errorf("%s:%d: column %s is there twice", in.name, in.line, quoted(c))
		}
		if special {
			*at = i
		}
	}
	b.places = placesOf(columns)
	if columns == nil {
		if err := b.add(first, in.line); err != nil {
			b.faults.add(in.line, "", err)
		}
	}
	for {
		record, err := in.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := b.add(record, in.line); err != nil {
			b.faults.add(in.line, "", err)
		}
	}
	if err := b.faults.err(); err != nil {
		return err
	}
	if columns == nil && len(b.items) > b.most {
		return hint.Errorf("ballots that rank some of many items need the header rank1,rank2,…", "%s: has %d names and no header, wanted at most %d, one a column", in.name, len(b.items), b.most)
	}
	f.Sets = b.sets()
	if columns == nil && b.numbered() {
		f.Warnings = append(f.Warnings, fmt.Sprintf("has no header and the numbers 1 to %d: they are read as items, a line's first choice first. Where they are the ranks of %d candidates, a column each, the orders are others: "+
			"give the table the header set,item,rank", b.most, b.most))
	}
	return nil
}

// numbered reports whether the names are the numbers from 1 to the columns.
func (b *ballots) numbered() bool {
	for k := range b.most {
		if _, there := b.names[strconv.Itoa(k+1)]; !there {
			return false
		}
	}
	return b.most > 0 && len(b.items) == b.most
}

// ballots are what was read of a table of ballots: the different ones, with how many voted so.
type ballots struct {
	columns []string
	width   int   // columns of the header, 0 where there is none
	places  []int // the columns of places 1, 2 and so on
	count   int   // column of the count, or -1
	voter   int   // and of what the voter is called
	voterAt map[string]int32

	names  map[string]int32
	items  []string
	last   []int          // line that named each item last
	at     map[string]int // of a ballot
	line   []int          // of each
	voters []int
	end    []int   // of each in ranked
	ranked []int32 // items of all

	most   int // columns of a ballot
	faults *Faults
	key    []byte
}

// sets makes a set of each ballot; all share the items.
func (b *ballots) sets() []*Set {
	items := make([]Item, len(b.items))
	for k, name := range b.items {
		items[k].ID = name
	}
	list, flat := make([]Set, len(b.end)), make([]int, len(b.ranked))
	groups, sets := make(BucketOrder, len(flat)), make([]*Set, len(list))
	for i, k := range b.ranked {
		flat[i] = int(k)
		groups[i] = flat[i : i+1 : i+1]
	}
	from := 0
	for i := range list {
		list[i] = Set{ID: strconv.Itoa(i + 1), Line: b.line[i], Items: items, Count: b.voters[i]}
		if sets[i] = &list[i]; b.end[i] > from { // else it says nothing
			list[i].setLevels(groups[from:b.end[i]:b.end[i]])
		}
		from = b.end[i]
	}
	return sets
}

// add adds a ballot.
func (b *ballots) add(record []string, line int) error {
	if b.width > 0 {
		if err := checkWidth(record, b.width); err != nil {
			return err
		}
		record = record[:b.width]
	}
	b.most = max(b.most, len(record))
	count := 1
	start := len(b.ranked)
	b.key = b.key[:0]
	if i := b.count; i >= 0 {
		var err error
		if count, err = strconv.Atoi(record[i]); err != nil || count < 1 || count > MaxVoters {
			return fmt.Errorf("%s: wanted a number of 1 to %d (got %s)", b.columns[i], MaxVoters, quoted(record[i]))
		}
	}
	if i := b.voter; i >= 0 && record[i] != "" {
		if before, twice := b.voterAt[record[i]]; twice {
			return fmt.Errorf("%s: %s is on line %d already", b.columns[i], quoted(record[i]), before)
		}
		b.voterAt[strings.Clone(record[i])] = int32(line)
	}
	places := len(record)
	if b.columns != nil {
		places = len(b.places)
	}
	for place := range places {
		name := record[place]
		if b.columns != nil {
			name = record[b.places[place]]
		}
		if name == "" {
			continue
		}
		if err := checkName(name); err != nil {
			return fmt.Errorf("place %d: %w", place+1, err)
		}
		k, there := b.names[name]
		if !there {
			if k = int32(len(b.items)); k >= MaxItems {
				return fmt.Errorf("there are more than %d items", MaxItems)
			}
			name = strings.Clone(name)
			b.names[name], b.items = k, append(b.items, name)
		}
		if !there {
			b.last = append(b.last, 0)
		}
		if b.last[k] == line {
			b.ranked = b.ranked[:start]
			return hint.Errorf("a place that was not filled is an empty cell", "%s is there twice", quoted(name))
		}
		b.last[k] = line
		b.ranked = append(b.ranked, k)
		b.key = binary.AppendUvarint(b.key, uint64(k))
	}
	i, there := b.at[string(b.key)]
	if there {
		b.ranked = b.ranked[:start]
	} else {
		i = len(b.end)
		b.at[string(b.key)] = i
		b.end, b.line, b.voters = append(b.end, len(b.ranked)), append(b.line, line), append(b.voters, 0)
	}
	if b.voters[i] > MaxVoters-count {
		return fmt.Errorf("more than %d voters of one order", MaxVoters)
	}
	b.voters[i] += count
	return nil
}
