package sedd

import "github.com/riffle-ml/riffle/perm"

// Samples is what a [Sampler] drew, as it came: nothing is repaired into a permutation.
type Samples struct {
	// Tokens [batch][n] holds the sequences; each token is an object, none is MASK.
	Tokens [][]int32
	// Unusable counts the draws of a token, over all steps, whose ratios were not all
	// finite and 0 or more, or left nothing to choose from. Above 0, distrust the score.
	Unusable int
}

// Permutations is the number of sequences that are permutations.
func (s Samples) Permutations() int {
	count := 0
	for _, x := range s.Tokens {
		if IsPermutation(x) {
			count++
		}
	}
	return count
}

// Share is the share, 0 to 1, of sequences that are permutations; 0 of none.
func (s Samples) Share() float64 {
	return float64(s.Permutations()) / float64(max(1, len(s.Tokens)))
}

// Orders returns the sequences that are permutations, and only those, as orders.
func (s Samples) Orders() []perm.Order {
	var orders []perm.Order
	for _, x := range s.Tokens {
		if o := order(x); o.Validate() == nil {
			orders = append(orders, o)
		}
	}
	return orders
}

// IsPermutation reports whether the n tokens are 0, 1, …, n−1, each once.
func IsPermutation(x []int32) bool { return order(x).Validate() == nil }

func order(x []int32) perm.Order {
	o := make(perm.Order, len(x))
	for i, v := range x {
		o[i] = int(v)
	}
	return o
}
