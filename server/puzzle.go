package server

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strconv"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

type puzzleRequest struct {
	Model   string  `json:"model"`
	Picture string  `json:"picture"` // base64
	Rows    int     `json:"rows"`
	Columns int     `json:"columns"`
	Crop    bool    `json:"crop"`
	Shuffle *uint64 `json:"shuffle"`
	// Constraints are about tiles and positions, both numbered row by row: tiles in the picture
	// as it came, or as Shuffle left it, positions in the one put together.
	Constraints constraint.Text `json:"constraints"`
	decoding
}

// puzzleAnswer has the fields of riffle order --grid --json, but for its files. Tiles are
// numbered row by row as they stood in the picture or, after Shuffle, as that left them.
type puzzleAnswer struct {
	Model   string         `json:"model"`
	Step    int            `json:"step"`
	Rows    int            `json:"rows"`
	Columns int            `json:"columns"`
	Order   perm.Order     `json:"order"`
	LogPath learn.Nats     `json:"log_path"`
	Orders  []learn.Ranked `json:"orders"`
	Steps   []perm.Order   `json:"steps"`
	// Shuffled says, in order form, which tile of the picture became which: tile k is the
	// picture's tile Shuffled[k].
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
	if info.kind != dataset.KindImage || info.Rows == 0 {
		return nil, unfit("model", "model %s is of the task %s, wanted one of jigsaw", info.Name, info.Task)
	}
	q, err := in.question(info)
	if err != nil {
		return nil, err
	}
	switch n := s.limits.Items; {
	case in.Rows < 1 || in.Columns < 1 || in.Rows == 1 && in.Columns == 1:
		return nil, unfit("field", "rows and columns: wanted 2 tiles or more (got %d×%d)", in.Rows, in.Columns)
	case in.Rows > n || in.Columns > n/in.Rows:
		return nil, tooLarge("items", "rows and columns: wanted at most %d tiles (got %d×%d)", n, in.Rows, in.Columns)
	}
	ctx, cancel := s.within(r)
	defer cancel()
	pixels := 0
	whole, err := s.picture(ctx, in.Picture, &pixels, room)
	if err != nil {
		f := asFault(err)
		return nil, &fault{f.status, f.reason, "picture: " + f.message}
	}
	if in.Crop {
		if whole, err = whole.Crop(in.Rows, in.Columns); err != nil {
			return nil, unfit("picture", "picture: %v", err)
		}
	}
	tiles, err := whole.Cut(in.Rows, in.Columns)
	if err != nil {
		return nil, unfit("picture", "picture: %v\nhint: \"crop\": true cuts it to that size", err)
	}
	out := puzzleAnswer{Model: h.name, Rows: in.Rows, Columns: in.Columns}
	var truth perm.Order
	if in.Shuffle != nil {
		out.Shuffled = perm.Random(rand.New(rand.NewPCG(*in.Shuffle, 0)), len(tiles))
		tiles, truth = perm.Act(out.Shuffled, tiles), out.Shuffled.Inverse()
	}
	set := &dataset.Set{ID: "puzzle", Kind: dataset.KindImage, Constraints: in.Constraints}
	for i, tile := range tiles {
		set.Items = append(set.Items, dataset.Item{ID: strconv.Itoa(i), Image: fmt.Sprintf("tile %d", i), Picture: tile})
	}
	if err := s.fits(set, info); err != nil {
		return nil, err
	}
	j, err := s.put(ctx, h, []*dataset.Set{set}, q)
	if err != nil {
		return nil, err
	}
	a := j.ordered[0]
	out.Step, out.Orders, out.Steps, out.Warnings = j.info.Step, a.Orders, a.Steps, a.Warnings
	out.Order, out.LogPath = a.Orders[0].Order, a.Orders[0].LogPath
	if info.N == in.Rows*in.Columns && info.Rows != in.Rows {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the grid is of %d×%d tiles, the model was trained on %d×%d: the answer may be worse", in.Rows, in.Columns, info.Rows, info.Columns))
	}
	if truth != nil {
		right, nearest := 0, metric.Nearest(out.Order, truth, dataset.EqualPictures(tiles))
		for i, k := range out.Order {
			if k == nearest[i] {
				right++
			}
		}
		out.Right = &right
	}
	return out, nil
}
