package constraint

import (
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// SearchLimit is how many prefixes [Set.Compile] looks at where only a search decides, and
// StepLimit how many a [Walk] does for each item that may come next.
const (
	SearchLimit = 200_000
	StepLimit   = 500
)

// Walk builds an order that obeys, item by item from position 0 on. It is not safe for
// concurrent use.
type Walk struct {
	plan    *Plan
	order   perm.Order // what is placed, then what plan.match has become
	pos     perm.Rank  // of order
	at      int        // the next position
	waiting []int      // how many rules have the item after one not placed
	// whole is an order that obeys and begins as this one; others are such orders by the item
	// that comes next, as far as a search found them. Only where a search decides.
	whole  perm.Order
	others map[int]perm.Order
}

// Walk starts at position 0.
func (p *Plan) Walk() *Walk {
	w := p.start()
	w.whole = p.whole
	return w
}

func (p *Plan) start() *Walk {
	return &Walk{plan: p, order: slices.Clone(p.match), pos: p.match.Rank(), waiting: slices.Clone(p.before)}
}

// Clone returns a walk that goes on from the same place on its own.
func (w *Walk) Clone() *Walk {
	c := *w
	c.order, c.pos, c.waiting, c.others = slices.Clone(w.order), slices.Clone(w.pos), slices.Clone(w.waiting), nil
	return &c
}

// Order is what is placed so far: valid until the next call of Place.
func (w *Walk) Order() perm.Order { return w.order[:w.at] }

// searched reports whether relaxations do not decide all.
func (w *Walk) searched() bool { return w.plan.holey && len(w.plan.rules.Befores) > 0 }

// Next writes which items may stand at the next position, so that an order that obeys can
// still follow: may [n]. At least one can, up to the end.
func (w *Walk) Next(may []bool) {
	w.relaxed(may)
	if !w.searched() {
		return
	}
	w.others = map[int]perm.Order{}
	near := w.near()
	for k, ok := range may {
		if !ok {
			continue
		}
		if w.whole[w.at] == k {
			w.others[k] = w.whole
			continue
		}
		if near.has(k) { // [Walk.Place] makes it
			continue
		}
		c := w.Clone()
		c.advance(k)
		whole, _ := c.search(StepLimit)
		if may[k] = whole != nil; whole != nil {
			w.others[k] = whole
		}
	}
}

// near are the two orders next to w.whole that have an item k at the next position: k exchanged
// with the item there, and k moved up. Most items need no search. Items that may come next as far
// as [Walk.relaxed] tells have none before them left, so that k itself is in its place.
type near struct {
	w    *Walk
	rank perm.Rank // of w.whole
	// last is the last position from which an item can move up: all from the next one on to
	// before it may stand one later, and keep their order.
	last int
}

func (w *Walk) near() near {
	n := near{w, w.whole.Rank(), w.at}
	for n.last < w.plan.n-1 && w.plan.allows(w.whole[n.last], n.last+1) {
		n.last++
	}
	return n
}

func (n *near) has(k int) bool { return n.rank[k] <= n.last || n.swaps(k) }

// swaps reports whether the item that is next in w.whole may stand where k does.
func (n *near) swaps(k int) bool {
	first, to := n.w.whole[n.w.at], n.rank[k]
	if !n.w.plan.allows(first, to) {
		return false
	}
	for _, b := range n.w.plan.after[first] {
		if n.rank[b] <= to {
			return false
		}
	}
	return true
}

// order returns the one for k, nil where neither obeys.
func (n *near) order(k int) perm.Order {
	from, at := n.rank[k], n.w.at
	switch {
	case n.swaps(k):
		o := slices.Clone(n.w.whole)
		o[at], o[from] = k, o[at]
		return o
	case from <= n.last:
		return slices.Insert(slices.Delete(slices.Clone(n.w.whole), from, from+1), at, k)
	}
	return nil
}

// Place puts an item that [Walk.Next] allows at the next position.
func (w *Walk) Place(k int) {
	if w.searched() && w.whole[w.at] != k {
		if w.others == nil {
			w.Next(make([]bool, w.plan.n))
		}
		near := w.near()
		if whole := near.order(k); whole != nil {
			w.whole = whole
		} else {
			w.whole = w.others[k]
		}
	}
	w.others = nil
	w.advance(k)
}

// relaxed writes which items may come next as far as windows with precedences, and windows
// with holes, tell, each exactly.
func (w *Walk) relaxed(may []bool) {
	p := w.plan
	clear(may)
	if w.at == p.n {
		return
	}
	// Of the items left, if those whose window ends by d fill all positions up to d, then the
	// next one is among them.
	ending := make([]int, p.n)
	for _, k := range w.order[w.at:] {
		ending[p.hi[k]]++
	}
	tight, count := w.at, 0
	for d := w.at; d < p.n; d++ {
		if count += ending[d]; count == d-w.at+1 {
			tight = d
			break
		}
	}
	for _, k := range w.order[w.at:] {
		may[k] = w.waiting[k] == 0 && p.hi[k] <= tight && p.allows(k, w.at)
	}
	if !p.holey {
		return
	}
	_, reached := w.reach()
	for _, k := range w.order[w.at+1:] {
		may[k] = may[k] && reached[w.pos[k]]
	}
}

// reach follows the item that stands at the next position to all others that it can have if
// those there move on: from is the item that gets each position so, if reached.
func (w *Walk) reach() (from []int, reached []bool) {
	p := w.plan
	from, reached = make([]int, p.n), make([]bool, p.n)
	queue := []int{w.order[w.at]}
	for h := 0; h < len(queue); h++ {
		x := queue[h]
		for i := max(p.lo[x], w.at+1); i <= p.hi[x]; i++ {
			if !reached[i] && !p.holes[x][i] {
				reached[i], from[i] = true, x
				queue = append(queue, w.order[i])
			}
		}
	}
	return from, reached
}

// advance places k and mends the order behind it.
func (w *Walk) advance(k int) {
	if first := w.order[w.at]; first != k {
		if w.plan.holey {
			from, _ := w.reach()
			for i := w.pos[k]; ; {
				x := from[i]
				next := w.pos[x]
				w.order[i], w.pos[x] = x, i
				if x == first {
					break
				}
				i = next
			}
		} else { // only what is left matters, not how it is ordered
			w.order[w.pos[k]], w.pos[first] = first, w.pos[k]
		}
		w.order[w.at], w.pos[k] = k, w.at
	}
	w.at++
	for _, b := range w.plan.after[k] {
		w.waiting[b]--
	}
}

// search looks for an order that obeys and begins as w: decided is whether none was found
// because there is none. What can follow depends on which items are placed, not on their
// order, so that a set of items that failed is not tried again.
func (w *Walk) search(limit int) (whole perm.Order, decided bool) {
	failed := map[string]bool{}
	cut := false
	var try func(w *Walk) perm.Order
	try = func(w *Walk) perm.Order {
		p := w.plan
		if w.at == p.n {
			return w.order
		}
		if len(failed) >= limit {
			cut = true
			return nil
		}
		key := w.key()
		if failed[key] {
			return nil
		}
		may := make([]bool, p.n)
		w.relaxed(may)
		var next []int
		for k, ok := range may {
			if ok {
				next = append(next, k)
			}
		}
		slices.SortStableFunc(next, func(a, b int) int { return p.hi[a] - p.hi[b] })
		for _, k := range next {
			c := w.Clone()
			c.advance(k)
			if whole := try(c); whole != nil {
				return whole
			}
		}
		failed[key] = true
		return nil
	}
	whole = try(w)
	return whole, whole == nil && !cut
}

// key tells sets of placed items apart.
func (w *Walk) key() string {
	bits := make([]byte, (w.plan.n+7)/8)
	for _, k := range w.order[:w.at] {
		bits[k/8] |= 1 << (k % 8)
	}
	return string(bits)
}
