package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
)

// Report is what there is in sets of objects, and what looks wrong with it.
type Report struct {
	Sets   int    `json:"sets"`
	Voters int    `json:"voters,omitempty"`       // sum of the counts, 0 where the format has none
	Blank  int    `json:"blank_voters,omitempty"` // of these, how many say nothing
	Kind   string `json:"kind"`                   // of the items: bare, features, image, point; mixed
	Items  int    `json:"items"`                  // bare ones: the different ones; others: all of all sets
	Width  int    `json:"features,omitempty"`

	// Items of a set. Of bare items only those count that its order names.
	SizeMin    int `json:"size_min"`
	SizeMedian int `json:"size_median"`
	SizeMax    int `json:"size_max"`

	// Sets by what is known of their order: all of it; some (ties, or items left out);
	// nothing.
	Complete int `json:"orders_complete"`
	Partial  int `json:"orders_partial"`
	Unknown  int `json:"orders_unknown"`

	Tied     int `json:"sets_with_ties"`
	Missing  int `json:"sets_with_missing"`  // some items in levels, others not
	Silent   int `json:"sets_without_pairs"` // sets with known items, none of which is before another
	Repeated int `json:"repeated_sets"`      // sets with items and order of an earlier one
	// Parts of the comparison graph of bare items (see [ComparisonParts]), 0 where there is
	// none.
	Parts int `json:"comparison_parts,omitempty"`

	Warnings []string `json:"warnings"`
}

// The largest feature that is not suspicious: products of greater ones overflow float32.
const largestFeature = 1e30

// Inspect looks through sets and says what there is. Where sets have counts, warnings count voters and not sets.
// It is suspicious if every set is in the order of the file, or every one in its reverse. Suspicious are
// relevances that are 1, 2, …, n, and sets that say nothing of the order. So are features that never change or are
// above 1e30 in size, equal items with different places, and repeated sets of items with content. So are images
// that are not there, and a comparison graph in several parts.
func Inspect(sets []*Set) *Report {
	r := &Report{Sets: len(sets), Warnings: []string{}}
	if len(sets) == 0 {
		r.warn("there are no sets")
		return r
	}
	r.kinds(sets)
	r.orders(sets)
	r.sizes(sets)
	r.features(sets)
	r.repeats(sets)
	r.images(sets)
	if r.Kind == KindBare.String() && r.Unknown < r.Sets {
		r.comparisons(sets)
	}
	return r
}

func (r *Report) warn(format string, args ...any) {
	r.Warnings = append(r.Warnings, fmt.Sprintf(format, args...))
}

func (r *Report) kinds(sets []*Set) {
	r.Kind = sets[0].Kind.String()
	for _, s := range sets {
		if s.Kind.String() != r.Kind {
			r.Kind = "mixed"
			r.warn("sets of %v and of %v items in one file", sets[0].Kind, s.Kind)
			break
		}
	}
	bare, names := 0, map[string]bool{} // the same item has the same name in all sets, or else the same number
	var last *Item
	for _, s := range sets {
		if s.Kind != KindBare {
			r.Items += len(s.Items)
			continue
		}
		if len(s.Items) == 0 || &s.Items[0] == last { // the sets of a file often share their items
			continue
		}
		last, bare = &s.Items[0], max(bare, len(s.Items))
		for _, it := range s.Items {
			if it.ID != "" {
				names[it.ID] = true
			}
		}
	}
	r.Items += max(bare, len(names))
}

func (r *Report) orders(sets []*Set) {
	counted := 0 // sets with an item before another
	mute, total := 0, r.Sets
	counts := slices.ContainsFunc(sets, func(s *Set) bool { return s.Count > 0 })
	voters := func(s *Set) int {
		if !counts {
			return 0
		}
		return max(1, s.Count) // beside sets that count, one without a count is one voter
	}
	for _, s := range sets {
		r.Voters += voters(s)
	}
	if r.Voters > 0 {
		total = r.Voters
	}
	same, reversed, numbered, ranks := true, true, true, 0
	for _, s := range sets {
		l, n := s.Known(), len(s.Items)
		known := l.Known()
		switch {
		case known == 0 && n > 0:
			r.Unknown++
			r.Blank += voters(s)
			continue
		case len(l) == n:
			r.Complete++
		default:
			r.Partial++
		}
		if len(l) < known {
			r.Tied++
		}
		if known < n {
			r.Missing++
		}
		if s.OrderGiven == "rank" {
			ranks++
		}
		if len(l) < 2 {
			r.Silent++
			mute += max(1, s.Count)
			continue
		}
		counted++
		numbered = numbered && fromOne(s.Relevance)
		for i, group := range l {
			same = same && len(group) == 1 && group[0] == i
			reversed = reversed && len(group) == 1 && group[0] == n-1-i
		}
	}
	switch {
	case r.Unknown == r.Sets:
		return
	case r.Blank > 0:
		r.warn("%d of %d voters say nothing", r.Blank, total)
	case r.Unknown > 0:
		r.warn("%d of %d sets have no order", r.Unknown, r.Sets)
	}
	switch {
	case counted == 0:
		r.warn("no set puts an item before another: each has one item, or all are tied")
	case r.Silent > 0 && r.Voters > 0:
		r.warn("%d of %d voters put no item before another: they name one item, or all are tied", mute, total)
	case r.Silent > 0:
		r.warn("%d of %d sets put no item before another: they have one item, or all are tied", r.Silent, r.Sets)
	}
	if counted > 1 && same {
		r.warn("the order is 0, 1, …, n−1 in every set: are these labels, or the numbers of the lines?")
	}
	switch {
	case counted < 2 || same || r.Kind == KindBare.String():
	case reversed:
		r.warn("the order is n−1, …, 1, 0 in every set: are these labels, or ranks 1, 2, …, n that were taken for relevances?")
	case numbered:
		r.warn("the relevances are 1, 2, …, n in every set: are these ranks? The greatest relevance comes first")
	}
	if ranks > 0 && ranks < r.Complete+r.Partial {
		r.warn("%s \"rank\", the others \"order\"", plural(ranks, "set gives", "sets give"))
	}
}

// fromOne reports whether relevances are 1, 2, …, n in some order.
func fromOne(relevance []float64) bool {
	sorted := slices.Sorted(slices.Values(relevance))
	for i, v := range sorted {
		if v != float64(i+1) {
			return false
		}
	}
	return len(sorted) > 0
}

func (r *Report) sizes(sets []*Set) {
	sizes := make([]int, len(sets))
	empty := 0
	for i, s := range sets {
		sizes[i] = len(s.Items)
		if s.Kind == KindBare && s.Known() != nil {
			sizes[i] = s.Known().Known()
		}
		if sizes[i] == 0 {
			empty++
		}
	}
	slices.Sort(sizes)
	r.SizeMin, r.SizeMedian, r.SizeMax = sizes[0], sizes[len(sizes)/2], sizes[len(sizes)-1]
	switch {
	case r.SizeMax == 1 && sets[0].Kind == KindImage && sets[0].Line == 0: // a folder of one photo, for puzzles
	case r.SizeMax <= 1:
		r.warn("every set has one item or none: there is nothing to order")
	case empty > 0:
		r.warn("%s no items", plural(empty, "set has", "sets have"))
	}
}

// some lists the first few of many things as the file calls them, by their names or else by their
// numbers.
func some(numbers []int, names func(k int) string) string {
	const most = 8
	text := ": "
	if names == nil {
		text, names = ", counted from 0: ", strconv.Itoa
	}
	for i, k := range numbers[:min(most, len(numbers))] {
		if i > 0 {
			text += ", "
		}
		text += short(names(k))
	}
	if len(numbers) > most {
		text += fmt.Sprintf(" and %d more", len(numbers)-most)
	}
	return text
}

// names is what the features are called, nil where they have places alone.
func (c *Columns) names() func(j int) string {
	switch {
	case c == nil:
		return nil
	case c.Sparse:
		return func(j int) string { return strconv.Itoa(c.First + j) }
	}
	return func(j int) string { return c.Names[j] }
}

func (r *Report) features(sets []*Set) {
	var low, high []float64
	var columns *Columns
	rows := 0
	for _, s := range sets {
		if s.Kind != KindFeatures { // bare items, which sets share, are too many to look at again
			continue
		}
		for i := range s.Items {
			f := s.Items[i].Features
			if f == nil {
				continue
			}
			if low == nil {
				low, high, columns = slices.Clone(f), slices.Clone(f), s.Columns
			}
			rows++
			for j, v := range f[:min(len(f), len(low))] {
				low[j], high[j] = min(low[j], v), max(high[j], v)
			}
		}
	}
	r.Width = len(low)
	var constant, large []int
	for j := range low {
		if low[j] == high[j] {
			constant = append(constant, j)
		}
		if max(high[j], -low[j]) > largestFeature {
			large = append(large, j)
		}
	}
	if len(constant) > 0 && rows > 1 {
		r.warn("%s the same everywhere%s", plural(len(constant), "feature is", "features are"), some(constant, columns.names()))
	}
	if len(large) > 0 {
		r.warn("%s above %g in size%s", plural(len(large), "feature is", "features are"), largestFeature, some(large, columns.names()))
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// repeats finds equal sets, and equal items of one set that have different places.
func (r *Report) repeats(sets []*Set) {
	seen := map[[sha256.Size]byte]bool{}
	contradictions := 0
	level, place := map[int]int{}, map[[sha256.Size]byte]int{}
	var all, one []byte // what a set and an item are
	for _, s := range sets {
		clear(level)
		clear(place)
		known := s.Known()
		for i, group := range known {
			for _, k := range group {
				level[k] = i + 1
			}
		}
		contradicts := false
		all = words(all[:0], uint64(s.Kind), uint64(len(s.Items)))
		if s.Kind == KindBare {
			for _, group := range known {
				names := make([]string, len(group))
				for i, k := range group {
					names[i] = s.itemName(k)
				}
				slices.Sort(names)
				all = words(all, uint64(len(names)))
				for _, name := range names {
					all = append(words(all, uint64(len(name))), name...)
				}
			}
		} else {
			for k := range s.Items {
				one = content(one[:0], s, k)
				sum := sha256.Sum256(one)
				all = append(words(all, uint64(level[k])), sum[:]...)
				if first, twice := place[sum]; twice && first != level[k] && first > 0 && level[k] > 0 {
					contradicts = true
				}
				place[sum] = level[k]
			}
		}
		sum := sha256.Sum256(all)
		if seen[sum] {
			r.Repeated++
		}
		seen[sum] = true
		// Points in one place are visited one after the other, which contradicts nothing.
		if contradicts && s.Kind != KindPoint {
			contradictions++
		}
	}
	if r.Repeated > 0 && r.Kind != KindBare.String() { // people may agree
		r.warn("%s the items and the order of an earlier one", plural(r.Repeated, "set has", "sets have"))
	}
	if contradictions > 0 {
		r.warn("%s equal items at different places of the order", plural(contradictions, "set has", "sets have"))
	}
}

// content appends what item k is, without its id.
func content(b []byte, s *Set, k int) []byte {
	it := &s.Items[k]
	for _, v := range it.Features {
		b = words(b, math.Float64bits(v))
	}
	if s.Kind == KindPoint {
		b = words(b, math.Float64bits(it.Point[0]), math.Float64bits(it.Point[1]))
	}
	if s.Kind == KindImage {
		b = append(b, s.ImagePath(k)...)
	}
	return b
}

// words appends numbers.
func words(b []byte, values ...uint64) []byte {
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	return b
}

func (r *Report) images(sets []*Set) {
	missing, first := 0, ""
	looked := map[string]bool{}
	for _, s := range sets {
		if s.Kind != KindImage {
			continue
		}
		for k := range s.Items {
			path := s.ImagePath(k)
			if s.Items[k].Picture != nil || looked[path] {
				continue
			}
			looked[path] = true
			if info, err := os.Stat(path); err != nil || info.IsDir() {
				if missing == 0 {
					first = path
				}
				missing++
			}
		}
	}
	if missing > 0 {
		r.warn("%s not there, the first is %s", plural(missing, "image is", "images are"), first)
	}
}

func (r *Report) comparisons(sets []*Set) {
	votes, names, err := Votes(sets)
	n := len(names)
	if err == nil {
		_, err = CheckVotes(votes, n)
	}
	if err != nil {
		r.warn("%v", err)
		return
	}
	in := make([]bool, n)
	for _, v := range votes {
		for _, group := range v.Levels {
			for _, k := range group {
				in[k] = true
			}
		}
	}
	var out []int
	for k, named := range in {
		if !named {
			out = append(out, k)
		}
	}
	if len(out) > 0 {
		var called func(int) string
		if slices.ContainsFunc(sets, func(s *Set) bool { return slices.ContainsFunc(s.Items, func(it Item) bool { return it.ID != "" }) }) {
			called = func(k int) string { return names[k] }
		}
		r.warn("%s in no order%s", plural(len(out), "item is", "items are"), some(out, called))
	}
	parts := ComparisonParts(votes, n)
	if r.Parts = len(parts); r.Parts > 1 {
		largest := 0
		for _, p := range parts {
			largest = max(largest, len(p))
		}
		r.warn("the comparison graph has %d strongly connected parts, the largest of %d of %d items: between parts no order goes against another, and no Plackett–Luce strengths of maximum likelihood exist", r.Parts, largest, n)
	}
}
