package constraint

import (
	"context"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// What searches may look at, where only a search decides: see the package.
const (
	// SearchLimit is how many sets of placed items [Rules.Compile] finds to lead nowhere before it
	// gives up. StepLimit is how many a [Walk] finds so for an item that may come next.
	SearchLimit = 200_000
	StepLimit   = 500
	// WalkLimit is how many prefixes all searches of a walk look at together. Once they are more,
	// an item that would need a search counts as one that may not come next.
	WalkLimit = 5_000
)

// found is what a search comes to.
type found struct {
	rest   []int32 // an order of the items left that obeys; nil if there is none
	looked int     // at how many prefixes
}

// room is what a walk and its clones share: memory to work in, and what was found.
type room struct {
	ending, queue, open []int
	may, spare          []bool
	probe, other        state
	key                 []byte

	// Positions, and from where the item comes that gets each.
	pushed, reached         bitset
	pushedFrom, reachedFrom []int

	known map[string]found // by the items placed
	kept  int              // the items of all that is known

	// Of one search:
	ctx    context.Context
	failed map[string]bool // sets of placed items that nothing can follow
	limit  int             // of failed
	looked int
	cut    bool
	next   []int // a stack of the items to try
	trail  []slot
}

func newRoom(p *Plan) *room {
	r := &room{ending: make([]int, p.n), reachedFrom: make([]int, p.n)}
	if p.holey {
		r.reached = newBitset(p.n)
	}
	if p.searched {
		r.pushed, r.pushedFrom = newBitset(p.n), make([]int, p.n)
		r.may, r.spare = make([]bool, p.n), make([]bool, p.n)
		r.probe, r.other = p.start(p.match), p.start(p.match)
		r.known, r.failed = map[string]found{}, map[string]bool{}
	}
	return r
}

// keep remembers what was found, of so much only the latest.
func (r *room) keep(key string, f found) {
	const most = 1 << 21
	if r.kept += len(f.rest) + len(key); r.kept > most {
		clear(r.known)
		r.kept = len(f.rest) + len(key)
	}
	r.known[key] = f
}

// search looks for an order that obeys and begins as r.probe. decided is whether none was found because there is none. It ends
// with the error of ctx, where r.ctx is one.
func (r *room) search(p *Plan, limit int) (f found, decided bool, err error) {
	if len(r.failed) > 0 {
		r.failed = map[string]bool{}
	}
	r.limit, r.looked, r.cut = limit, 0, false
	r.next, r.trail = r.next[:0], r.trail[:0]
	from := r.probe.at
	if r.try(p) {
		f.rest = r.probe.rest(from)
	}
	f.looked = r.looked
	if r.ctx != nil {
		err = r.ctx.Err()
	}
	return f, !r.cut, err
}

// hasty is a search that always takes the item whose window ends first and never turns back.
func (r *room) hasty(p *Plan) (f found, ok bool) {
	s := &r.probe
	from := s.at
	first := 0 // of byEnd all before are placed
	for ; s.at < p.n; first++ {
		k := p.byEnd[first]
		if s.placed.has(k) {
			continue
		}
		if p.hi[k] < s.at {
			return found{}, false
		}
		next := first
		for next < p.n && (s.placed.has(p.byEnd[next]) || s.waiting[p.byEnd[next]] > 0 || !p.can(p.byEnd[next]).has(s.at)) {
			next++
		}
		if next == p.n {
			return found{}, false
		}
		s.order[s.at] = p.byEnd[next]
		s.place(p, p.byEnd[next])
		first--
	}
	return found{s.rest(from), 1}, true
}

// rest are the items from a position on.
func (s *state) rest(from int) []int32 {
	out := make([]int32, 0, len(s.order)-from)
	for _, k := range s.order[from:] {
		out = append(out, int32(k))
	}
	return out
}

// try completes r.probe, or leaves it as it was. What can follow depends on which items are
// placed, not on their order, so that a set of items that failed is not tried again.
func (r *room) try(p *Plan) bool {
	s := &r.probe
	if s.at == p.n {
		return true
	}
	if r.looked++; r.looked%256 == 0 && r.ctx != nil && r.ctx.Err() != nil {
		r.cut = true
	}
	if r.cut = r.cut || len(r.failed) >= r.limit; r.cut || r.failed[string(s.placed.key(&r.key))] {
		return false
	}
	first := len(r.next)
	s.ready(p, r, r.may)
	s.reach(p, r)
	for i, k := range s.order[s.at:] {
		if r.may[k] && (i == 0 || r.reached.has(s.at+i)) {
			r.next = append(r.next, k)
		}
	}
	mine := r.next[first:]
	slices.SortFunc(mine, func(a, b int) int {
		if p.hi[a] != p.hi[b] {
			return p.hi[a] - p.hi[b]
		}
		return a - b
	})
	for i := range mine { // r.next may move
		mark := len(r.trail)
		s.advance(p, r, r.next[first+i], &r.trail)
		if r.try(p) {
			return true
		}
		s.retreat(p, r.trail[mark:])
		r.trail = r.trail[:mark]
	}
	r.next = r.next[:first]
	if !r.cut {
		r.failed[string(s.placed.key(&r.key))] = true
	}
	return false
}

// order is a whole order that a search found from position 0 on.
func (f found) order() perm.Order {
	if f.rest == nil {
		return nil
	}
	o := make(perm.Order, len(f.rest))
	for i, k := range f.rest {
		o[i] = int(k)
	}
	return o
}
