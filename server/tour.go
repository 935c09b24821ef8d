package server

import (
	"net/http"
	"time"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/question"
)

// maxSearch is how long a request looks for the shortest tour. The best tour found until then is
// the answer. It needs no model, and keeps a core busy.
const maxSearch = time.Second

// maxSearches is how many searches there may be at a time, else 429.
const maxSearches = 2

// tourBytes is what a search takes for a pair of points: its length, what is known of it, and a node of the search.
const tourBytes = 64

type tourRequest struct {
	Points [][2]float64 `json:"points"`
}

// tourAnswer is a short closed tour through the points, and whether it is proven that none is shorter.
type tourAnswer struct {
	Order  perm.Order `json:"order"` // begins at point 0
	Length float64    `json:"length"`
	Proven bool       `json:"proven"`
}

// tour finds the shortest tour without a model, to compare a model's tour with.
func (s *Server) tour(w http.ResponseWriter, r *http.Request, room *reserved) (any, error) {
	var in tourRequest
	if err := s.parsed(w, r, room, &in); err != nil {
		return nil, err
	}
	select {
	case s.searches <- struct{}{}:
		defer func() { <-s.searches }()
	default:
		return nil, busy("queue", "%d tours are searched for already", maxSearches)
	}
	n := int64(len(in.Points))
	if err := room.take(n * n * tourBytes); err != nil {
		return nil, err
	}
	out := tourAnswer{}
	var err error
	out.Order, out.Length, out.Proven, err = question.Shortest(r.Context(), in.Points, min(maxSearch, s.limits.Time), s.limits.Limits)
	return out, err
}
