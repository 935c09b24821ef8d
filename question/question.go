// Package question puts complete questions to models. Command and server use it alike. It has the
// defaults of a question, the reasons why it has no answer ([learn.Refusal]), and the limits on its
// work. The command asks a model itself ([Order.Ask], [Sample.Ask], [Score.Ask], [Puzzle], [Tour]).
// The server makes queries ([Order.Query] …), has them admitted ([Model.Admit]) and answers them
// from a queue ([Ask]).
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
	DefaultDraws        = 32 // trajectories that log p is estimated by
	DefaultEntropyDraws = 64 // and those of each different order behind an entropy
	DefaultSeed         = 1  // of what is drawn
)

// Order asks for the most probable orders of sets.
type Order struct {
	Top    int
	Decode learn.DecodeOptions
}

// Check refuses what no model answers.
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

// Check refuses what no model answers.
func (s Score) Check() error { return learn.CheckDraws("draws", s.Draws) }

// Query is the complete question.
func (s Score) Query() (learn.Query, error) {
	return learn.Query{Kind: learn.KindScore, Count: s.Draws, Seed: s.Seed}, s.Check()
}

// Ask asks a model.
func (s Score) Ask(ctx context.Context, m *learn.Model, sets []*dataset.Set) ([]learn.Scored, []dataset.Warning, error) {
	return m.Score(ctx, sets, s.Draws, s.Seed)
}

// Answer is what a query gave: the list of its kind, one a set.
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
