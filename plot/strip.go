package plot

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"slices"
	"strconv"

	"gonum.org/v1/plot/text"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
)

// Strip is the denoising strip: each set is a block of rows, from noise to the order that was
// found; columns are positions. In the last row a solid green frame marks an item at its right
// position, a dashed red one a wrong one. A set of tiles is a row of pictures instead, each put
// together as the items stand then. Only what is wrong in the last one has a frame. What would make
// the picture wider than 1,400 pixels goes on below, with the next positions or the next pictures,
// where items are not wider themselves.
type Strip struct {
	Sets []StripSet

	// Scale is the size of an image's pixel, in pixels of the picture. 0 makes tiles about 56 high,
	// or lower where a row would be wider than 1,300.
	Scale int
}

// StripSet is one set on its way from noise to order.
type StripSet struct {
	Name string // may be empty

	// Images are the items' pictures, all of one size. nil draws tiles that have the item's name,
	// cut where it is long, or its number from 0. Their colours go from dark to light by the right
	// position, or where Truth is nil by number.
	Images []image.Image
	Names  []string // one an item; nil for numbers

	Rows []StripRow // from noise (t = T) to the order found (t = 0)

	// Columns is how many items stand side by side where they are the tiles of a
	// picture, row by row; 0 where they are none.
	Columns int

	Truth perm.Order // the right order; nil where it is not known

	// ShowTruth adds the right order beneath, with a frame where the last row
	// has another item.
	ShowTruth bool
}

// StripRow is the order of the items after some reverse steps.
type StripRow struct {
	T     int        // shuffles that remain
	Order perm.Order // Order[i] is the item at position i
}

// Layout, in pixels of the picture.
const (
	stripMargin  = 12
	stripGap     = 10 // between tiles; frames stand in it
	frameWidth   = 2
	blockGap     = 22 // between sets
	textSize     = 14
	smallText    = 12
	numberedTile = 28 // side of a numbered tile at scale 1
	tileHeight   = 56 // about, unless a scale is given
	gridHeight   = 112
	maxRow       = 1300 // of tiles: with labels and margins no more than 1,400, which a page shows whole
	maxStripSide = 1 << 15
	maxStripArea = 1 << 26
)

func (s Strip) check() error {
	if len(s.Sets) == 0 {
		return errors.New("strip: no sets")
	}
	if s.Scale < 0 {
		return fmt.Errorf("strip: scale is %d, wanted 1 or more, or 0", s.Scale)
	}
	for i := range s.Sets {
		if err := s.Sets[i].check(); err != nil {
			return fmt.Errorf("strip: set %d: %w", i, err)
		}
	}
	return nil
}

func (s StripSet) check() error {
	if len(s.Rows) == 0 {
		return errors.New("no rows")
	}
	n := len(s.Rows[0].Order)
	if n == 0 {
		return errors.New("row 0 has no items")
	}
	if s.Columns < 0 || s.Columns > 0 && n%s.Columns != 0 {
		return fmt.Errorf("%d items do not fill rows of %d", n, s.Columns)
	}
	if s.Images != nil && len(s.Images) != n {
		return fmt.Errorf("%d images for %d items", len(s.Images), n)
	}
	if s.Names != nil && len(s.Names) != n {
		return fmt.Errorf("%d names for %d items", len(s.Names), n)
	}
	for i, m := range s.Images {
		if size := m.Bounds().Size(); size != s.Images[0].Bounds().Size() || size.X < 1 || size.Y < 1 {
			return fmt.Errorf("image %d is %d×%d, wanted %d×%d as image 0 is, and not empty", i, size.Y, size.X, s.Images[0].Bounds().Dy(), s.Images[0].Bounds().Dx())
		}
	}
	for i, r := range s.Rows {
		if err := checkLength(r.Order, n); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	if s.Truth != nil {
		if err := checkLength(s.Truth, n); err != nil {
			return fmt.Errorf("truth: %w", err)
		}
	} else if s.ShowTruth {
		return errors.New("the truth is to be shown, but not given")
	}
	return nil
}

func checkLength(o perm.Order, n int) error {
	if len(o) != n {
		return fmt.Errorf("order has %d items, wanted %d", len(o), n)
	}
	return o.Validate()
}

func (s Strip) encode(w io.Writer, svg bool) error {
	b, err := s.layout()
	if err != nil {
		return err
	}
	return b.encode(w, svg)
}

// layout places everything on a board.
func (s Strip) layout() (*board, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	// The widest label decides where the columns start.
	left := 0
	for i := range s.Sets {
		if s.Sets[i].Columns > 0 {
			continue
		}
		left = max(left, textWidth("position", smallText))
		for _, r := range s.Sets[i].Rows {
			left = max(left, textWidth(rowLabel(r.T), textSize))
		}
	}
	b := &board{}
	x0, y := stripMargin, stripMargin
	if left > 0 {
		x0 += left + stripGap
	}
	right := 0
	var verdicts []bool // that are drawn
	for i := range s.Sets {
		if i > 0 {
			y += blockGap
		}
		set := &s.Sets[i]
		tile := s.tileSize(set)
		right = max(right, x0+set.width(tile), x0+textWidth(set.Name, textSize)+stripGap)
		if right > maxStripSide || y > maxStripSide {
			return nil, hint.Errorf("show fewer items or sets, or a smaller scale", "strip: set %d would reach %d×%d pixels, wanted at most %d a side", i, right, y, maxStripSide)
		}
		y = set.place(b, x0, y, tile)
		switch {
		case set.Truth == nil:
		case set.Columns == 0:
			verdicts = []bool{true, false}
		case verdicts == nil && !slices.Equal(set.Rows[len(set.Rows)-1].Order, set.Truth):
			verdicts = []bool{false}
		}
	}
	if verdicts != nil {
		y += stripGap
		right = max(right, placeLegend(b, x0, y, verdicts))
		y += textSize
	}
	b.w, b.h = right-stripGap+stripMargin, y+stripMargin
	if b.h > maxStripSide || b.w*b.h > maxStripArea {
		return nil, hint.Errorf("show fewer items or sets, or a smaller scale", "strip: would be %d×%d pixels, wanted at most %d a side and %d in all", b.w, b.h, maxStripSide, maxStripArea)
	}
	return b, nil
}

func rowLabel(t int) string { return fmt.Sprintf("t = %d", t) }

// tileSize is the size of a set's tiles on the board.
func (s Strip) tileSize(set *StripSet) image.Point {
	size := image.Pt(numberedTile, numberedTile)
	if set.Images != nil {
		size = set.Images[0].Bounds().Size()
	}
	scale := s.Scale
	switch {
	case scale != 0:
	case set.Columns > 0:
		scale = max(1, gridHeight/(len(set.Rows[0].Order)/set.Columns*size.Y))
	default:
		scale = max(1, min(tileHeight/size.Y, (maxRow/len(set.Rows[0].Order)-stripGap)/size.X))
	}
	return size.Mul(scale)
}

// width is how much room a set takes from the left, with the gap after it.
func (s *StripSet) width(tile image.Point) int {
	return s.inRow(tile) * s.pitch(tile)
}

// inRow is how many items, or pictures of a set of tiles, stand side by side.
func (s *StripSet) inRow(tile image.Point) int {
	count := len(s.Rows[0].Order)
	if s.Columns > 0 {
		count = s.pictures()
	}
	return evenly(count, (maxRow+stripGap)/s.pitch(tile))
}

// evenly is how many of count stand in a row of most at most, so that the fewest rows share
// them evenly.
func evenly(count, most int) int {
	most = max(1, most)
	rows := (count + most - 1) / most
	return (count + rows - 1) / rows
}

// pictures is how many pictures a set of tiles has.
func (s *StripSet) pictures() int {
	if s.ShowTruth {
		return len(s.Rows) + 1
	}
	return len(s.Rows)
}

// pitch is the distance between items, or between the pictures of a set of tiles, above which
// their labels fit.
func (s *StripSet) pitch(tile image.Point) int {
	if s.Columns == 0 {
		return tile.X + stripGap
	}
	wide := s.Columns * tile.X
	for _, r := range s.Rows {
		wide = max(wide, textWidth(rowLabel(r.T), textSize))
	}
	return wide + stripGap
}

// place draws one set from y down and returns where it ends.
func (s *StripSet) place(b *board, x0, y int, tile image.Point) int {
	if s.Name != "" { // in the margin's line above
		b.add(words{x0, y + textSize, s.Name, textSize, ink, text.XLeft})
		y += textSize + 8
	}
	if s.Columns > 0 {
		return s.placePictures(b, x0, y, tile)
	}
	n, wide := len(s.Rows[0].Order), s.inRow(tile)
	for from := 0; from < n; from += wide {
		if from > 0 {
			y += blockGap
		}
		y = s.placeColumns(b, x0, y, tile, from, min(n, from+wide))
	}
	return y
}

// placeColumns draws the positions from, …, to−1 of a set from y down and returns where they end.
func (s *StripSet) placeColumns(b *board, x0, y int, tile image.Point, from, to int) int {
	at := func(i, y int) image.Rectangle {
		x := x0 + (i-from)*(tile.X+stripGap)
		return image.Rect(x, y, x+tile.X, y+tile.Y)
	}
	label := func(y int, line string) {
		b.add(words{x0 - stripGap, y + tile.Y/2 + textSize*36/100, line, textSize, ink, text.XRight})
	}

	// The head: the positions.
	b.add(words{x0 - stripGap, y + smallText, "position", smallText, muted, text.XRight})
	every := 1
	for every*(tile.X+stripGap) < textWidth(strconv.Itoa(to-1), smallText)+6 {
		every++
	}
	for i := from; i < to; i += every {
		b.add(words{x0 + (i-from)*(tile.X+stripGap) + tile.X/2, y + smallText, strconv.Itoa(i), smallText, muted, text.XCenter})
	}
	y += smallText + stripGap

	last := s.Rows[len(s.Rows)-1].Order
	for k, r := range s.Rows {
		label(y, rowLabel(r.T))
		for i := from; i < to; i++ {
			s.placeTile(b, at(i, y), r.Order[i])
			if k == len(s.Rows)-1 && s.Truth != nil {
				b.add(verdict(at(i, y), r.Order[i] == s.Truth[i]))
			}
		}
		y += tile.Y + stripGap
	}
	if s.ShowTruth {
		label(y, "truth")
		for i := from; i < to; i++ {
			s.placeTile(b, at(i, y), s.Truth[i])
			if s.Truth[i] != last[i] {
				b.add(verdict(at(i, y), false))
			}
		}
		y += tile.Y + stripGap
	}
	return y - stripGap
}

// placePictures draws a set of tiles from y down and returns where it ends.
func (s *StripSet) placePictures(b *board, x0, y int, tile image.Point) int {
	pitch, wide := s.pitch(tile), s.inRow(tile)
	const head = textSize + 8
	high := len(s.Rows[0].Order) / s.Columns * tile.Y
	draw := func(picture int, label string, order, right perm.Order) {
		x, y := x0+picture%wide*pitch, y+picture/wide*(head+high+blockGap)
		at := func(i int) image.Rectangle {
			corner := image.Pt(x+i%s.Columns*tile.X, y+head+i/s.Columns*tile.Y)
			return image.Rectangle{corner, corner.Add(tile)}
		}
		b.add(words{x, y + textSize, label, textSize, ink, text.XLeft})
		for i, item := range order {
			s.placeTile(b, at(i), item)
		}
		for i, item := range order { // over all tiles, as they touch
			if right != nil && item != right[i] {
				b.add(frame{at(i), frameWidth, red, true})
			}
		}
	}
	for k, r := range s.Rows {
		var right perm.Order
		if k == len(s.Rows)-1 {
			right = s.Truth
		}
		draw(k, rowLabel(r.T), r.Order, right)
	}
	if s.ShowTruth {
		draw(len(s.Rows), "truth", s.Truth, nil)
	}
	rows := (s.pictures() + wide - 1) / wide
	return y + rows*(head+high) + (rows-1)*blockGap
}

// placeTile draws an item's picture, or its name on its colour.
func (s *StripSet) placeTile(b *board, at image.Rectangle, item int) {
	if s.Images != nil {
		b.add(picture{at, s.Images[item]})
		return
	}
	shade := item
	if s.Truth != nil {
		shade = slices.Index(s.Truth, item)
	}
	c := viridis(float64(shade) / float64(max(len(s.Rows[0].Order), 2)-1))
	b.add(filled{at, c})
	name, least := strconv.Itoa(item), 6
	if s.Names != nil {
		name, least = s.Names[item], min(10, max(6, at.Dy()*45/100))
	}
	size := max(least, min(at.Dy()*45/100, textSize+6))
	for size > least && textWidth(name, size) > at.Dx()-4 {
		size--
	}
	for short := []rune(name); len(short) > 1 && textWidth(name, size) > at.Dx()-4; {
		short = short[:len(short)-1]
		name = string(short) + "…"
	}
	b.add(words{(at.Min.X + at.Max.X) / 2, (at.Min.Y+at.Max.Y)/2 + size*36/100, name, size, contrast(c), text.XCenter})
}

// verdict is the frame around a tile, in the gap between tiles.
func verdict(tile image.Rectangle, right bool) frame {
	around := tile.Inset(-frameWidth - 1)
	if right {
		return frame{around, frameWidth, green, false}
	}
	return frame{around, frameWidth, red, true}
}

// placeLegend explains the frames that are drawn and returns its right end.
func placeLegend(b *board, x, y int, verdicts []bool) int {
	for _, right := range verdicts {
		what := "right position"
		if !right {
			what = "wrong position"
		}
		side := image.Rect(x, y, x+textSize, y+textSize)
		b.add(filled{side, color.Gray{0xdd}})
		b.add(verdict(side, right))
		b.add(words{x + textSize + 8, y + textSize - 2, what, smallText, ink, text.XLeft})
		x += textSize + 8 + textWidth(what, smallText) + 18
	}
	return x
}
