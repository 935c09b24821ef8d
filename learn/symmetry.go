package learn

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// MaxSymmetries is the most copies of a set that are ordered.
const MaxSymmetries = 1 << 10

// checkSymmetries refuses symmetries where no cost says which copy of a set has the best order.
func (m *Model) checkSymmetries(opt DecodeOptions) error {
	if _, ok := m.Task.(task.Turner); opt.Symmetries > 1 && !ok {
		return Refuse(Unfit, "symmetries", "symmetries: is for tours, whose cities can be turned and whose lengths can be compared (the task is %s)", m.Config.Task.Name)
	}
	return nil
}

// shortestTurned orders copies of examples and returns the shortest tour of each.
func (m *Model) shortestTurned(ctx context.Context, dec *diffusion.Decoder, ex *task.Examples, noise []perm.Order, opt DecodeOptions) ([]perm.Order, error) {
	turner := m.Task.(task.Turner)
	cost := price(ex)
	best, least := make([]perm.Order, len(ex.Clean)), make([]float64, len(ex.Clean))
	sets := make([]*dataset.Set, len(ex.Clean))
	for i, points := range ex.Look.Points {
		sets[i] = &dataset.Set{Kind: dataset.KindPoint, Items: make([]dataset.Item, len(points))}
		for k, p := range points {
			sets[i].Items[k].Point = p
		}
	}
	for c := range opt.Symmetries {
		copies, back := turnedSets(turner, sets, c, opt.Symmetries)
		objects, _, err := m.Task.Objects(ctx, copies)
		if err != nil {
			return nil, err
		}
		e := &task.Examples{Objects: objects, Clean: ex.Clean}
		paths, err := m.paths(ctx, dec, e, func(i int, o perm.Order) float64 { return cost(i, back[i](o)) }, noise, opt)
		if err != nil {
			return nil, err
		}
		for i, p := range paths {
			o := back[i](p.Order())
			if length := cost(i, o); c == 0 || compareCosts(length, least[i]) < 0 {
				best[i], least[i] = o, length
			}
		}
	}
	return best, nil
}

func turnedSets(turner task.Turner, sets []*dataset.Set, c, of int) (copies []*dataset.Set, back []func(perm.Order) perm.Order) {
	for _, s := range sets {
		turned, f := turner.Turned(s, c, of)
		copies, back = append(copies, turned), append(back, f)
	}
	return copies, back
}

// orderTurned is [Model.OrderBy] of the copies that opt asks for. Sets with constraints, which are
// about cities and places, are ordered as they are.
func (m *Model) orderTurned(ctx context.Context, sets []*dataset.Set, top int, opt DecodeOptions, price func(*dataset.Set, perm.Order) float64) ([]Ordered, []dataset.Warning, error) {
	count := opt.Symmetries
	opt.Symmetries = 1
	out, warnings, err := m.OrderBy(ctx, sets, top, opt, price)
	if err != nil || price == nil {
		return out, warnings, err
	}
	var free []*dataset.Set
	var at []int
	for i, s := range sets {
		if len(s.Items) > 2 && s.Constraints.IsZero() {
			free, at = append(free, s), append(at, i)
		}
	}
	for c := 1; c < count && len(free) > 0; c++ {
		copies, back := turnedSets(m.Task.(task.Turner), free, c, count)
		for i, s := range copies { // what is priced may be a copy of them
			s.ID = strconv.Itoa(i)
		}
		found, _, err := m.OrderBy(ctx, copies, top, opt, func(s *dataset.Set, o perm.Order) float64 {
			i, _ := strconv.Atoi(s.ID)
			return price(free[i], back[i](o))
		})
		if err != nil {
			return nil, nil, err
		}
		for i, f := range found {
			merge(&out[at[i]], f, back[i], top)
		}
	}
	return out, warnings, nil
}

// merge adds the orders of a copy, the shortest first, each once.
func merge(o *Ordered, of Ordered, back func(perm.Order) perm.Order, top int) {
	before := *o.Orders[0].Cost
	for _, r := range of.Orders {
		r.Order = back(r.Order)
		if !slices.ContainsFunc(o.Orders, func(x Ranked) bool { return slices.Equal(x.Order, r.Order) }) {
			o.Orders = append(o.Orders, r)
		}
	}
	slices.SortStableFunc(o.Orders, func(a, b Ranked) int { return compareCosts(*a.Cost, *b.Cost) })
	o.Orders = o.Orders[:min(top, len(o.Orders))]
	if best := *o.Orders[0].Cost; compareCosts(best, before) < 0 && !math.IsNaN(best) {
		o.Steps = nil
		for _, s := range of.Steps {
			o.Steps = append(o.Steps, back(s))
		}
	}
}
