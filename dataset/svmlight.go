package dataset

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// MaxFeatures is the highest feature number that [ReadSVMLight] takes.
const MaxFeatures = 1 << 20

// maxSparse bounds how many times the features that a file leaves out may outnumber those
// that are there, beyond the first 4 million: memory must follow the bytes that arrive.
const maxSparse = 256

// ReadSVMLight reads the ranking format of SVMlight, LETOR and MSLR: a line an item,
//
//	relevance qid:QUERY feature:value … # comment
//
// with queries in any order; the items of a query are a set, whose id is the query's, in the
// order of their lines. A greater relevance comes first, items of equal relevance are tied,
// and of items with a relevance below 0, which stands for unjudged, nothing is known.
// Features are numbered from 0 or from 1, as the file does; one that a line leaves out is 0.
// The comment, if there is one, is the item's id where it is not one already.
func ReadSVMLight(path string) ([]*Set, error) { return readFile(path, NewSVMLight) }

// NewSVMLight is [ReadSVMLight] for a reader; name stands for the file in errors.
func NewSVMLight(r io.Reader, name string) ([]*Set, error) {
	type row struct {
		relevance float64
		index     []int
		value     []float64
		comment   string
	}
	rows := map[string][]row{}
	var queries []string
	where := map[string]int{}
	low, high, count, present := math.MaxInt, -1, 0, 0
	for number, line := range lines(r) {
		fail := func(err error) error { return fmt.Errorf("%s:%d: %w", name, number, err) }
		if line.err != nil {
			return nil, fail(line.err)
		}
		text, comment, _ := strings.Cut(line.text, "#")
		fields := strings.Fields(text)
		if len(fields) == 0 {
			continue
		}
		var x row
		var err error
		if x.relevance, err = finite(fields[0]); err != nil {
			return nil, fail(fmt.Errorf("relevance: %w", err))
		}
		query, ok := "", false
		if len(fields) > 1 {
			query, ok = strings.CutPrefix(fields[1], "qid:")
		}
		if !ok || query == "" {
			return nil, fail(fmt.Errorf("wanted qid:QUERY after the relevance (got %q)", strings.Join(fields[1:min(2, len(fields))], " ")))
		}
		for _, f := range fields[2:] {
			i, v, ok := strings.Cut(f, ":")
			if !ok {
				return nil, fail(fmt.Errorf("feature %q: wanted number:value", f))
			}
			index, err := strconv.Atoi(i)
			if err != nil || index < 0 || index > MaxFeatures {
				return nil, fail(fmt.Errorf("feature %q: wanted a number of 0 to %d", f, MaxFeatures))
			}
			value, err := finite(v)
			if err != nil {
				return nil, fail(fmt.Errorf("feature %q: %w", f, err))
			}
			if len(x.index) > 0 && index <= x.index[len(x.index)-1] {
				return nil, fail(fmt.Errorf("feature %q: wanted numbers that increase (after %d)", f, x.index[len(x.index)-1]))
			}
			x.index, x.value = append(x.index, index), append(x.value, value)
			low, high = min(low, index), max(high, index)
		}
		present += len(x.index)
		x.comment = strings.TrimSpace(comment)
		if rows[query] == nil {
			queries = append(queries, query)
			where[query] = number
		}
		rows[query] = append(rows[query], x)
		count++
	}
	if high < 0 && count > 0 {
		return nil, fmt.Errorf("%s: no line has a feature", name)
	}
	first := min(low, 1) // numbered from 0 only where a 0 occurs
	width := high - first + 1
	if most := 4<<20 + maxSparse*present; count > 0 && width > most/count {
		return nil, fmt.Errorf("%s: %d items of %d features, of which %d are there: too few\nhint: number the features from 1 without gaps", name, count, width, present)
	}
	sets := make([]*Set, 0, len(queries))
	numbered := &Columns{Sparse: true, First: first}
	for _, query := range queries {
		s := &Set{ID: query, Kind: KindFeatures, Columns: numbered, Line: where[query]}
		var relevance []float64
		ids := map[string]bool{"": true}
		for _, x := range rows[query] {
			features := make([]float64, width)
			for i, index := range x.index {
				features[index-first] = x.value[i]
			}
			item := Item{Features: features}
			if !ids[x.comment] {
				item.ID, ids[x.comment] = x.comment, true
			}
			s.Items = append(s.Items, item)
			relevance = append(relevance, x.relevance)
		}
		s.Relevance = relevance
		s.setLevels(levelsOf(relevance, func(v float64) bool { return v >= 0 }))
		sets = append(sets, s)
	}
	return sets, nil
}

// finite parses a number that is neither NaN nor infinite.
func finite(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("wanted a finite number (got %q)", text)
	}
	return v, nil
}
