package question

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// Search asks for short tours, or paths, through the cities of a file without a model.
type Search struct {
	Ends
	// Method is exact, 2opt or oropt. exact is branch and bound. 2opt takes the best of Starts 2-opt
	// descents from random tours. oropt takes the best of Starts searches by 2-opt, Or-opt and 10
	// double bridges a city.
	Method string
	Starts int           // of 2opt and oropt
	Seed   uint64        // of what is random
	Limit  time.Duration // of exact: how long to look for a proof of each instance
}

// DefaultSearch is the search where nothing else is said.
var DefaultSearch = Search{Method: "exact", Starts: 5, Seed: DefaultSeed, Limit: time.Minute}

// Check refuses a search that cannot be made.
func (s *Search) Check() error {
	switch s.Method {
	case "exact":
		if s.Limit <= 0 {
			return learn.Refuse(learn.Usage, "time", "must be above 0 (got %s)", s.Limit)
		}
	case "2opt", "oropt":
		if s.Starts < 1 {
			return learn.Refuse(learn.Usage, "starts", "must be 1 or more (got %d)", s.Starts)
		}
	default:
		return learn.RefuseWord("method", "method", s.Method, "exact, 2opt or oropt")
	}
	return s.Ends.Check()
}

// Found is the tour or path of an instance.
type Found struct {
	ID     string     `json:"id"`
	Cities int        `json:"cities"`
	Length float64    `json:"length"`
	Proven *bool      `json:"proven,omitempty"` // to be the shortest; of exact alone
	Gap    *float64   `json:"gap,omitempty"`    // percent, to the file's tour where it has one
	Open   bool       `json:"open,omitempty"`   // a path: the length has no way back
	Tour   perm.Order `json:"tour"`
	// Warnings are about the file's distances, and say why its tour may not be the shortest.
	Warnings []string `json:"warnings,omitempty"`

	reference float64 // length of the file's tour
}

// Summary says what was found of several instances, and in what time.
func (s *Search) Summary(all []Found, took time.Duration) (lines []string) {
	n := len(all)
	if n < 2 {
		return nil
	}
	length, gap, proven, labelled := 0.0, 0.0, 0, 0
	for _, f := range all {
		length += f.Length
		if f.Gap != nil {
			gap += *f.Gap
			labelled++
		}
		if f.Proven != nil && *f.Proven {
			proven++
		}
	}
	lines = []string{fmt.Sprintf("%d instances, mean length %.6f, %.1f s, %.0f a second", n, length/float64(n), took.Seconds(), float64(n)/took.Seconds())}
	if s.Method == "exact" {
		lines = append(lines, fmt.Sprintf("%d proven to be the shortest", proven))
	}
	if labelled > 0 {
		lines = append(lines, fmt.Sprintf("mean gap to the file's tours %.4f %%", gap/float64(labelled)))
	}
	return lines
}

// Find searches all instances of a file. warnings are those about all of them together.
func (s *Search) Find(ctx context.Context, f *dataset.File) (all []Found, warnings []string, err error) {
	list := f.Problems()
	all = make([]Found, len(list))
	failed := make([]error, len(all))
	parallel.For(len(all), func(i int) {
		if all[i], failed[i] = s.find(ctx, &list[i], i); failed[i] != nil {
			failed[i] = fmt.Errorf("%s: %w", list[i].Where, failed[i])
		}
	})
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	var doubts tsp.Doubts
	for i, err := range failed {
		if err != nil {
			return nil, nil, err
		}
		if all[i].reference > 0 {
			doubts.Found(list[i].Where, all[i].Length, all[i].reference)
		}
		all[i].Warnings = append(slices.Clone(f.Warnings), all[i].Warnings...)
	}
	return all, doubts.Warnings(), nil
}

// find searches the i-th instance.
func (s *Search) find(ctx context.Context, p *dataset.Problem, i int) (r Found, err error) {
	closed, err := p.Instance()
	if err != nil || ctx.Err() != nil {
		return r, err
	}
	ends, err := s.Of(closed.N())
	if err != nil {
		return r, err
	}
	x := closed
	if s.Open {
		if x, err = closed.Open(ends); err != nil {
			return r, err
		}
	}
	r.ID, r.Cities, r.Open = p.ID, p.Cities, s.Open
	s.search(ctx, x, rand.New(rand.NewPCG(s.Seed, uint64(i))), &r)
	if s.Open {
		r.Tour = closed.Path(r.Tour, ends)
		r.Length = closed.PathLength(r.Tour)
		return r, nil
	}
	r.Tour = x.Canonical(r.Tour, max(0, ends.Start))
	r.Length = x.Length(r.Tour)
	if p.Tour == nil {
		return r, nil
	}
	r.reference = x.Length(p.Tour)
	var doubts tsp.Doubts
	doubts.Found("the file's tour", r.Length, r.reference)
	r.Warnings = doubts.Warnings()
	r.Gap, err = gapTo(r.Length, r.reference)
	return r, err
}

// search finds a closed tour.
func (s *Search) search(ctx context.Context, x *tsp.Instance, rng *rand.Rand, r *Found) {
	switch s.Method {
	case "exact":
		ctx, cancel := context.WithTimeout(ctx, s.Limit)
		defer cancel()
		r.Proven = new(bool)
		r.Tour, _, *r.Proven = tsp.Exact(ctx, x)
	case "2opt":
		r.Tour = tsp.TwoOptStarts(x, s.Starts, rng)
	case "oropt":
		for range s.Starts {
			t := tsp.OrOpt(x, perm.Random(rng, x.N()), 10*x.N(), rng)
			if r.Tour == nil || x.Length(t) < x.Length(r.Tour) {
				r.Tour = t
			}
		}
	}
}
