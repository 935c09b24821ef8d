package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// tourQuestion is what is asked about the cities of a file: closed tours, or paths between ends,
// under rules.
type tourQuestion struct {
	f     *problems
	ends  endFlags
	rules constraint.Text

	last     *dataset.Set // whose instance is kept
	instance *tsp.Instance
	way      *tourWay
}

func newTourQuestion(f *problems, ends endFlags, rules constraintFlags) (*tourQuestion, error) {
	q := &tourQuestion{f: f, ends: ends, rules: rules.text}
	for i := range f.list {
		if _, err := q.of(f.list[i].cities); err != nil {
			return nil, fmt.Errorf("%s: %w", f.where(i), err)
		}
	}
	return q, nil
}

// tourWay is the question for instances of n cities. The model's tours begin with its city 0, so
// that the city that is to be first is that one there.
type tourWay struct {
	ends  tsp.Ends
	open  bool
	ruled bool       // positions count: the order is not turned or cut anywhere else
	city  perm.Order // city[k] is the file's city that is the model's k
	text  constraint.Text
}

// of is the question for n cities.
func (q *tourQuestion) of(n int) (*tourWay, error) {
	ends, err := q.ends.of(n)
	if err != nil {
		return nil, err
	}
	w := &tourWay{ends: ends, open: q.ends.open, ruled: !q.rules.IsZero(), text: q.rules, city: perm.Identity(n)}
	names := make([]string, n)
	for k := range names {
		names[k] = strconv.Itoa(k + 1)
	}
	first := ends.Start
	if w.ruled {
		rules, err := q.rules.Parse(names)
		if err != nil {
			return nil, fmt.Errorf("--%w", err)
		}
		for _, p := range rules.Pins {
			if p.Position == 0 && first < 0 {
				first = p.Item
			}
		}
	}
	pin := func(city, position int) {
		w.text = w.text.And(constraint.Text{Pin: []string{fmt.Sprintf("%s=%d", names[city], position)}})
	}
	if w.ruled {
		if ends.Start >= 0 {
			pin(ends.Start, 0)
		}
		if ends.End >= 0 {
			pin(ends.End, n-1)
		}
	} else if ends.End >= 0 {
		first = ends.End // a path has two ways round: this one is turned round
	}
	if first > 0 {
		w.city = append(perm.Order{first}, slices.Delete(w.city, first, first+1)...)
	}
	return w, nil
}

// sets are those that the model is asked about.
func (q *tourQuestion) sets(sets []*dataset.Set) ([]*dataset.Set, error) {
	out := make([]*dataset.Set, len(sets))
	for i, s := range sets {
		w, err := q.of(len(s.Items))
		if err != nil {
			return nil, err
		}
		out[i] = &dataset.Set{ID: s.ID, Kind: s.Kind, Items: perm.Act(w.city, s.Items), Constraints: w.text, Line: s.Line}
	}
	return out, nil
}

// cost is the length of what an order of a set is, by the file's distances.
func (q *tourQuestion) cost(set *dataset.Set, o perm.Order) float64 {
	if set != q.last {
		w, err := q.of(len(set.Items))
		if err != nil {
			return 0 // it was asked before
		}
		p := problem{set: &dataset.Set{Items: make([]dataset.Item, len(set.Items))}}
		for k, it := range set.Items {
			p.set.Items[w.city[k]] = it
		}
		if !q.f.text {
			p = q.f.list[0]
		}
		x, err := p.instance()
		if err != nil {
			return math.Inf(1) // the model says that the cities are too far apart
		}
		q.last, q.instance, q.way = set, x, w
	}
	_, length := q.way.shape(q.instance, o)
	return length
}

// blame adds what is known here to an error of the model's.
func (q *tourQuestion) blame(err error) error {
	if _, ok := errors.AsType[*learn.ConstraintError](err); !ok {
		return err
	}
	const other = "\nhint: the model's orders begin at item 0" // of its own numbering
	if text, found := strings.CutSuffix(err.Error(), other); found {
		return fmt.Errorf("%s\nhint: a tour begins with city 1, unless --start or a --pin to position 0 says otherwise", text)
	}
	return err
}

// shape is the tour or path of the file's cities that an order of the model is, and its length.
func (w *tourWay) shape(x *tsp.Instance, o perm.Order) (perm.Order, float64) {
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
func (w *tourWay) length(x *tsp.Instance, tour perm.Order) float64 {
	if w.open {
		return x.PathLength(tour)
	}
	return x.Length(tour)
}

// answer has an answer of the model's be of the file's cities.
func (w *tourWay) answer(x *tsp.Instance, o *learn.Ordered) {
	o.Orders = slices.Clone(o.Orders)
	for k := range o.Orders {
		var length float64
		o.Orders[k].Order, length = w.shape(x, o.Orders[k].Order)
		o.Orders[k].Cost = &length
	}
	o.Steps = slices.Clone(o.Steps)
	for k := range o.Steps {
		o.Steps[k] = perm.Act(o.Steps[k], w.city)
	}
	if last := len(o.Steps) - 1; last >= 0 {
		o.Steps[last] = o.Orders[0].Order
	}
}

// twoOpt is what 2-opt makes of a tour or path; it obeys ends, and no rules.
func (w *tourWay) twoOpt(x *tsp.Instance, tour perm.Order) perm.Order {
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
func (w *tourWay) solve(ctx context.Context, x *tsp.Instance) (perm.Order, bool, error) {
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
