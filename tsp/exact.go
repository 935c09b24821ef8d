package tsp

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// Exact finds a shortest tour by branch and bound: bounds are 1-trees with multipliers by
// subgradient ascent (Held & Karp 1971), branches at a city of which the 1-tree has three
// edges or more (Volgenant & Jonker 1982), and the first tour is [OrOpt]'s. proven is whether
// it came to its end before ctx did; the tour is the best there is either way. It begins with
// city 0.
func Exact(ctx context.Context, x *Instance) (tour perm.Order, length float64, proven bool) {
	n := x.n
	if n <= 3 {
		t := perm.Identity(n)
		return t, x.Length(t), true
	}
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	best := OrOpt(x, perm.Random(rng, n), 10*n, rng)
	b := &bounder{x: x, ctx: ctx, best: best, length: x.Length(best), integral: x.integral()}
	root := &node{status: make([]int8, n*n), multipliers: make([]float64, n)}
	proven = b.search(root, 100*n)
	at := slices.Index(b.best, 0)
	tour = append(slices.Clone(b.best[at:]), b.best[:at]...)
	return tour, x.Length(tour), proven
}

const (
	free int8 = iota
	wanted
	barred
)

// node is a part of the tours: which edges they must have and must not have.
type node struct {
	status      []int8 // [n, n], symmetric
	multipliers []float64
}

type bounder struct {
	x        *Instance
	ctx      context.Context
	best     perm.Order
	length   float64
	integral bool
	visited  int
}

// prunable tells whether tours of at least bound cannot be shorter than the best.
func (b *bounder) prunable(bound float64) bool {
	if b.integral {
		return math.Ceil(bound-1e-6) >= b.length
	}
	return bound >= b.length-1e-9*max(1, b.length)
}

// search explores a node; it returns false where ctx ended it.
func (b *bounder) search(nd *node, iterations int) bool {
	if b.visited++; b.visited%64 == 0 && b.ctx.Err() != nil {
		return false
	}
	bound, degree, tree := b.ascend(nd, iterations)
	if b.prunable(bound) {
		return true
	}
	n := b.x.n
	// A 1-tree in which every city has two edges is a tour, the shortest of this node.
	city := -1
	for v, d := range degree {
		if d > 2 && (city < 0 || d > degree[city]) {
			city = v
		}
	}
	if city < 0 {
		t := cycle(tree, n)
		if l := b.x.Length(t); l < b.length {
			b.best, b.length = t, l
		}
		return true
	}
	var edges []int // free edges of the tree at city, the longest last
	have := 0       // edges that it must have
	for u := range n {
		switch {
		case u == city:
		case nd.status[city*n+u] == wanted:
			have++
		case tree[city*n+u]:
			edges = append(edges, u)
		}
	}
	slices.SortFunc(edges, func(u, v int) int { return cmpFloat(b.x.matrix[city*n+u], b.x.matrix[city*n+v]) })
	branch := func(want []int, bar int) bool {
		child := &node{status: slices.Clone(nd.status), multipliers: slices.Clone(nd.multipliers)}
		for _, u := range want {
			child.set(n, city, u, wanted)
		}
		if bar >= 0 {
			child.set(n, city, bar, barred)
		}
		if !child.settle(n) {
			return true
		}
		return b.search(child, 30)
	}
	if have == 1 {
		return branch(nil, edges[0]) && branch(edges[:1], -1)
	}
	return branch(nil, edges[0]) && branch(edges[:1], edges[1]) && branch(edges[:2], -1)
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (nd *node) set(n, u, v int, s int8) { nd.status[u*n+v], nd.status[v*n+u] = s, s }

// settle draws conclusions until there are no more: a city with two wanted edges has no
// other, one with two edges left wants both. It returns false where no tour is left.
func (nd *node) settle(n int) bool {
	for changed := true; changed; {
		changed = false
		for v := range n {
			want, open := 0, 0
			for u := range n {
				if u == v {
					continue
				}
				switch nd.status[v*n+u] {
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
				if u != v && nd.status[v*n+u] == free {
					nd.set(n, v, u, s)
					changed = true
				}
			}
		}
	}
	return nd.open(n)
}

// open tells whether the wanted edges close no cycle of fewer than n cities.
func (nd *node) open(n int) bool {
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
				if u == before || nd.status[at*n+u] != wanted || u == at {
					continue
				}
				if u == start {
					if count > 1 {
						return count == n
					}
					continue
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

// ascend improves the multipliers of a node and returns the best bound with the degrees and
// the edges of its 1-tree; the multipliers of the node become those of the bound.
func (b *bounder) ascend(nd *node, iterations int) (bound float64, degree []int, tree []bool) {
	n := b.x.n
	pi := slices.Clone(nd.multipliers)
	previous := make([]int, n)
	bound = math.Inf(-1)
	step := 0.0
	scale := 2.0
	since := 0
	for it := range iterations {
		d, t, w := b.oneTree(nd, pi)
		if t == nil {
			return math.Inf(1), nil, nil // no tour keeps to the node
		}
		if w > bound {
			bound, degree, tree, since = w, d, t, 0
			copy(nd.multipliers, pi)
		} else if since++; since > max(5, n/4) {
			scale, since = scale/2, 0
		}
		if b.prunable(bound) || scale < 1e-4 {
			break
		}
		square := 0
		for _, k := range d {
			square += (k - 2) * (k - 2)
		}
		if square == 0 {
			break
		}
		step = scale * max(b.length-w, 1e-6*math.Abs(b.length)) / float64(square)
		for v, k := range d {
			change := float64(k - 2)
			if it > 0 {
				change = 0.7*change + 0.3*float64(previous[v])
			}
			pi[v] += step * change
			previous[v] = k - 2
		}
	}
	return bound, degree, tree
}

// oneTree finds a shortest 1-tree that keeps to a node, lengths being d + π_u + π_v: a
// spanning tree of the cities but city 0 and the two shortest edges of city 0. The weight is
// less 2Σπ, a bound on tours.
func (b *bounder) oneTree(nd *node, pi []float64) (degree []int, tree []bool, weight float64) {
	n := b.x.n
	degree, tree = make([]int, n), make([]bool, n*n)
	// A wanted edge counts as far shorter than any other, and is then weighed as it is.
	const bonus = 1e15
	cost := func(u, v int) float64 {
		c := b.x.matrix[u*n+v] + pi[u] + pi[v]
		switch nd.status[u*n+v] {
		case wanted:
			return c - bonus
		case barred:
			return math.Inf(1)
		}
		return c
	}
	add := func(u, v int) {
		tree[u*n+v], tree[v*n+u] = true, true
		degree[u]++
		degree[v]++
		weight += b.x.matrix[u*n+v] + pi[u] + pi[v]
	}
	near, from, in := make([]float64, n), make([]int, n), make([]bool, n)
	for v := range near {
		near[v] = math.Inf(1)
	}
	in[1] = true
	last := 1
	for range n - 2 {
		next := -1
		for v := 2; v < n; v++ {
			if in[v] {
				continue
			}
			if c := cost(last, v); c < near[v] {
				near[v], from[v] = c, last
			}
			if next < 0 || near[v] < near[next] {
				next = v
			}
		}
		if math.IsInf(near[next], 1) {
			return nil, nil, 0
		}
		in[next] = true
		add(from[next], next)
		last = next
	}
	first, second := -1, -1
	for v := 1; v < n; v++ {
		c := cost(0, v)
		switch {
		case math.IsInf(c, 1):
		case first < 0 || c < cost(0, first):
			first, second = v, first
		case second < 0 || c < cost(0, second):
			second = v
		}
	}
	if second < 0 {
		return nil, nil, 0
	}
	add(0, first)
	add(0, second)
	for _, p := range pi {
		weight -= 2 * p
	}
	return degree, tree, weight
}

// cycle follows a 1-tree that is a tour from city 0.
func cycle(tree []bool, n int) perm.Order {
	t := perm.Order{0}
	for before, at := -1, 0; len(t) < n; {
		for v := range n {
			if v != before && tree[at*n+v] && (v != 0 || len(t) == n) {
				before, at = at, v
				t = append(t, v)
				break
			}
		}
	}
	return t
}
