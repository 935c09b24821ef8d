package diffusion

import (
	"context"
	"math"
	"math/big"

	"github.com/riffle-ml/riffle/perm"
)

// Orders is how many orders of n objects the process can end in, most + 1 where it is more than most.
func (p *Process) Orders(n, most int) int {
	orders := 1
	for k := 2; k <= p.Free(n) && orders <= most; k++ {
		orders *= k
	}
	return min(orders, most+1)
}

// Exact gives, for some sets of an encoded batch, the log of the probability of the orders that among
// accepts, in nats. All orders of a step are taken to all orders of the next, so it is for sets of
// very few objects. among is called for several sets at once.
func (d *Decoder) Exact(ctx context.Context, e *Encoded, sets []int, among func(set int, o perm.Order) bool) ([]float64, error) {
	all := make([][]perm.Order, len(sets)) // of the free positions
	states := make([][]perm.Order, len(sets))
	mass := make([][]float64, len(sets))
	for i, set := range sets {
		n := e.Size(set)
		all[i] = orders(d.Process.Free(n))
		mass[i] = make([]float64, len(all[i]))
		for k, free := range all[i] {
			states[i], mass[i][k] = append(states[i], d.Process.apply(free, perm.Identity(n))), 1/float64(len(all[i]))
		}
	}
	err := d.descend(ctx, e, descent{
		travellers: len(sets),
		set:        func(i int) int { return sets[i] },
		states:     func(i, _ int) []perm.Order { return states[i] },
		move: func(i, _ int, scores [][]float64) error {
			next := make([]float64, len(states[i]))
			for from, x := range states[i] {
				for _, sigma := range all[i] {
					if p := math.Exp(d.Process.Reverse.LogProb(scores[from], sigma)); p > 0 {
						at, err := d.Process.apply(sigma, x).Index64() // a first object that is fixed is 0, and counts for nothing
						if err != nil {
							return err
						}
						next[at] += mass[i][from] * p
					}
				}
			}
			mass[i] = next
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	logs := make([]float64, len(sets))
	for i, set := range sets {
		sum := 0.0
		for k, x := range states[i] {
			if among(set, x) {
				sum += mass[i][k]
			}
		}
		logs[i] = min(0, math.Log(sum)) // rounding may be above it
	}
	return logs, nil
}

// orders lists those of n objects, each at its [perm.Order.Index64].
func orders(n int) (all []perm.Order) {
	for k := int64(0); ; k++ {
		o, err := perm.AtIndex(n, big.NewInt(k))
		if err != nil { // the end of the list
			return all
		}
		all = append(all, o)
	}
}
