package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// table gathers rows, an item each. Rows of a set may stand anywhere. The lists are of all rows, so
// that a row costs little more than its numbers.
type table struct {
	setAt map[string]int32
	ids   []string // of sets, as they first occur
	first []int    // line of each
	count []int    // how often each counts, 0 where the table does not say

	set    []int32   // of each row
	line   []int32   //
	value  []float64 // what orders its set, the greatest first
	item   []int32   // in names
	names  []string  // of items, as they first occur
	nameAt map[string]int32

	columns  *Columns
	width    int       // features of a row
	features []float64 // of all rows
}

// inSet returns the number of a set. A new id makes a new one.
func (t *table) inSet(id string, line int) int32 {
	k, there := t.setAt[id]
	if !there {
		if t.setAt == nil {
			t.setAt = map[string]int32{}
		}
		id = strings.Clone(id)
		k = int32(len(t.ids))
		t.setAt[id], t.ids, t.first, t.count = k, append(t.ids, id), append(t.first, line), append(t.count, 0)
	}
	return k
}

// weigh notes how often a set counts. All its rows must say the same.
func (t *table) weigh(id, text string, line int) error {
	count, err := wholeWeight(text)
	if err != nil {
		return hint.Errorf("count is how often the set counts; a feature needs another name", "%w", err)
	}
	k := t.inSet(id, line)
	if before := t.count[k]; before > 0 && before != count {
		return hint.Errorf("count is how often the set counts; a feature needs another name", "is %d, wanted %d as line %d of set %s has", count, before, t.first[k], id)
	}
	t.count[k] = count
	return nil
}

// named returns the number of a name among those of items.
func (t *table) named(name string) int32 {
	k, there := t.nameAt[name]
	if !there {
		if t.nameAt == nil {
			t.nameAt = map[string]int32{}
		}
		name = strings.Clone(name)
		k = int32(len(t.names))
		t.nameAt[name], t.names = k, append(t.names, name)
	}
	return k
}

// add adds a row; its features are in the table already.
func (t *table) add(set, item int32, line int, value float64) {
	t.set, t.item, t.line, t.value = append(t.set, set), append(t.item, item), append(t.line, int32(line)), append(t.value, value)
}

// rows returns the rows of each set.
func (t *table) rows() [][]int32 {
	end := make([]int, len(t.ids)+1)
	for _, s := range t.set {
		end[s+1]++
	}
	for s := range t.ids {
		end[s+1] += end[s]
	}
	flat, next := make([]int32, len(t.set)), slices.Clone(end)
	for row, s := range t.set {
		flat[next[s]] = int32(row)
		next[s]++
	}
	out := make([][]int32, len(t.ids))
	for s := range out {
		out[s] = flat[end[s]:end[s+1]]
	}
	return out
}

// twice notes the rows whose item is in their set already.
func (t *table) twice(rows [][]int32, faults *Faults) {
	last := make([]int32, len(t.names)) // the row that named an item last, from 1
	for s, rows := range rows {
		for _, row := range rows {
			k := t.item[row]
			if before := last[k] - 1; before >= 0 && t.set[before] == int32(s) {
				faults.add(int(t.line[row]), "item", fmt.Errorf("%s is in set %s on line %d already", quoted(t.names[k]), t.ids[s], t.line[before]))
				continue
			}
			last[k] = row + 1
		}
	}
}

// sets makes the sets of the rows, each of the items that its rows name. Items without features are bare.
// known says which values are known.
func (t *table) sets(rows [][]int32, known func(float64) bool) ([]*Set, error) {
	list := make([]Set, len(t.ids))
	sets := make([]*Set, len(list))
	items := make([]Item, 0, len(t.set))
	var values []float64
	for k, rows := range rows {
		s := &list[k]
		sets[k] = s
		s.ID, s.Line, s.Count = t.ids[k], t.first[k], t.count[k]
		if len(rows) > MaxItems {
			return nil, fmt.Errorf("%d: set %s: has %d items, wanted at most %d", s.Line, s.ID, len(rows), MaxItems)
		}
		values = values[:0]
		for _, row := range rows {
			values = append(values, t.value[row])
		}
		from := len(items)
		for _, row := range rows {
			it := Item{}
			if k := t.item[row]; k >= 0 {
				it.ID = t.names[k]
			}
			if at := int(row) * t.width; t.width > 0 {
				it.Features = t.features[at : at+t.width : at+t.width]
			}
			items = append(items, it)
		}
		s.Items = items[from:len(items):len(items)]
		if t.width > 0 {
			s.Kind, s.Columns = KindFeatures, t.columns
		}
		s.setLevels(levelsOf(values, known))
	}
	return sets, nil
}

// levelsOf groups items by a value, the greatest first. Items whose value is not ok are in no
// group.
func levelsOf[T cmp.Ordered](values []T, ok func(T) bool) BucketOrder {
	count := 0
	for _, v := range values {
		if ok(v) {
			count++
		}
	}
	if count == 0 {
		return nil
	}
	known := make([]int, 0, count)
	for k, v := range values {
		if ok(v) {
			known = append(known, k)
		}
	}
	slices.SortStableFunc(known, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	groups := 1
	for i := 1; i < count; i++ {
		if values[known[i]] != values[known[i-1]] {
			groups++
		}
	}
	l := make(BucketOrder, 0, groups)
	from := 0
	for i := 1; i <= count; i++ {
		if i == count || values[known[i]] != values[known[from]] {
			l, from = append(l, known[from:i:i]), i
		}
	}
	return l
}

// zeroRanks are ranks of 0 that may stand for no rank. They stand beside ranks from 1 on, and are
// twice in a set, or in some sets only.
type zeroRanks struct {
	sets, without  int    // that have one, and that have ranks from 1 on
	twice, example string // such a set
}

// see looks at the sets of a table.
func (z *zeroRanks) see(t *table, rows [][]int32) {
	for s, rows := range rows {
		count, least := 0, math.Inf(1)
		for _, row := range rows {
			switch rank := -t.value[row]; {
			case rank == 0:
				count++
			case !math.IsNaN(rank):
				least = min(least, rank)
			}
		}
		switch {
		case count == 0 && least == 1:
			z.without++
		case count > 0 && least == 1:
			z.sets++
			if z.example == "" {
				z.example = t.ids[s]
			}
			if count > 1 && z.twice == "" {
				z.twice = t.ids[s]
			}
		}
	}
}

func (z *zeroRanks) warnings() []string {
	text := fmt.Sprintf("%s a rank of 0 beside ranks from 1 on", plural(z.sets, "set has", "sets have"))
	switch {
	case z.sets == 0 || z.twice == "" && z.without == 0:
		return nil
	case z.twice != "":
		text += ", more than once in set " + z.twice
	default:
		text += ", such as " + z.example + ", and others have none"
	}
	return []string{text + ": 0 is read as the best rank; where it stands for \"not ranked\", leave the cell empty"}
}
