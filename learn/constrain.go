package learn

import (
	"context"
	"fmt"
	"math"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
)

// FirstItemError says that constraints can be obeyed, but not by an order that begins with item 0,
// as all orders of the model do.
type FirstItemError struct{ error }

// Help returns a hint.
func (e *FirstItemError) Help() string { return "the model's orders begin at item 0" }

// Unwrap returns what contradicts.
func (e *FirstItemError) Unwrap() error { return e.error }

// plans reads the constraints of sets and finds contradictions. The plan of a set without any
// constraints is nil. The sets have ids, by which errors call them.
func (m *Model) plans(ctx context.Context, sets []*dataset.Set) ([]*constraint.Plan, error) {
	out := make([]*constraint.Plan, len(sets))
	for i, s := range sets {
		if s.Constraints.IsZero() {
			continue
		}
		rules, err := s.Constraints.Parse(s.ItemNames())
		if err != nil {
			return nil, InSet(s.ID, Refuse(Unfit, "constraints", "constraints: %w", err))
		}
		if out[i], err = rules.CompileContext(ctx, len(s.Items)); err == nil && m.Process.FixFirst && len(s.Items) > 0 {
			first := constraint.Rules{Pins: []constraint.Place{{Item: 0, Position: 0}}}
			if out[i], err = rules.And(first).CompileContext(ctx, len(s.Items)); err != nil && ctx.Err() == nil {
				err = &FirstItemError{err}
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err != nil {
			return nil, InSet(s.ID, Refuse(Unfit, "constraints", "%w", err))
		}
	}
	return out, nil
}

// obeying returns the decoder for the sets of index.
func (m *Model) obeying(plans []*constraint.Plan, index []int) (*diffusion.Decoder, error) {
	some, of := false, make([]*constraint.Plan, len(index))
	for k, i := range index {
		of[k] = plans[i]
		some = some || of[k] != nil
	}
	if !some {
		return m.decoder, nil
	}
	return m.decoder.WithConstraints(of)
}

// mended warns of orders that no last reverse step leads to.
func (m *Model) mended(count, of int) []string {
	if count == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d orders are out of reach of the last reverse step (%s) and were mended to obey the constraints: the model gives them probability 0", count, of, m.Process.Reverse.LongName())}
}

// outOfReach reports whether a way has probability 0.
func outOfReach(p *diffusion.Path) bool { return math.IsInf(p.LogProb, -1) }
