package server

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
)

// countdown is a context that ends when it was looked at so many times.
type countdown struct {
	context.Context
	looks, ends atomic.Int64
}

func (c *countdown) Err() error {
	if c.looks.Add(1) > c.ends.Load() {
		return context.Canceled
	}
	return nil
}

// A model leaves a question under constraints when its asker has left, in the middle of a draw or
// of a beam, and answers the next.
func TestRulesEndWithTheAsker(t *testing.T) {
	s, web := start(t, nil, "delta")
	for _, q := range []learn.Query{
		{Kind: learn.KindSample, Count: 20, Seed: 1},
		{Kind: learn.KindOrder, Top: 1, Decode: learn.DecodeOptions{Method: "beam", Beam: 8, Inner: 8}},
	} {
		run := func(ends int64) (looks int64, err error) {
			set := bare(5)
			// Few orders obey, so that what is drawn is built.
			set.Constraints.Before, set.Constraints.Forbid = []string{"4,3,2,1"}, []string{"0=0", "0=2", "0=4"}
			ctx := &countdown{Context: t.Context()}
			ctx.ends.Store(ends)
			j := &job{ctx: ctx, sets: []*dataset.Set{set}, ask: q, done: make(chan struct{})}
			if err := s.models[0].put(j); err != nil {
				t.Fatal(err)
			}
			<-j.done
			return ctx.looks.Load(), j.err
		}
		whole, err := run(1 << 60)
		if err != nil {
			t.Fatal(err)
		}
		if whole < 20 {
			t.Errorf("%s: %d looks at the context: the case is too tame", q.Kind, whole)
		}
		looks, err := run(whole / 2)
		if !errors.Is(err, context.Canceled) || looks == whole {
			t.Errorf("%s: error %v after %d of %d looks at the context, wanted that it ends at half", q.Kind, err, looks, whole)
		}
		if status, data := post(t, web, "/v1/order", "application/json", `{"sets": [{"items": [{},{},{},{},{}]}]}`); status != 200 {
			t.Errorf("the next question: status %d\n%s", status, data)
		}
	}
}
