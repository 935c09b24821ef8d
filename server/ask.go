package server

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"net/http"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
)

// decoding is how a request wants orders found; the names are those of the command's flags.
type decoding struct {
	Top    *int   `json:"top"`
	Decode string `json:"decode"`
	Beam   int    `json:"beam"`
	Inner  int    `json:"inner"`
}

// maxInner bounds the beam inside a reverse step, whose work is the host's alone.
const maxInner = 1024

// question completes the options as a model would, so that the width of the beam is known.
func (d *decoding) question(info *Info) (learn.Query, error) {
	q := learn.Query{Kind: learn.KindOrder, Top: 1}
	if d.Top != nil {
		q.Top = *d.Top
	}
	if d.Beam < 0 || d.Inner < 0 || d.Inner > maxInner {
		return q, unfit("field", "beam and inner: wanted 1 or more, and inner at most %d (got %d and %d)", maxInner, d.Beam, d.Inner)
	}
	var err error
	q.Decode, err = learn.DecodeOptions{Method: d.Decode, Beam: d.Beam, Inner: d.Inner}.Complete(info.Decode, q.Top)
	if err != nil {
		return q, unfit("field", "%v", err)
	}
	return q, nil
}

type orderRequest struct {
	Model string           `json:"model"`
	Sets  []jsontext.Value `json:"sets"`
	decoding
}

type sampleRequest struct {
	Model string           `json:"model"`
	Sets  []jsontext.Value `json:"sets"`
	Count *int             `json:"count"`
	Seed  *uint64          `json:"seed"`
}

type scoreRequest struct {
	Model string           `json:"model"`
	Sets  []jsontext.Value `json:"sets"`
	Draws *int             `json:"draws"`
	Seed  *uint64          `json:"seed"`
}

// answers is what the three answer; A is learn's Ordered, Sampled or Scored.
type answers[A any] struct {
	Model   string `json:"model"`
	Step    int    `json:"step"` // of the training, at the checkpoint that answered
	Answers []A    `json:"answers"`
}

func (s *Server) order(w http.ResponseWriter, r *http.Request, room *reserved) (any, error) {
	var in orderRequest
	h, err := s.request(w, r, room, &in, func() string { return in.Model })
	if err != nil {
		return nil, err
	}
	q, err := in.question(h.info.Load())
	if err != nil {
		return nil, err
	}
	j, err := s.ask(r, h, in.Sets, q, room)
	if err != nil {
		return nil, err
	}
	return answers[learn.Ordered]{h.name, j.info.Step, j.ordered}, nil
}

func (s *Server) sample(w http.ResponseWriter, r *http.Request, room *reserved) (any, error) {
	var in sampleRequest
	h, err := s.request(w, r, room, &in, func() string { return in.Model })
	if err != nil {
		return nil, err
	}
	q, err := draws(learn.KindSample, "count", in.Count, learn.DefaultCount, in.Seed)
	if err != nil {
		return nil, err
	}
	j, err := s.ask(r, h, in.Sets, q, room)
	if err != nil {
		return nil, err
	}
	return answers[learn.Sampled]{h.name, j.info.Step, j.sampled}, nil
}

func (s *Server) score(w http.ResponseWriter, r *http.Request, room *reserved) (any, error) {
	var in scoreRequest
	h, err := s.request(w, r, room, &in, func() string { return in.Model })
	if err != nil {
		return nil, err
	}
	q, err := draws(learn.KindScore, "draws", in.Draws, learn.DefaultDraws, in.Seed)
	if err != nil {
		return nil, err
	}
	j, err := s.ask(r, h, in.Sets, q, room)
	if err != nil {
		return nil, err
	}
	return answers[learn.Scored]{h.name, j.info.Step, j.scored}, nil
}

// draws makes a question of random draws; what is missing is as the command has it.
func draws(kind learn.Kind, field string, count *int, usual int, seed *uint64) (learn.Query, error) {
	q := learn.Query{Kind: kind, Count: usual, Seed: learn.DefaultSeed}
	if count != nil {
		q.Count = *count
	}
	if seed != nil {
		q.Seed = *seed
	}
	if err := learn.CheckDraws(field, q.Count); err != nil {
		return q, unfit("field", "%v", err)
	}
	return q, nil
}

// request reads a JSON request and finds its model.
func (s *Server) request(w http.ResponseWriter, r *http.Request, room *reserved, into any, model func() string) (*hosted, error) {
	body, err := s.read(w, r, room, "application/json")
	if err != nil {
		return nil, err
	}
	if err := s.count(body, room); err != nil {
		return nil, err
	}
	if err := parse(body, into); err != nil {
		return nil, err
	}
	return s.model(model())
}

// ask puts a question about sets to a model and waits for its answer.
func (s *Server) ask(r *http.Request, h *hosted, values []jsontext.Value, q learn.Query, room *reserved) (*job, error) {
	ctx, cancel := s.within(r)
	defer cancel()
	sets, err := s.sets(ctx, values, h.info.Load(), room)
	if err != nil {
		return nil, err
	}
	return s.put(ctx, h, sets, q)
}

// within is the time that a request has for its answer.
func (s *Server) within(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Context(), s.limits.Time)
}

// put hands sets to a model and waits for its answer, where all limits allow it. Every question of
// whatever route comes by here.
func (s *Server) put(ctx context.Context, h *hosted, sets []*dataset.Set, q learn.Query) (*job, error) {
	info := h.info.Load()
	if q.Kind == learn.KindScore {
		for i, set := range sets {
			if err := learn.CheckScore(info.process, set); err != nil {
				return nil, inSet(i, unfit("order", "%v", err))
			}
		}
	}
	work := info.work(q, sets)
	if err := s.limits.allow(work); err != nil {
		return nil, err
	}
	j := &job{ctx: ctx, sets: sets, ask: q, work: work, done: make(chan struct{})}
	if err := h.put(j); err != nil {
		return nil, err
	}
	select {
	case <-j.done:
	case <-ctx.Done():
		return nil, s.late()
	case <-h.life.Done():
		return nil, errStopping
	}
	switch {
	case errors.Is(j.err, context.DeadlineExceeded):
		return nil, s.late()
	case errors.Is(j.err, context.Canceled): // by the server: the asker is here
		return nil, errStopping
	}
	return j, j.err
}

// late is for a request that had no answer in time.
func (s *Server) late() error {
	return faultf(http.StatusServiceUnavailable, "time", "no answer after %s, or after %s of work\nhint: ask for less, or later", s.limits.Time, s.limits.Busy)
}
