package question

import (
	"context"
	"fmt"
	"slices"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// Toured is an answer about tours. The costs of its orders are lengths by the file's distances.
type Toured struct {
	learn.Ordered
	Length      float64   `json:"length"`         // of the first order
	Open        bool      `json:"open,omitempty"` // orders are paths, whose lengths have no way back
	Reference   *float64  `json:"reference,omitempty"`
	ReferenceIs string    `json:"reference_is,omitempty"` // whose it is
	Gap         *float64  `json:"gap,omitempty"`          // percent
	Finish      *Finished `json:"finish,omitempty"`
	// Set is what was asked about, and Instance has its distances. Compared is the tour or path of
	// Reference, nil for none.
	Set      *dataset.Set  `json:"-"`
	Instance *tsp.Instance `json:"-"`
	Compared perm.Order    `json:"-"`
}

// Finished is what [Tour].Finish made of the first order.
type Finished struct {
	Method string     `json:"method"` // 2opt
	Order  perm.Order `json:"order"`
	Before float64    `json:"before"` // length of the model's order
	After  float64    `json:"after"`
	Gap    *float64   `json:"gap,omitempty"` // percent
}

// Best is the shortest tour or path of an answer, with its length and its gap. That is the finished
// one, else the model's.
func (r *Toured) Best() (o perm.Order, length float64, gap *float64) {
	if f := r.Finish; f != nil {
		return f.Order, f.After, f.Gap
	}
	return r.Orders[0].Order, r.Length, r.Gap
}

// MeanGap is the mean gap, in percent, of the answers so far that have a reference, and how many
// these are.
func (q *Tours) MeanGap() (gap float64, of int) {
	return q.gaps / float64(max(1, q.compared)), q.compared
}

// Warnings are those about all answers together.
func (q *Tours) Warnings() []string {
	return append(q.doubts.Warnings(), q.others.warnings(q.trained)...)
}

// judge measures the answer for the i-th problem.
func (q *Tours) judge(ctx context.Context, i int, answer learn.Ordered) (*Toured, error) {
	x, err := q.list[i].Instance()
	if err != nil {
		return nil, err
	}
	w, err := q.Tour.way(x.N())
	if err != nil {
		return nil, err
	}
	r := &Toured{Ordered: answer, Open: q.Open, Set: q.file.Sets[i], Instance: x}
	r.Warnings = append(slices.Clone(q.file.Warnings), r.Warnings...)
	w.answer(x, &r.Ordered)
	r.Length = *r.Orders[0].Cost
	if err := q.reference(ctx, r, i, w); err != nil {
		return nil, err
	}
	var shortened perm.Order
	if q.Finish != "" || !q.trained.has(x.N()) && !w.ruled {
		shortened = w.twoOpt(x, r.Orders[0].Order)
	}
	if q.Finish != "" {
		r.Finish = &Finished{Method: q.Finish, Order: shortened, Before: r.Length, After: w.length(x, shortened)}
	}
	if r.Compared != nil {
		length := w.length(x, r.Compared)
		r.Reference = &length
		if r.Gap, err = gapTo(r.Length, length); err != nil {
			return nil, err
		}
		q.gaps, q.compared = q.gaps+*r.Gap, q.compared+1
		if r.Finish != nil {
			if r.Finish.Gap, err = gapTo(r.Finish.After, length); err != nil {
				return nil, err
			}
		}
	}
	q.others.look(r, x.N(), q.trained, shortened, w)
	return r, nil
}

func gapTo(length, reference float64) (*float64, error) {
	gap, err := metric.Gap(length, reference)
	return &gap, err
}

// reference finds what the i-th answer is compared with, and whose it is.
func (q *Tours) reference(ctx context.Context, r *Toured, i int, w *way) (err error) {
	x, where := r.Instance, q.list[i].Where
	switch {
	case q.given != nil:
		r.Compared, r.ReferenceIs = q.given[i].Tour, q.givenPath
	case q.list[i].Tour != nil && !r.Open:
		r.Compared, r.ReferenceIs = q.list[i].Tour, q.file.Path
	}
	if r.Compared != nil {
		var here tsp.Doubts
		for _, d := range []*tsp.Doubts{&here, &q.doubts} {
			d.Look(where, x, r.Compared)
			d.Found(where, r.Length, x.Length(r.Compared))
		}
		r.Warnings = append(r.Warnings, here.Warnings()...)
		return nil
	}
	if q.Limit <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, q.Limit)
	defer cancel()
	var proven bool
	r.Compared, proven, err = w.solve(ctx, x)
	r.ReferenceIs = "solver, shortest"
	if !proven {
		r.ReferenceIs = "solver, not proven to be the shortest"
	}
	if w.ruled {
		r.ReferenceIs += ", without the rules"
	}
	return err
}

// sizes are how many cities the sets of training had.
type sizes struct {
	least, most int
	words       string
}

func (s sizes) has(n int) bool { return s.least <= n && n <= s.most }

// otherSizes gathers how good a model is on instances of sizes that it was not trained on.
type otherSizes struct {
	count, compared     int
	gap, shortened, won float64 // sums, percent
}

// worth is the least that is worth a warning, in percent.
const worth = 0.05

// look notes an answer. shortened is what 2-opt makes of it.
func (o *otherSizes) look(r *Toured, n int, trained sizes, shortened perm.Order, w *way) {
	if trained.has(n) || n < 4 {
		return
	}
	var here otherSizes
	for _, s := range []*otherSizes{o, &here} {
		s.count++
		if shortened != nil {
			s.won += 100 * (r.Length/w.length(r.Instance, shortened) - 1)
		}
		if r.Reference != nil && *r.Reference > 0 {
			s.compared++
			s.gap += 100 * (r.Length / *r.Reference - 1)
			if shortened != nil {
				s.shortened += 100 * (w.length(r.Instance, shortened) / *r.Reference - 1)
			}
		}
	}
	r.Warnings = append(r.Warnings, here.warnings(trained)...)
}

func (o *otherSizes) warnings(trained sizes) []string {
	if o.count == 0 {
		return nil
	}
	text := fmt.Sprintf("tours of other than the %s cities that the model was trained on are here ", trained.words)
	switch count := float64(o.compared); {
	case o.compared > 0 && o.gap/count < worth:
		return nil
	case o.compared > 0 && o.won > 0:
		text += fmt.Sprintf("%.1f %% above the reference, and %.1f %% with 2-opt after it (--finish 2opt)", o.gap/count, o.shortened/count)
	case o.compared > 0:
		text += fmt.Sprintf("%.1f %% above the reference", o.gap/count)
	case o.won/float64(o.count) >= worth:
		text += fmt.Sprintf("%.1f %% above what 2-opt makes of them (--finish 2opt)", o.won/float64(o.count))
	default:
		return nil
	}
	return []string{text}
}
