// Package heatmap turns scores of edges into tours, as networks of graphs for the travelling salesman
// problem have them. It does so row by row (Joshi, Laurent & Bresson 2019), or edge by edge, the best
// for their length first (Sun & Yang 2023, after Qiu, Sun & Yang 2022).
//
// Scores are [n·n] row-major; that of the edge between i and j is read at i·n + j and at j·n + i.
package heatmap

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// check reports scores that are not [n·n] or are no numbers.
func check(scores []float64, n int) error {
	if len(scores) != n*n {
		return fmt.Errorf("heat map: wanted %d scores, n² of n = %d (got %d)", n*n, n, len(scores))
	}
	for k, s := range scores {
		if math.IsNaN(s) {
			return fmt.Errorf("heat map: the score of %d and %d is not a number", k/n, k%n)
		}
	}
	return nil
}

// Merge adds edge by edge those with the greatest (S[i,j] + S[j,i]) / distance that leave a set of
// paths. No city has three edges, and there is no cycle before all are in one path. Then its ends
// meet. The tour begins at city 0. It takes O(n² log n).
func Merge(scores []float64, x *tsp.Instance) (perm.Order, error) {
	n := x.N()
	if err := check(scores, n); err != nil {
		return nil, err
	}
	type edge struct {
		i, j  int
		value float64
	}
	edges := make([]edge, 0, n*(n-1)/2)
	for i := range n {
		for j := i + 1; j < n; j++ {
			// Cities at one place belong together whatever their score.
			value := math.Inf(1)
			if d := x.Distance(i, j); d > 0 {
				value = (scores[i*n+j] + scores[j*n+i]) / d
			}
			edges = append(edges, edge{i, j, value})
		}
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return cmp.Compare(b.value, a.value) })
	path := make([]int, n) // the other end of the path that a city is an end of
	next := make([][]int, n)
	for i := range path {
		path[i] = i
	}
	left := n - 1
	for _, e := range edges {
		if left == 0 {
			break
		}
		if len(next[e.i]) == 2 || len(next[e.j]) == 2 || path[e.i] == e.j {
			continue
		}
		a, b := path[e.i], path[e.j]
		path[a], path[b] = b, a
		next[e.i], next[e.j] = append(next[e.i], e.j), append(next[e.j], e.i)
		left--
	}
	return walk(next), nil
}

// walk follows a path of all cities, whose ends meet, from city 0.
func walk(next [][]int) perm.Order {
	n := len(next)
	var ends []int
	for i, to := range next {
		if len(to) == 1 {
			ends = append(ends, i)
		}
	}
	if len(ends) == 2 {
		a, b := ends[0], ends[1]
		next[a], next[b] = append(next[a], b), append(next[b], a)
	}
	tour := make(perm.Order, 0, n)
	for at, before := 0, -1; len(tour) < n; {
		tour = append(tour, at)
		to := -1
		for _, k := range next[at] {
			if k != before {
				to = k
			}
		}
		at, before = to, at
	}
	return tour
}

// Beam searches for tours from city 0 that have a great sum of log-probabilities of their edges. It
// keeps width of them at a time, and returns the shortest of those that it ends with. Width 1 is
// greedy: each city is followed by the most probable that is left. It takes O(n²·width) time.
func Beam(logp []float64, x *tsp.Instance, width int) (perm.Order, error) {
	n := x.N()
	if err := check(logp, n); err != nil {
		return nil, err
	}
	if width < 1 {
		return nil, fmt.Errorf("heat map: a beam must be 1 or wider (got %d)", width)
	}
	if n == 0 {
		return perm.Order{}, nil
	}
	words := (n + 63) / 64
	type state struct {
		from, city int // its parent in the step before
		value      float64
		used       []uint64
	}
	steps := [][]state{{{from: -1, used: make([]uint64, words)}}}
	steps[0][0].used[0] = 1
	for range n - 1 {
		last := steps[len(steps)-1]
		var grown []state
		for k, s := range last {
			for c := range n {
				if s.used[c/64]&(1<<(c%64)) == 0 {
					grown = append(grown, state{from: k, city: c, value: s.value + logp[s.city*n+c]})
				}
			}
		}
		slices.SortStableFunc(grown, func(a, b state) int { return cmp.Compare(b.value, a.value) })
		grown = slices.Clone(grown[:min(width, len(grown))])
		for k := range grown {
			grown[k].used = slices.Clone(last[grown[k].from].used)
			grown[k].used[grown[k].city/64] |= 1 << (grown[k].city % 64)
		}
		for k := range last {
			last[k].used = nil
		}
		steps = append(steps, grown)
	}
	var best perm.Order
	shortest := math.Inf(1)
	for k := range steps[n-1] {
		tour := make(perm.Order, n)
		for i, at := n-1, k; i >= 0; i-- {
			tour[i], at = steps[i][at].city, steps[i][at].from
		}
		if length := x.Length(tour); best == nil || length < shortest {
			best, shortest = tour, length
		}
	}
	return best, nil
}
