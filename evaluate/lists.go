package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/task"
)

// boundStream keeps the draws behind the bound apart from other uses of a seed.
const boundStream = 0x626f756e64 // "bound"

// boundDraws is how many trajectories the bound is of.
const boundDraws = 16

// runLists judges a model of ranked lists: the different ones of a split, the most
// frequent first where they are more than count.
func runLists(ctx context.Context, m *learn.Model, t task.Lister, split task.Split, count int, opt learn.DecodeOptions, progress func(done, of int)) (*Result, error) {
	start := time.Now()
	opt, err := m.Decoding(opt)
	if err != nil {
		return nil, err
	}
	sets, weights, err := t.Sets(split, count)
	if err != nil {
		return nil, err
	}
	done := 0 // of two questions a set; equal sets are asked once
	m.OnAnswered = func(more int) {
		done += more
		progress(done/2, len(sets))
	}
	defer func() { m.OnAnswered = nil }()
	ordered, _, err := m.Order(ctx, sets, 1, opt)
	if err != nil {
		return nil, err
	}
	bounds, uniform, above, err := bound(ctx, m, sets)
	if err != nil {
		return nil, err
	}
	progress(len(sets), len(sets))
	got, lists := columns{}, 0
	for i, s := range sets {
		figures, err := t.JudgeList(s, ordered[i].Orders[0].Order, bounds[i], uniform[i])
		if err != nil {
			return nil, err
		}
		got.add(figures, weights[i])
		lists += weights[i]
	}
	r := newResult(m, start, len(sets), opt)
	r.Lists = lists
	if r.Figures, err = got.figures(m.Task.Measures(), r.Seed, r.Paper); err != nil {
		return nil, err
	}
	if above > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the bounds of %d of %d different lists were estimated above 0, where none is, and were made 0", above, len(sets)))
	}
	dropped := t.Doubts(split)
	r.Warnings = append(r.Warnings, dropped...)
	if tau := r.Figure("ranking.tau_b"); tau != nil && tau.High < 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the model's orders run against those of the lists (Kendall's tau-b %.2f): do the lists put the best first?", tau.Mean))
	}
	if split == task.Test {
		gone, err := addPopulations(r, m, t, sets, weights)
		if err != nil {
			return nil, err
		}
		dropped = append(slices.Clip(dropped), gone...)
	}
	r.Details = append(t.Details(lists, dropped), r.Details...)
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// bound bounds log p of what is known of each set, and has the same of all orders alike. An order
// consistent with what is known stands for the set. By Jensen, its mean log p and the log of how many
// there are bound log p of what is known. above is how many of these estimates were above 0, where no
// bound is, and are 0.
func bound(ctx context.Context, m *learn.Model, sets []*dataset.Set) (bounds, uniform []float64, above int, err error) {
	drawn, logCount := make([]*dataset.Set, len(sets)), make([]float64, len(sets))
	for i, s := range sets {
		l := s.Known()
		d := *s
		d.Levels = nil // the one that is drawn counts
		d.Order, d.OrderGiven = l.Draw(rand.New(rand.NewPCG(m.Config.Seed^boundStream, uint64(i))), len(s.Items)), "order"
		drawn[i] = &d
		logCount[i] = l.LogCount(len(s.Items))
	}
	scored, _, err := m.Bound(ctx, drawn, boundDraws, m.Config.Seed)
	if err != nil {
		return nil, nil, 0, err
	}
	for i, s := range scored {
		if s.Capped && s.Bound == 0 || float64(s.Bound)+logCount[i] > 0 {
			above++
		}
		bounds, uniform = append(bounds, min(0, float64(s.Bound)+logCount[i])), append(uniform, float64(s.Uniform)+logCount[i])
	}
	return bounds, uniform, above, nil
}

// addPopulations adds the figures of classical models of one population's lists. It returns what is
// to be said where they cannot be fitted, since the data of the training are gone.
func addPopulations(r *Result, m *learn.Model, t task.Lister, sets []*dataset.Set, weights []int) (gone []string, err error) {
	p, ok := m.Task.(task.Population)
	if !ok {
		return nil, nil
	}
	if _, err := p.All(); err != nil {
		return nil, nil
	}
	train, counts, err := t.Sets(task.Train, 0)
	if _, missing := errors.AsType[*task.DataError](err); missing { // the test is of another file
		gone = []string{"the data of the training are not here, so no classical models are fitted to them"}
		r.Notes = append(r.Notes, gone...)
		return gone, nil
	}
	if err != nil {
		return nil, err
	}
	all := populations(votes(train, counts), votes(sets, weights), m.Config.Task.N, train[0].ItemNames())
	r.Details = append(r.Details, task.Detail{Key: "ranking.populations", Value: all})
	for _, p := range all {
		r.Figures = append(r.Figures, Figure{Measure: task.Measure{Label: p.Name, Digits: 4}, Value: p.LogProb})
		if p.Note != "" {
			r.Notes = append(r.Notes, p.Name+": "+p.Note)
		}
	}
	return nil, nil
}
