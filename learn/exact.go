package learn

import (
	"context"
	"slices"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/perm"
)

// exactMost is how many orders a set may have, those of five objects, to be scored by all of them.
const exactMost = 120

// exactOrders is how many orders a set of n objects has where its log p is the sum over all ways.
// It is 0 where log p is an estimate.
func (m *Model) exactOrders(n int) int {
	if orders := m.Process.Orders(n, exactMost); orders <= exactMost {
		return orders
	}
	return 0
}

// exactly puts log p itself in the place of its estimates where a set has few orders. Draws miss the ways
// that the shuffles cannot make. One riffle of three cards or more makes only some orders, but a model
// may give all of them some probability.
func (m *Model) exactly(ctx context.Context, enc *diffusion.Encoded, sets []*dataset.Set, index []int, draws int, estimates []diffusion.Estimate) error {
	var few []int
	for k := range index {
		if m.exactOrders(enc.Size(k)) > 0 {
			few = append(few, k)
		}
	}
	if few == nil {
		return nil
	}
	logs, err := m.decoder.Exact(ctx, enc, few, func(k int, o perm.Order) bool {
		if s := sets[index[k]]; s.Order == nil {
			return s.Levels.Allows(o)
		}
		return slices.Equal(sets[index[k]].Order, o)
	})
	if err != nil {
		return err
	}
	for i, k := range few {
		e := &estimates[k]
		e.Bound, e.LogProb, e.StdErr, e.Effective = min(e.Bound, logs[i]), logs[i], 0, float64(draws)
	}
	return nil
}
