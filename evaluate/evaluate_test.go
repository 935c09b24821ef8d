package evaluate

import (
	"context"
	"errors"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/task"
)

func evaluate(t *testing.T, m *learn.Model, count int, opt learn.DecodeOptions) [4]metric.Interval {
	t.Helper()
	calls, last := 0, 0
	r, err := Run(t.Context(), m, task.Test, count, opt, func(done, of int) {
		calls++
		if done <= last || done > count || of != count {
			t.Errorf("%d of %d sets done after %d", done, count, last)
		}
		last = done
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != count || r.Sets != count || r.N != m.Config.Task.N {
		t.Errorf("%d sets wanted, %d done: %+v", count, last, r)
	}
	return [4]metric.Interval{*r.Figure("exact"), *r.Figure("correct"), *r.Figure("kendall_tau"), *r.Figure("kendall_tau_lists")}
}

// The result does not depend on the size of the batches, nor on a ragged end.
func TestEvaluateBatchSizes(t *testing.T) {
	for _, opt := range []learn.DecodeOptions{{Method: "greedy"}, {Method: "beam", Beam: 3, Inner: 4}} {
		var want [4]metric.Interval
		for i, size := range []int{30, 1, 7, 257} {
			m := newScalars(t, scalars{N: 4}, func(c *config.Config) { c.Eval.Batch = size })
			got := evaluate(t, m, 30, opt)
			if i == 0 {
				want = got
			}
			if got != want {
				t.Errorf("%s: batches of %d give %v, of 30 %v", opt.Method, size, got, want)
			}
		}
	}
	m := newScalars(t, scalars{N: 4}, nil)
	evaluate(t, m, 1, learn.DecodeOptions{})
	if _, err := Run(t.Context(), m, task.Test, 0, learn.DecodeOptions{}, nil); err == nil {
		t.Error("0 sets: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Run(ctx, m, task.Test, 5, learn.DecodeOptions{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}

// The same seed gives the same test sets and result, in this process and after loading.
func TestEvaluateIsRepeatable(t *testing.T) {
	e := openEngine(t, "go")
	m, dir := train(t, tiny(), e)
	want := evaluate(t, m, 20, learn.DecodeOptions{})
	if got := evaluate(t, m, 20, learn.DecodeOptions{}); got != want {
		t.Errorf("%v, then %v", want, got)
	}
	loaded, _, err := learn.Load(dir, e)
	if err != nil {
		t.Fatal(err)
	}
	if got := evaluate(t, loaded, 20, learn.DecodeOptions{}); got != want {
		t.Errorf("%v, after loading %v", want, got)
	}
}
