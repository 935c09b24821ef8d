package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
)

// Constraints count as work, of each kind of question as much as it takes.
func TestRulesAreWork(t *testing.T) {
	_, web := start(t, func(o *Options) { o.Limits.Work = 1000 }, "delta")
	const items = `"items": [{},{},{},{},{}]`
	const rules = `, "constraints": {"before": ["0,1"], "forbid": ["1=2"]}`
	for _, c := range []struct {
		path, more string
		ruled      int // the status with rules; without it is 200
	}{
		// 5 items × 150 draws = 750; under rules 150 × 256 × 5 × 5 / 2000 = 480 more.
		{"/v1/sample", `"count": 150`, 413},
		{"/v1/sample", `"count": 100`, 200},
		// 5 × 100 = 500; 100 × 1000 × 5 × 5 / 2000 = 1250 more.
		{"/v1/order", `"beam": 100, "inner": 1000`, 413},
		{"/v1/order", `"beam": 100, "inner": 100`, 200},
	} {
		for _, extra := range []string{"", rules} {
			want := 200
			if extra != "" {
				want = c.ruled
			}
			status, data := post(t, web, c.path, "application/json", fmt.Sprintf(`{"sets": [{%s%s}], %s}`, items, extra, c.more))
			if status != want || want == 413 && !strings.Contains(string(data), `"reason":"work"`) {
				t.Errorf("%s with %s%s: status %d, wanted %d\n%s", c.path, c.more, extra, status, want, data)
			}
		}
	}
	for n, want := range map[float64]float64{52: 64 * 256 * 52 * 52 / 2000., 0: 0} {
		if got := (question{kind: "sample", count: 64}).ruleWork(n, 64); got != want {
			t.Errorf("64 draws of %v items: rules take %v, wanted %v", n, got, want)
		}
	}
	if got := (question{kind: "score"}).ruleWork(52, 64); got != 0 {
		t.Errorf("a score, which knows of no rules: they take %v", got)
	}
}

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
	for _, q := range []question{
		{kind: "sample", count: 20, seed: 1},
		{kind: "order", top: 1, decode: learn.DecodeOptions{Method: "beam", Beam: 8, Inner: 8}},
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
			t.Errorf("%s: %d looks at the context: the case is too tame", q.kind, whole)
		}
		looks, err := run(whole / 2)
		if !errors.Is(err, context.Canceled) || looks == whole {
			t.Errorf("%s: error %v after %d of %d looks at the context, wanted that it ends at half", q.kind, err, looks, whole)
		}
		if status, data := post(t, web, "/v1/order", "application/json", `{"sets": [{"items": [{},{},{},{},{}]}]}`); status != 200 {
			t.Errorf("the next question: status %d\n%s", status, data)
		}
	}
}
