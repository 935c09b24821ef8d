package server

import (
	"net/http"
	"time"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/question"
)

// maxSearch is how long the shortest tour of a request is looked for; the tour found until then
// is the answer. It needs no model, and keeps a core busy.
const maxSearch = time.Second

// maxSearches is how many searches there may be at a time, else 429.
const maxSearches = 2

// tourBytes is what a search takes for a pair of points: its length, what is known of it, and the node of the search
// that each may end in.
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

// tour finds the shortest tour without a model, for a model's to be held against.
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
