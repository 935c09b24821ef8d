package perm

// Inversions returns the number of pairs i < j with o[i] > o[j], from 0 for the
// identity to n(n−1)/2 for the reversal. An order and its inverse have the same
// number. O(n log n), with a Fenwick tree over the items met so far.
func (o Order) Inversions() int {
	tree := newFenwick(len(o))
	total := 0
	for i := len(o) - 1; i >= 0; i-- {
		total += tree.below(o[i])
		tree.add(o[i], 1)
	}
	return total
}

// fenwick holds counts over 0 … n−1 with prefix sums in O(log n).
type fenwick []int

func newFenwick(n int) fenwick { return make(fenwick, n+1) }

func (f fenwick) add(v, count int) {
	for i := v + 1; i < len(f); i += i & -i {
		f[i] += count
	}
}

// below returns the sum of the counts over 0 … v−1.
func (f fenwick) below(v int) int {
	sum := 0
	for i := v; i > 0; i -= i & -i {
		sum += f[i]
	}
	return sum
}

// take removes and returns the k-th smallest (from 0) of the values held.
func (f fenwick) take(k int) int {
	step := 1
	for step*2 < len(f) {
		step *= 2
	}
	pos := 0
	for ; step > 0; step /= 2 {
		if next := pos + step; next < len(f) && f[next] <= k {
			pos = next
			k -= f[next]
		}
	}
	f.add(pos, -1)
	return pos
}
