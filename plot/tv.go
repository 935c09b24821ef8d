package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// tvThreshold is where the paper stops shuffling (§3.4: total variation to the
// uniform distribution of about 0.005).
const tvThreshold = 0.005

// TVFigure is the paper's figure 2. Part (a) is the total variation between q(t), the distribution
// after t riffle shuffles, and the uniform distribution, with the threshold 0.005 and the chosen T.
// Part (b) is the total variation between q(t) and q(t') for 1 ≤ t < t' ≤ T, with the denoising
// schedule's steps framed.
type TVFigure struct {
	N         int         // cards
	T         int         // chosen number of shuffles, 1 or more
	TVUniform []float64   // by t = 0, 1, …; at least to T
	TVBetween [][]float64 // [t][t'], both from 0 to T; only t < t' is looked at
	Steps     []int       // the schedule, ascending, e.g. 0, 8, 10, 15
}

func (f TVFigure) check() error {
	if f.T < 1 || f.T >= len(f.TVUniform) {
		return fmt.Errorf("tv figure: T is %d, wanted 1 to %d, the last t of TVUniform", f.T, len(f.TVUniform)-1)
	}
	if len(f.TVBetween) < f.T { // row T has no t' after it
		return fmt.Errorf("tv figure: TVBetween has %d rows, wanted %d or more, one a t below T = %d", len(f.TVBetween), f.T, f.T)
	}
	for t, v := range f.TVUniform {
		if !inUnit(v) {
			return fmt.Errorf("tv figure: TVUniform[%d] is %v, wanted 0 to 1", t, v)
		}
	}
	for t := 1; t < f.T; t++ {
		if len(f.TVBetween[t]) <= f.T {
			return fmt.Errorf("tv figure: TVBetween[%d] has %d values, wanted %d or more, one a t' up to T", t, len(f.TVBetween[t]), f.T+1)
		}
		for u := t + 1; u <= f.T; u++ {
			if v := f.TVBetween[t][u]; !inUnit(v) {
				return fmt.Errorf("tv figure: TVBetween[%d][%d] is %v, wanted 0 to 1", t, u, v)
			}
		}
	}
	for i, s := range f.Steps {
		if s < 0 || s > f.T || i > 0 && s <= f.Steps[i-1] {
			return fmt.Errorf("tv figure: Steps is %v, wanted ascending from 0 to T = %d", f.Steps, f.T)
		}
	}
	return nil
}

// inUnit allows for a last bit of rounding.
func inUnit(v float64) bool { return v >= -1e-9 && v <= 1+1e-9 }

func (f TVFigure) encode(w io.Writer, svg bool) error {
	if err := f.check(); err != nil {
		return err
	}
	const width, height, split = 506, 250, 250
	curve, heat := f.curve(), f.heat()
	return encodeVector(w, svg, dotsPerInch, width, height, func(c draw.Canvas) {
		left := draw.Crop(c, 4, -(width-split)-14, 4, -20)
		curve.Draw(left)
		right := square(heat, draw.Crop(c, split+14, -8, 4, -20))
		heat.Draw(right)
		letter := bold(textStyle(labelSize+1, ink, text.XLeft, text.YBottom))
		label := textStyle(labelSize, ink, text.XLeft, text.YBottom)
		for i, d := range []draw.Canvas{curve.DataCanvas(left), heat.DataCanvas(right)} {
			s := []string{"(a)", "(b)"}[i]
			drawText(&c, letter, d.Min.X, height-14, s)
			drawText(&c, label, d.Min.X+letter.Width(s+" "), height-14, []string{
				fmt.Sprintf("n = %s", formatTick(float64(f.N), 0)),
				"total variation of q(t) and q(t′)",
			}[i])
		}
	})
}

// square crops c on the right, or on top, until the data area of p is square.
func square(p *plot.Plot, c draw.Canvas) draw.Canvas {
	size := p.DataCanvas(c).Size()
	if d := size.X - size.Y; d > 0 {
		return draw.Crop(c, 0, -d, 0, 0)
	}
	return draw.Crop(c, 0, 0, 0, size.X-size.Y)
}

// curve is panel (a).
func (f TVFigure) curve() *plot.Plot {
	p := newPlot("t (shuffles)", "total variation of q(t) and uniform")
	p.X.Min, p.X.Max = 0, float64(len(f.TVUniform)-1)+0.4
	p.Y.Min, p.Y.Max = -0.03, 1.04
	p.X.Tick.Marker = indexTicks{limit: 11}
	line := make(plotter.XYs, len(f.TVUniform))
	for t, v := range f.TVUniform {
		line[t] = plotter.XY{X: float64(t), Y: v}
	}
	p.Add(gridLines{}, painter(func(c draw.Canvas, p *plot.Plot) {
		x, y := p.Transforms(&c)
		dashed := draw.LineStyle{Color: muted, Width: 0.9, Dashes: []vg.Length{4, 2.5}}
		c.StrokeLine2(dashed, c.Min.X, y(tvThreshold), c.Max.X, y(tvThreshold))
		points := make([]vg.Point, len(line))
		for i, v := range line {
			points[i] = vg.Point{X: x(v.X), Y: y(v.Y)}
		}
		c.StrokeLines(draw.LineStyle{Color: ink, Width: 1.1}, points)
		for t, at := range points {
			glyph := draw.GlyphStyle{Color: ink, Radius: 1.4, Shape: draw.CircleGlyph{}}
			if slices.Contains(f.Steps, t) && t != f.T {
				c.DrawGlyphNoClip(draw.GlyphStyle{Color: ink, Radius: 3.4, Shape: draw.SquareGlyph{}}, at)
				glyph = draw.GlyphStyle{Color: ink, Radius: 3.4, Shape: draw.BoxGlyph{}}
			}
			if t == f.T {
				glyph = draw.GlyphStyle{Color: red, Radius: 3.6, Shape: draw.CircleGlyph{}}
			}
			c.DrawGlyphNoClip(glyph, at)
		}
		drawKey(c, []keyEntry{
			{fmt.Sprintf("T = %d (%.4f)", f.T, f.TVUniform[f.T]), draw.GlyphStyle{Color: red, Radius: 3.6, Shape: draw.CircleGlyph{}}, draw.LineStyle{}},
			{"steps of the schedule", draw.GlyphStyle{Color: ink, Radius: 3.4, Shape: draw.BoxGlyph{}}, draw.LineStyle{}},
			{fmt.Sprintf("%g", tvThreshold), draw.GlyphStyle{}, dashed},
		})
	}))
	return p
}

type keyEntry struct {
	label string
	glyph draw.GlyphStyle
	line  draw.LineStyle
}

// drawKey lists entries in the upper right corner, one below the other, on white.
func drawKey(c draw.Canvas, entries []keyEntry) {
	const row, sample, pad = 12, 18, 4
	style := textStyle(tickSize, ink, text.XLeft, text.YBottom)
	var widest vg.Length
	for _, e := range entries {
		widest = max(widest, style.Width(e.label))
	}
	x0 := c.Max.X - widest - sample - 3*pad
	fillRect(&c, color.White, x0-pad, c.Max.Y-vg.Length(len(entries))*row-pad-1, c.Max.X+1, c.Max.Y+1)
	for i, e := range entries {
		y := c.Max.Y - (vg.Length(i)+0.5)*row - pad/2 - 1
		if e.glyph.Shape != nil {
			c.DrawGlyphNoClip(e.glyph, vg.Point{X: x0 + sample/2, Y: y})
		} else {
			c.StrokeLine2(e.line, x0, y, x0+sample, y)
		}
		drawDigits(&c, style, x0+sample+pad, y, e.label)
	}
}

// heat is panel (b): rows t = 1 … T−1, columns t' = 2 … T.
func (f TVFigure) heat() *plot.Plot {
	p := newPlot("t′", "t")
	m := cells{
		rows: max(f.T-1, 1), cols: max(f.T-1, 1), firstRow: 1, firstCol: 2, numbers: true, top: 1,
		at: func(r, c int) (float64, bool) {
			t, u := r+1, c+2
			if t >= u || u > f.T {
				return 0, false
			}
			return math.Min(math.Max(f.TVBetween[t][u], 0), 1), true
		},
	}
	for i := 1; i < len(f.Steps); i++ {
		if t, u := f.Steps[i-1], f.Steps[i]; t >= 1 {
			m.framed = append(m.framed, [2]int{t - 1, u - 2})
		}
	}
	m.setAxes(p)
	p.X.Tick.Marker, p.Y.Tick.Marker = indexTicks{limit: 18}, indexTicks{limit: 18}
	p.Add(m)
	return p
}
