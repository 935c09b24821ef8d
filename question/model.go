package question

import (
	"math"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/task"
)

// Model is what is known of a model before it is asked. It does not change, so goroutines may read
// it while another asks the model.
type Model struct {
	Name, Task string
	Kind       dataset.Kind // of the items that it takes
	N          int          // items of the sets that it was trained on, of ranked lists at most
	Most       int          // items of a set that its network can take, 0 for any number
	// Rows and Columns are the grid of a model of puzzles, in tiles, else 0.
	Rows, Columns int
	Decode        learn.DecodeOptions // where a question does not say

	process *diffusion.Process
	work    func(learn.Query, []*dataset.Set) learn.Work // of parts of the model that do not change
}

// About describes a model for questions. name is what refusals call it.
func About(name string, m *learn.Model) *Model {
	c := m.Config
	a := &Model{
		Name: name, Task: c.Task.Name, N: c.Task.N, process: m.Process, work: m.Work,
		Decode: learn.DecodeOptions{Method: c.Decode.Method, Beam: c.Decode.Beam, Inner: c.Decode.Inner, Symmetries: c.Decode.Symmetries},
	}
	switch m.Denoiser.Config.Encoder.Reads() {
	case denoiser.Points:
		a.Kind = dataset.KindPoint
	case denoiser.Features:
		a.Kind = dataset.KindFeatures
	case denoiser.Images:
		a.Kind = dataset.KindImage
	}
	if t, ok := m.Task.(task.Grid); ok {
		a.Rows, a.Columns = t.Grid()
	}
	if m.Denoiser.CheckSize(c.Task.N+1) != nil {
		a.Most = c.Task.N
	}
	return a
}

// Limits are what one question may take. A limit of 0 is none.
type Limits struct {
	// Sets and Items are how many sets a question may have, and how many items a set.
	Sets  int `json:"sets"`
	Items int `json:"items"`
	// Pixels is the most that all pictures of a question may have, rows times columns.
	Pixels int `json:"pixels"`
	// Work is how much a question may take of the processors, in tenths of a millisecond.
	// [learn.Model.Work] estimates it: network, choice of orders, constraints and compiling.
	Work int `json:"work"`
	// WorkBytes is how much memory a question's scores, states and answers may take, as estimated.
	WorkBytes int64 `json:"work_bytes"`
	// Inner is the widest beam inside a reverse step, whose work is the host's alone.
	Inner int `json:"-"`
}

// WorkUnit is the unit of [Limits].Work, in seconds.
const WorkUnit = 1e-4

// Allow refuses work that is more than a question may take.
func (l Limits) Allow(w learn.Work) error {
	const help = "fewer or smaller sets, or sets of fewer sizes; less of top, beam, inner, count or draws; sets without constraints take less"
	if units := w.Seconds / WorkUnit; l.Work > 0 && units > float64(l.Work) {
		return learn.Refuse(learn.TooMuch, "work", "too much in one request: %.0f units of work, wanted at most %d", units, l.Work).WithHint(help)
	}
	if l.WorkBytes > 0 && w.Bytes > float64(l.WorkBytes) {
		return learn.Refuse(learn.TooMuch, "work", "too much in one request: it would take %.3g bytes, wanted at most %d", w.Bytes, l.WorkBytes).WithHint(help)
	}
	return nil
}

// CheckItems refuses a set of too many items.
func (l Limits) CheckItems(n int) error {
	if l.Items > 0 && n > l.Items {
		return learn.Refuse(learn.TooMuch, "items", "wanted at most %d items (got %d)", l.Items, n)
	}
	return nil
}

// CheckSets refuses no sets, and too many.
func (l Limits) CheckSets(n int) error {
	switch {
	case n == 0:
		return learn.Refuse(learn.Unfit, "sets", "sets: wanted one or more")
	case l.Sets > 0 && n > l.Sets:
		return learn.Refuse(learn.TooMuch, "sets", "sets: wanted at most %d (got %d)", l.Sets, n)
	}
	return nil
}

// MaxCoordinate is the largest coordinate. With it a tour of all the points that a set may have
// still has a finite length, which JSON can write.
const MaxCoordinate = 1e300

// Fits returns a refusal where the model cannot take a set.
func (m *Model) Fits(set *dataset.Set, l Limits) error {
	n := len(set.Items)
	if err := l.CheckItems(n); err != nil {
		return err
	}
	switch {
	case n > 0 && set.Kind != m.Kind:
		return learn.Refuse(learn.Unfit, "items", "items are %v, model %s takes %v", set.Kind, m.Name, m.Kind).WithHint(itemHint[m.Kind])
	case m.Most > 0 && n > m.Most:
		return learn.Refuse(learn.Unfit, "items", "has %d items, model %s takes %d at most", n, m.Name, m.Most)
	}
	for k, it := range set.Items {
		if !inBounds(it.Point) {
			return learn.Refuse(learn.Unfit, "items", "item %d: point: %v is beyond ±%g, where lengths overflow", k, it.Point, MaxCoordinate)
		}
	}
	return nil
}

func inBounds(p [2]float64) bool {
	return math.Abs(p[0]) <= MaxCoordinate && math.Abs(p[1]) <= MaxCoordinate
}

var itemHint = map[dataset.Kind]string{
	dataset.KindBare:     `a bare item is {}`,
	dataset.KindFeatures: `an item is {"features": [0.5, 2]}`,
	dataset.KindImage:    `an item is {"image": "data:image/png;base64,…"}`,
	dataset.KindPoint:    `an item is {"point": [0.5, 2]}`,
}

// AtSet is a refusal of the set with this index.
type AtSet struct {
	Index int
	error
}

// Unwrap returns the refusal.
func (e *AtSet) Unwrap() error { return e.error }

// Admit estimates the work of a query, and refuses one that the model does not answer or that would
// take more than the limits allow. Every question to a queued model is admitted here.
func (m *Model) Admit(q learn.Query, sets []*dataset.Set, l Limits) (learn.Work, error) {
	for i, set := range sets {
		err := m.Fits(set, l)
		if err == nil && q.Kind == learn.KindScore {
			err = learn.CheckScore(m.process, set)
		}
		if err != nil {
			return learn.Work{}, &AtSet{i, err}
		}
	}
	w := m.work(q, sets)
	return w, l.Allow(w)
}
