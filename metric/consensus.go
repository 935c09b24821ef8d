package metric

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// exactConsensus is up to how many items [Consensus] is exact: 2ⁿ·n steps.
const exactConsensus = 14

// Consensus returns the order of the least mean Kendall distance to some orders of the same n
// items, and that mean distance, in pairs of items that the two put differently, 0 to
// n(n−1)/2: the median order of J. Kemeny (Daedalus 88, 1959), NP-hard to find in general.
// Up to 14 items it is exact, by dynamic programming over the set of items placed first,
// and of equals lexicographically the first. Beyond, it is Borda's order (by mean rank, ties by index) improved by moving
// single items as long as that helps: no order with one item moved is nearer. It fails where
// there is no order, or one of another length or no bijection. O(orders·n²) and O(2ⁿ·n²), or
// O(n²) a round of moves.
func Consensus(orders []perm.Order) (consensus perm.Order, distance float64, err error) {
	if len(orders) == 0 {
		return nil, 0, errors.New("consensus: no orders")
	}
	n := len(orders[0])
	// apart[a][b] is how many orders have b before a: what placing a before b costs.
	apart := make([][]int, n)
	for a := range apart {
		apart[a] = make([]int, n)
	}
	sum := make([]int, n) // of the ranks
	for i, o := range orders {
		if len(o) != n {
			return nil, 0, fmt.Errorf("consensus: order %d has %d items, wanted %d as order 0 has", i, len(o), n)
		}
		if err := o.Validate(); err != nil {
			return nil, 0, fmt.Errorf("consensus: order %d: %w", i, err)
		}
		for j, a := range o {
			sum[a] += j
			for _, b := range o[:j] {
				apart[a][b]++
			}
		}
	}
	if n <= exactConsensus {
		consensus = kemeny(apart)
	} else {
		consensus = perm.Identity(n)
		slices.SortStableFunc(consensus, func(a, b int) int { return cmp.Compare(sum[a], sum[b]) })
		moveItems(consensus, apart)
	}
	total := 0
	for j, b := range consensus {
		for _, a := range consensus[:j] {
			total += apart[a][b]
		}
	}
	return consensus, float64(total) / float64(len(orders)), nil
}

// kemeny finds the best order: least[s] is the least cost of the items not in s, which come
// after those in s.
func kemeny(apart [][]int) perm.Order {
	n := len(apart)
	all := 1<<n - 1
	least := make([]int, 1<<n)
	// cost is that of placing a before the others that are not in s.
	cost := func(a, s int) (c int) {
		for left := all &^ s &^ (1 << a); left != 0; left &= left - 1 {
			c += apart[a][bits.TrailingZeros(uint(left))]
		}
		return c
	}
	best := make([]int, 1<<n)
	for s := all - 1; s >= 0; s-- {
		best[s] = -1
		for a := range n {
			if s>>a&1 == 1 {
				continue
			}
			if c := cost(a, s) + least[s|1<<a]; best[s] < 0 || c < least[s] {
				least[s], best[s] = c, a
			}
		}
	}
	o := make(perm.Order, 0, n)
	for s := 0; s != all; {
		o = append(o, best[s])
		s |= 1 << best[s]
	}
	return o
}

// moveItems moves single items to where they cost least until none gains.
func moveItems(o perm.Order, apart [][]int) {
	for moved := true; moved; {
		moved = false
		for i := range o {
			a, gain, to := o[i], 0, i
			// Moving a over b turns the pair round.
			for j, change := i-1, 0; j >= 0; j-- {
				if change += apart[a][o[j]] - apart[o[j]][a]; change < gain {
					gain, to = change, j
				}
			}
			for j, change := i+1, 0; j < len(o); j++ {
				if change += apart[o[j]][a] - apart[a][o[j]]; change < gain {
					gain, to = change, j
				}
			}
			if to < i {
				copy(o[to+1:i+1], o[to:i])
			} else {
				copy(o[i:to], o[i+1:to+1])
			}
			o[to] = a
			moved = moved || gain < 0
		}
	}
}
