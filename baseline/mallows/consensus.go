package mallows

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/connected"
	"github.com/riffle-ml/riffle/perm"
)

// MaxItems is the most items that [Consensus] orders: it counts all pairs.
const MaxItems = 4096

// exactItems is the largest part that is ordered by dynamic programming: 2^n states.
const exactItems = 16

// Consensus returns an order of n items with the least distance to votes, and whether it is known
// to be the least. The distance is the sum over voters of the pairs that vote and order have the
// other way round (Kemeny 1959). Pairs that a vote ties or does not have count for nothing, so
// votes may leave items out.
//
// Items are divided by majorities: a is before b where more voters say so than the reverse. The
// strongly connected parts of this graph follow each other in an optimal order (Truchon 1998),
// since exchanging whole parts goes against no majority. A part of at most 16 items is ordered by
// dynamic programming over its subsets, exactly. A larger one starts in the order of Borda's
// scores. Items are moved to the place that is best for them as long as one gains by it. That is a
// local optimum of insertions, adjacent exchanges among them. Ties go to the lower number where
// that is easy: the result is the same for the same votes. It fails on votes that are not valid and
// on more than [MaxItems] items.
func Consensus(votes []dataset.Vote, n int) (o perm.Order, exact bool, err error) {
	if n > MaxItems {
		return nil, false, fmt.Errorf("mallows: %d items, wanted at most %d", n, MaxItems)
	}
	if _, err := dataset.CheckVotes(votes, n); err != nil {
		return nil, false, fmt.Errorf("mallows: %w", err)
	}
	p := newPairs(votes, n)
	majority := make([][]int, n)
	for a := range n {
		for b := range n {
			if p.margin(a, b) > 0 {
				majority[a] = append(majority[a], b)
			}
		}
	}
	o, exact = make(perm.Order, 0, n), true
	for _, part := range connected.Parts(majority) {
		if len(part) <= exactItems {
			o = append(o, p.best(part, nil)...)
			continue
		}
		exact = false
		o = append(o, p.improve(p.borda(part))...)
	}
	return o, exact, nil
}

// pairs counts for each pair of items how many voters put the first before the second.
type pairs struct {
	n      int
	before []int // [n, n] row-major
}

func newPairs(votes []dataset.Vote, n int) *pairs {
	p := &pairs{n, make([]int, n*n)}
	for _, v := range votes {
		for i, better := range v.Levels {
			for _, worse := range v.Levels[i+1:] {
				for _, a := range better {
					for _, b := range worse {
						p.before[a*n+b] += v.Count
					}
				}
			}
		}
	}
	return p
}

// margin is how many more voters put a before b than b before a.
func (p *pairs) margin(a, b int) int { return p.before[a*p.n+b] - p.before[b*p.n+a] }

// best orders up to exactItems items with the least distance. For every subset of them it has
// the least cost of an order that begins with those, and its last item. may tells whether one of them, by its number
// among these, may come next after a subset of them; nil is always. Some order of all is allowed.
func (p *pairs) best(items []int, may func(k, after int) bool) perm.Order {
	m := len(items)
	if m == 1 {
		return items
	}
	const none = -1
	cost, last := make([]int, 1<<m), make([]int8, 1<<m)
	for set := 1; set < 1<<m; set++ {
		cost[set] = none
		for k := range m {
			rest := set &^ (1 << k)
			if rest == set || cost[rest] == none || may != nil && !may(k, rest) {
				continue
			}
			c := cost[rest]
			for j := range m {
				if set&(1<<j) == 0 { // j comes after k, against those who put it before
					c += p.before[items[j]*p.n+items[k]]
				}
			}
			// Of equal ones the highest is last.
			if cost[set] == none || c <= cost[set] {
				cost[set], last[set] = c, int8(k)
			}
		}
	}
	o := make(perm.Order, m)
	for set := 1<<m - 1; set > 0; set &^= 1 << last[set] {
		m--
		o[m] = items[last[set]]
	}
	return o
}

// borda sorts items by the sum of their margins.
func (p *pairs) borda(items []int) perm.Order {
	score := make(map[int]int, len(items))
	for _, a := range items {
		for _, b := range items {
			score[a] += p.margin(a, b)
		}
	}
	o := perm.Order(slices.Clone(items))
	slices.SortStableFunc(o, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	return o
}

// improve moves single items, each to its best place, until no move lessens the distance.
func (p *pairs) improve(o perm.Order) perm.Order {
	for improved := true; improved; {
		improved = false
		for i := 0; i < len(o); i++ {
			item, best, to := o[i], 0, i
			change := 0
			for j := i - 1; j >= 0; j-- {
				if change += p.margin(o[j], item); change < best {
					best, to = change, j
				}
			}
			change = 0
			for j := i + 1; j < len(o); j++ {
				if change += p.margin(item, o[j]); change < best {
					best, to = change, j
				}
			}
			if to == i {
				continue
			}
			improved = true
			if to < i {
				copy(o[to+1:i+1], o[to:i])
			} else {
				copy(o[i:to], o[i+1:to+1])
			}
			o[to] = item
		}
	}
	return o
}
