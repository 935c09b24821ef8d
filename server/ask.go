package server

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"net/http"
	"slices"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/question"
)

// decoding is how a request wants orders found. The names are those of the command's flags.
type decoding struct {
	Top    *int   `json:"top"`
	Decode string `json:"decode"`
	Beam   int    `json:"beam"`
	Inner  int    `json:"inner"`
}

func (d *decoding) query(info *Info, l question.Limits) (learn.Query, error) {
	return question.Order{
		Top: or(d.Top, question.DefaultTop), Decode: learn.DecodeOptions{Method: d.Decode, Beam: d.Beam, Inner: d.Inner},
	}.Query(info.about, l)
}

// or is the value of a field of a request, or the usual one where there is none.
func or[T any](field *T, usual T) T {
	if field == nil {
		return usual
	}
	return *field
}

// asking is what all questions about sets have.
type asking struct {
	Model string           `json:"model"`
	Sets  []jsontext.Value `json:"sets"`
}

func (a *asking) about() *asking { return a }

// setsRequest is a question about sets.
type setsRequest interface {
	about() *asking
	query(info *Info, l question.Limits) (learn.Query, error)
}

type orderRequest struct {
	asking
	decoding
}

type sampleRequest struct {
	asking
	Count *int    `json:"count"`
	Seed  *uint64 `json:"seed"`
}

func (r *sampleRequest) query(*Info, question.Limits) (learn.Query, error) {
	return question.Sample{Count: or(r.Count, question.DefaultCount), Seed: or(r.Seed, question.DefaultSeed)}.Query()
}

type scoreRequest struct {
	asking
	Draws *int    `json:"draws"`
	Seed  *uint64 `json:"seed"`
}

func (r *scoreRequest) query(*Info, question.Limits) (learn.Query, error) {
	return question.Score{Draws: or(r.Draws, question.DefaultDraws), Seed: or(r.Seed, question.DefaultSeed)}.Query()
}

// answers is what is answered about sets; A is learn's Ordered, Sampled or Scored.
type answers[A any] struct {
	Model   string `json:"model"`
	Step    int    `json:"step"` // of the training, at the checkpoint that answered
	Answers []A    `json:"answers"`
}

func (s *Server) order(w http.ResponseWriter, r *http.Request, room *reserved) (any, error) {
	return askAbout(s, w, r, room, &orderRequest{}, func(a *question.Answer) []learn.Ordered { return a.Ordered })
}

func (s *Server) sample(w http.ResponseWriter, r *http.Request, room *reserved) (any, error) {
	return askAbout(s, w, r, room, &sampleRequest{}, func(a *question.Answer) []learn.Sampled { return a.Sampled })
}

func (s *Server) score(w http.ResponseWriter, r *http.Request, room *reserved) (any, error) {
	return askAbout(s, w, r, room, &scoreRequest{}, func(a *question.Answer) []learn.Scored { return a.Scored })
}

// askAbout reads a question about sets, puts it to its model and waits for the answer.
func askAbout[A any](s *Server, w http.ResponseWriter, r *http.Request, room *reserved, in setsRequest, of func(*question.Answer) []A) (any, error) {
	h, err := s.request(w, r, room, in, func() string { return in.about().Model })
	if err != nil {
		return nil, err
	}
	info := h.info.Load()
	q, err := in.query(info, s.limits.Limits)
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.within(r)
	defer cancel()
	sets, err := s.sets(ctx, in.about().Sets, info, room)
	if err != nil {
		return nil, err
	}
	j, err := s.put(ctx, h, sets, q)
	if at, ok := errors.AsType[*question.AtSet](err); ok {
		return nil, inSet(at.Index, err)
	}
	if of, ok := errors.AsType[*learn.SetError](err); ok { // it has the id alone, which several may have
		if i := slices.IndexFunc(sets, func(s *dataset.Set) bool { return s.ID == of.ID }); i >= 0 && !slices.ContainsFunc(sets[i+1:], func(s *dataset.Set) bool { return s.ID == of.ID }) {
			return nil, inSet(i, err)
		}
	}
	if err != nil {
		return nil, err
	}
	return answers[A]{h.name, j.info.Step, of(&j.answer)}, nil
}

// request reads a JSON request and finds its model.
func (s *Server) request(w http.ResponseWriter, r *http.Request, room *reserved, into any, model func() string) (*hosted, error) {
	if err := s.parsed(w, r, room, into); err != nil {
		return nil, err
	}
	return s.model(model())
}

// parsed reads a JSON request.
func (s *Server) parsed(w http.ResponseWriter, r *http.Request, room *reserved, into any) error {
	body, err := s.read(w, r, room, "application/json")
	if err != nil {
		return err
	}
	if err := s.count(body, room); err != nil {
		return err
	}
	return parse(body, into)
}

// within is the time that a request has for its answer.
func (s *Server) within(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Context(), s.limits.Time)
}

// put hands sets to a model and waits for its answer, if the question is admitted. The questions of all
// routes come through here.
func (s *Server) put(ctx context.Context, h *hosted, sets []*dataset.Set, q learn.Query) (*job, error) {
	work, err := h.info.Load().about.Admit(q, sets, s.limits.Limits)
	if err != nil {
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
	return faultf(http.StatusServiceUnavailable, "time", "no answer after %s, or after %s of work", s.limits.Time, s.limits.Busy).help("ask for less, or later")
}
