package ranking

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/nearest"
	"github.com/riffle-ml/riffle/perm"
)

// Warnings of sets and a model of which only one has names.
var (
	columnsByPlace = dataset.Warning{Kind: "columns by place", Text: "the columns have names and the model knows none, or the reverse: they are taken by their place"}
	itemsByPlace   = dataset.Warning{Kind: "items by place", Text: "the items have names and the model knows none: they are taken by their place"}
	unnamedByPlace = dataset.Warning{Kind: "unnamed by place", Text: "the items have no names and the model knows its own by theirs: they are taken by their place"}
)

// named returns what sets say of the names of items or of features.
func named(sets []*dataset.Set) *Scale {
	s := &Scale{}
	switch first := sets[0]; {
	case first.Kind == dataset.KindBare:
		s.Names = bareNames(sets)
	case first.Columns == nil:
	case first.Columns.Sparse:
		s.Sparse, s.First = true, first.Columns.First
	default:
		s.Features = first.Columns.Names
	}
	return s
}

// bareNames are the names of the bare items of sets, each once, as they first occur. Of items
// without a name, "", there are as many as the set with most of them has. nil where no item has a
// name.
func bareNames(sets []*dataset.Set) (names []string) {
	known, unnamed := map[string]bool{}, 0
	var last *dataset.Item
	for _, s := range sets {
		if len(s.Items) == 0 || &s.Items[0] == last { // the sets of a file often share their items
			continue
		}
		last = &s.Items[0]
		here := 0
		for _, it := range s.Items {
			if it.ID == "" {
				if here++; here <= unnamed {
					continue
				}
				unnamed++
			} else if known[it.ID] {
				continue
			}
			known[it.ID] = true
			names = append(names, it.ID)
		}
	}
	if len(names) == unnamed {
		return nil
	}
	return names
}

// identities returns which of the model's items each bare item of a set is, by its name. Where others have a name,
// items without one are those of the model without one. Where there are no names, items are known by their place.
// It warns where only one of the two has names, and where the set has only some of the items. It fails on strangers
// and names the nearest.
func (r *Task) identities(s *dataset.Set) (ids []int, warning dataset.Warning, err error) {
	names := r.scale.Names
	has := slices.ContainsFunc(s.Items, func(it dataset.Item) bool { return it.ID != "" })
	if names == nil || !has {
		if n, most := len(s.Items), r.config.N; n > most {
			return nil, warning, fmt.Errorf("has %d items, the model knows %d", n, most)
		}
		switch {
		case has:
			warning = itemsByPlace
		case names != nil:
			warning = unnamedByPlace
		}
		return perm.Identity(len(s.Items)), warning, nil
	}
	if r.index == nil {
		r.index = make(map[string]int, len(names))
		for k, name := range names {
			if name == "" {
				r.unnamed = append(r.unnamed, k)
			} else {
				r.index[name] = k
			}
		}
	}
	unnamed := r.unnamed
	ids = make([]int, len(s.Items))
	for i, it := range s.Items {
		k, ok := r.index[it.ID]
		switch {
		case it.ID == "" && len(unnamed) > 0:
			k, unnamed = unnamed[0], unnamed[1:]
		case it.ID == "":
			return nil, warning, fmt.Errorf("item %d has no name, the model knows its items by theirs", i)
		case !ok:
			if near := nearest.Near(it.ID, names); near != "" {
				return nil, warning, fmt.Errorf("the model knows no item %q, the nearest is %q", it.ID, near)
			}
			return nil, warning, fmt.Errorf("the model knows no item %q, its items are %s", it.ID, some(names))
		}
		ids[i] = k
	}
	if len(ids) < len(names) {
		warning = dataset.Warning{Kind: "some items", Text: fmt.Sprintf("the set has %d of the %d items that the model was trained on together: the answers may be worse", len(ids), len(names))}
	}
	return ids, warning, nil
}

// some lists a few names.
func some(names []string) string {
	const few = 8
	text := ""
	for i, name := range names[:min(few, len(names))] {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%q", name)
	}
	if len(names) > few {
		text += fmt.Sprintf(" and %d more", len(names)-few)
	}
	return text
}

// whole returns a set of all the model's items, in its numbering, that says of their order what
// s says. Where items go by their place, or are so numbered, it is s.
func (r *Task) whole(s *dataset.Set) (*dataset.Set, error) {
	ids, warning, err := r.identities(s)
	if err != nil {
		return nil, fmt.Errorf("set %s: %w", s.ID, err)
	}
	if warning == itemsByPlace || warning == unnamedByPlace {
		r.note(warning.Text)
	}
	if len(s.Items) == len(r.scale.Names) && slices.IsSorted(ids) || !slices.ContainsFunc(s.Items, func(it dataset.Item) bool { return it.ID != "" }) || r.scale.Names == nil {
		return s, nil
	}
	if r.items == nil {
		for _, name := range r.scale.Names {
			r.items = append(r.items, dataset.Item{ID: name})
		}
	}
	w := *s
	w.Items, w.Levels = r.items, nil
	for _, group := range s.Known() {
		group = perm.Act(group, ids)
		slices.Sort(group)
		w.Levels = append(w.Levels, group)
	}
	if w.Order = w.Levels.Order(len(w.Items)); w.Order == nil {
		w.OrderGiven = ""
	}
	return &w, nil
}

// arranged returns a set with the model's features in the model's places: s itself where they
// stand so. It fails, naming the column, where one is missing or unknown.
func (r *Task) arranged(s *dataset.Set) (out *dataset.Set, warning dataset.Warning, err error) {
	if len(s.Items) == 0 {
		return s, warning, nil
	}
	width, have := r.config.Features, len(s.Items[0].Features)
	want := r.scale.columns()
	at, byPlace, err := s.Columns.Match(want, width, have)
	if err != nil {
		return nil, warning, err
	}
	if byPlace {
		warning = columnsByPlace
	}
	in := make([]bool, have) // what of the set the model has
	same := have == width
	for j, i := range at {
		same = same && i == j
		if i >= 0 {
			in[i] = true
		}
	}
	out = s
	if !same {
		copied := *s
		out = &copied
		out.Items = slices.Clone(s.Items)
	}
	for k := range out.Items {
		it := &out.Items[k]
		for i, v := range it.Features {
			if !in[i] && v != 0 { // of numbered ones alone: unknown names are an error
				first := s.Columns.First
				return nil, warning, fmt.Errorf("item %s has feature %d, the model knows %d to %d", s.ItemNames()[k], first+i, r.scale.First, r.scale.First+width-1)
			}
		}
		if same {
			continue
		}
		row := make([]float64, width)
		for j, i := range at {
			if i >= 0 {
				row[j] = it.Features[i]
			}
		}
		it.Features = row
	}
	if !same {
		out.Columns = want
	}
	return out, warning, nil
}

// columns are what the model's features are called, nil where they have no names.
func (s *Scale) columns() *dataset.Columns {
	switch {
	case s.Features != nil:
		return &dataset.Columns{Names: s.Features}
	case s.Sparse:
		return &dataset.Columns{Sparse: true, First: s.First}
	}
	return nil
}

// FeatureNames are what features are called in a table: by name, or by number where the data had
// numbers.
func (s *Scale) FeatureNames() []string {
	if s.Features != nil {
		return s.Features
	}
	names := make([]string, len(s.Mean))
	for j := range names {
		names[j] = strconv.Itoa(s.First + j)
	}
	return names
}

// column is what feature j is called.
func (s *Scale) column(j int) string {
	if s.Features != nil {
		return fmt.Sprintf("column %q", s.Features[j])
	}
	return fmt.Sprintf("feature %d", s.First+j)
}

// far warns of values of a set, whose features stand as the model's, that lie outside of the
// training's range by more than half its width. They may have another unit or sign. Its Text is ""
// where there are none.
func (s *Scale) far(set *dataset.Set) (w dataset.Warning) {
	if s.Low == nil || set.Kind != dataset.KindFeatures { // a run from before it was kept
		return w
	}
	count := 0
	for k := range set.Items {
		for j, v := range set.Items[k].Features {
			low, high := s.Low[j], s.High[j]
			if margin := (high - low) / 2; bounded(v) >= low-margin && bounded(v) <= high+margin {
				continue
			}
			if count++; count == 1 {
				w.Kind = "far: " + s.column(j)
				w.Text = fmt.Sprintf("%s of item %s is %g, in training it was %s", s.column(j), set.ItemNames()[k], v, span(low, high))
			}
		}
	}
	if count > 1 {
		w.Text += fmt.Sprintf("; so are %d more values of the set", count-1)
	}
	return w
}

func span(low, high float64) string {
	if low == high {
		return fmt.Sprintf("%g everywhere and says nothing", low)
	}
	return fmt.Sprintf("%g to %g", low, high)
}

// outside notes which sets of a file have features far outside of the training's range.
func (r *Task) outside(p *part, path string) {
	count, first := 0, ""
	for _, s := range p.sets {
		if far := r.scale.far(s).Text; far != "" && path != "" {
			if count++; count == 1 {
				first = fmt.Sprintf("set %s: %s", s.ID, far)
			}
		}
	}
	if count > 0 {
		r.note(fmt.Sprintf("%s: %d of %d sets have values far outside of the training's range: %s", path, count, len(p.sets), first))
	}
}

// note adds to what is said of the data, once.
func (r *Task) note(text string) {
	if text != "" && !slices.Contains(r.Dropped, text) {
		r.Dropped = append(r.Dropped, text)
	}
}
