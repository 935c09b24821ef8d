package dataset

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strconv"
)

// MaxLineBytes is the longest line a file of text may have (64 MiB): 200 items of
// 10,000 features with all their digits.
const MaxLineBytes = 64 << 20

// MaxItems is the most items that a set of JSONL may have, as many as PrefLib's alternatives. The
// limit is needed because an item can take only three bytes of a file.
const MaxItems = MaxAlternatives

// JSONLReader reads Riffle's own JSONL, one set per line:
//
//	{"id": "q7", "items": [{"features": [0.1, 2]}, {"features": [3, 4]}], "order": [1, 0]}
//
// An item holds "features", "image" (a path, relative to the file) or "point" [x, y], or is bare.
// All items of a set are of one kind, and all features of a file have one length. Features may have
// names, {"runs": 4.4, "hits": 9}, which are then the same in all items and may stand in any order.
// "features" of the set, such as those of a query, are appended to those of each item. A set may
// have an "id" that is unique in the file, and an item one that is unique in the set.
//
// "order" lists items by position. "rank", positions by item, is accepted instead and reported in
// [Set].OrderGiven. Both are 0-based. For an order with ties, or of only some items, "levels" says
// what is known. [[3], [0, 2]] puts item 3 before items 0 and 2, which are tied, and says nothing
// about the others (see [BucketOrder]). "count", or "weight", a whole number, is how often the set
// counts in a training and an evaluation.
//
// "constraints" are rules for orders that are asked for, as [constraint.Text] writes them: {"pin":
// ["a=0"], "before": ["a,b"], "first": ["2:a,b"], "forbid": ["b=3"]}.
//
// An unknown field, a repeated field, NaN and infinity are errors that name the line and the field.
// Blank lines are skipped. A set is parsed as its bytes arrive, and is complete at the end of its
// line. Lines are not kept in memory.
type JSONLReader struct {
	name, dir string
	line      lineReader
	parser    parser
	seen      seen
}

// NewJSONLReader reads sets from r, gzipped or not. name stands for the file in errors, and
// relative image paths start from its folder.
func NewJSONLReader(r io.Reader, name string) (*JSONLReader, error) {
	br, err := unpackText(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &JSONLReader{name: name, dir: filepath.Dir(name), line: lineReader{r: br, ended: true}}, nil
}

// readAll reads the sets that are left. All faults are reported at once.
func (r *JSONLReader) readAll() (sets []*Set, err error) {
	faults := &Faults{Path: r.name}
	for {
		s, err := r.next()
		if errors.Is(err, io.EOF) {
			if err := faults.err(); err != nil {
				return nil, err
			}
			return sets, nil
		}
		if err != nil {
			faults.add(r.line.number, "", err)
		}
		if r.line.broken() {
			return nil, faults
		}
		sets = append(sets, s)
	}
}

// Next returns the next set, and io.EOF after the last. After an error in one
// line it can be called again for the line after it.
func (r *JSONLReader) Next() (*Set, error) {
	s, err := r.next()
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:%d: %w", r.name, r.line.number, concise(err))
	}
	return s, err
}

func (r *JSONLReader) next() (*Set, error) {
	start, err := r.line.next()
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	var s *Set
	if err == nil {
		r.parser.reset(&r.line)
		s, err = r.parser.set(start)
	}
	if r.line.broken() {
		err = r.line.err // even if a set was made of the bytes before the fault
	}
	if err == nil {
		s.Dir, s.Line = r.dir, r.line.number
		if err = r.seen.arrange(s); err == nil {
			err = r.seen.add(s, r.line.number)
		}
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// All iterates over the sets; it stops after the first error.
func (r *JSONLReader) All() iter.Seq2[*Set, error] {
	return func(yield func(*Set, error) bool) {
		for {
			s, err := r.Next()
			if errors.Is(err, io.EOF) || !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// seen is what the sets of one file must agree on.
type seen struct {
	ids       map[string]int // set id → line
	count     int            // of sets
	named     map[int]bool   // which of them have an id, from 1
	width     int            // feature length, 0 before the first
	columns   *Columns
	widthLine int
}

// arrange puts the features of a set, by their names, in the order that earlier sets have.
func (f *seen) arrange(s *Set) error {
	if f.width == 0 || s.Kind != KindFeatures || len(s.Items) == 0 {
		return nil
	}
	for i := range s.Items {
		var err error
		if s.Items[i].Features, err = arranged(s.Items[i].Features, s.Columns, f.columns, fmt.Sprintf("line %d", f.widthLine)); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	s.Columns = f.columns
	return nil
}

// add checks a set against the earlier ones of the file, and remembers it.
func (f *seen) add(s *Set, line int) error {
	f.count++
	if first, used := f.ids[s.ID]; used {
		return fmt.Errorf("id: %s is line %d's already", quoted(s.ID), first)
	}
	// A set without an id is called by its number.
	if number := strconv.Itoa(f.count); s.ID == "" {
		if first, used := f.ids[number]; used {
			return fmt.Errorf("id: is missing, and its number %s is the id of line %d", number, first)
		}
	} else if k, err := strconv.Atoi(s.ID); err == nil && 0 < k && k < f.count && !f.named[k] && strconv.Itoa(k) == s.ID {
		return fmt.Errorf("id: %s is what set %d is called, which has none", quoted(s.ID), k)
	}
	if s.Kind == KindFeatures && len(s.Items) > 0 {
		width := len(s.Items[0].Features)
		if f.width == 0 {
			f.width, f.columns, f.widthLine = width, s.Columns, line
		}
		if width != f.width {
			return fmt.Errorf("item 0: features: has %d numbers, wanted %d as in line %d", width, f.width, f.widthLine)
		}
	}
	if s.ID != "" {
		if f.ids == nil {
			f.ids, f.named = make(map[string]int), make(map[int]bool)
		}
		f.ids[s.ID], f.named[f.count] = line, true
	}
	return nil
}
