// Package diffsort relaxes sorting networks so that gradients pass through a sort: DiffSort
// and Error-free DiffSort, two of the methods that the paper compares with.
//
// A network gives every item a score. The scores are sorted, smallest first, by a sorting network
// whose comparators are softened. (Petersen, Borgelt, Kuehne & Deussen, "Differentiable Sorting
// Networks for Scalable Sorting and Ranking Supervision", NeurIPS 2021; "Monotonic Differentiable
// Sorting Networks", ICLR 2022.) A comparator on values a and b, of which the smaller leaves on the
// first wire, computes with w = f(β(b − a))
//
//	first:   w a + (1 − w) b
//	second:  (1 − w) a + w b
//
// for a sigmoid f (see [Swap]) of steepness β, and mixes the rows of a matrix P, at first
// the identity, likewise. At the end P is doubly stochastic, and P·scores is what the wires
// carry:
//
//	P[i, k] ≈ 1 where item k goes to position i,
//
// the matrix Q of the paper, Q[i, k] = 1 where rank[k] = i, in the limit of a steep β.
// (Petersen's code has the transpose, items by positions.)
//
// Softening errs: values mix, more at every layer. The error-free comparator (Kim, Yoon &
// Cho, "Generalized Neural Sorting Networks with Error-Free Differentiable Swap Functions",
// ICLR 2024) has the value of the hard one and the gradient of the soft one,
//
//	soft + stop_gradient(hard − soft),
//
// for values and for the rows of P. So P is a permutation matrix, and every layer gets the
// values that it would get in a real sort.
//
// DiffSort minimizes [CrossEntropy] of P; Error-free DiffSort the same with the soft P, plus
// a weight times [ObjectLoss] with the error-free P. Decoding sorts the scores: [Order].
// [Paper] has the paper's settings. What gives the scores is up to the caller.
package diffsort

import (
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/internal/hint"
)

// Sorter is a relaxed sorting network. Make it with [New].
type Sorter struct {
	network   *Network
	swap      Swap
	steepness float64
	errorFree bool
}

// New returns the relaxation of a network. Steepness β, in units of one over the score, is
// above zero and finite in float32, and so must its products with differences of scores be. With errorFree, values are those of the hard sort and gradients
// those of the relaxed one.
func New(network *Network, swap Swap, steepness float64, errorFree bool) (*Sorter, error) {
	if network == nil || network.n == 0 {
		return nil, hint.Errorf("make one with OddEven, Bitonic or NetworkByName", "diffsort: no sorting network")
	}
	if swap < 0 || int(swap) >= len(swapNames) {
		return nil, fmt.Errorf("diffsort: %s is unknown, wanted one of Swaps()", swap)
	}
	if !(steepness > 0 && steepness <= math.MaxFloat32) {
		return nil, fmt.Errorf("diffsort: steepness must be above 0 and finite (got %g)", steepness)
	}
	return &Sorter{network: network, swap: swap, steepness: steepness, errorFree: errorFree}, nil
}

// N returns the number of items.
func (s *Sorter) N() int { return s.network.n }

// Sort is the host side of [Sorter.SortGraph] for one list of n scores: what the wires carry
// at the end, [n], and P row by row, [n·n]. It fails where there are not n scores.
func (s *Sorter) Sort(scores []float64) (sorted, p []float64, err error) {
	n := s.network.n
	if len(scores) != n {
		return nil, nil, fmt.Errorf("diffsort: wanted %d scores (got %d)", n, len(scores))
	}
	x := slices.Clone(scores)
	p = make([]float64, n*n)
	for i := range n {
		p[i*n+i] = 1
	}
	for _, l := range s.network.layers {
		l.each(n, func(a, b int, falls bool) {
			d := x[b] - x[a]
			if falls {
				d = -d
			}
			w := s.swap.Weight(d, s.steepness)
			if s.errorFree {
				w = 1
				if d < 0 {
					w = 0
				}
			}
			x[a], x[b] = mix(w, x[a], x[b])
			rowA, rowB := p[a*n:(a+1)*n], p[b*n:(b+1)*n]
			for k := range rowA {
				rowA[k], rowB[k] = mix(w, rowA[k], rowB[k])
			}
		})
	}
	return x, p, nil
}

// mix is a comparator that lets w of a and of b stay on their wires.
func mix(w, a, b float64) (_, _ float64) {
	return w*a + (1-w)*b, (1-w)*a + w*b
}
