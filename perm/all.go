package perm

import (
	"iter"
	"slices"
)

// All yields the n! orders of S_n in lexicographic order, each in a slice of
// its own; the k-th, from 0, has [Order.Index] k. All(0) yields the one empty
// order; a negative n yields nothing.
func All(n int) iter.Seq[Order] {
	return func(yield func(Order) bool) {
		if n < 0 {
			return
		}
		for o := Identity(n); yield(slices.Clone(o)) && next(o); {
		}
	}
}

// next turns o into its lexicographic successor. It returns false, and leaves o alone, if o is the
// last order.
func next(o Order) bool {
	i := len(o) - 2
	for i >= 0 && o[i] > o[i+1] {
		i--
	}
	if i < 0 {
		return false
	}
	j := len(o) - 1
	for o[j] < o[i] {
		j--
	}
	o[i], o[j] = o[j], o[i]
	slices.Reverse(o[i+1:])
	return true
}
