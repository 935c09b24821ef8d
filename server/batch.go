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
)

// job is a question to a model and, once done is closed, its answer.
type job struct {
	ctx  context.Context
	sets []*dataset.Set
	ask  learn.Query // those to order that are equal go together
	work learn.Work

	ordered []learn.Ordered
	sampled []learn.Sampled
	scored  []learn.Scored
	info    *Info // the model that answered
	err     error
	done    chan struct{}
}

// shape is what graphs are compiled for: a kind of question, so many sets of so many items
// with so many states.
type shape struct {
	learn.Query
	sets, items int
}

// maxShapes is how many shapes a model may have graphs for. They cost memory, and requests
// choose them.
const maxShapes = 48

// gather takes what waits in the queue behind a first job, up to a batch of sets, and no more work than
// one request may be.
func (h *hosted) gather(first *job) []*job {
	jobs, sets, work := []*job{first}, len(first.sets), first.work
	for sets < h.model.Config.Eval.Batch {
		select {
		case j := <-h.queue:
			if h.limits.allow(work.Add(j.work)) != nil {
				h.next = j
				return jobs
			}
			jobs, sets, work = append(jobs, j), sets+len(j.sets), work.Add(j.work)
		default:
			return jobs
		}
	}
	return jobs
}

// answer answers jobs; one whose asker has gone is not begun.
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
		h.attend(together[q], func(ctx context.Context) { h.order(ctx, q, together[q]) })
	}
	for _, j := range alone {
		h.attend([]*job{j}, func(ctx context.Context) {
			if j.ask.Kind == learn.KindOrder {
				h.order(ctx, j.ask, []*job{j})
				return
			}
			h.finish(j, h.alone(ctx, j))
		})
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

// watched is a context that has ended when all askers have left, looked at anew each time: what cancels it
// may be late on a busy machine.
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

// place is where a set of a batch came from.
type place struct {
	job *job
	at  int
}

// order answers jobs that ask the same, the sets of one size together.
func (h *hosted) order(ctx context.Context, q learn.Query, jobs []*job) {
	bySize := map[int][]place{}
	var sizes []int
	for _, j := range jobs {
		j.ordered = make([]learn.Ordered, len(j.sets))
		for at, s := range j.sets {
			n := len(s.Items)
			if bySize[n] == nil {
				sizes = append(sizes, n)
			}
			bySize[n] = append(bySize[n], place{j, at})
		}
	}
	faults := map[*job]error{}
	for _, n := range sizes {
		if err := h.orderSize(ctx, q, n, bySize[n]); err != nil {
			if ctx.Err() != nil {
				for _, j := range jobs {
					faults[j] = cmp.Or(j.ctx.Err(), ctx.Err())
				}
				break
			}
			// One of them is at fault, or the engine: each is asked alone to find out which.
			for _, p := range bySize[n] {
				if err := h.orderSize(ctx, q, n, []place{p}); err != nil && faults[p.job] == nil {
					faults[p.job] = h.blame(ctx, p.job.sets[p.at], err)
				}
			}
		}
	}
	for _, j := range jobs {
		h.finish(j, faults[j])
	}
}

// orderSize orders sets of n items. There are as many as the next power of two, so that
// shapes are few: the last ones repeat the first.
func (h *hosted) orderSize(ctx context.Context, q learn.Query, n int, places []place) error {
	var sets []*dataset.Set
	for _, p := range places {
		sets = append(sets, p.job.sets[p.at])
	}
	h.metrics.batch.WithLabelValues(h.name).Observe(float64(len(sets)))
	whole := 1
	for whole < len(sets) {
		whole *= 2
	}
	for batch := h.model.Config.Eval.Batch; len(sets) < min(whole, batch); {
		sets = append(sets, sets[0])
	}
	return h.safely(shape{q, len(sets), n}, func() error {
		answers, _, err := h.model.Order(ctx, sets, q.Top, q.Decode)
		for i, p := range places[:min(len(places), len(answers))] {
			p.job.ordered[p.at] = answers[i]
		}
		return err
	})
}

// alone answers a job whose answer depends on the places of its sets.
func (h *hosted) alone(ctx context.Context, j *job) error {
	q := j.ask
	q.Seed = 0 // of no shape
	for _, s := range j.sets[1:] {
		h.shapes[shape{q, 1, len(s.Items)}] = true
	}
	err := h.safely(shape{q, len(j.sets), len(j.sets[0].Items)}, func() (err error) {
		if j.ask.Kind == learn.KindSample {
			j.sampled, _, err = h.model.Sample(ctx, j.sets, j.ask.Count, j.ask.Seed)
		} else {
			j.scored, _, err = h.model.Score(ctx, j.sets, j.ask.Count, j.ask.Seed)
		}
		return err
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	for _, s := range j.sets {
		if f := h.blame(ctx, s, err); asFault(f).status == http.StatusUnprocessableEntity {
			return f
		}
	}
	return err
}

// safely calls the model. A panic in a library is an error, of this batch alone.
func (h *hosted) safely(s shape, call func() error) (err error) {
	h.shapes[s] = true
	defer func() {
		if p := recover(); p != nil {
			h.log.Error("panic", "error", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errors.Join(errPanicked, fmt.Errorf("%v", p))
		}
		if len(h.shapes) > maxShapes {
			h.model.Forget()
			clear(h.shapes)
		}
	}()
	return call()
}

// blame finds whether a set is why the model failed.
func (h *hosted) blame(ctx context.Context, s *dataset.Set, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, errPanicked) {
		return err
	}
	if rules, ok := errors.AsType[*learn.ConstraintError](err); ok { // it names the set
		return unfit("constraints", "%v", rules)
	}
	objects, _, objectsErr := h.model.Task.Objects(ctx, []*dataset.Set{s})
	if objectsErr != nil {
		return unfit("items", "%v", objectsErr)
	}
	_ = objects.FinalizeAll()
	h.log.Error("answer", "set", s.ID, "items", len(s.Items), "error", err)
	return err
}
