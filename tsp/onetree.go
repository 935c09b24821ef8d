package tsp

import (
	"math"

	"github.com/riffle-ml/riffle/perm"
)

// oneTree is a spanning tree of the cities 1 … n−1, from 1 on, and two edges of city 0.
type oneTree struct {
	order         []int // the cities as they came in, parents first
	parent        []int
	degree        []int
	first, second int // neighbours of city 0
}

func newOneTree(n int) *oneTree {
	return &oneTree{order: make([]int, 0, n), parent: make([]int, n), degree: make([]int, n)}
}

// has tells whether the tree has an edge.
func (t *oneTree) has(u, v int) bool {
	if u > v {
		u, v = v, u
	}
	if u == 0 {
		return v == t.first || v == t.second
	}
	return v != 1 && t.parent[v] == u || u != 1 && t.parent[u] == v
}

// tour is the tree as a tour from city 0, nil where it is none.
func (t *oneTree) tour() perm.Order {
	n := len(t.degree)
	for _, d := range t.degree {
		if d != 2 {
			return nil
		}
	}
	tour := perm.Order{0, t.first}
	for before, at := 0, t.first; len(tour) < n; {
		for v := 1; v < n; v++ {
			if v != before && v != at && t.has(at, v) {
				before, at = at, v
				tour = append(tour, v)
				break
			}
		}
	}
	return tour
}

// span finds the shortest 1-tree, lengths being those of [bounder.cost], by Prim's algorithm.
// What it returns is its weight less 2Σπ, a bound on tours, and infinite where there is none.
func (b *bounder) span(pi []float64) float64 {
	n, t := b.n, b.tree
	clear(t.degree)
	t.order = append(t.order[:0], 1)
	outside := b.outside[:0]
	for v := 2; v < n; v++ {
		outside = append(outside, v)
		b.near[v] = math.Inf(1)
	}
	weight := 0.0
	for last := 1; len(outside) > 0; {
		row, status, own := b.x.matrix[last*n:(last+1)*n], b.status[last*n:(last+1)*n], pi[last]
		next, least := -1, math.Inf(1)
		for i, v := range outside {
			near := b.near[v]
			if c := row[v] + own + pi[v] + b.offset[status[v]]; c < near {
				near = c
				b.near[v], t.parent[v] = c, last
			}
			if near < least {
				next, least = i, near
			}
		}
		if next < 0 {
			return math.Inf(1)
		}
		last = outside[next]
		outside[next] = outside[len(outside)-1]
		outside = outside[:len(outside)-1]
		p := t.parent[last]
		t.order = append(t.order, last)
		t.degree[last]++
		t.degree[p]++
		weight += b.x.matrix[p*n+last]
	}
	first, second := math.Inf(1), math.Inf(1)
	t.first, t.second = -1, -1
	for v := 1; v < n; v++ {
		switch c := b.cost(pi, 0, v); {
		case c < first:
			t.second, second = t.first, first
			t.first, first = v, c
		case c < second:
			t.second, second = v, c
		}
	}
	if t.second < 0 {
		return math.Inf(1)
	}
	t.degree[0] = 2
	t.degree[t.first]++
	t.degree[t.second]++
	weight += b.x.matrix[t.first] + b.x.matrix[t.second]
	for v, p := range pi {
		weight += p * float64(t.degree[v]-2)
	}
	return weight
}
