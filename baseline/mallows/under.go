package mallows

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

// ConsensusUnder is [Consensus] among the orders that obey rules. start is one of them.
//
// Where the consensus of all orders obeys, it is the one. Of at most 16 items the best is found by dynamic programming
// over their subsets: every rule says at which positions an item may stand, or which items come before it. Of more items
// it is a local optimum from start on, by moves of an item to another place and exchanges of two that keep the rules.
func ConsensusUnder(votes []dataset.Vote, n int, rules constraint.Rules, start perm.Order) (o perm.Order, exact bool, err error) {
	if o, exact, err = Consensus(votes, n); err != nil || rules.Empty() {
		return o, exact, err
	}
	if len(start) != n || start.Validate() != nil {
		return nil, false, fmt.Errorf("mallows: start: wanted an order of %d items (got %v)", n, start)
	}
	if err := rules.Check(start); err != nil {
		return nil, false, fmt.Errorf("mallows: start: %w", err)
	}
	if exact && rules.Check(o) == nil {
		return o, true, nil
	}
	p := newPairs(votes, n)
	if n <= exactItems {
		return p.bestUnder(rules), true, nil
	}
	if rules.Check(o) == nil { // a local optimum of all orders, which a start of few votes seldom beats
		start = o
	}
	return p.improveUnder(slices.Clone(start), rules), false, nil
}

// bestUnder is best of all items, where an order obeys rules.
func (p *pairs) bestUnder(rules constraint.Rules) perm.Order {
	n := p.n
	may, ahead := make([]int, n), make([]int, n) // positions, and items that come before
	for k := range may {
		may[k] = 1<<n - 1
	}
	for _, x := range rules.Pins {
		may[x.Item] &= 1 << x.Position
	}
	for _, x := range rules.Forbids {
		may[x.Item] &^= 1 << x.Position
	}
	for _, x := range rules.Firsts {
		for _, k := range x.Items {
			may[k] &= 1<<min(n, x.Count) - 1
		}
	}
	for _, x := range rules.Befores {
		ahead[x.B] |= 1 << x.A
	}
	return p.best(perm.Identity(n), func(k, after int) bool {
		return may[k]>>bits.OnesCount(uint(after))&1 != 0 && ahead[k]&^after == 0
	})
}

// improveUnder makes the moves and exchanges that lessen the distance and keep the rules, until there is none.
func (p *pairs) improveUnder(o perm.Order, rules constraint.Rules) perm.Order {
	tried := make(perm.Order, len(o))
	try := func(change int, move func(t perm.Order)) bool {
		if change >= 0 {
			return false
		}
		copy(tried, o)
		if move(tried); rules.Check(tried) != nil {
			return false
		}
		copy(o, tried)
		return true
	}
	// back[j] is the change of moving o[j] before o[i], for the i that is looked at: what lies between goes behind it.
	back := make([]int, len(o))
	for improved := true; improved; {
		improved = false
		clear(back)
		for i := len(o) - 1; i >= 0; i-- {
			for j := i + 1; j < len(o); j++ {
				back[j] += p.margin(o[i], o[j])
			}
			forward := 0 // the change of moving o[i] behind o[j]
			for j := i + 1; j < len(o); j++ {
				a, b := o[i], o[j]
				margin := p.margin(a, b)
				forward += margin
				if try(forward, func(t perm.Order) { copy(t[i:j], t[i+1:j+1]); t[j] = a }) ||
					try(back[j], func(t perm.Order) { copy(t[i+1:j+1], t[i:j]); t[i] = b }) ||
					try(forward+back[j]-margin, func(t perm.Order) { t[i], t[j] = b, a }) {
					improved = true
					clear(back) // the changes are of the order before
					for k := i; k < len(o); k++ {
						for l := k + 1; l < len(o); l++ {
							back[l] += p.margin(o[k], o[l])
						}
					}
					break
				}
			}
		}
	}
	return o
}
