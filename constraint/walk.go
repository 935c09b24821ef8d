package constraint

import (
	"math/bits"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// Walk builds an order that obeys, item by item from position 0 on. It and its clones share
// memory: they are of one goroutine.
type Walk struct {
	plan *Plan
	state
	// left is how many prefixes searches may still look at, before how many it was when Next was
	// first asked here, which asked tells.
	left, before int
	asked        bool
	room         *room
}

// state is a prefix of an order and an arrangement of the rest.
type state struct {
	// order is what is placed, then the rest as it could follow. Where a search decides, the rest
	// keeps all rules. Else it keeps windows with holes or, without holes, is just what is left.
	order   perm.Order
	pos     perm.Rank // of order
	at      int       // the next position
	waiting []int     // how many items before an item are not placed
	placed  bitset    // the items that are
}

// Walk starts at position 0.
func (p *Plan) Walk() *Walk {
	return &Walk{plan: p, state: p.start(p.whole), left: WalkLimit, room: newRoom(p)}
}

func (p *Plan) start(o perm.Order) state {
	return state{slices.Clone(o), o.Rank(), 0, p.waiting(), newBitset(p.n)}
}

// set makes s the same as t, of the same plan.
func (s *state) set(t *state) {
	copy(s.order, t.order)
	copy(s.pos, t.pos)
	copy(s.waiting, t.waiting)
	copy(s.placed, t.placed)
	s.at = t.at
}

// Clone returns a walk that goes on from the same place on its own, in the same goroutine.
func (w *Walk) Clone() *Walk {
	c := *w
	c.order, c.pos, c.waiting, c.placed = slices.Clone(w.order), slices.Clone(w.pos), slices.Clone(w.waiting), slices.Clone(w.placed)
	return &c
}

// Set makes w the same as x, of which it is a clone: it goes on from where x is.
func (w *Walk) Set(x *Walk) {
	w.set(&x.state)
	w.left, w.before, w.asked = x.left, x.before, x.asked
}

// Order is what is placed so far: valid until the next call of Place or Set.
func (w *Walk) Order() perm.Order { return w.order[:w.at] }

// Next writes which items may stand at the next position, so that an order that obeys can
// still follow: may [n]. At least one can, up to the end.
func (w *Walk) Next(may []bool) {
	if !w.asked {
		w.asked, w.before = true, w.left
	}
	w.left = w.before
	w.settle(may, nobody)
}

// Place puts an item that [Walk.Next] allows at the next position.
func (w *Walk) Place(k int) {
	p, r := w.plan, w.room
	if !p.searched {
		w.advance(p, r, k, nil)
		return
	}
	if w.order[w.at] != k {
		if !w.asked {
			w.Next(r.spare)
		}
		if w.push(p, r); r.pushed.has(w.pos[k]) {
			w.move(k, r.pushedFrom)
		} else {
			left := w.left
			w.left = w.before
			w.settle(r.spare, k)
			w.left = left
		}
	}
	w.asked = false
	w.place(p, k)
}

const nobody = -1

// settle writes which items may come next, up to wanted, which it brings to the next position. What
// follows an item is found by changing an order that obeys a little, or else by a search. What a
// search finds is changed in turn.
func (w *Walk) settle(may []bool, wanted int) {
	p, r := w.plan, w.room
	clear(may)
	if w.at == p.n {
		return
	}
	w.ready(p, r, may)
	if !p.holey {
		return
	}
	open := append(r.open[:0], w.order[w.at+1:]...)
	if r.open = open; p.searched {
		if open = w.change(p, r, open, may, wanted); len(open) == 0 {
			return
		}
	}
	w.reach(p, r)
	open = slices.DeleteFunc(open, func(k int) bool {
		may[k] = may[k] && r.reached.has(w.pos[k])
		return !may[k]
	})
	for p.searched && len(open) > 0 {
		k := open[0]
		open = open[1:]
		if may[k] = w.left > 0; !may[k] {
			continue
		}
		f := w.find(k)
		w.left -= f.looked
		if may[k] = f.rest != nil; !may[k] {
			continue
		}
		s := &w.state
		if wanted != k {
			s = &r.other
			s.set(&w.state)
		}
		s.order[s.at], s.pos[k] = k, s.at
		for i, x := range f.rest {
			s.order[s.at+1+i], s.pos[x] = int(x), s.at+1+i
		}
		if wanted == k {
			return
		}
		if open = s.change(p, r, open, may, wanted); wanted != nobody && s.order[s.at] == wanted {
			w.set(s)
			return
		}
	}
}

// change goes from s, whose order obeys, to others that obey. It returns those of the open items
// that may come next as far as is known, but are first in none of them. It brings wanted to the
// next position, where it is among the others.
func (s *state) change(p *Plan, r *room, open []int, may []bool, wanted int) []int {
	s.push(p, r)
	if wanted != nobody && r.pushed.has(s.pos[wanted]) {
		s.move(wanted, r.pushedFrom)
		return nil
	}
	return slices.DeleteFunc(open, func(k int) bool { return !may[k] || r.pushed.has(s.pos[k]) })
}

// find is what a search for an order that goes on with k comes to. It depends on which items
// are placed, not on how the walk came here, so that it is searched for once.
func (w *Walk) find(k int) found {
	p, r := w.plan, w.room
	w.placed.flip(k)
	key := string(w.placed.key(&r.key))
	w.placed.flip(k)
	if f, known := r.known[key]; known {
		return f
	}
	r.probe.set(&w.state)
	r.probe.advance(p, r, k, nil)
	f, found := r.hasty(p)
	if !found {
		r.probe.set(&w.state)
		r.probe.advance(p, r, k, nil)
		f, _, _ = r.search(p, StepLimit)
	}
	r.keep(key, f)
	return f
}

// ready writes which items have none before them left, may stand at the next position and, as
// far as windows tell, leave room for the others. It is exact where there are no holes.
func (s *state) ready(p *Plan, r *room, may []bool) {
	// Of the items left, if those whose window ends by d fill all positions up to d, then the
	// next one is among them.
	ending := r.ending
	clear(ending[s.at:])
	for _, k := range s.order[s.at:] {
		ending[p.hi[k]]++
	}
	tight, count := s.at, 0
	for d := s.at; d < p.n; d++ {
		if count += ending[d]; count == d-s.at+1 {
			tight = d
			break
		}
	}
	for _, k := range s.order[s.at:] {
		may[k] = s.waiting[k] == 0 && p.hi[k] <= tight && p.allows(k, s.at)
	}
}

// push follows the item at the next position, and those that it pushes away in turn, to later
// positions. An item may move to where it is allowed, up to the place of the first of those after
// it, which then moves on. So whatever items make place, all rules are kept. r.pushed are the
// positions that can be left to the last one, r.pushedFrom where it came from.
func (s *state) push(p *Plan, r *room) {
	r.pushed.clear()
	r.pushed.flip(s.at)
	for j := s.at; j < p.n; j++ {
		if !r.pushed.has(j) {
			continue
		}
		x := s.order[j]
		last := p.hi[x]
		for _, b := range p.after[x] {
			last = min(last, s.pos[b])
		}
		r.pushed.join(p.can(x), j+1, last, func(i int) { r.pushedFrom[i] = j })
	}
}

// reach follows the item at the next position as push does, but by windows and holes alone and
// to earlier positions too: r.reached and r.reachedFrom.
func (s *state) reach(p *Plan, r *room) {
	r.reached.clear()
	queue := append(r.queue[:0], s.at)
	for h := 0; h < len(queue); h++ {
		j := queue[h]
		x := s.order[j]
		r.reached.join(p.can(x), s.at+1, p.hi[x], func(i int) {
			r.reachedFrom[i] = j
			queue = append(queue, i)
		})
	}
	r.queue = queue
}

// move puts k at the next position and each item that stands in its way where the next one was.
func (s *state) move(k int, from []int) {
	for i := s.pos[k]; i != s.at; i = from[i] {
		x := s.order[from[i]]
		s.order[i], s.pos[x] = x, i
	}
	s.order[s.at], s.pos[k] = k, s.at
}

// place counts k, which is at the next position, as placed.
func (s *state) place(p *Plan, k int) {
	s.at++
	s.placed.flip(k)
	for _, b := range p.after[k] {
		s.waiting[b]--
	}
}

// slot is an item and where it stood.
type slot struct{ item, at int }

// advance places k and mends the order behind it, as far as windows and holes are concerned.
// What it moves is added to trail, for [state.retreat], if that is not nil.
func (s *state) advance(p *Plan, r *room, k int, trail *[]slot) {
	if first := s.order[s.at]; first != k {
		if p.holey {
			s.reach(p, r)
		} else { // only what is left matters, not how it is ordered
			r.reachedFrom[s.pos[k]] = s.at
		}
		if trail != nil {
			for i := s.pos[k]; ; i = r.reachedFrom[i] {
				if *trail = append(*trail, slot{s.order[i], i}); i == s.at {
					break
				}
			}
		}
		s.move(k, r.reachedFrom)
	}
	s.place(p, k)
}

// retreat takes back the last item, and what was moved for it.
func (s *state) retreat(p *Plan, moved []slot) {
	s.at--
	k := s.order[s.at]
	s.placed.flip(k)
	for _, b := range p.after[k] {
		s.waiting[b]++
	}
	for _, m := range moved {
		s.order[m.at], s.pos[m.item] = m.item, m.at
	}
}

// bitset is a set of small numbers.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) has(i int) bool { return b[i>>6]>>(i&63)&1 != 0 }
func (b bitset) flip(i int)     { b[i>>6] ^= 1 << (i & 63) }
func (b bitset) clear()         { clear(b) }

// join adds those of c from first to last, and calls f for each that is new.
func (b bitset) join(c bitset, first, last int, f func(i int)) {
	for word := first >> 6; word <= last>>6; word++ {
		add := c[word] &^ b[word]
		if word == first>>6 {
			add &= ^uint64(0) << (first & 63)
		}
		if word == last>>6 {
			add &= ^uint64(0) >> (63 - last&63)
		}
		b[word] |= add
		for ; add != 0; add &= add - 1 {
			f(word<<6 + bits.TrailingZeros64(add))
		}
	}
}

// key writes the set as bytes into a buffer, which it returns.
func (b bitset) key(buffer *[]byte) []byte {
	out := (*buffer)[:0]
	for _, x := range b {
		out = append(out, byte(x), byte(x>>8), byte(x>>16), byte(x>>24), byte(x>>32), byte(x>>40), byte(x>>48), byte(x>>56))
	}
	*buffer = out
	return out
}
