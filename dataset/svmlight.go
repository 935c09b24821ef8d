package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// MaxFeatures is the highest feature number that [ParseSVMLight] takes.
const MaxFeatures = 1 << 20

// maxSparse bounds how many times the features that a file leaves out may outnumber those that are
// there, beyond the first 4 million. Memory must follow the bytes that arrive.
const maxSparse = 16

// ParseSVMLight reads the ranking format of SVMlight, LETOR and MSLR, a line an item; name stands for
// the file in errors:
//
//	relevance qid:QUERY feature:value … # comment
//
// Queries may come in any order. The items of a query are a set, whose id is the query's, in the
// order of their lines. A greater relevance comes first, and items of equal relevance are tied. A
// relevance below 0 stands for unjudged: nothing is known of that item. Features are numbered from
// 0 or from 1, as the file does, and stand in any order. One that a line leaves out is 0. [Columns]
// says from which number on. The comment, if there is one, is the item's id where it is not one
// already.
//
// Where no line has a qid, FILE.query beside the file has the sizes of the sets, a line each, as
// LightGBM writes it. The sets are then numbered from 1. [Open] reads both.
//
// All faults of a file are told at once, as [Faults].
func ParseSVMLight(r io.Reader, name string) ([]*Set, error) {
	f := &File{Format: FormatSVMLight}
	if err := f.readSVMLight(r, name); err != nil {
		return nil, err
	}
	return f.Sets, nil
}

func (f *File) readSVMLight(r io.Reader, name string) error {
	p := svmlight{faults: &Faults{Path: name}, low: math.MaxInt, high: -1}
	for number, line := range lines(r) {
		if line.err != nil {
			return fmt.Errorf("%s:%d: %w", name, number, line.err)
		}
		text, comment, _ := strings.Cut(line.text, "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		query, named := "", false
		if len(fields) > 1 {
			if query, named = strings.CutPrefix(fields[1], "qid:"); !named {
				query = ""
			}
		}
		if len(p.table.set) == 0 && p.groups == nil && p.faults.Count == 0 && f.query != "" && !named {
			var err error
			if p.groups, err = readGroups(f.query); err != nil {
				return err
			}
		}
		switch {
		case p.groups != nil && named:
			p.faults.add(number, "", fmt.Errorf("has a qid, which the lines before have not"))
			continue
		case p.groups != nil:
			query = p.groups.next()
			p.add(number, fields[0], query, fields[1:], comment)
		case query == "":
			p.faults.add(number, "", fmt.Errorf("wanted qid:QUERY after the relevance (got %s)", quoted(strings.Join(fields[1:min(2, len(fields))], " "))))
		default:
			p.add(number, fields[0], query, fields[2:], comment)
		}
	}
	if err := p.faults.err(); err != nil {
		return err
	}
	if p.groups != nil {
		if err := p.groups.check(); err != nil {
			return err
		}
	}
	if err := p.fill(name); err != nil {
		return err
	}
	err := f.graded(&p.table, name)
	if p.doubled != "" {
		f.Warnings = append(f.Warnings, p.doubled)
	}
	return err
}

// svmlight is what was read of such a file. The features of a row are those from its start on.
type svmlight struct {
	table     table
	groups    *groups // nil where lines have a qid
	faults    *Faults
	low, high int // numbers of features
	start     []int
	index     []int32
	value     []float64
	doubled   string // what is said of an item that is twice in a set
}

// add adds a line.
func (p *svmlight) add(line int, relevance, query string, features []string, comment string) {
	before, start := p.faults.Count, len(p.index)
	value, err := finite(relevance)
	if err != nil {
		p.faults.add(line, "relevance", err)
	}
	sorted := true
	for _, f := range features {
		index, v, err := parseFeature(f)
		if err != nil {
			p.faults.add(line, "", fmt.Errorf("feature %s: %w", quoted(f), err))
			continue
		}
		sorted = sorted && (len(p.index) == start || index > int(p.index[len(p.index)-1]))
		p.index, p.value = append(p.index, int32(index)), append(p.value, v)
		p.low, p.high = min(p.low, index), max(p.high, index)
	}
	if !sorted {
		p.twice(line, start)
	}
	if p.faults.Count > before {
		p.index, p.value = p.index[:start], p.value[:start]
		return
	}
	item := int32(-1)
	if comment = strings.TrimSpace(comment); comment != "" {
		item = p.table.named(comment)
	}
	p.start = append(p.start, start)
	p.table.add(p.table.inSet(query, line), item, line, value)
}

// parseFeature reads number:value.
func parseFeature(text string) (index int, value float64, err error) {
	number, v, ok := strings.Cut(text, ":")
	if !ok {
		return 0, 0, errors.New("wanted number:value")
	}
	if index, err = strconv.Atoi(number); err != nil || index < 0 || index > MaxFeatures {
		return 0, 0, fmt.Errorf("wanted a number of 0 to %d", MaxFeatures)
	}
	value, err = finite(v)
	return index, value, err
}

// twice notes a feature that is there twice in the line whose features begin at start.
func (p *svmlight) twice(line, start int) {
	numbers := slices.Clone(p.index[start:])
	slices.Sort(numbers)
	for i := 1; i < len(numbers); i++ {
		if numbers[i] == numbers[i-1] {
			p.faults.add(line, "", fmt.Errorf("feature %d is there twice", numbers[i]))
			return
		}
	}
}

// fill gives each row all features, and leaves the id out of items whose set has it already.
func (p *svmlight) fill(name string) error {
	t := &p.table
	count, present := len(t.set), len(p.index)
	if p.high < 0 && count > 0 {
		return fmt.Errorf("%s: no line has a feature", name)
	}
	first := min(p.low, 1) // numbered from 0 only where a 0 occurs
	t.width = p.high - first + 1
	if most := 4<<20 + maxSparse*present; count > 0 && t.width > most/count {
		return hint.Errorf("number the features from 1 without gaps", "%s: %d items of %d features, of which %d are there: too few", name, count, t.width, present)
	}
	t.columns = &Columns{Sparse: true, First: first}
	t.features = make([]float64, count*max(0, t.width))
	for row, start := range p.start {
		end := present
		if row+1 < count {
			end = p.start[row+1]
		}
		for i := start; i < end; i++ {
			t.features[row*t.width+int(p.index[i])-first] = p.value[i]
		}
	}
	p.index, p.value = nil, nil
	last := make([]int32, len(t.names))
	for s, rows := range t.rows() {
		for _, row := range rows {
			if k := t.item[row]; k >= 0 && last[k] == int32(s)+1 { // no number, which may be another's name
				if p.doubled == "" {
					p.doubled = fmt.Sprintf("set %s: item %s is there twice: the second one is called by its line too", t.ids[s], quoted(t.names[k]))
				}
				t.item[row] = t.named(fmt.Sprintf("%s (line %d)", t.names[k], t.line[row]))
			} else if k >= 0 {
				last[k] = int32(s) + 1
			}
		}
	}
	return nil
}
