// Package server answers questions about orders over HTTP, with the models of run
// directories: a JSON API under /v1 and a page for people.
//
//	GET  /v1/models        what there is to ask, and the limits
//	POST /v1/order         the most probable orders of sets        {"model", "sets", "top", …}
//	POST /v1/sample        draws, and how often each item is at each position
//	POST /v1/score         log p of given orders and a lower bound on it, nats
//	POST /v1/puzzle        a picture, cut into tiles, put together again
//	POST /v1/sets          a table in CSV as sets
//	GET  /v1/openapi.json  all of this, for programs
//	GET  /healthz          is it alive; 503 once it stops
//	GET  /readyz           does it want requests; 503 from the moment it is told to stop
//	GET  /metrics          for Prometheus
//
// Answers have the shapes that riffle order, sample and score print with --json. Pictures come in
// the request, as base64. No request names a file or an address, so none can make the server read
// one.
//
// # Who waits for whom
//
// Two goroutines cannot use a model at once. So one goroutine owns each model and takes requests
// from a queue. While it works, further requests gather there. Requests to order go through the
// network together, whoever sent them, up to the work that a single request may cost. An answer
// does not depend on the requests beside it: all orders start from the same arrangement, and
// warnings are about one set. sample and score draw at random, so each of their requests is
// answered alone, from its own seed. So are orders under constraints. A request is due after ten
// times its estimated time, so short ones go first. Work ends when all clients that asked for it
// have left.
//
// A request is refused at once with 429 if it would make the queue longer than [Limits].Queue. So
// is one that would make the pictures and bodies in memory larger than [Limits].Memory.
package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/hint"
)

// Options is what a server is made of.
type Options struct {
	// Runs are the directories of the models. A model's name is the last part of its path.
	Runs   []string
	Engine *engine.Engine
	// Token, if not "", is what every request under /v1 and to /metrics must carry, as
	// "Authorization: Bearer TOKEN".
	Token  string
	Limits Limits
	// Drain is how long [Server.Serve] goes on taking requests after it was told to stop. During
	// this time /readyz already answers 503, so that a load balancer can turn to other servers.
	Drain time.Duration
	Log   *slog.Logger
}

// MinToken is the least length of a token, in bytes.
const MinToken = 16

// Server is models and the HTTP handler in front of them.
type Server struct {
	models    []*hosted
	byName    map[string]*hosted
	limits    Limits
	token     string
	log       *slog.Logger
	metrics   *metrics
	memory    atomic.Int64  // bytes of [Limits].Memory that are taken
	searches  chan struct{} // has a place for each search for a tour that may run at the same time
	drain     time.Duration
	draining  atomic.Bool
	stopping  atomic.Bool
	bodyPause time.Duration             // the constant bodyPause, except in tests
	graceEnd  atomic.Pointer[time.Time] // when the grace of [Server.Serve] ends; set once it stops
	handler   http.Handler
}

// New loads the models of the runs. Close frees them.
func New(o Options) (*Server, error) {
	if err := o.Limits.Validate(); err != nil {
		return nil, err
	}
	if o.Token != "" && len(o.Token) < MinToken {
		return nil, hint.Errorf("openssl rand -hex 16 makes one", "token: wanted %d bytes or more (got %d)", MinToken, len(o.Token))
	}
	if len(o.Runs) == 0 {
		return nil, errors.New("runs: wanted one or more directories of models")
	}
	s := &Server{byName: map[string]*hosted{}, limits: o.Limits, token: o.Token, drain: o.Drain, log: o.Log, metrics: newMetrics(), searches: make(chan struct{}, maxSearches), bodyPause: bodyPause}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	shared := newRoom(o.Limits.WorkBytes)
	for _, dir := range o.Runs {
		whole, err := filepath.Abs(dir)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		name := filepath.Base(whole)
		if twin := s.byName[name]; twin != nil {
			return nil, errors.Join(hint.Errorf("models are told apart by the last part of their path; a link can give one another name", "%s and %s are both called %q", twin.dir, dir, name), s.Close())
		}
		h, err := host(name, dir, o.Engine, s.limits, shared, s.metrics, s.log)
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		s.models, s.byName[name] = append(s.models, h), h
	}
	s.handler = s.routes()
	return s, nil
}

// ServeHTTP implements [http.Handler].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Reload reads every run's last checkpoint again. Each model changes between two batches, so no
// request is lost and none is answered by two models. If a run cannot be read, the model that was
// loaded stays, and the error says so.
func (s *Server) Reload() error {
	var faults []error
	for _, h := range s.models {
		if err := h.replace(); err != nil {
			faults = append(faults, fmt.Errorf("model %s stays at step %d: %w", h.name, h.info.Load().Step, err))
		}
	}
	return errors.Join(faults...)
}

// Times for ending the server. A step that the engine has begun may go on for a moment.
const (
	lastAnswers = 6 * time.Second // for the answers to requests that were ended; at most half of the grace
	lastStep    = 5 * time.Second // how long Close waits if there is no grace
	leastStep   = 250 * time.Millisecond
	lastBreath  = 3 * time.Second // for the process to end, on a busy machine; at most a fifth of the grace
)

// Close ends the models and their work. The HTTP server in front must have ended. Requests that
// still wait are answered with an error. Close fails if a model's step does not end within seconds,
// or within the grace of [Server.Serve].
func (s *Server) Close() error {
	s.stopping.Store(true)
	s.end()
	var faults []error
	end := time.Now().Add(lastStep)
	if g := s.graceEnd.Load(); g != nil && g.Before(end) {
		end = *g
	}
	if least := time.Now().Add(leastStep); end.Before(least) {
		end = least
	}
	for _, h := range s.models {
		if !h.stop(time.Until(end)) {
			faults = append(faults, fmt.Errorf("model %s was still at work when the server closed", h.name))
		}
	}
	return errors.Join(faults...)
}

// end ends the work of all models.
func (s *Server) end() {
	for _, h := range s.models {
		h.kill()
	}
}

// Serve answers on a listener until ctx ends, and for [Options].Drain more. Then it takes no new
// connections, answers what it has begun, and returns nil within grace. Shortly before the grace is
// over it ends unfinished requests, and its error says so.
func (s *Server) Serve(ctx context.Context, l net.Listener, grace time.Duration) error {
	web := &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       s.limits.Time,
		WriteTimeout:      2*s.limits.Time + 10*time.Second, // reading, the answer, writing it
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	ended := make(chan error, 1)
	go func() { ended <- web.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	if s.draining.Store(true); s.drain > 0 {
		s.log.Info("draining", "for", s.drain.String())
		select {
		case err := <-ended:
			return err
		case <-time.After(s.drain):
		}
	}
	s.stopping.Store(true)
	s.log.Info("stopping", "grace", grace.String())
	graceEnd := time.Now().Add(grace - min(grace/5, lastBreath))
	s.graceEnd.Store(&graceEnd)
	last, cancel := context.WithDeadline(context.WithoutCancel(ctx), graceEnd)
	defer cancel()
	cut := atomic.Bool{}
	end := time.AfterFunc(grace-min(grace/2, lastAnswers), func() {
		cut.Store(true)
		s.end()
	})
	defer end.Stop()
	err := web.Shutdown(last)
	if err != nil || cut.Load() {
		if errors.Is(err, context.DeadlineExceeded) { // as this says
			err = nil
		}
		return errors.Join(fmt.Errorf("stopping: requests were cut off after %s", grace), err, web.Close())
	}
	return nil
}
