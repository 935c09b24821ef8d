package task

import (
	"cmp"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

// Nearest returns the right order of a set. Of several it is the nearest; where equal objects may be exchanged it is the
// one nearest to the given order: equals stand as they do there.
func (ex *Examples) Nearest(i int, order perm.Order) perm.Order {
	switch {
	case ex.Modes != nil:
		return nearestMode(order, ex.Modes)
	case ex.Levels != nil:
		return nearestConsistent(order, ex.Levels[i])
	case ex.Same != nil:
		return metric.Nearest(order, ex.Clean[i], ex.Same[i])
	case ex.Values == nil:
		return ex.Clean[i]
	}
	v, want := ex.Values[i], slices.Clone(order)
	slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	return want
}

// nearestConsistent rearranges an order so that it is consistent with levels: tied items stay in
// its order, and those of which nothing is known where they are.
func nearestConsistent(order perm.Order, levels dataset.BucketOrder) perm.Order {
	rank := order.Rank()
	var known []int
	in := make([]bool, len(order))
	for _, group := range levels {
		from := len(known)
		known = append(known, group...)
		slices.SortFunc(known[from:], func(a, b int) int { return rank[a] - rank[b] })
		for _, k := range group {
			in[k] = true
		}
	}
	want := slices.Clone(order)
	for place, k := range order {
		if in[k] {
			want[place], known = known[0], known[1:]
		}
	}
	return want
}

// nearestMode returns the mode of the least Kendall distance to an order, the first of equals.
func nearestMode(order perm.Order, modes []perm.Order) perm.Order {
	best, nearest := math.Inf(-1), modes[0]
	rank := order.Rank()
	for _, mode := range modes {
		if tau, err := metric.KendallTau(rank, mode.Rank()); err == nil && tau > best {
			best, nearest = tau, mode
		}
	}
	return nearest
}
