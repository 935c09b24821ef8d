package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// ReadCSV reads ranked lists from a table with a header:
//
//	set,item,rank,FEATURE,FEATURE,…
//
// A line is an item: the set it is in, its id, its rank in the set (1 or any number; the least
// comes first, equal ranks are tied, an empty one is unknown), and its features, if the table
// has any: without them items are bare, and an item has the same number in all sets, by the
// order in which ids first occur. Lines of a set may stand anywhere. Columns are told by their
// name; "set", "item" and "rank" may be in any place. Values are separated by commas,
// semicolons or tabs, whichever the header has.
func ReadCSV(path string) ([]*Set, error) { return readFile(path, NewCSV) }

// NewCSV is [ReadCSV] for a reader; name stands for the file in errors.
func NewCSV(r io.Reader, name string) ([]*Set, error) {
	br, err := unpack(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if bom, _ := br.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
		_, _ = br.Discard(3)
	}
	header, _ := br.Peek(4096)
	header, _, _ = bytes.Cut(header, []byte("\n"))
	in := csv.NewReader(br)
	in.TrimLeadingSpace, in.ReuseRecord = true, true
	for _, separator := range []rune{';', '\t'} {
		if bytes.ContainsRune(header, separator) && !bytes.ContainsRune(header, ',') {
			in.Comma = separator
		}
	}
	columns, err := in.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: is empty, wanted a header such as set,item,rank", name)
	}
	if err != nil {
		return nil, errCSV(name, err)
	}
	at := map[string]int{"set": -1, "item": -1, "rank": -1}
	var features []int
	named := &Columns{}
	for i, c := range columns {
		c = strings.TrimSpace(c)
		if j, special := at[strings.ToLower(c)]; special {
			if j >= 0 {
				return nil, fmt.Errorf("%s:1: column %q is there twice", name, c)
			}
			at[strings.ToLower(c)] = i
			continue
		}
		if slices.Contains(named.Names, c) {
			return nil, fmt.Errorf("%s:1: column %q is there twice", name, c)
		}
		features, named.Names = append(features, i), append(named.Names, strings.Clone(c))
	}
	names := slices.Clone(columns)
	for _, c := range []string{"set", "item"} {
		if at[c] < 0 {
			return nil, fmt.Errorf("%s:1: column %q is missing (got %s)\nhint: the header is set,item,rank and then features", name, c, strings.Join(names, ", "))
		}
	}
	var ids []string // of all items, as they first occur
	known := map[string]int{}
	bySet := map[string]*csvSet{}
	var all []*csvSet
	for {
		record, err := in.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, csv.ErrFieldCount) {
			number, _ := in.FieldPos(0)
			return nil, fmt.Errorf("%s:%d: has %d fields, wanted %d as the header has", name, number, len(record), len(names))
		}
		if err != nil {
			return nil, errCSV(name, err)
		}
		number, _ := in.FieldPos(0)
		fail := func(column int, err error) ([]*Set, error) {
			return nil, fmt.Errorf("%s:%d: %s: %w", name, number, names[column], err)
		}
		for _, c := range []string{"set", "item"} {
			if text := record[at[c]]; text == "" || !utf8.ValidString(text) {
				return fail(at[c], fmt.Errorf("wanted a name in UTF-8 (got %q)", text))
			}
		}
		id, item := record[at["set"]], strings.Clone(record[at["item"]])
		s := bySet[id]
		if s == nil {
			s = &csvSet{id: strings.Clone(id), line: number, lines: map[string]int{}}
			bySet[s.id], all = s, append(all, s)
		}
		if line, twice := s.lines[item]; twice {
			return fail(at["item"], fmt.Errorf("%q is in set %s on line %d already", item, id, line))
		}
		s.lines[item] = number
		if _, seen := known[item]; !seen {
			known[item], ids = len(ids), append(ids, item)
		}
		x := Item{ID: item}
		for _, i := range features {
			v, err := finite(strings.TrimSpace(record[i]))
			if err != nil {
				return fail(i, err)
			}
			x.Features = append(x.Features, v)
		}
		rank := math.NaN()
		if at["rank"] >= 0 {
			if text := strings.TrimSpace(record[at["rank"]]); text != "" {
				if rank, err = finite(text); err != nil {
					return fail(at["rank"], err)
				}
			}
		}
		s.items, s.ranks = append(s.items, x), append(s.ranks, -rank) // the least is first
	}
	var bare []Item // all sets share them
	if features == nil {
		bare = make([]Item, len(ids))
		for k, id := range ids {
			bare[k].ID = id
		}
	}
	sets := make([]*Set, len(all))
	for i, s := range all {
		if sets[i] = s.set(known, bare); features != nil {
			sets[i].Columns = named
		}
	}
	return sets, nil
}

// csvSet is a set while its lines come in.
type csvSet struct {
	id    string
	line  int
	items []Item
	ranks []float64 // negated, NaN where unknown
	lines map[string]int
}

// set returns the set; a bare one has all items of the file, those that it does not name
// unknown.
func (c *csvSet) set(known map[string]int, bare []Item) *Set {
	s := &Set{ID: c.id, Kind: KindFeatures, Items: c.items, Line: c.line}
	l := levelsOf(c.ranks, func(v float64) bool { return v == v })
	if bare != nil {
		s.Kind, s.Items = KindBare, bare
		for _, group := range l {
			for i, j := range group {
				group[i] = known[c.items[j].ID]
			}
			slices.Sort(group)
		}
	}
	s.setLevels(l)
	return s
}

// errCSV says where a file is no CSV.
func errCSV(name string, err error) error {
	if pe, ok := errors.AsType[*csv.ParseError](err); ok {
		if errors.Is(err, csv.ErrQuote) || errors.Is(err, csv.ErrBareQuote) {
			return fmt.Errorf("%s:%d: column %d: a quotation mark is missing or one too many", name, pe.Line, pe.Column)
		}
		return fmt.Errorf("%s:%d: %w", name, pe.Line, pe.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
