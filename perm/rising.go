package perm

// RisingSequenceCount returns the number r of rising sequences of o: maximal
// runs of consecutive items v, v+1, … met from left to right,
//
//	r = 1 + #{v : rank[v+1] < rank[v]},  1 ≤ r ≤ n,
//
// and 0 for n = 0. It is 1 only for the identity. The probability of an order after any number of
// riffle shuffles depends on r and n only (Bayer & Diaconis 1992, Thm 1; paper §3.1).
func (o Order) RisingSequenceCount() int {
	if len(o) == 0 {
		return 0
	}
	count := 1
	rank := o.Rank()
	for v := 1; v < len(rank); v++ {
		if rank[v] < rank[v-1] {
			count++
		}
	}
	return count
}

// RisingSequences returns the rising sequences of o as lists of items. They partition 0 … n−1 and
// come in increasing order. The order 0 3 1 4 2 (the paper's 1 4 2 5 3) has two of them, 0 1 2 and
// 3 4.
func (o Order) RisingSequences() [][]int {
	var out [][]int
	items := Identity(len(o))
	rank := o.Rank()
	start := 0
	for v := 1; v <= len(rank); v++ {
		if v == len(rank) || rank[v] < rank[v-1] {
			out = append(out, items[start:v:v])
			start = v
		}
	}
	return out
}
