package tsp

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// Exact finds a shortest tour by branch and bound. Bounds are 1-trees with multipliers by
// subgradient ascent (Held & Karp 1971). It branches at a city of which the 1-tree has three edges
// or more (Volgenant & Jonker 1982). The first tour is [OrOpt]'s. proven is whether it came to its
// end before ctx did. Then no tour is shorter; where distances are no integers, none is by more
// than a 10⁻⁹th. The tour is the best there is either way, [Canonical]. Where distances depend on
// the direction, only tours of up to 16 cities are proven, by looking through all sets of cities.
// Of more cities the tour is [OrOpt]'s best.
func Exact(ctx context.Context, x *Instance) (tour perm.Order, length float64, proven bool) {
	if x.directed && x.n <= mostSubsets {
		tour = subsets(x)
		return tour, x.Length(tour), true
	}
	rng := rand.New(rand.NewPCG(1, uint64(x.n)))
	start := orOpt(x, perm.Random(rng, x.n), 10*x.n, rng, func() bool { return ctx.Err() != nil })
	if x.directed {
		start = From(start, 0)
		return start, x.Length(start), false
	}
	tour, proven = branchAndBound(ctx, x, start, math.MaxInt)
	tour = Canonical(tour)
	return tour, x.Length(tour), proven
}

// branchAndBound looks for a tour shorter than start in at most so many nodes.
func branchAndBound(ctx context.Context, x *Instance, start perm.Order, nodes int) (best perm.Order, proven bool) {
	if x.n <= 3 {
		return start, true
	}
	n := x.n
	b := &bounder{
		x: x, n: n, ctx: ctx, left: nodes, best: start, length: x.Length(start), integral: x.integral(), status: make([]int8, n*n),
		tree: newOneTree(n), kept: newOneTree(n), trial: make([]float64, n), previous: make([]int, n), near: make([]float64, n), outside: make([]int, n),
		longest: make([]float64, n*n), spare: make([]float64, n), depth: make([]int, n),
	}
	// A wanted edge counts as far shorter than any other, a barred one as far longer.
	b.offset = [3]float64{wanted: -1e9 * slices.Max(x.matrix), barred: math.Inf(1)}
	proven = b.search(make([]float64, n), 100*n)
	return b.best, proven
}

// What is known of an edge: nothing, that a tour must have it, that it must not.
const (
	free int8 = iota
	wanted
	barred
)

type bounder struct {
	x        *Instance
	n        int
	ctx      context.Context
	left     int // nodes that may be visited
	best     perm.Order
	length   float64
	integral bool

	status []int8 // [n, n], symmetric: of the edges in the node at hand
	trail  []int  // edges that are not free, u·n + v, in the order they became so
	wanted int    // how many are wanted
	offset [3]float64

	// Scratch. tree is the latest 1-tree, kept that of the best bound.
	tree, kept  *oneTree
	trial, near []float64
	previous    []int
	outside     []int
	longest     []float64 // [n, n]
	spare       []float64
	depth       []int
}

// prunable tells whether tours of at least bound cannot be shorter than the best.
func (b *bounder) prunable(bound float64) bool {
	if b.integral {
		return math.Ceil(bound-1e-6-1e-12*b.length) >= b.length
	}
	return bound >= b.length-1e-9*b.length
}

func (b *bounder) set(u, v int, s int8) {
	b.status[u*b.n+v], b.status[v*b.n+u] = s, s
	b.trail = append(b.trail, u*b.n+v)
	if s == wanted {
		b.wanted++
	}
}

// undo frees the edges of the trail from mark on.
func (b *bounder) undo(mark int) {
	for _, e := range b.trail[mark:] {
		if b.status[e] == wanted {
			b.wanted--
		}
		b.status[e], b.status[e%b.n*b.n+e/b.n] = free, free
	}
	b.trail = b.trail[:mark]
}

// cost is an edge's length with multipliers, and with what it has for being wanted or barred.
func (b *bounder) cost(pi []float64, u, v int) float64 {
	return b.x.matrix[u*b.n+v] + pi[u] + pi[v] + b.offset[b.status[u*b.n+v]]
}

// search explores the tours that the edges' status leaves; it returns false where the nodes or
// ctx ended it. The multipliers are where to begin.
func (b *bounder) search(multipliers []float64, iterations int) bool {
	if b.left--; b.left < 0 {
		return false
	}
	defer b.undo(len(b.trail))
	pi := slices.Clone(multipliers)
	for settled := false; !settled; iterations = 30 {
		bound, ok := b.ascend(pi, iterations)
		switch {
		case !ok:
			return false
		case b.prunable(bound):
			return true
		}
		// A 1-tree in which every city has two edges is a tour, the shortest of this node.
		if t := b.kept.tour(); t != nil {
			if l := b.x.Length(t); l < b.length {
				b.best, b.length = t, l
			}
			return true
		}
		b.fix(bound, pi)
		if !b.settle() {
			return true
		}
		settled = b.keeps()
	}
	n, t := b.n, b.kept
	city := 0
	for v, d := range t.degree {
		if d > t.degree[city] {
			city = v
		}
	}
	var edges []int // free edges of the tree at city, the longest last; it has one wanted at most
	for u := range n {
		if u != city && t.has(u, city) && b.status[city*n+u] == free {
			edges = append(edges, u)
		}
	}
	slices.SortFunc(edges, func(u, v int) int { return cmp.Compare(b.x.matrix[city*n+u], b.x.matrix[city*n+v]) })
	// Without the first; with the first, without the second; with both, and settle bars the
	// rest. At a city that has a wanted edge already, the first alone makes two.
	ways := 3
	if t.degree[city] > len(edges) {
		ways = 2
	}
	for k := range ways {
		mark := len(b.trail)
		for _, u := range edges[:k] {
			b.set(city, u, wanted)
		}
		if k+1 < ways {
			b.set(city, edges[k], barred)
		}
		ok := !b.settle() || b.search(pi, 30)
		b.undo(mark)
		if !ok {
			return false
		}
	}
	return true
}

// settle draws conclusions until there are no more: a city with two wanted edges has no
// other, one with two edges left wants both. It returns false where no tour is left.
func (b *bounder) settle() bool {
	n := b.n
	for changed := true; changed; {
		changed = false
		for v := range n {
			want, open := 0, -1 // the diagonal is free
			for _, s := range b.status[v*n : (v+1)*n] {
				switch s {
				case wanted:
					want++
				case free:
					open++
				}
			}
			if want > 2 || want+open < 2 {
				return false
			}
			if open == 0 || want < 2 && want+open > 2 {
				continue
			}
			s := barred
			if want < 2 {
				s = wanted
			}
			for u := range n {
				if u != v && b.status[v*n+u] == free {
					b.set(v, u, s)
					changed = true
				}
			}
		}
	}
	return b.open()
}

// open tells whether the wanted edges close no cycle of fewer than n cities. No city has more
// than two.
func (b *bounder) open() bool {
	n := b.n
	seen := make([]bool, n)
	for start := range n {
		if seen[start] {
			continue
		}
		before, at, count := -1, start, 1
		seen[start] = true
		for moved := true; moved; {
			moved = false
			for u := range n {
				if u == before || b.status[at*n+u] != wanted {
					continue
				}
				if u == start {
					return count == n
				}
				if seen[u] {
					continue
				}
				seen[u] = true
				before, at, moved = at, u, true
				count++
				break
			}
		}
	}
	return true
}

// keeps tells whether the kept tree has all wanted edges and no barred one.
func (b *bounder) keeps() bool {
	t, n := b.kept, b.n
	have := 0
	for i := -2; i < n-2; i++ {
		u, v := 0, t.first
		switch {
		case i == -1:
			v = t.second
		case i >= 0:
			v = t.order[i+1]
			u = t.parent[v]
		}
		switch b.status[u*n+v] {
		case barred:
			return false
		case wanted:
			have++
		}
	}
	return have == b.wanted
}

// ascend improves multipliers, in place, and returns the best bound; kept is its 1-tree. The
// bound is infinite where no tour is left. It returns false where ctx ended it.
func (b *bounder) ascend(multipliers []float64, iterations int) (bound float64, ok bool) {
	pi := b.trial
	copy(pi, multipliers)
	bound = math.Inf(-1)
	scale, since := 2.0, 0
	for it := range iterations {
		if b.ctx.Err() != nil {
			return 0, false
		}
		w := b.span(pi)
		if math.IsInf(w, 1) {
			return w, true
		}
		square := 0
		for _, k := range b.tree.degree {
			square += (k - 2) * (k - 2)
		}
		degree := b.tree.degree
		if w > bound || square == 0 {
			bound, since = w, 0
			copy(multipliers, pi)
			b.tree, b.kept = b.kept, b.tree
		} else if since++; since > max(5, b.n/4) {
			scale, since = scale/2, 0
		}
		if square == 0 || scale < 1e-4 || b.prunable(bound) {
			break
		}
		step := scale * max(b.length-w, 1e-6*b.length) / float64(square)
		for v, k := range degree {
			change := float64(k - 2)
			if it > 0 {
				change = 0.7*change + 0.3*float64(b.previous[v])
			}
			pi[v] += step * change
			b.previous[v] = k - 2
		}
	}
	return bound, true
}

// fix bars free edges that no tour shorter than the best has, and wants those that every such tour
// has. One exchange gives the shortest 1-tree with an edge that the kept tree has not, or without
// one that it has. Its weight is a bound too.
func (b *bounder) fix(bound float64, pi []float64) {
	n, t := b.n, b.kept
	b.depth[1] = 0
	for i, v := range t.order[1:] {
		p := t.parent[v]
		c := b.cost(pi, p, v)
		b.depth[v] = b.depth[p] + 1
		b.spare[v] = math.Inf(1)
		for _, u := range t.order[:i+1] {
			longest := c
			if u != p {
				longest = max(longest, b.longest[p*n+u])
			}
			b.longest[u*n+v], b.longest[v*n+u] = longest, longest
		}
	}
	for u := 1; u < n; u++ {
		for v := u + 1; v < n; v++ {
			if b.status[u*n+v] != free || t.has(u, v) {
				continue
			}
			c := b.cost(pi, u, v)
			if b.prunable(bound + c - b.longest[u*n+v]) {
				b.set(u, v, barred)
				continue
			}
			for p, q := u, v; p != q; { // it may stand in for the edges between u and v
				if b.depth[p] < b.depth[q] {
					p, q = q, p
				}
				b.spare[p] = min(b.spare[p], c)
				p = t.parent[p]
			}
		}
	}
	for _, v := range t.order[1:] {
		if p := t.parent[v]; b.status[p*n+v] == free && b.prunable(bound+b.spare[v]-b.cost(pi, p, v)) {
			b.set(p, v, wanted)
		}
	}
	third := math.Inf(1)
	for v := 1; v < n; v++ {
		if b.status[v] != free || v == t.first || v == t.second {
			continue
		}
		c := b.cost(pi, 0, v)
		if b.prunable(bound + c - b.cost(pi, 0, t.second)) {
			b.set(0, v, barred)
			continue
		}
		third = min(third, c)
	}
	for _, v := range []int{t.first, t.second} {
		if b.status[v] == free && b.prunable(bound+third-b.cost(pi, 0, v)) {
			b.set(0, v, wanted)
		}
	}
}
