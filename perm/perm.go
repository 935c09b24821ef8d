// Package perm represents permutations and the two ways to read them.
//
// # Conventions, held in every package of Riffle
//
//   - Indices are 0-based. Files that are 1-based are converted where they are
//     read or written, nowhere else.
//   - An [Order] o places items: o[i] is the index of the item at position i. It
//     acts on a list as (o·x)[i] = x[o[i]], the paper's (Q_σ X)_i = X_σ(i).
//   - A [Rank] r is the inverse reading: r[k] is the position of item k.
//     o.Rank().Order() is o.
//   - Compose(a, b) acts as b first, then a: Compose(a, b)·x = a·(b·x), that is
//     Compose(a, b)[i] = b[a[i]].
//   - Forward steps are X_t = σ_t·X_{t−1}; reverse steps X_{t−1} = σ'_t·X_t; t
//     counts shuffles, t = 0 is clean and t = T is noise.
package perm

import (
	"fmt"
	"math/rand/v2"
)

// Order is a permutation as a list of items: Order[i] is the item at position i.
type Order []int

// Rank is a permutation as a list of positions: Rank[k] is the position of item k.
type Rank []int

// Identity returns the order 0, 1, …, n−1.
func Identity(n int) Order {
	o := make(Order, n)
	for i := range o {
		o[i] = i
	}
	return o
}

// Random returns an order drawn uniformly from S_n (Fisher–Yates).
func Random(rng *rand.Rand, n int) Order {
	o := Identity(n)
	rng.Shuffle(n, func(i, j int) { o[i], o[j] = o[j], o[i] })
	return o
}

// Rank returns the same permutation read as positions.
func (o Order) Rank() Rank { return Rank(invert(o)) }

// Order returns the same permutation read as items.
func (r Rank) Order() Order { return Order(invert(r)) }

// Inverse returns the order that undoes o: Compose(o.Inverse(), o) is the identity.
func (o Order) Inverse() Order { return Order(invert(o)) }

func invert(p []int) []int {
	q := make([]int, len(p))
	for i, v := range p {
		q[v] = i
	}
	return q
}

// Compose returns the order that acts as b first, then a: out[i] = b[a[i]].
func Compose(a, b Order) Order {
	out := make(Order, len(a))
	for i, v := range a {
		out[i] = b[v]
	}
	return out
}

// Act returns o·x, the list whose element i is x[o[i]].
func Act[T any](o Order, x []T) []T {
	out := make([]T, len(o))
	for i, v := range o {
		out[i] = x[v]
	}
	return out
}

// Validate reports whether o is a bijection on 0 … len(o)−1.
func (o Order) Validate() error { return validate(o, "order") }

// Validate reports whether r is a bijection on 0 … len(r)−1.
func (r Rank) Validate() error { return validate(r, "rank") }

func validate(p []int, what string) error {
	seen := make([]bool, len(p))
	for i, v := range p {
		if v < 0 || v >= len(p) {
			return fmt.Errorf("%s: entry %d is %d, wanted 0 to %d", what, i, v, len(p)-1)
		}
		if seen[v] {
			return fmt.Errorf("%s: entry %d repeats %d", what, i, v)
		}
		seen[v] = true
	}
	return nil
}
