package learn

import (
	"context"
	"math"
	"slices"
	"strconv"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// MaxSymmetries is the most copies of a set that are ordered.
const MaxSymmetries = 1 << 10

// checkSymmetries refuses symmetries where neither a cost says which copy of a set has the best order nor a score of each
// object which copy of it is read best.
func (m *Model) checkSymmetries(opt DecodeOptions) error {
	if _, ok := m.Task.(task.Turner); opt.Symmetries > 1 && !ok && m.viewer() == nil {
		return Refuse(Unfit, "symmetries", "symmetries: is for tours, whose cities can be turned and whose lengths can be compared, and for pictures with direct scores (the task is %s)", m.Config.Task.Name)
	}
	if opt.Symmetries > config.MaxViews && m.viewer() != nil {
		return Refuse(Unfit, "symmetries", "symmetries: pictures are read from at most %d sides (got %d)", config.MaxViews, opt.Symmetries)
	}
	return nil
}

// viewer is the task if its objects can be looked at from several sides and have scores of their own, else nil.
func (m *Model) viewer() task.Viewer {
	if v, ok := m.Task.(task.Viewer); ok && m.Config.Model.Score == denoiser.ScoreDirect && m.Method.Diffuses() {
		return v
	}
	return nil
}

// encodeViews encodes objects, from as many sides as copies says where the task's objects have sides ([Model.viewer]).
// Of an object's scores the median counts.
func (m *Model) encodeViews(ctx context.Context, dec *diffusion.Decoder, objects *tensors.Tensor, copies int, sizes ...int) (*diffusion.Encoded, error) {
	viewer := m.viewer()
	if viewer == nil || copies < 2 {
		return dec.Encode(ctx, objects, sizes...)
	}
	var views []*diffusion.Encoded
	for c := range copies {
		seen, err := viewer.View(objects, c)
		if err != nil {
			return nil, err
		}
		enc, err := dec.Encode(ctx, seen, sizes...)
		if err != nil {
			return nil, err
		}
		if err := seen.FinalizeAll(); err != nil {
			return nil, err
		}
		views = append(views, enc)
	}
	return dec.Median(ctx, views)
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
