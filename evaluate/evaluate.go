// Package evaluate says how good models are on test sets, by the measures of their task. It says
// how far their probabilities can be trusted, and what of the input their orders follow.
package evaluate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/tsp"
)

// AsConfigured reports whether a result is what the configuration asks for: of
// eval.examples sets, or all that there are, decoded as decode says.
func AsConfigured(m *learn.Model, r *Result) bool {
	want := most(m, task.Test, m.Config.Eval.Examples)
	if !m.Method.Diffuses() {
		return r.Sets == want
	}
	own, err := m.Decoding(learn.DecodeOptions{})
	return err == nil && r.Decode == own && (r.Sets == want || r.Lists > 0 && r.Sets < want)
}

// most is count, or how many sets of a split a file of the task has, where these are fewer.
func most(m *learn.Model, split task.Split, count int) int {
	if t, ok := m.Task.(task.Tester); ok {
		if have := t.FileSets(split); have > 0 {
			return min(count, have)
		}
	}
	return count
}

// Run decodes sets 0 … count−1 of a split and judges the orders. The same seed gives the same sets
// and the same noise. progress, if not nil, is called with the number of sets done and that of all,
// which are fewer than count where the data has fewer.
func Run(ctx context.Context, m *learn.Model, split task.Split, count int, opt learn.DecodeOptions, progress func(done, of int)) (*Result, error) {
	if progress == nil {
		progress = func(int, int) {}
	}
	if t, ok := m.Task.(task.Lister); ok {
		return runLists(ctx, m, t, split, count, opt, progress)
	}
	find, opt, err := m.Finder(opt)
	if err != nil {
		return nil, err
	}
	if count < 1 {
		return nil, fmt.Errorf("evaluate: wanted 1 set or more (got %d)", count)
	}
	count = most(m, split, count)
	if f, ok := m.Task.(task.Flusher); ok {
		defer func() { _ = f.Flush() }() // what is not kept costs time only
	}
	start, got, doubts := time.Now(), columns{}, &tsp.Doubts{}
	err = batches(ctx, m, split, count, m.Config.Eval.Batch, func(ex *task.Examples, first, own int) error {
		orders, err := find(ctx, ex, first)
		if err != nil {
			return err
		}
		for i := range own {
			if err := got.judge(ex, i, orders[i]); err != nil {
				return err
			}
			if f, ok := ex.Judge.(task.Finisher); ok && m.Config.Eval.Finish != "" {
				finished, err := f.Finished(i, orders[i])
				if err != nil {
					return err
				}
				got.add(finished, 1)
			}
			if p, ok := ex.Judge.(task.Pricer); ok {
				doubts.Found(fmt.Sprintf("instance %d", first+i+1), p.Cost(i, orders[i]), p.Best(i))
			}
		}
		progress(first+own, count)
		return nil
	})
	if err != nil {
		return nil, err
	}
	r := newResult(m, start, count, opt)
	measures := slices.Clip(task.PlaceMeasures)
	if m.Method.AnySequence {
		measures = append(measures, task.Permutations)
	}
	if r.Figures, err = got.figures(append(measures, m.Task.Measures()...), r.Seed, r.Paper); err != nil {
		return nil, err
	}
	r.Warnings = append(r.Warnings, m.MethodWarnings()...)
	if t, ok := m.Task.(task.DataDoubter); ok {
		r.Warnings = append(r.Warnings, t.Doubts(split)...)
	}
	r.Warnings = append(r.Warnings, doubts.Warnings()...)
	if err := addModes(ctx, m, r, split, count); err != nil {
		return nil, err
	}
	if t, ok := m.Task.(task.Explainer); ok {
		r.Below = append(r.Below, Section{Text: t.Explain()})
	}
	return r, nil
}

// newResult is a result without figures.
func newResult(m *learn.Model, start time.Time, sets int, opt learn.DecodeOptions) *Result {
	return &Result{
		Sets: sets, N: m.Config.Task.N, Method: m.Config.Method, Step: m.State.Step, Seed: m.Config.Seed, Decode: opt, Engine: m.Engine.Kind,
		Seconds: time.Since(start).Seconds(), Warnings: slices.Clone(m.Warnings()), TrainSeconds: m.State.Elapsed, Paper: m.Config.Paper,
	}
}

// judge adds what the order of set i of examples is worth.
func (c columns) judge(ex *task.Examples, i int, o perm.Order) error {
	places, err := task.Places(ex, i, o)
	if err != nil {
		return err
	}
	own, err := ex.Judge.Figures(i, o)
	if err != nil {
		return err
	}
	c.add(places, 1)
	c.add(own, 1)
	return nil
}
