package perm

import (
	"fmt"
	"math/big"
)

// MaxIndex64 is the longest order whose index fits a uint64: 20! < 2⁶⁴ < 21!.
const MaxIndex64 = 20

// Lehmer returns the Lehmer code of o, code[i] = #{j > i : o[j] < o[i]}, with
// 0 ≤ code[i] < n−i. Its sum is the number of inversions. O(n log n).
func (o Order) Lehmer() []int {
	code := make([]int, len(o))
	tree := newFenwick(len(o))
	for i := len(o) - 1; i >= 0; i-- {
		code[i] = tree.below(o[i])
		tree.add(o[i], 1)
	}
	return code
}

// FromLehmer returns the order with the given Lehmer code. It fails if some code[i] is outside 0 …
// n−1−i.
func FromLehmer(code []int) (Order, error) {
	n := len(code)
	o := make(Order, n)
	left := newFenwick(n)
	for v := range n {
		left.add(v, 1)
	}
	for i, c := range code {
		if c < 0 || c >= n-i {
			return nil, fmt.Errorf("lehmer code: entry %d is %d, wanted 0 to %d", i, c, n-1-i)
		}
		o[i] = left.take(c)
	}
	return o, nil
}

// Index returns the place of o, from 0, in the lexicographic list of S_n:
// Σ_i code[i]·(n−1−i)! with the Lehmer code. [AtIndex] is its inverse.
func (o Order) Index() *big.Int {
	index, factor := new(big.Int), new(big.Int)
	for i, c := range o.Lehmer() {
		index.Mul(index, factor.SetInt64(int64(len(o)-i)))
		index.Add(index, factor.SetInt64(int64(c)))
	}
	return index
}

// AtIndex returns the order of S_n at the given place of the lexicographic
// list. It fails if n is negative or the index is outside 0 … n!−1.
func AtIndex(n int, index *big.Int) (Order, error) {
	if n < 0 {
		return nil, fmt.Errorf("order: length must be 0 or more (got %d)", n)
	}
	code := make([]int, n)
	rest, digit, factor := new(big.Int).Set(index), new(big.Int), new(big.Int)
	for i := n - 1; i >= 0; i-- {
		rest.DivMod(rest, factor.SetInt64(int64(n-i)), digit)
		code[i] = int(digit.Int64())
	}
	if rest.Sign() != 0 {
		return nil, fmt.Errorf("order: index %v is outside 0 to %d!-1", index, n)
	}
	return FromLehmer(code)
}

// Index64 is [Order.Index] in machine words. It fails for n > [MaxIndex64].
func (o Order) Index64() (uint64, error) {
	if len(o) > MaxIndex64 {
		return 0, fmt.Errorf("order: a 64-bit index holds %d items or fewer (got %d)", MaxIndex64, len(o))
	}
	var index uint64
	for i, v := range o {
		smaller := 0
		for _, w := range o[i+1:] {
			if w < v {
				smaller++
			}
		}
		index = index*uint64(len(o)-i) + uint64(smaller)
	}
	return index, nil
}

// AtIndex64 is [AtIndex] in machine words. It fails if n is outside
// 0 … [MaxIndex64] or the index outside 0 … n!−1.
func AtIndex64(n int, index uint64) (Order, error) {
	if n < 0 || n > MaxIndex64 {
		return nil, fmt.Errorf("order: a 64-bit index holds 0 to %d items (got %d)", MaxIndex64, n)
	}
	o := make(Order, n)
	rest := index
	// From the right: digit i is how many of the items to the right of position i are smaller. It
	// is written at i, and the items to the right that are not below it move up by one.
	for i := n - 1; i >= 0; i-- {
		o[i] = int(rest % uint64(n-i))
		rest /= uint64(n - i)
		for j := i + 1; j < n; j++ {
			if o[j] >= o[i] {
				o[j]++
			}
		}
	}
	if rest != 0 {
		return nil, fmt.Errorf("order: index %d is outside 0 to %d!-1", index, n)
	}
	return o, nil
}
