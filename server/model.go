package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/question"
	"github.com/riffle-ml/riffle/task"
)

// Info is what /v1/models says of a model.
type Info struct {
	Name  string `json:"name"`
	Title string `json:"title"`
	Task  string `json:"task"`
	// Items says what the items of a set must be: bare, features, image or point.
	Items string `json:"items"`
	// N is how many items the sets of the training had.
	N int `json:"n"`
	// Rows and Columns are the grid of a puzzle, in tiles.
	Rows    int `json:"rows,omitempty"`
	Columns int `json:"columns,omitempty"`
	// ImageRows, ImageColumns and Channels are how pictures are brought to the model, in pixels.
	ImageRows    int `json:"image_rows,omitempty"`
	ImageColumns int `json:"image_columns,omitempty"`
	Channels     int `json:"channels,omitempty"`
	// Names are the items of a model that knows its items by name. Features are the names of features, with
	// their ranges in training.
	Names    []string  `json:"names,omitempty"`
	Features []Feature `json:"features,omitempty"`
	// Schedule is 0 = t_0 < … < t_k = T. The states of an answer are those at T, …, t_0.
	Schedule []int `json:"schedule"`
	// Decode is how orders are found where a request does not say.
	Decode     learn.DecodeOptions `json:"decode"`
	Parameters int                 `json:"parameters"`
	Step       int                 `json:"step"` // of the training
	Engine     string              `json:"engine"`
	Warnings   []string            `json:"warnings"`

	about *question.Model
}

// Feature is a feature of a model's items.
type Feature struct {
	Name string  `json:"name"`
	Low  float64 `json:"low"` // the least of the training
	High float64 `json:"high"`
}

func describe(name string, m *learn.Model) *Info {
	about := question.About(name, m)
	i := &Info{
		Name: name, Title: m.Config.Title, Task: about.Task, Items: about.Kind.String(), N: about.N, Rows: about.Rows, Columns: about.Columns,
		Schedule: m.Process.Steps, Decode: about.Decode, Parameters: m.Denoiser.NumParameters(), Step: m.State.Step, Engine: m.Engine.Kind,
		Warnings: append([]string{}, m.Warnings()...), about: about,
	}
	if e := m.Denoiser.Config.Encoder; about.Kind == dataset.KindImage {
		i.ImageRows, i.ImageColumns, i.Channels = e.Height, e.Width, max(1, e.Planes)
	}
	if t, ok := m.Task.(task.Knower); ok {
		i.Names = t.ItemNames()
		for _, f := range t.Features() {
			i.Features = append(i.Features, Feature{Name: f.Name, Low: f.Low, High: f.High})
		}
	}
	return i
}

// hosted is a model, the goroutine that owns it and the queue in front.
type hosted struct {
	name, dir string
	info      atomic.Pointer[Info]
	limits    Limits
	room      *room // of all models
	life      context.Context
	waiting   atomic.Int64
	queue     chan *job
	reload    chan chan error
	ending    chan struct{}
	ended     chan struct{}
	end       sync.Once
	kill      context.CancelFunc // ends life, and with it what is in work
	metrics   *metrics
	log       *slog.Logger

	// Of the goroutine alone:
	engine *engine.Engine
	model  *learn.Model
	waits  []*job       // taken from the queue and not begun
	shapes map[int]bool // sizes of sets that graphs were compiled for since the last [learn.Model.ReleaseGraphs]
}

// host loads a run and starts its goroutine.
func host(name, dir string, e *engine.Engine, limits Limits, room *room, m *metrics, log *slog.Logger) (*hosted, error) {
	life, kill := context.WithCancel(context.Background())
	h := &hosted{
		name: name, dir: dir, engine: e, limits: limits, room: room, life: life, kill: kill, queue: make(chan *job, limits.Queue),
		reload: make(chan chan error), ending: make(chan struct{}), ended: make(chan struct{}),
		metrics: m, log: log.With("model", name), shapes: map[int]bool{},
	}
	if err := h.load(); err != nil {
		kill()
		return nil, err
	}
	go h.work()
	return h, nil
}

// load reads the run and, where all is well, takes its model in place of the one before.
func (h *hosted) load() error {
	m, warnings, err := learn.Load(h.dir, h.engine)
	if err != nil {
		return err
	}
	if !m.Method.Diffuses() {
		return fmt.Errorf("%s: method %s is only there for comparison, wanted a model of method diffusion", h.dir, m.Config.Method)
	}
	for _, w := range warnings {
		h.log.Warn(w)
	}
	if h.model != nil {
		h.model.Close()
	}
	h.model = m
	clear(h.shapes)
	h.info.Store(describe(h.name, m))
	h.metrics.step.WithLabelValues(h.name).Set(float64(m.State.Step))
	h.log.Info("loaded", "dir", h.dir, "step", m.State.Step, "task", m.Config.Task.Name, "n", m.Config.Task.N)
	return nil
}

// replace has the goroutine load the run again, between two batches.
func (h *hosted) replace() error {
	done := make(chan error, 1)
	select {
	case h.reload <- done:
		return <-done
	case <-h.ended:
		return errStopping
	}
}

// stop ends what is in work, and the goroutine with it. It reports false where the goroutine is
// still in the engine after patience.
func (h *hosted) stop(patience time.Duration) bool {
	h.end.Do(func() {
		h.kill()
		close(h.ending)
	})
	select {
	case <-h.ended:
		return true
	case <-time.After(patience):
		return false
	}
}

// put hands a job to the goroutine, or says that there are too many already.
func (h *hosted) put(j *job) error {
	if h.waiting.Add(1) > int64(h.limits.Queue) {
		h.waiting.Add(-1)
		return busy("queue", "%d requests wait for model %s already", h.limits.Queue, h.name)
	}
	h.metrics.waiting.WithLabelValues(h.name).Inc()
	j.due = time.Now().Add(time.Duration(turn * j.work.Seconds * float64(time.Second)))
	h.queue <- j // has room: it is as long as the limit
	return nil
}

// finish ends a job. From here on its fields belong to the asker.
func (h *hosted) finish(j *job, err error) {
	j.err, j.info = err, h.info.Load()
	h.waiting.Add(-1)
	h.metrics.waiting.WithLabelValues(h.name).Dec()
	close(j.done)
}

// drain takes what is in the queue.
func (h *hosted) drain() {
	for {
		select {
		case j := <-h.queue:
			h.waits = append(h.waits, j)
		default:
			return
		}
	}
}

// work is the goroutine.
func (h *hosted) work() {
	defer close(h.ended)
	defer func() { h.model.Close() }()
	always := make(chan struct{})
	close(always)
	for {
		ready := always
		if len(h.waits) == 0 {
			ready = nil
		}
		select {
		case <-h.ending:
			h.drain()
			for _, j := range h.waits {
				h.finish(j, errStopping)
			}
			return
		case done := <-h.reload:
			err := h.load()
			result := "ok"
			if err != nil {
				result = "failed"
				h.log.Error("reload", "error", err)
			}
			h.metrics.reloads.WithLabelValues(h.name, result).Inc()
			done <- err
		case j := <-h.queue:
			h.waits = append(h.waits, j)
		case <-ready:
			h.answer(h.gather())
		}
	}
}

// errPanicked stands for a panic of a library while it answered.
var errPanicked = errors.New("panic")
