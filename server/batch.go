package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/question"
)

// job is a question to a model and, once done is closed, its answer.
type job struct {
	ctx  context.Context
	sets []*dataset.Set
	ask  learn.Query // those to order that are equal go together
	work learn.Work
	due  time.Time

	answer question.Answer
	info   *Info // the model that answered
	err    error
	done   chan struct{}
}

// maxShapes is how many shapes a model may have graphs for. They cost memory, and where sets cannot
// be padded requests choose the shapes.
const maxShapes = 48

// turn bounds how long a job lets shorter ones that come after it go first. It is so many times its own
// estimated time.
const turn = 10

// gather takes those of the waiting jobs that are due first. It takes up to a batch of sets, and no more
// work than one request may be. Short jobs do not wait behind many long ones, and long ones are not
// passed over for ever.
func (h *hosted) gather() (jobs []*job) {
	h.drain()
	slices.SortStableFunc(h.waits, func(a, b *job) int { return a.due.Compare(b.due) })
	sets, work := 0, learn.Work{}
	h.waits = slices.DeleteFunc(h.waits, func(j *job) bool {
		switch {
		case j.ctx.Err() != nil: // its asker has gone
			h.finish(j, j.ctx.Err())
			return true
		case len(jobs) > 0 && (sets >= h.model.Config.Eval.Batch || h.limits.Allow(work.Add(j.work)) != nil):
			return false
		}
		jobs, sets, work = append(jobs, j), sets+len(j.sets), work.Add(j.work)
		return true
	})
	return jobs
}

// answer answers jobs. One whose asker has gone is not begun.
func (h *hosted) answer(jobs []*job) {
	began := time.Now()
	defer func() { h.metrics.busy.WithLabelValues(h.name).Add(time.Since(began).Seconds()) }()
	together := map[learn.Query][]*job{}
	var kinds []learn.Query
	var alone []*job // each by itself, and after those that take less
	for _, j := range jobs {
		switch {
		case j.ctx.Err() != nil:
			h.finish(j, j.ctx.Err())
		case j.ask.Kind != learn.KindOrder || j.ruled():
			alone = append(alone, j)
		case together[j.ask] == nil:
			kinds = append(kinds, j.ask)
			fallthrough
		default:
			together[j.ask] = append(together[j.ask], j)
		}
	}
	for _, q := range kinds {
		h.attend(together[q], func(ctx context.Context) { h.together(ctx, q, together[q]) })
	}
	for _, j := range alone {
		h.attend([]*job{j}, func(ctx context.Context) { h.alone(ctx, j) })
	}
}

// attend calls work, which finishes the jobs, when there is memory for them. The context of work ends when all
// askers have left, when the work has taken too long and when the server ends.
func (h *hosted) attend(jobs []*job, work func(context.Context)) {
	ctx, cancel := context.WithCancel(h.life)
	defer cancel()
	var left atomic.Int64
	left.Store(int64(len(jobs)))
	var bytes float64
	for _, j := range jobs {
		bytes += j.work.Bytes
		defer context.AfterFunc(j.ctx, func() {
			if left.Add(-1) == 0 {
				cancel()
			}
		})()
	}
	if err := h.room.take(ctx, int64(bytes)); err != nil {
		for _, j := range jobs {
			h.finish(j, cmp.Or(j.ctx.Err(), err))
		}
		return
	}
	defer h.room.give(int64(bytes))
	ctx, stop := context.WithTimeout(ctx, h.limits.Busy)
	defer stop()
	work(watched{ctx, jobs})
}

// watched is a context that has ended when all askers have left. It looks anew each time, since what
// cancels it may be late on a busy machine.
type watched struct {
	context.Context
	jobs []*job
}

func (w watched) Err() error {
	if err := w.Context.Err(); err != nil {
		return err
	}
	for _, j := range w.jobs {
		if j.ctx.Err() == nil {
			return nil
		}
	}
	return w.jobs[0].ctx.Err()
}

// ruled reports whether some of a job's sets have constraints.
func (j *job) ruled() bool {
	return slices.ContainsFunc(j.sets, func(s *dataset.Set) bool { return !s.Constraints.IsZero() })
}

// together answers jobs to order that ask the same.
func (h *hosted) together(ctx context.Context, q learn.Query, jobs []*job) {
	var sets []*dataset.Set
	for _, j := range jobs {
		sets = append(sets, j.sets...)
	}
	all, err := h.ask(ctx, q, sets)
	if err != nil && len(jobs) > 1 && ctx.Err() == nil {
		for _, j := range jobs { // one of them is at fault, or the engine: each is asked alone to find out which
			j.answer, err = h.ask(ctx, q, j.sets)
			h.finish(j, h.fault(ctx, j, err))
		}
		return
	}
	for _, j := range jobs {
		if err == nil {
			j.answer.Ordered, all.Ordered = all.Ordered[:len(j.sets):len(j.sets)], all.Ordered[len(j.sets):]
		}
		h.finish(j, h.fault(ctx, j, err))
	}
}

// alone answers one job by itself.
func (h *hosted) alone(ctx context.Context, j *job) {
	var err error
	j.answer, err = h.ask(ctx, j.ask, j.sets)
	h.finish(j, h.fault(ctx, j, err))
}

// ask asks the model.
func (h *hosted) ask(ctx context.Context, q learn.Query, sets []*dataset.Set) (a question.Answer, err error) {
	if q.Kind == learn.KindOrder {
		h.metrics.batch.WithLabelValues(h.name).Observe(float64(len(sets)))
	}
	err = h.safely(sets, func() error {
		a, err = question.Ask(ctx, h.model, q, sets)
		return err
	})
	return a, err
}

// safely calls the model. A panic in a library is an error, of this batch alone.
func (h *hosted) safely(sets []*dataset.Set, call func() error) (err error) {
	for _, s := range sets {
		h.shapes[h.model.PaddedSize(len(s.Items))] = true
	}
	defer func() {
		if p := recover(); p != nil {
			h.log.Error("panic", "error", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errors.Join(errPanicked, fmt.Errorf("%v", p))
		}
		if len(h.shapes) > maxShapes {
			h.model.ReleaseGraphs()
			clear(h.shapes)
		}
	}()
	return call()
}

// fault is what a job is told of the model's error. The end of the asker's time, or of the work's,
// comes before the errors that it led to. An error that is no refusal is the server's own.
func (h *hosted) fault(ctx context.Context, j *job, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return cmp.Or(j.ctx.Err(), ctx.Err())
	}
	if asFault(err).status == http.StatusInternalServerError {
		h.log.Error("answer", "set", j.sets[0].ID, "sets", len(j.sets), "error", err)
	}
	return err
}
