package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// BucketOrder is what is known of a set's order: groups of items, the first group's before the
// second's, and so on. Items of one group are tied. Of items in no group nothing is known. A
// complete order without ties has a group for every item.
type BucketOrder [][]int

// Validate reports an empty group, and an item that is out of range or there twice.
func (l BucketOrder) Validate(n int) error {
	seen := map[int]bool{} // not a list of n: a file may have many orders that rank few of many items
	for i, group := range l {
		if len(group) == 0 {
			return fmt.Errorf("level %d: is empty", i)
		}
		for _, k := range group {
			if k < 0 || k >= n {
				return fmt.Errorf("level %d: item %d, wanted 0 to %d", i, k, n-1)
			}
			if seen[k] {
				return fmt.Errorf("level %d: item %d is there twice", i, k)
			}
			seen[k] = true
		}
	}
	return nil
}

// Strict returns the levels of a list of items, the first before the second and so on.
func Strict(items []int) BucketOrder {
	l := make(BucketOrder, len(items))
	for i, k := range items {
		l[i] = []int{k}
	}
	return l
}

// RestLast returns the levels with one more for the items that are in none, if there are any. It
// reads a list of the first places of n items so that the rest comes after them. Without it nothing
// is known of items that are not named.
func (l BucketOrder) RestLast(n int) BucketOrder {
	in := make([]bool, n)
	for _, group := range l {
		for _, k := range group {
			in[k] = true
		}
	}
	var rest []int
	for k := range n {
		if !in[k] {
			rest = append(rest, k)
		}
	}
	if rest == nil {
		return l
	}
	return append(slices.Clip(l), rest)
}

// Known counts the items of which something is known.
func (l BucketOrder) Known() int {
	count := 0
	for _, group := range l {
		count += len(group)
	}
	return count
}

// Order returns the order of all n items where the levels are one, without ties, and nil where they
// are not.
func (l BucketOrder) Order(n int) perm.Order {
	if len(l) != n {
		return nil
	}
	o := make(perm.Order, n)
	for i, group := range l {
		if len(group) != 1 {
			return nil
		}
		o[i] = group[0]
	}
	return o
}

// Draw returns an order of all n items. It is drawn uniformly from those consistent with what is
// known, the linear extensions of the partial order. Tied items may stand in any order, and items
// of which nothing is known anywhere.
func (l BucketOrder) Draw(rng *rand.Rand, n int) perm.Order {
	known := make(perm.Order, 0, n)
	in := make([]bool, n)
	for _, group := range l {
		from := len(known)
		known = append(known, group...)
		rng.Shuffle(len(group), func(i, j int) { known[from+i], known[from+j] = known[from+j], known[from+i] })
		for _, k := range group {
			in[k] = true
		}
	}
	if len(known) == n {
		return known
	}
	// Positions for the unknown ones, uniform over all subsets; the rest in the known order.
	free := make(perm.Order, 0, n-len(known))
	for k := range n {
		if !in[k] {
			free = append(free, k)
		}
	}
	rng.Shuffle(len(free), func(i, j int) { free[i], free[j] = free[j], free[i] })
	o := make(perm.Order, 0, n)
	for len(o) < n {
		if rng.IntN(len(known)+len(free)) < len(free) {
			o, free = append(o, free[0]), free[1:]
		} else {
			o, known = append(o, known[0]), known[1:]
		}
	}
	return o
}

// Allows reports whether an order is one of those that [BucketOrder.Draw] draws: items of an earlier level
// come before those of a later one.
func (l BucketOrder) Allows(o perm.Order) bool {
	rank := o.Rank()
	last := -1 // of the levels before
	for _, group := range l {
		deepest := last
		for _, k := range group {
			if rank[k] < last {
				return false
			}
			deepest = max(deepest, rank[k])
		}
		last = deepest
	}
	return true
}

// LogCount is the log of how many orders of n items are consistent with l.
func (l BucketOrder) LogCount(n int) float64 {
	log := logFactorial(n) - logFactorial(l.Known())
	for _, group := range l {
		log += logFactorial(len(group))
	}
	return log
}

func logFactorial(n int) float64 {
	l, _ := math.Lgamma(float64(n) + 1)
	return l
}
