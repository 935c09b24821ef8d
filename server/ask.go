package server

import (
	"context"
	"encoding/json/jsontext"
	"errors"
	"net/http"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
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
func (d *decoding) question(info *Info) (q question, states int, err error) {
	q = question{kind: "order", top: 1, decode: learn.DecodeOptions{Method: d.Decode, Beam: d.Beam, Inner: d.Inner}}
	if d.Top != nil {
		q.top = *d.Top
	}
	o := &q.decode
	switch {
	case q.top < 1:
		return q, 0, unfit("field", "top: must be 1 or more (got %d)", q.top)
	case o.Method != "" && o.Method != "greedy" && o.Method != "beam":
		return q, 0, unfit("field", "decode: unknown %q, wanted greedy or beam", o.Method)
	case o.Beam < 0 || o.Inner < 0 || o.Inner > maxInner:
		return q, 0, unfit("field", "beam and inner: wanted 1 or more, and inner at most %d (got %d and %d)", maxInner, o.Beam, o.Inner)
	case o.Method == "greedy" && (o.Beam > 0 || o.Inner > 0):
		return q, 0, unfit("field", "decode: greedy has no beam and inner")
	case o.Method == "greedy" && q.top > 1:
		return q, 0, unfit("field", "decode: greedy gives one order (asked for top %d)", q.top)
	case o.Method == "" && (o.Beam > 0 || o.Inner > 0 || q.top > 1):
		o.Method = "beam"
	case o.Method == "":
		o.Method = info.Decode.Method
	}
	if o.Method == "greedy" {
		return q, 1, nil
	}
	if o.Beam == 0 {
		o.Beam = info.Decode.Beam
	}
	if o.Inner == 0 {
		o.Inner = info.Decode.Inner
	}
	o.Beam = max(o.Beam, q.top)
	return q, o.Beam, nil
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
	q, states, err := in.question(h.info.Load())
	if err != nil {
		return nil, err
	}
	j, err := s.ask(r, h, in.Sets, q, states, room)
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
	q, err := draws("sample", "count", in.Count, 10, in.Seed)
	if err != nil {
		return nil, err
	}
	j, err := s.ask(r, h, in.Sets, q, q.count, room)
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
	q, err := draws("score", "draws", in.Draws, 32, in.Seed)
	if err != nil {
		return nil, err
	}
	j, err := s.ask(r, h, in.Sets, q, q.count*(len(h.info.Load().Schedule)-1), room)
	if err != nil {
		return nil, err
	}
	return answers[learn.Scored]{h.name, j.info.Step, j.scored}, nil
}

// draws makes a question of random draws; what is missing is as the command has it.
func draws(kind, field string, count *int, usual int, seed *uint64) (question, error) {
	q := question{kind: kind, count: usual, seed: 1}
	if count != nil {
		q.count = *count
	}
	if seed != nil {
		q.seed = *seed
	}
	if q.count < 1 {
		return q, unfit("field", "%s: must be 1 or more (got %d)", field, q.count)
	}
	return q, nil
}

// request reads a JSON request and finds its model.
func (s *Server) request(w http.ResponseWriter, r *http.Request, room *reserved, into any, model func() string) (*hosted, error) {
	body, err := s.read(w, r, room, "application/json")
	if err != nil {
		return nil, err
	}
	if err := parse(body, into); err != nil {
		return nil, err
	}
	return s.model(model())
}

// ask puts a question about sets to a model, states of each at a time.
func (s *Server) ask(r *http.Request, h *hosted, values []jsontext.Value, q question, states int, room *reserved) (*job, error) {
	sets, err := s.sets(r.Context(), values, h.info.Load(), room)
	if err != nil {
		return nil, err
	}
	work := 0.0 // a product of integers could overflow
	for i, set := range sets {
		n := float64(max(1, len(set.Items)))
		work += n * float64(states)
		if !set.Constraints.IsZero() {
			work += q.ruleWork(n, float64(states))
		}
		if q.kind != "score" || set.Order != nil || len(set.Items) == 0 {
			continue
		}
		if set.Levels.Known() == 0 {
			return nil, inSet(i, unfit("order", "no order to score\nhint: every set needs \"order\", \"rank\" or \"levels\""))
		}
		if h.info.Load().kind == dataset.KindPoint {
			return nil, inSet(i, unfit("order", "ties, or items without a place: an order of all was wanted, as tours are"))
		}
	}
	if work > float64(s.limits.Work) {
		return nil, tooLarge("work", "too much in one request: the sum of items × states, and of what constraints take, is over %d\nhint: fewer sets, or less of top, beam, inner, count or draws; sets without constraints take less", s.limits.Work)
	}
	return s.wait(r, h, &job{sets: sets, ask: q, done: make(chan struct{})})
}

// ruleWork is what constraints add to the work of n items and so many states, in the same unit:
// the last step to an order that obeys is built position by position, for a draw up to
// [diffusion.Proposals] times, in a beam for each state as often as the search within is wide. A
// position takes time in proportion to n: at n = 52 about a fortieth of what the network takes
// for an item, where the default limits are in balance (0.1 ms).
func (q question) ruleWork(n, states float64) float64 {
	const share = 2000 // positions of a set of one item that are as much as an item in the network
	walks := states
	switch {
	case q.kind == "score": // of the free model
		return 0
	case q.kind == "sample":
		walks *= diffusion.Proposals
	case q.decode.Method == "beam":
		walks *= float64(max(q.decode.Beam, q.decode.Inner))
	}
	return walks * n * n / share
}

// wait puts a job in the queue of a model and waits for its answer.
func (s *Server) wait(r *http.Request, h *hosted, j *job) (*job, error) {
	ctx, cancel := context.WithTimeout(r.Context(), s.limits.Time)
	defer cancel()
	j.ctx = ctx
	if err := h.put(j); err != nil {
		return nil, err
	}
	late := faultf(http.StatusServiceUnavailable, "time", "no answer after %s\nhint: ask for less, or later", s.limits.Time)
	select {
	case <-j.done:
	case <-ctx.Done():
		return nil, late
	}
	if errors.Is(j.err, context.DeadlineExceeded) {
		return nil, late
	}
	return j, j.err
}
