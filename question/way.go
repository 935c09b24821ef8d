package question

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// way is a question about tours for instances of n cities. The model's tours begin with its city 0,
// so the city that is to be first becomes city 0.
type way struct {
	ends  tsp.Ends
	open  bool
	ruled bool       // positions matter: the order is not rotated, reversed or cut
	city  perm.Order // city[k] is the file's number of the model's city k
	rules constraint.Text
}

// way is the question for n cities.
func (t *Tour) way(n int) (*way, error) {
	ends, err := t.Of(n)
	if err != nil {
		return nil, err
	}
	w := &way{ends: ends, open: t.Open, ruled: !t.Rules.IsZero(), rules: t.Rules, city: perm.Identity(n)}
	names := make([]string, n)
	for k := range names {
		names[k] = strconv.Itoa(k + 1)
	}
	first := ends.Start
	if w.ruled {
		rules, err := t.Rules.Parse(names)
		if err != nil {
			return nil, learn.Refuse(learn.Unfit, "constraints", "%s%w", learn.Opt(""), err)
		}
		for _, p := range rules.Pins {
			if p.Position == 0 && first < 0 {
				first = p.Item
			}
		}
		if w.open && first < 0 { // the first city that the rules let be there; with none, city 1, whose error says why
			last := rules
			if ends.End >= 0 {
				last = last.And(constraint.Rules{Pins: []constraint.Place{{Item: ends.End, Position: n - 1}}})
			}
			for k := range n {
				if _, err := last.And(constraint.Rules{Pins: []constraint.Place{{Item: k}}}).Compile(n); err == nil {
					first = k
					break
				}
			}
		}
	}
	pin := func(city, position int) {
		w.rules = w.rules.And(constraint.Text{Pin: []string{fmt.Sprintf("%s=%d", names[city], position)}})
	}
	if w.ruled {
		if ends.Start >= 0 {
			pin(ends.Start, 0)
		}
		if ends.End >= 0 {
			pin(ends.End, n-1)
		}
	} else if ends.End >= 0 {
		first = ends.End // a path may be read from either end: the model begins at the last city
	}
	if first > 0 {
		w.city = append(perm.Order{first}, slices.Delete(w.city, first, first+1)...)
	}
	return w, nil
}

// shape turns an order of the model into a tour or path of the file's cities, and returns its
// length.
func (w *way) shape(x *tsp.Instance, o perm.Order) (perm.Order, float64) {
	tour := perm.Act(o, w.city)
	switch {
	case !w.open && w.ends.Start >= 0 && !w.ruled:
		tour = tsp.From(tour, w.ends.Start)
	case w.open && !w.ruled: // the model knows closed tours, and not where a path is to end
		tour = x.Cut(tour, w.ends)
	}
	return tour, w.length(x, tour)
}

// length is that of a tour or path of the file's cities.
func (w *way) length(x *tsp.Instance, tour perm.Order) float64 {
	if w.open {
		return x.PathLength(tour)
	}
	return x.Length(tour)
}

// answer turns an answer of the model into one about the file's cities.
func (w *way) answer(x *tsp.Instance, o *learn.Ordered) {
	var shaped []learn.Ranked // tours that are cut or begun elsewhere may be the same, of which the first is the most probable
	for _, r := range o.Orders {
		var length float64
		r.Order, length = w.shape(x, r.Order)
		r.Cost = &length
		if !slices.ContainsFunc(shaped, func(s learn.Ranked) bool { return slices.Equal(s.Order, r.Order) }) {
			shaped = append(shaped, r)
		}
	}
	o.Orders = shaped
	o.Steps = slices.Clone(o.Steps)
	for k := range o.Steps {
		o.Steps[k] = perm.Act(o.Steps[k], w.city)
	}
	if last := len(o.Steps) - 1; last >= 0 {
		o.Steps[last] = o.Orders[0].Order
	}
}

// twoOpt is what 2-opt makes of a tour or path. It obeys ends, but not rules.
func (w *way) twoOpt(x *tsp.Instance, tour perm.Order) perm.Order {
	if !w.open {
		return tsp.From(tsp.TwoOpt(x, tour), tour[0])
	}
	open, err := x.Open(w.ends)
	if err != nil {
		return tour
	}
	return x.Path(tsp.TwoOpt(open, append(slices.Clone(tour), x.N())), w.ends)
}

// solve finds the shortest tour or path, in the time that ctx gives.
func (w *way) solve(ctx context.Context, x *tsp.Instance) (perm.Order, bool, error) {
	if !w.open {
		tour, _, proven := tsp.Exact(ctx, x)
		return tour, proven, nil
	}
	open, err := x.Open(w.ends)
	if err != nil {
		return nil, false, err
	}
	tour, _, proven := tsp.Exact(ctx, open)
	return x.Path(tour, w.ends), proven, nil
}
