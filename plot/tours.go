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

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
)

// Tours draws tours through points. Each row of panels is one instance, such as the states of the
// reverse process from noise to the tour that was found. A row that would make the picture wider
// than 1,400 pixels goes on below. A square marks where a tour begins, as a key says.
type Tours struct {
	Rows [][]Tour

	// Side is the length of a panel's side in points of 1/72 inch, 0 for 130.
	Side float64
}

// Tour is one panel. Points keep their proportions; their second coordinate points upwards.
type Tour struct {
	Points  [][2]float64
	Order   perm.Order // Order[i] is the point at position i; nil draws points alone
	Open    bool       // Order and Reference are paths, which do not go back to their first point
	Caption string     // may be empty
	Names   []string   // what stands beside the points; nil for nothing

	// Reference is a tour to compare with, nil for none. Its edges that Order does not have are
	// drawn dashed. Edges of Order that it does not have are drawn heavier.
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
			if t.Names != nil && len(t.Names) != len(t.Points) {
				return fmt.Errorf("tours: row %d, panel %d: %d names of %d points", i, j, len(t.Names), len(t.Points))
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
	const key = 12
	begins := slices.ContainsFunc(lines, func(row []Tour) bool { return slices.ContainsFunc(row, func(t Tour) bool { return len(t.Order) > 0 }) })
	if begins {
		height += key
	}
	width := vg.Length(columns)*(side+gap) - gap + 2*margin
	if width > maxStripSide/2 || height > maxStripSide/2 {
		return hint.Errorf("fewer rows or panels, or a smaller side", "tours: would be %.0f×%.0f points, wanted at most %d a side", float64(width), float64(height), maxStripSide/2)
	}
	return encodeVector(w, svg, dotsPerInch, width, height, func(c draw.Canvas) {
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
		if begins {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: ink, Radius: 2.7, Shape: draw.BoxGlyph{}}, vg.Point{X: margin + 3, Y: margin + 3})
			drawText(&c, style, margin+10, margin, "first city")
		}
	})
}

// paint draws a panel into the square whose lower left corner is at x, y.
func (t Tour) paint(c *draw.Canvas, x, y, side vg.Length) {
	outline := []vg.Point{{X: x, Y: y}, {X: x + side, Y: y}, {X: x + side, Y: y + side}, {X: x, Y: y + side}, {X: x, Y: y}}
	c.StrokeLines(draw.LineStyle{Color: faint, Width: 0.6}, outline)
	at := t.project(x, y, side)
	mine, theirs := t.edges(t.Order), t.edges(t.Reference)
	line := func(e [2]int, s draw.LineStyle) {
		c.StrokeLine2(s, at[e[0]].X, at[e[0]].Y, at[e[1]].X, at[e[1]].Y)
	}
	for i := range t.steps(t.Reference) {
		if e := edge(t.Reference, i); !mine[e] {
			line(e, draw.LineStyle{Color: muted, Width: 0.8, Dashes: []vg.Length{3, 2}})
		}
	}
	for i := range t.steps(t.Order) {
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
	for k, name := range t.Names {
		t.paintName(c, k, name, at, radius)
	}
}

// paintName writes a point's name on the side away from the edges of Order.
func (t Tour) paintName(c *draw.Canvas, k int, name string, at []vg.Point, radius vg.Length) {
	var x, y float64 // where the edges go
	if i := slices.Index(t.Order, k); i >= 0 {
		for _, j := range []int{i - 1, i + 1} {
			if t.Open && (j < 0 || j == len(t.Order)) {
				continue
			}
			p := at[t.Order[(j+len(t.Order))%len(t.Order)]]
			dx, dy := float64(p.X-at[k].X), float64(p.Y-at[k].Y)
			if d := math.Hypot(dx, dy); d > 0 {
				x, y = x+dx/d, y+dy/d
			}
		}
	}
	style := textStyle(nameSize, ink, text.XLeft, text.YBottom)
	px, py := at[k].X+radius+1, at[k].Y+radius-1
	if x > 0 {
		px = at[k].X - radius - 1 - style.Width(name)
	}
	if y > 0 {
		py = at[k].Y - radius - nameSize
	}
	drawText(c, style, px, py, name)
}

// nameSize is the size of points' names, which are many.
const nameSize = 6

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

// steps is how many edges an order has.
func (t Tour) steps(o perm.Order) int {
	if t.Open {
		return max(0, len(o)-1)
	}
	return len(o)
}

func (t Tour) edges(o perm.Order) map[[2]int]bool {
	all := make(map[[2]int]bool, len(o))
	for i := range t.steps(o) {
		all[edge(o, i)] = true
	}
	return all
}
