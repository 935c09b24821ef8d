package evaluate

import (
	"context"
	"fmt"
	"time"

	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/tsp"
)

// Result is how well a model orders sets. Shares are in percent; the intervals are 95 %
// bootstrap intervals over sets.
type Result struct {
	Sets    int                 `json:"sets"`
	N       int                 `json:"n"`
	Step    int                 `json:"step"`
	Seed    uint64              `json:"seed"`
	Decode  learn.DecodeOptions `json:"decode"`
	Exact   metric.Interval     `json:"exact"`
	Correct *metric.Interval    `json:"correct,omitempty"` // nil of ranked lists: not every right place is known
	// KendallTau compares ranks; KendallTauLists compares the lists of indices, as the
	// paper's numbers do, nil of ranked lists.
	KendallTau      metric.Interval  `json:"kendall_tau"`
	KendallTauLists *metric.Interval `json:"kendall_tau_lists,omitempty"`
	// Permutations is the share of the results that are permutations, nil where all are by
	// construction. What is none counts as not exact and with a tau of 0.
	Permutations *metric.Interval `json:"permutations,omitempty"`
	// Puzzle is nil where the objects are no tiles.
	Tour          *Tour    `json:"tour,omitempty"` // of tours alone
	Puzzle        *Puzzle  `json:"puzzle,omitempty"`
	Modes         *Modes   `json:"modes,omitempty"`   // of a target of several orders alone
	Ranking       *Ranking `json:"ranking,omitempty"` // of ranked lists alone
	Method        string   `json:"method"`
	Engine        string   `json:"engine"`
	Seconds       float64  `json:"seconds"`
	SetsPerSecond float64  `json:"sets_per_second"`
	// Warnings are those of the model, see [learn.Model.Warnings].
	Warnings []string `json:"warnings,omitempty"`
}

// AsConfigured reports whether a result is what the configuration asks for: of
// eval.examples sets, decoded as decode says.
func AsConfigured(m *learn.Model, r *Result) bool {
	if !m.Method.Diffuses() {
		return r.Sets == m.Config.Eval.Examples
	}
	own, err := m.Decoding(learn.DecodeOptions{})
	return err == nil && r.Decode == own && (r.Sets == m.Config.Eval.Examples || r.Ranking != nil && r.Sets < m.Config.Eval.Examples)
}

// Evaluate decodes sets 0 … count−1 of a split. The same seed gives the same sets and the
// same noise. progress, if not nil, is called with the number of sets done and that of all,
// which are fewer than count where the data has fewer.
func Run(ctx context.Context, m *learn.Model, split task.Split, count int, opt learn.DecodeOptions, progress func(done, of int)) (*Result, error) {
	if t, ok := m.Task.(*task.Ranking); ok {
		return runLists(ctx, m, t, split, count, opt, progress)
	}
	find, opt, err := m.Finder(opt)
	if err != nil {
		return nil, err
	}
	if count < 1 {
		return nil, fmt.Errorf("evaluate: wanted 1 set or more (got %d)", count)
	}
	if f, ok := m.Task.(task.Flusher); ok {
		defer func() { _ = f.Flush() }() // what is not kept costs time only
	}
	start := time.Now()
	var exact, correct, tau, lists, valid []float64
	var tiles puzzles
	var tours tours
	var doubts tsp.Doubts
	size := min(m.Config.Eval.Batch, count)
	for first := 0; first < count; first += size {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// The last batch may reach beyond count: one shape is compiled, the rest is dropped.
		ex, err := m.Task.Examples(split, first, size)
		if err != nil {
			return nil, err
		}
		orders, err := find(ctx, ex, first)
		if err != nil {
			return nil, err
		}
		for i := range min(size, count-first) {
			s, err := judge(orders[i], ex, i)
			if err != nil {
				return nil, err
			}
			exact, correct = append(exact, 100*s.exact), append(correct, 100*s.correct)
			tau, lists = append(tau, s.tau), append(lists, s.lists)
			valid = append(valid, 100*s.valid)
			if ex.Cost != nil {
				cost := ex.Cost(i, orders[i])
				if err := tours.add(cost, ex.Best[i]); err != nil {
					return nil, err
				}
				doubts.Found(fmt.Sprintf("instance %d", first+i+1), cost, ex.Best[i])
			}
			if ex.Alike != nil {
				if err := tiles.add(orders[i], ex, i); err != nil {
					return nil, err
				}
			}
		}
		if progress != nil {
			progress(min(first+size, count), count)
		}
	}
	r := &Result{Sets: count, N: m.Config.Task.N, Method: m.Config.Method, Step: m.State.Step, Seed: m.Config.Seed, Decode: opt, Engine: m.Engine.Kind, Seconds: time.Since(start).Seconds(), Warnings: m.Warnings()}
	r.SetsPerSecond = float64(count) / r.Seconds
	r.Warnings = append(r.Warnings, m.MethodWarnings()...)
	if t, ok := m.Task.(*task.Tour); ok {
		r.Warnings = append(r.Warnings, t.Doubts(split)...)
	}
	r.Warnings = append(r.Warnings, doubts.Warnings()...)
	r.Correct, r.KendallTauLists = &metric.Interval{}, &metric.Interval{}
	if m.Method.AnySequence {
		r.Permutations = &metric.Interval{}
	}
	for _, x := range []struct {
		to   *metric.Interval
		from []float64
	}{{r.Permutations, valid}, {&r.Exact, exact}, {r.Correct, correct}, {&r.KendallTau, tau}, {r.KendallTauLists, lists}} {
		if x.to == nil {
			continue
		}
		if *x.to, err = metric.Bootstrap(x.from, 0, m.Config.Seed); err != nil {
			return nil, err
		}
	}
	if r.Tour, err = tours.result(m.Config.Seed); err != nil {
		return nil, err
	}
	if target, ok := m.Task.(*task.Delta); ok && len(target.Modes) > 1 && m.Method.Diffuses() {
		if r.Modes, err = modesOf(ctx, m, target, split, count); err != nil {
			return nil, err
		}
	}
	r.Puzzle, err = tiles.result(m.Config.Seed)
	return r, err
}

type scores struct{ exact, correct, tau, lists, valid float64 }

// judge compares an order with the right one of set i.
func judge(order perm.Order, ex *task.Examples, i int) (s scores, err error) {
	if order.Validate() != nil {
		// No permutation: what stands where it should counts, and nothing else.
		want := ex.Clean[i]
		for k, v := range order {
			if v == want[k] || ex.Values != nil && ex.Values[i][v] == ex.Values[i][want[k]] || ex.Same != nil && ex.Same[i][v] == ex.Same[i][want[k]] {
				s.correct += 1 / float64(len(want))
			}
		}
		return s, nil
	}
	s.valid = 1
	want := ex.Nearest(i, order)
	if ex.Values != nil {
		v := ex.Values[i]
		if s.correct, err = metric.CorrectValues(perm.Act(order, v), perm.Act(want, v)); err != nil {
			return s, err
		}
	} else if s.correct, err = metric.Correct(order, want); err != nil {
		return s, err
	}
	if metric.Exact(order, want) || ex.Cost != nil && ex.Cost(i, order) <= ex.Best[i]*(1+1e-9) {
		s.exact = 1
	}
	if s.tau, err = metric.KendallTau(order.Rank(), want.Rank()); err != nil {
		return s, err
	}
	s.lists, err = metric.KendallTauLists(order, want)
	return s, err
}
