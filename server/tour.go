package server

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
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
	body, err := s.read(w, r, room, "application/json")
	if err != nil {
		return nil, err
	}
	if err := s.count(body, room); err != nil {
		return nil, err
	}
	var in tourRequest
	if err := parse(body, &in); err != nil {
		return nil, err
	}
	n := len(in.Points)
	if n < 1 {
		return nil, unfit("points", "points: wanted 1 or more")
	}
	if n > s.limits.Items {
		return nil, tooLarge("items", "points: wanted at most %d (got %d)", s.limits.Items, n)
	}
	for k, p := range in.Points {
		if !(math.Abs(p[0]) <= maxCoordinate && math.Abs(p[1]) <= maxCoordinate) {
			return nil, unfit("points", "points[%d]: coordinates are beyond %g", k, maxCoordinate)
		}
	}
	select {
	case s.searches <- struct{}{}:
		defer func() { <-s.searches }()
	default:
		return nil, busy("queue", "%d tours are searched for already", maxSearches)
	}
	if err := room.take(int64(n*n) * tourBytes); err != nil {
		return nil, err
	}
	x, err := tsp.New(in.Points, tsp.Euclidean)
	if err != nil {
		return nil, unfit("points", "%v", err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), min(maxSearch, s.limits.Time))
	defer cancel()
	var out tourAnswer
	out.Order, out.Length, out.Proven = tsp.Exact(ctx, x)
	if math.IsInf(out.Length, 0) || math.IsNaN(out.Length) {
		return nil, unfit("points", "points: the length of a tour overflows\nhint: smaller coordinates")
	}
	return out, nil
}
