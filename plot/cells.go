package plot

import (
	"image"
	"image/color"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// cells draws a matrix of values from 0 to top, row 0 on top. Cell (r, c) is the unit square around
// x = firstCol+c, y = firstRow+r of a plot whose y axis is inverted.
type cells struct {
	rows, cols         int
	firstRow, firstCol int
	at                 func(r, c int) (v float64, ok bool) // not ok: left white
	numbers            bool
	top                float64  // value of the lightest colour
	framed             [][2]int // r, c of cells in a red frame
}

// maxVectorCells is how many cells are drawn one by one; more become an image.
const maxVectorCells = 64 * 64

// setAxes gives p the ranges of the cells and an inverted y axis.
func (m cells) setAxes(p *plot.Plot) {
	p.X.Min, p.X.Max = float64(m.firstCol)-0.5, float64(m.firstCol+m.cols)-0.5
	p.Y.Min, p.Y.Max = float64(m.firstRow)-0.5, float64(m.firstRow+m.rows)-0.5
	p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}}
	p.X.Width, p.Y.Width = 0, 0
}

func (m cells) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	box := func(r, col int) (x0, y0, x1, y1 vg.Length) {
		cx, cy := float64(m.firstCol+col), float64(m.firstRow+r)
		return x(cx - 0.5), y(cy + 0.5), x(cx + 0.5), y(cy - 0.5)
	}
	if m.rows*m.cols > maxVectorCells {
		m.drawImage(c)
	} else {
		// Where two cells meet, antialiasing lets white through: each reaches a
		// little under those drawn after it, to the right and below.
		const under = 0.3
		for r := range m.rows {
			for col := range m.cols {
				v, ok := m.at(r, col)
				if !ok {
					continue
				}
				x0, y0, x1, y1 := box(r, col)
				if m.filled(r, col+1) {
					x1 += under
				}
				if m.filled(r+1, col) {
					y0 -= under
				}
				fillRect(&c, viridis(v/m.top), x0, y0, x1, y1)
			}
		}
	}
	if m.numbers {
		m.drawNumbers(c, box)
	}
	for _, f := range m.framed {
		x0, y0, x1, y1 := box(f[0], f[1])
		frame := []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}, {X: x0, Y: y0}, {X: x1, Y: y0}}
		c.StrokeLines(draw.LineStyle{Color: color.White, Width: 3.4}, frame)
		c.StrokeLines(draw.LineStyle{Color: red, Width: 1.8}, frame)
	}
}

func (m cells) filled(r, c int) bool {
	if r >= m.rows || c >= m.cols {
		return false
	}
	_, ok := m.at(r, c)
	return ok
}

// drawNumbers writes each value with two decimals, as large as the cells allow.
func (m cells) drawNumbers(c draw.Canvas, box func(r, col int) (x0, y0, x1, y1 vg.Length)) {
	x0, y0, x1, y1 := box(0, 0)
	size := min(tickSize, 0.42*(x1-x0), 0.6*(y1-y0))
	for r := range m.rows {
		for col := range m.cols {
			v, ok := m.at(r, col)
			if !ok {
				continue
			}
			x0, y0, x1, y1 := box(r, col)
			style := textStyle(size, contrast(viridis(v/m.top)), text.XCenter, text.YBottom)
			drawDigits(&c, style, (x0+x1)/2, (y0+y1)/2, shortNumber(v))
		}
	}
}

// shortNumber writes a value in [0, 1] with two decimals and no leading zero; 0
// and 1 are written so only where they are exact.
func shortNumber(v float64) string {
	switch {
	case v == 0:
		return "0"
	case v >= 1:
		return "1"
	}
	s := strings.TrimPrefix(strconv.FormatFloat(v, 'f', 2, 64), "0")
	switch s {
	case ".00":
		return "<.01"
	case "1.00":
		return ">.99"
	}
	return s
}

// drawImage draws many cells as one image, each cell whole pixels wide, so that
// scaling blurs less than a cell.
func (m cells) drawImage(c draw.Canvas) {
	px := max(1, 1600/max(m.rows, m.cols))
	img := image.NewNRGBA(image.Rect(0, 0, m.cols*px, m.rows*px))
	for py := range m.rows * px {
		for ppx := range m.cols * px {
			if v, ok := m.at(py/px, ppx/px); ok {
				img.Set(ppx, py, viridis(v/m.top))
			}
		}
	}
	c.DrawImage(c.Rectangle, img)
}

func fillRect(c *draw.Canvas, fill color.Color, x0, y0, x1, y1 vg.Length) {
	c.FillPolygon(fill, []vg.Point{{X: x0, Y: y0}, {X: x1, Y: y0}, {X: x1, Y: y1}, {X: x0, Y: y1}})
}

// drawText draws one line of text whose baseline is at y.
func drawText(c *draw.Canvas, style text.Style, x, y vg.Length, s string) {
	style.YAlign = text.YBottom
	c.FillText(style, vg.Point{X: x, Y: y - style.Font.Size + style.FontExtents().Ascent}, s)
}

// drawDigits draws text whose digits are centred at height y.
func drawDigits(c *draw.Canvas, style text.Style, x, y vg.Length, s string) {
	const digit = 0.7 // height of a digit in ems, Liberation Sans
	drawText(c, style, x, y-digit*style.Font.Size/2, s)
}
