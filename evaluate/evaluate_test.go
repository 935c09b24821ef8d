package evaluate

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
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
	return [4]metric.Interval{r.Exact, *r.Correct, r.KendallTau, *r.KendallTauLists}
}

// The result does not depend on the size of the batches, nor on a ragged end.
func TestEvaluateBatchSizes(t *testing.T) {
	for _, opt := range []learn.DecodeOptions{{Method: "greedy"}, {Method: "beam", Beam: 3, Inner: 4}} {
		var want [4]metric.Interval
		for i, size := range []int{30, 1, 7, 257} {
			m := newScalars(t, scalars{n: 4}, func(c *config.Config) { c.Eval.Batch = size })
			got := evaluate(t, m, 30, opt)
			if i == 0 {
				want = got
			}
			if got != want {
				t.Errorf("%s: batches of %d give %v, of 30 %v", opt.Method, size, got, want)
			}
		}
	}
	m := newScalars(t, scalars{n: 4}, nil)
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

// Equal values may stand in any order; all else counts as it is.
func TestJudge(t *testing.T) {
	ex := &task.Examples{Clean: []perm.Order{{1, 0, 2, 3}}, Values: [][]float64{{5, 2, 5, 9}}}
	for _, c := range []struct {
		order          perm.Order
		exact, correct float64
	}{
		{perm.Order{1, 0, 2, 3}, 1, 1},
		{perm.Order{1, 2, 0, 3}, 1, 1},   // the fives exchanged
		{perm.Order{0, 1, 2, 3}, 0, 0.5}, // values 5 2 5 9: the last two stand right
		{perm.Order{3, 2, 0, 1}, 0, 0.5}, // values 9 5 5 2: the fives stand right
	} {
		s, err := judge(c.order, ex, 0)
		if err != nil {
			t.Fatal(err)
		}
		if s.exact != c.exact || s.correct != c.correct {
			t.Errorf("%v: exact %g, correct %g; wanted %g and %g", c.order, s.exact, s.correct, c.exact, c.correct)
		}
		if (s.tau == 1) != (c.exact == 1) {
			t.Errorf("%v: tau %g", c.order, s.tau)
		}
	}
	// Without values only the given order is right.
	ex.Values = nil
	if s, err := judge(perm.Order{1, 2, 0, 3}, ex, 0); err != nil || s.exact != 0 || s.correct != 0.5 {
		t.Errorf("%+v %v", s, err)
	}
}

// Identical tiles may stand in any order; those that only noise tells apart may in the figures
// of puzzles. All by hand.
func TestJudgePuzzle(t *testing.T) {
	// Of the picture's four tiles of one pixel (tiles 2, 0, 3, 1 in places 0 to 3) tiles 0 and 2
	// are identical, and tile 3 is but for noise.
	ex := &task.Examples{
		Clean: []perm.Order{{2, 0, 3, 1}}, Same: [][]int{{0, 1, 0, 3}}, Alike: [][]int{{0, 1, 0, 0}},
		Pixels: []float32{0, 1, 0, 0.5}, PixelSize: 1, Columns: 2,
	}
	for _, c := range []struct {
		order                                          perm.Order
		exact, correct, exactAlike, correctAlike, rmse float64
	}{
		{perm.Order{2, 0, 3, 1}, 1, 1, 100, 100, 0},
		{perm.Order{0, 2, 3, 1}, 1, 1, 100, 100, 0},
		{perm.Order{3, 0, 2, 1}, 0, 0.5, 100, 100, math.Sqrt(0.5 / 4)},           // 2 and 3 exchanged: 0.25 + 0.25 over four pixels
		{perm.Order{1, 0, 3, 2}, 0, 0.5, 0, 50, math.Sqrt(2. / 4)},               // 1 and 2 exchanged
		{perm.Order{0, 3, 1, 2}, 0, 0.25, 0, 50, math.Sqrt((.25 + .25 + 1) / 4)}, // places 1 to 3 wrong, place 1 but for noise
	} {
		s, err := judge(c.order, ex, 0)
		if err != nil {
			t.Fatal(err)
		}
		if s.exact != c.exact || s.correct != c.correct || (s.tau == 1) != (c.exact == 1) {
			t.Errorf("%v: %+v, wanted exact %g, correct %g", c.order, s, c.exact, c.correct)
		}
		var p puzzles
		if err := p.add(c.order, ex, 0); err != nil {
			t.Fatal(err)
		}
		r, err := p.result(1)
		if err != nil {
			t.Fatal(err)
		}
		if r.ExactAlike.Mean != c.exactAlike || r.CorrectAlike.Mean != c.correctAlike || math.Abs(r.RMSE.Mean-c.rmse) > 1e-9 {
			t.Errorf("%v: %+v, wanted %g, %g and RMSE %g", c.order, r, c.exactAlike, c.correctAlike, c.rmse)
		}
		// Of the three alike two are the same: 2!/3! exact; (2·2 + 1)/3 and one more of four.
		if math.Abs(r.LimitExact-100./3) > 1e-9 || math.Abs(r.LimitCorrect-100*(5./3+1)/4) > 1e-9 {
			t.Errorf("limits %g and %g", r.LimitExact, r.LimitCorrect)
		}
	}
	if r, err := new(puzzles).result(1); r != nil || err != nil {
		t.Errorf("no puzzles: %v, %v", r, err)
	}
}
