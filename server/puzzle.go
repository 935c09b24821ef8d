package server

import (
	"fmt"
	"net/http"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/question"
)

type puzzleRequest struct {
	Model   string  `json:"model"`
	Picture string  `json:"picture"` // base64
	Rows    int     `json:"rows"`
	Columns int     `json:"columns"`
	Crop    bool    `json:"crop"`
	Shuffle *uint64 `json:"shuffle"`
	// Constraints are about tiles and positions, both numbered row by row. Tiles are numbered in
	// the picture as it came, or as Shuffle left it, and positions in the one put together.
	Constraints constraint.Text `json:"constraints"`
	decoding
}

// puzzleAnswer has the fields of riffle order --grid --json, except for its files. Tiles are
// numbered row by row as they stood in the picture or, after Shuffle, as it left them.
type puzzleAnswer struct {
	Model   string         `json:"model"`
	Step    int            `json:"step"`
	Rows    int            `json:"rows"`
	Columns int            `json:"columns"`
	Order   perm.Order     `json:"order"`
	LogPath learn.Nats     `json:"log_path"`
	Orders  []learn.Ranked `json:"orders"`
	Steps   []perm.Order   `json:"steps"`
	// Shuffled says, in order form, which tile of the picture became which. Tile k is the picture's
	// tile Shuffled[k].
	Shuffled perm.Order `json:"shuffled,omitempty"`
	// Right is how many tiles stand where they did before the shuffle.
	Right    *int     `json:"right,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

func (s *Server) puzzle(w http.ResponseWriter, r *http.Request, room *reserved) (any, error) {
	var in puzzleRequest
	h, err := s.request(w, r, room, &in, func() string { return in.Model })
	if err != nil {
		return nil, err
	}
	info := h.info.Load()
	p := question.Puzzle{Rows: in.Rows, Columns: in.Columns, Crop: in.Crop, Shuffle: in.Shuffle, CropHint: `"crop": true cuts it to that size`}
	if _, err := p.Fits(info.about); err != nil {
		return nil, err
	}
	q, err := in.query(info, s.limits.Limits)
	if err != nil {
		return nil, err
	}
	if err := p.Check(s.limits.Items); err != nil {
		return nil, err
	}
	ctx, cancel := s.within(r)
	defer cancel()
	pixels := 0
	whole, err := s.picture(ctx, in.Picture, &pixels, room)
	if err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	tiles, err := p.Cut("puzzle", whole)
	if err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	tiles.Constraints = in.Constraints
	j, err := s.put(ctx, h, []*dataset.Set{tiles.Set}, q)
	if err != nil {
		return nil, err
	}
	a, err := tiles.Restored(info.about, j.answer.Ordered[0])
	if err != nil {
		return nil, err
	}
	return puzzleAnswer{
		Model: h.name, Step: j.info.Step, Rows: in.Rows, Columns: in.Columns, Order: a.Order, LogPath: a.LogPath, Orders: a.Orders, Steps: a.Steps,
		Shuffled: tiles.Shuffled, Right: a.Right, Warnings: a.Warnings,
	}, nil
}
