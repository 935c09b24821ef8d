package server

import (
	"encoding/json/jsontext"
	json "encoding/json/v2"
	"errors"
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
	Points []point `json:"points"`
}

// point is two finite numbers. A null is none, as it stands for NaN where JSON is written by others.
type point [2]float64

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (p *point) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	var numbers []*float64
	if dec.PeekKind() == 'n' {
		return errPoint
	}
	if err := json.UnmarshalDecode(dec, &numbers); err != nil {
		return err
	}
	if len(numbers) != 2 || numbers[0] == nil || numbers[1] == nil {
		return errPoint
	}
	p[0], p[1] = *numbers[0], *numbers[1]
	return nil
}

var errPoint = errors.New("wanted two finite numbers")

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
	points := make([][2]float64, len(in.Points))
	for k, p := range in.Points {
		points[k] = p
	}
	n := int64(len(points))
	if err := room.take(n * n * tourBytes); err != nil {
		return nil, err
	}
	out := tourAnswer{}
	var err error
	out.Order, out.Length, out.Proven, err = question.Shortest(r.Context(), points, min(maxSearch, s.limits.Time), s.limits.Limits)
	return out, err
}
