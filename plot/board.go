package plot

import (
	"image"
	"image/color"
	"io"
	"math"

	pixels "golang.org/x/image/draw"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// board is a page of whole pixels, one of which is a point of a vector. What is drawn on it is kept,
// to be written as PNG or SVG.
type board struct {
	w, h  int
	marks []mark
}

// mark is one thing on a board.
type mark interface{ draw(c *sheet) }

// sheet is the canvas of a board, whose y goes down.
type sheet struct {
	draw.Canvas
	h int
}

func (s *sheet) at(x, y float64) vg.Point {
	return vg.Point{X: vg.Length(x), Y: vg.Length(float64(s.h) - y)}
}

// corners are those of a rectangle that is moved inwards by inset, the first of them again at the end.
func (s *sheet) corners(r image.Rectangle, inset float64) []vg.Point {
	x0, y0, x1, y1 := float64(r.Min.X)+inset, float64(r.Min.Y)+inset, float64(r.Max.X)-inset, float64(r.Max.Y)-inset
	return []vg.Point{s.at(x0, y0), s.at(x1, y0), s.at(x1, y1), s.at(x0, y1), s.at(x0, y0)}
}

func (b *board) add(m mark) { b.marks = append(b.marks, m) }

func (b *board) encode(w io.Writer, svg bool) error {
	return encodeVector(w, svg, pixelsPerInch, vg.Length(b.w), vg.Length(b.h), func(c draw.Canvas) {
		s := &sheet{c, b.h}
		filled{image.Rect(0, 0, b.w, b.h), color.White}.draw(s)
		for _, m := range b.marks {
			m.draw(s)
		}
	})
}

// filled is a rectangle of one colour.
type filled struct {
	at    image.Rectangle
	color color.Color
}

func (f filled) draw(s *sheet) { s.FillPolygon(f.color, s.corners(f.at, 0)) }

// frame is the outline of a rectangle, drawn inside it.
type frame struct {
	at     image.Rectangle
	width  int
	color  color.Color
	dashed bool
}

func (f frame) draw(s *sheet) {
	style := draw.LineStyle{Color: f.color, Width: vg.Length(f.width)}
	line := s.corners(f.at, float64(f.width)/2)
	if f.dashed {
		style.Dashes = []vg.Length{5, 4}
	} else {
		line = append(line, line[1]) // once more along the first side: it closes the corner
	}
	s.StrokeLines(style, line)
}

// picture is an image, each of its pixels a whole number of the board's.
type picture struct {
	at  image.Rectangle
	img image.Image
}

func (p picture) draw(s *sheet) {
	sized := image.NewRGBA(image.Rectangle{Max: p.at.Size()}) // canvases scale smoothly
	pixels.NearestNeighbor.Scale(sized, sized.Rect, p.img, p.img.Bounds(), pixels.Src, nil)
	s.DrawImage(vg.Rectangle{Min: s.at(float64(p.at.Min.X), float64(p.at.Max.Y)), Max: s.at(float64(p.at.Max.X), float64(p.at.Min.Y))}, sized)
}

// words is a line of text; x is its left, middle or right as align says, and y its baseline.
type words struct {
	x, y  int
	text  string
	size  int // pixels
	color color.Color
	align text.XAlignment
}

func (t words) draw(s *sheet) {
	at := s.at(float64(t.x), float64(t.y))
	drawText(&s.Canvas, textStyle(vg.Length(t.size), t.color, t.align, text.YBottom), at.X, at.Y, t.text)
}

// textWidth is the width of text in pixels.
func textWidth(line string, size int) int {
	return int(math.Ceil(float64(textStyle(vg.Length(size), ink, text.XLeft, text.YBottom).Width(line))))
}
