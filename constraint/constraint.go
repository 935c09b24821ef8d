// Package constraint says what an order must obey: items pinned to positions or barred from
// them, items before others, items among the first.
//
// [Rules.Compile] finds contradictions and names them. A [Walk] builds orders that obey, item by
// item, from position 0 on. It always knows which items may come next so that the rest can still be
// placed. So it never ends in a dead end.
//
// # What is decided exactly
//
// Items are jobs of one unit of time, positions are times. With windows (the positions from the
// earliest to the latest that an item may have) and precedences the earliest deadline first is
// optimal (J. R. Jackson, UCLA Management Sciences Research Report 43, 1955; with precedences
// folded into the windows, E. L. Lawler, Management Science 19, 1973); with any sets of positions
// and no precedence it is a bipartite matching (P. Hall, J. London Math. Soc. 10, 1935). Both are
// exact at any size. Precedences together with positions forbidden in the middle of a window are
// NP-hard in general. There a search decides. It gives up after [SearchLimit] sets of placed items
// that nothing can follow. Where it finds neither an order nor a contradiction, [Rules.Compile]
// says so.
//
// A [Walk] has an order that obeys at hand. Most items can be brought to its next position by
// pushing few others back, which shows that they may come next. For the others it searches, and
// then pushes in what it finds. A search gives up after [StepLimit], and all searches of a walk
// together after [WalkLimit]. An item whose search is cut off counts as one that may not come next.
// So whatever a walk builds obeys, and only orders that are hard to find may be missed.
package constraint

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/riffle-ml/riffle/perm"
)

// Rules is rules about orders of items, all of which hold together. The zero Rules allows all
// orders. Items and positions count from 0.
type Rules struct {
	Pins    []Place  // the item stands at the position
	Forbids []Place  // the item does not stand at the position
	Befores []Before // the one item stands before the other
	Firsts  []Among  // the items stand among the first positions
	// Names are what errors call the items; nil for their numbers.
	Names []string
}

// Place is an item at a position.
type Place struct{ Item, Position int }

// Before is that item A stands somewhere before item B.
type Before struct{ A, B int }

// Among is that the items stand at positions below Count, in whatever order.
type Among struct {
	Items []int
	Count int
}

// Empty reports whether there are no rules.
func (s Rules) Empty() bool {
	return len(s.Pins)+len(s.Forbids)+len(s.Befores)+len(s.Firsts) == 0
}

// And returns the rules of both sets, with the names of s where it has some.
func (s Rules) And(t Rules) Rules {
	names := s.Names
	if names == nil {
		names = t.Names
	}
	return Rules{slices.Concat(s.Pins, t.Pins), slices.Concat(s.Forbids, t.Forbids), slices.Concat(s.Befores, t.Befores), slices.Concat(s.Firsts, t.Firsts), names}
}

// name is what errors call an item.
func (s Rules) name(k int) string {
	if k < len(s.Names) {
		return Quote(s.Names[k])
	}
	return strconv.Itoa(k)
}

// short lists items, of many the first ones.
func (s Rules) short(items []int) string {
	out := make([]string, 0, len(items))
	for _, k := range items {
		out = append(out, s.name(k))
	}
	return short(out)
}

// Check returns an error that names the first rule that an order breaks, nil where it obeys.
// The order must be a bijection and the rules must be about its items, as [Rules.Compile] says.
func (s Rules) Check(o perm.Order) error {
	rank := o.Rank()
	for _, p := range s.Pins {
		if rank[p.Item] != p.Position {
			return fmt.Errorf("pin: item %s is at position %d, wanted %d", s.name(p.Item), rank[p.Item], p.Position)
		}
	}
	for _, p := range s.Forbids {
		if rank[p.Item] == p.Position {
			return fmt.Errorf("forbid: item %s is at position %d", s.name(p.Item), p.Position)
		}
	}
	for _, b := range s.Befores {
		if rank[b.A] >= rank[b.B] { // equal where it is one item
			return fmt.Errorf("before: item %s is at position %d, item %s at %d, wanted it before", s.name(b.A), rank[b.A], s.name(b.B), rank[b.B])
		}
	}
	for _, f := range s.Firsts {
		for _, k := range f.Items {
			if rank[k] >= f.Count {
				return fmt.Errorf("first: item %s is at position %d, wanted below %d", s.name(k), rank[k], f.Count)
			}
		}
	}
	return nil
}

// validate checks that rules are about n items and their positions.
func (s Rules) validate(n int) error {
	item := func(rule string, k int) error {
		if k < 0 || k >= n {
			return fmt.Errorf("%s: no item %d in a set of %d, wanted 0 to %d", rule, k, n, n-1)
		}
		return nil
	}
	for _, places := range []struct {
		rule string
		list []Place
	}{{"pin", s.Pins}, {"forbid", s.Forbids}} {
		for _, p := range places.list {
			if err := item(places.rule, p.Item); err != nil {
				return err
			}
			if p.Position < 0 || p.Position >= n {
				return fmt.Errorf("%s: item %d: no position %d in a set of %d, wanted 0 to %d", places.rule, p.Item, p.Position, n, n-1)
			}
		}
	}
	for _, b := range s.Befores {
		for _, k := range []int{b.A, b.B} {
			if err := item("before", k); err != nil {
				return err
			}
		}
	}
	for _, f := range s.Firsts {
		if f.Count < 1 || f.Count > n {
			return fmt.Errorf("first: no first %d positions in a set of %d, wanted 1 to %d", f.Count, n, n)
		}
		for _, k := range f.Items {
			if err := item("first", k); err != nil {
				return err
			}
		}
	}
	return nil
}
