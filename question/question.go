// Package question puts complete questions to models. Both the command and the server use it. It
// has the defaults of questions, the reasons why a question is refused ([learn.Refusal]), and the
// limits on its work. The command asks a model itself ([Order.Ask], [Sample.Ask], [Score.Ask],
// [Puzzle], [Tour]). The server makes queries ([Order.Query] …), has them admitted ([Model.Admit])
// and answers them from a queue ([Ask]).
package question

import (
	"context"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
)

// Defaults of questions.
const (
	DefaultTop          = 1  // orders
	DefaultCount        = 10 // orders drawn of a set
	DefaultDraws        = 32 // trajectories for an estimate of log p
	DefaultEntropyDraws = 64 // trajectories for each different order in an entropy
	DefaultSeed         = 1  // of all draws
)

// Order asks for the most probable orders of sets.
type Order struct {
	Top    int
	Decode learn.DecodeOptions
}

// Check refuses a question that no model can answer.
func (o Order) Check() error { return o.Decode.Check(o.Top) }

// Query is the complete question to a model.
func (o Order) Query(m *Model, l Limits) (q learn.Query, err error) {
	d := o.Decode
	if l.Inner > 0 && (d.Beam < 0 || d.Inner < 0 || d.Inner > l.Inner) {
		return q, learn.Refuse(learn.Usage, "inner", "%s and %s: wanted 1 or more, and inner at most %d (got %d and %d)", learn.Opt("beam"), learn.Opt("inner"), l.Inner, d.Beam, d.Inner)
	}
	q = learn.Query{Kind: learn.KindOrder, Top: o.Top}
	q.Decode, err = d.Complete(m.Decode, o.Top)
	return q, err
}

// Ask asks a model.
func (o Order) Ask(ctx context.Context, m *learn.Model, sets []*dataset.Set) ([]learn.Ordered, []dataset.Warning, error) {
	return m.Order(ctx, sets, o.Top, o.Decode)
}

// Score asks for log p of the orders that sets have.
type Score struct {
	Draws int
	Seed  uint64
}

// Check refuses a question that no model can answer.
func (s Score) Check() error { return learn.CheckDraws("draws", s.Draws) }

// Query is the complete question.
func (s Score) Query() (learn.Query, error) {
	return learn.Query{Kind: learn.KindScore, Count: s.Draws, Seed: s.Seed}, s.Check()
}

// Ask asks a model.
func (s Score) Ask(ctx context.Context, m *learn.Model, sets []*dataset.Set) ([]learn.Scored, []dataset.Warning, error) {
	return m.Score(ctx, sets, s.Draws, s.Seed)
}

// Answer is the answer to a query. Only the list of the query's kind is filled, with one entry per
// set.
type Answer struct {
	Ordered []learn.Ordered
	Sampled []learn.Sampled
	Scored  []learn.Scored
}

// Ask answers a query.
func Ask(ctx context.Context, m *learn.Model, q learn.Query, sets []*dataset.Set) (a Answer, err error) {
	switch q.Kind {
	case learn.KindOrder:
		a.Ordered, _, err = m.Order(ctx, sets, q.Top, q.Decode)
	case learn.KindSample:
		a.Sampled, _, err = m.Sample(ctx, sets, q.Count, q.Seed)
	case learn.KindScore:
		a.Scored, _, err = m.Score(ctx, sets, q.Count, q.Seed)
	}
	return a, err
}
