package question

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

// Puzzle is tiles of a picture to be put together. Tiles are numbered row by row as they stand in the
// picture, or in a folder by the natural order of names. After Shuffle they are numbered as it left
// them. Positions are numbered row by row in the picture that is put together.
type Puzzle struct {
	Rows, Columns int
	Crop          bool    // cut off what the grid does not divide, on all sides alike
	Shuffle       *uint64 // shuffle the tiles first, by this seed
	Rules         constraint.Text
	// CropHint says how to crop, in the words of the command or the server. It is the hint of an
	// error that a crop avoids.
	CropHint string
}

// Check refuses what is no grid, and a grid of too many tiles. most of 0 is any number.
func (p *Puzzle) Check(most int) error {
	switch {
	case p.Rows < 1 || p.Columns < 1 || p.Rows == 1 && p.Columns == 1:
		return learn.Refuse(learn.Usage, "rows", "%s and %s: wanted 2 tiles or more (got %d×%d)", learn.Opt("rows"), learn.Opt("columns"), p.Rows, p.Columns)
	case most > 0 && (p.Rows > most || p.Columns > most/p.Rows):
		return learn.Refuse(learn.TooMuch, "items", "rows and columns: wanted at most %d tiles (got %d×%d)", most, p.Rows, p.Columns)
	}
	return nil
}

// Fits refuses a model that is not of puzzles. It warns of one that was trained on another grid.
func (p *Puzzle) Fits(m *Model) (warning string, err error) {
	if m.Rows == 0 {
		return "", learn.Refuse(learn.Unfit, "model", "model %s is of the task %s, wanted one of jigsaw", m.Name, m.Task).
			Flagged("%s wants a model of the task jigsaw, that of %s is of %s", learn.Opt("grid"), m.Name, m.Task)
	}
	if m.N == p.Rows*p.Columns && m.Rows != p.Rows {
		warning = fmt.Sprintf("the grid is of %d×%d tiles, the model was trained on %d×%d: the answer may be worse", p.Rows, p.Columns, m.Rows, m.Columns)
	}
	return warning, nil
}

// Tiles are what is asked about.
type Tiles struct {
	*dataset.Set
	// Shuffled says, in order form, which tile became which: tile k was tile Shuffled[k]. It is nil
	// without a shuffle.
	Shuffled perm.Order
	puzzle   *Puzzle
}

// Cut cuts a picture into tiles, which are called by their places.
func (p *Puzzle) Cut(id string, picture *dataset.Picture) (*Tiles, error) {
	whole := picture
	if p.Crop {
		var err error
		if whole, err = picture.Crop(p.Rows, p.Columns); err != nil {
			return nil, learn.Refuse(learn.Unfit, "picture", "%w", err)
		}
	}
	tiles, err := whole.Cut(p.Rows, p.Columns)
	if err != nil {
		refusal := learn.Refuse(learn.Unfit, "picture", "%w", err)
		if p.Rows <= whole.Rows && p.Columns <= whole.Cols {
			refusal.Hint = p.CropHint
		}
		return nil, refusal
	}
	set := &dataset.Set{ID: id, Kind: dataset.KindImage}
	for _, t := range tiles {
		set.Items = append(set.Items, dataset.Item{Picture: t})
	}
	return p.lay(set, true)
}

// ReadFolder reads the tiles of a folder, which are called by their files.
func (p *Puzzle) ReadFolder(ctx context.Context, id, dir string) (*Tiles, error) {
	if p.Crop {
		return nil, learn.Refuse(learn.Usage, "crop", "is for a picture, %s is a folder of tiles", dir)
	}
	set, err := dataset.ReadFolder(dir)
	if err != nil {
		return nil, err
	}
	set.ID = id
	if n := len(set.Items); n != p.Rows*p.Columns {
		return nil, fmt.Errorf("%s: has %d pictures, wanted the %d tiles of a grid of %d×%d", dir, n, p.Rows*p.Columns, p.Rows, p.Columns)
	}
	grey := true
	for i := range set.Items {
		t, err := dataset.LoadImage(ctx, set.ImagePath(i))
		if err != nil {
			return nil, err
		}
		if first := set.Items[0].Picture; i > 0 && (t.Rows != first.Rows || t.Cols != first.Cols) {
			return nil, fmt.Errorf("%s: %d×%d pixels (rows×columns), wanted %d×%d as %s has", set.ImagePath(i), t.Rows, t.Cols, first.Rows, first.Cols, set.Items[0].Image)
		}
		grey = grey && t.Channels == 1
		set.Items[i].Picture = t
	}
	for i := range set.Items {
		if !grey {
			set.Items[i].Picture = set.Items[i].Picture.RGB()
		}
	}
	return p.lay(set, false)
}

// lay shuffles tiles where that is asked for, and has them obey the rules.
func (p *Puzzle) lay(set *dataset.Set, number bool) (*Tiles, error) {
	t := &Tiles{Set: set, puzzle: p}
	if p.Shuffle != nil {
		t.Shuffled = perm.Random(rand.New(rand.NewPCG(*p.Shuffle, 0)), len(set.Items))
		set.Items = perm.Act(t.Shuffled, set.Items)
	}
	for i := range set.Items {
		if number {
			set.Items[i].ID, set.Items[i].Image = fmt.Sprint(i), fmt.Sprintf("tile %d", i)
		}
	}
	return t, GiveRules(p.Rules, []*dataset.Set{set})
}

// Pictures are those of the tiles.
func (t *Tiles) Pictures() []*dataset.Picture {
	out := make([]*dataset.Picture, len(t.Items))
	for i, it := range t.Items {
		out[i] = it.Picture
	}
	return out
}

// Restored is an answer about a puzzle.
type Restored struct {
	learn.Ordered            // with the warnings of the puzzle
	Order         perm.Order // the best
	LogPath       learn.Nats
	Truth         perm.Order // the right order that is nearest to Order, nil where it is unknown
	Right         *int       // how many tiles stand where they did before the shuffle
}

// Restored makes the answer from the order that the model m found for the tiles.
func (t *Tiles) Restored(m *Model, said learn.Ordered) (*Restored, error) {
	r := &Restored{Ordered: said, Order: said.Orders[0].Order, LogPath: said.Orders[0].LogPath}
	warning, err := t.puzzle.Fits(m)
	if err != nil {
		return nil, err
	}
	if warning != "" {
		r.Warnings = append(r.Warnings, warning)
	}
	if t.Shuffled != nil {
		r.Right = new(int)
		r.Truth = metric.Nearest(r.Order, t.Shuffled.Inverse(), dataset.EqualPictures(t.Pictures()))
		for i, k := range r.Order {
			if k == r.Truth[i] {
				*r.Right++
			}
		}
	}
	return r, nil
}
