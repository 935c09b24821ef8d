package plot

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/riffle-ml/riffle/perm"
)

// Tours draws closed tours through points, each row of panels one instance, such as the
// states of the reverse process from noise to the tour that was found. A row that would make
// the picture wider than 1,400 pixels goes on below.
type Tours struct {
	Rows [][]Tour

	// Side is the length of a panel's side in points of 1/72 inch, 0 for 130.
	Side float64
}

// Tour is one panel. Points keep their proportions; their second coordinate points upwards.
type Tour struct {
	Points  [][2]float64
	Order   perm.Order // Order[i] is the point at position i; nil draws points alone
	Caption string     // may be empty

	// Reference is a tour to compare with, nil for none: its edges that Order has not are
	// drawn dashed, and Order's that it has not are drawn heavier.
	Reference perm.Order
}

// maxToursWide is the width of the widest picture, in points, unless a panel is wider.
const maxToursWide = 1400 * 72 / dotsPerInch

func (f Tours) check() error {
	if len(f.Rows) == 0 {
		return errors.New("tours: no rows")
	}
	if !(f.Side >= 0 && f.Side <= 5000) {
		return fmt.Errorf("tours: side is %g points, wanted 0 to 5000", f.Side)
	}
	for i, row := range f.Rows {
		if len(row) == 0 {
			return fmt.Errorf("tours: row %d has no panels", i)
		}
		for j, t := range row {
			for k, p := range t.Points {
				if math.IsNaN(p[0]+p[1]) || math.IsInf(p[0], 0) || math.IsInf(p[1], 0) {
					return fmt.Errorf("tours: row %d, panel %d: point %d is at %g, %g, wanted finite numbers", i, j, k, p[0], p[1])
				}
			}
			for _, o := range []perm.Order{t.Order, t.Reference} {
				if o == nil {
					continue
				}
				if err := checkLength(o, len(t.Points)); err != nil {
					return fmt.Errorf("tours: row %d, panel %d: %w", i, j, err)
				}
			}
		}
	}
	return nil
}

func (f Tours) encode(w io.Writer, svg bool) error {
	if err := f.check(); err != nil {
		return err
	}
	side := vg.Length(f.Side)
	if side == 0 {
		side = 130
	}
	const gap, margin, caption = 10, 8, 14
	most := int((maxToursWide - 2*margin + gap) / (side + gap))
	columns := 0
	var lines [][]Tour
	for _, row := range f.Rows {
		wide := evenly(len(row), most)
		columns = max(columns, wide)
		lines = slices.AppendSeq(lines, slices.Chunk(row, wide))
	}
	heights, tops := make([]vg.Length, len(lines)), make([]vg.Length, len(lines)) // from the top down
	height := vg.Length(margin)
	for i, row := range lines {
		tops[i] = height
		heights[i] = side
		for _, t := range row {
			if t.Caption != "" {
				heights[i] = side + caption
			}
		}
		height += heights[i] + gap
	}
	height += margin - gap
	width := vg.Length(columns)*(side+gap) - gap + 2*margin
	if width > maxStripSide/2 || height > maxStripSide/2 {
		return fmt.Errorf("tours: would be %.0f×%.0f points, wanted at most %d a side\nhint: fewer rows or panels, or a smaller side", float64(width), float64(height), maxStripSide/2)
	}
	return encodeVector(w, svg, width, height, func(c draw.Canvas) {
		fillRect(&c, color.White, c.Min.X, c.Min.Y, c.Max.X, c.Max.Y)
		style := textStyle(tickSize, ink, text.XLeft, text.YBottom)
		for i, row := range lines {
			for j, t := range row {
				x, y := margin+vg.Length(j)*(side+gap), height-tops[i]-heights[i]
				if t.Caption != "" {
					drawText(&c, style, x, y+side+4, t.Caption)
				}
				t.paint(&c, x, y, side)
			}
		}
	})
}

// paint draws a panel into the square whose lower left corner is at x, y.
func (t Tour) paint(c *draw.Canvas, x, y, side vg.Length) {
	outline := []vg.Point{{X: x, Y: y}, {X: x + side, Y: y}, {X: x + side, Y: y + side}, {X: x, Y: y + side}, {X: x, Y: y}}
	c.StrokeLines(draw.LineStyle{Color: faint, Width: 0.6}, outline)
	at := t.project(x, y, side)
	mine, theirs := edges(t.Order), edges(t.Reference)
	line := func(e [2]int, s draw.LineStyle) {
		c.StrokeLine2(s, at[e[0]].X, at[e[0]].Y, at[e[1]].X, at[e[1]].Y)
	}
	for i := range t.Reference {
		if e := edge(t.Reference, i); !mine[e] {
			line(e, draw.LineStyle{Color: muted, Width: 0.8, Dashes: []vg.Length{3, 2}})
		}
	}
	for i := range t.Order {
		e := edge(t.Order, i)
		s := draw.LineStyle{Color: ink, Width: 0.8}
		if t.Reference != nil && !theirs[e] {
			s = draw.LineStyle{Color: red, Width: 1.5}
		}
		line(e, s)
	}
	radius := min(2, side/vg.Length(6*math.Sqrt(float64(max(1, len(at))))))
	for k, p := range at {
		g := draw.GlyphStyle{Color: ink, Radius: radius, Shape: draw.CircleGlyph{}}
		if len(t.Order) > 0 && k == t.Order[0] {
			g.Shape, g.Radius = draw.BoxGlyph{}, radius+0.7 // where the tour begins
		}
		c.DrawGlyphNoClip(g, p)
	}
}

// project places points in the square, with room around them, in the middle of what they do
// not fill.
func (t Tour) project(x, y, side vg.Length) []vg.Point {
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, p := range t.Points {
		for a := range 2 {
			low[a], high[a] = min(low[a], p[a]), max(high[a], p[a])
		}
	}
	half := max(high[0]/2-low[0]/2, high[1]/2-low[1]/2) // the whole difference may overflow
	room := 0.06 * side
	out := make([]vg.Point, len(t.Points))
	for k, p := range t.Points {
		var u [2]vg.Length
		for a := range 2 {
			v := 0.0 // from −1/2 to 1/2
			if half > 0 {
				v = ((p[a]/2 - low[a]/2) - (high[a]/2-low[a]/2)/2) / half
			}
			u[a] = side/2 + vg.Length(v)*(side-2*room)
		}
		out[k] = vg.Point{X: x + u[0], Y: y + u[1]}
	}
	return out
}

// edge is the one that leaves position i, lower end first.
func edge(o perm.Order, i int) [2]int {
	a, b := o[i], o[(i+1)%len(o)]
	return [2]int{min(a, b), max(a, b)}
}

func edges(o perm.Order) map[[2]int]bool {
	all := make(map[[2]int]bool, len(o))
	for i := range o {
		all[edge(o, i)] = true
	}
	return all
}
