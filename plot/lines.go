package plot

import (
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Series is one line: the points (X[i], Y[i]), in the order they are joined. A point that is not
// finite or is beyond 1e300 is left out, and the line is broken there. So is one that is not
// positive or is below 1e-300 on a logarithmic axis.
type Series struct {
	Name string
	X, Y []float64
}

// Panel is one pair of axes. Labels name what is measured and its unit.
type Panel struct {
	XLabel, YLabel string
	LogX, LogY     bool
	XRange, YRange [2]float64 // fixed ranges; zero takes one from the data
	Points         bool       // mark the points of series of at most 40: few are seen to be few
	Series         []Series

	// Smooth, from 0 to below 1, is the weight of the past in an exponential moving average. Its
	// start is corrected for, as in Adam. The average is drawn over the pale data. 0 draws the data
	// alone.
	Smooth float64
}

// Lines is panels of lines side by side.
type Lines struct{ Panels []Panel }

// Training is the figure of a training run: the loss in nats beside the accuracy
// in %, both over the same optimiser steps.
func Training(loss, accuracy []Series) Lines {
	l := Lines{Panels: []Panel{
		{XLabel: "step", YLabel: "loss (nats)", Series: loss, Smooth: 0.9},
		{XLabel: "step", YLabel: "accuracy (%)", Series: accuracy, YRange: [2]float64{0, 100}, Points: true},
	}}
	l.alignSteps()
	return l
}

// RankingTraining is the figure of a training on ranked lists, where an order that is exactly right
// is rare and lists have many sizes. It shows the loss in nats an item. Beside it are measures of
// how the validation lists are ordered, from 0 for chance (tau-b) or the worst (NDCG) to 1.
func RankingTraining(loss, measures []Series) Lines {
	l := Lines{Panels: []Panel{
		{XLabel: "step", YLabel: "loss (nats an item)", Series: loss, Smooth: 0.9},
		{XLabel: "step", YLabel: "agreement with the lists", Series: measures, Points: true},
	}}
	l.alignSteps()
	return l
}

// Metrics is the figure of what else a training run logs, over the same optimiser steps. It shows
// Kendall's tau of the orders that validation sets get, and of tours the gap to the shortest in %.
// It also shows the norm of the gradient before it is clipped, and the learning rate. What has no
// point has no panel.
func Metrics(tau, gap, gradient, rate Series) Lines {
	var l Lines
	for _, p := range []Panel{
		{YLabel: "Kendall's tau", Series: []Series{tau}, Points: true},
		{YLabel: "gap (%)", Series: []Series{gap}, Points: true},
		{YLabel: "gradient norm", Series: []Series{gradient}, LogY: true, Smooth: 0.9},
		{YLabel: "learning rate", Series: []Series{rate}},
	} {
		if len(p.Series[0].X) > 0 {
			p.XLabel, p.Series[0].Name = "step", "" // the axis says it
			l.Panels = append(l.Panels, p)
		}
	}
	l.alignSteps()
	return l
}

// alignSteps has all panels go from step 0 to the last of any.
func (l Lines) alignSteps() {
	last := 0.0
	for _, p := range l.Panels {
		for _, s := range p.Series {
			for _, x := range s.X {
				if x <= math.MaxFloat64 { // neither NaN nor infinite
					last = max(last, x)
				}
			}
		}
	}
	if last == 0 {
		return
	}
	for i := range l.Panels {
		l.Panels[i].XRange = [2]float64{0, last}
	}
}

// Calibration is the figure of how often what was given a probability came true. It shows the share
// that did over the mean probability of each bin, both from 0 to 1, beside the diagonal, where they
// are equal. Over the same probabilities it shows how many predictions each point stands for.
func Calibration(shares, counts []Series) Lines {
	unit := [2]float64{0, 1}
	var diagonal []float64 // of so many points that they are not marked
	for i := range mostPoints + 1 {
		diagonal = append(diagonal, float64(i)/mostPoints)
	}
	// It comes last, so that a series has the same style in both panels.
	all := append(slices.Clone(shares), Series{Name: "as given", X: diagonal, Y: diagonal})
	return Lines{Panels: []Panel{
		{XLabel: "probability given", YLabel: "share that came true", XRange: unit, YRange: unit, Series: all, Points: true},
		{XLabel: "probability given", YLabel: "predictions", XRange: unit, LogY: true, Series: counts, Points: true},
	}}
}

// lineStyles differ in lightness and dashes as well as in hue (hues of M. Okabe
// and K. Ito, for all kinds of colour vision).
var lineStyles = []draw.LineStyle{
	{Color: color.RGBA{0x00, 0x72, 0xb2, 0xff}, Width: 1.3},
	{Color: color.RGBA{0xd5, 0x5e, 0x00, 0xff}, Width: 1.3, Dashes: []vg.Length{5, 2}},
	{Color: color.RGBA{0x00, 0x00, 0x00, 0xff}, Width: 1.3, Dashes: []vg.Length{1.5, 1.5}},
	{Color: color.RGBA{0x00, 0x9e, 0x73, 0xff}, Width: 1.3, Dashes: []vg.Length{6, 2, 1.5, 2}},
	{Color: color.RGBA{0x56, 0xb4, 0xe9, 0xff}, Width: 1.8},
	{Color: color.RGBA{0xcc, 0x79, 0xa7, 0xff}, Width: 1.8, Dashes: []vg.Length{3, 3}},
}

// lineMarks are what points of the series look like: single ones have no line to tell them by.
var lineMarks = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{}, draw.PyramidGlyph{}, draw.SquareGlyph{},
}

// singlePoint is how a point of the series i is drawn.
func singlePoint(i int) draw.GlyphStyle {
	style := lineStyles[i%len(lineStyles)]
	return draw.GlyphStyle{Color: style.Color, Radius: 1.5 * style.Width, Shape: lineMarks[i%len(lineMarks)]}
}

const (
	panelWidth  = 250
	panelHeight = 190
	keyRow      = 12 // height of a row of a panel's key
)

func (l Lines) encode(w io.Writer, svg bool) error {
	if len(l.Panels) == 0 {
		return errors.New("lines: no panels")
	}
	plots := make([]*plot.Plot, len(l.Panels))
	keys := make([][]keyPlace, len(l.Panels))
	rows := 0
	for i, p := range l.Panels {
		var err error
		if plots[i], err = p.plot(); err != nil {
			return fmt.Errorf("lines: panel %d: %w", i, err)
		}
		keys[i] = p.placeKey(panelWidth - 60)
		if n := len(keys[i]); n > 0 {
			rows = max(rows, keys[i][n-1].row+1)
		}
	}
	// Four stand two by two: in one row they are too small to read where a page shrinks them.
	columns := min(len(plots), 3)
	if len(plots) == 4 {
		columns = 2
	}
	grid := slices.Collect(slices.Chunk(plots, columns))
	for last := len(grid) - 1; len(grid[last]) < columns; {
		grid[last] = append(slices.Clip(grid[last]), nil)
	}
	width := vg.Length(columns*panelWidth + 8)
	height := vg.Length(len(grid) * (panelHeight + rows*keyRow))
	return encodeVector(w, svg, dotsPerInch, width, height, func(c draw.Canvas) {
		tiles := draw.Tiles{Cols: columns, Rows: len(grid), PadX: 14, PadY: vg.Length(rows*keyRow) + 10, PadTop: vg.Length(rows*keyRow) + 6, PadBottom: 4, PadLeft: 4, PadRight: 8}
		for i, tile := range slices.Concat(plot.Align(grid, tiles, c)...)[:len(plots)] {
			plots[i].Draw(tile)
			data := plots[i].DataCanvas(tile)
			drawKeyRows(c, keys[i], data.Min.X, data.Max.Y+5, rows)
		}
	})
}

// keyPlace is where an entry of a key stands: x from the left, row from the top.
type keyPlace struct {
	name  string
	style draw.LineStyle
	mark  *draw.GlyphStyle // of a series with single points, else nil
	x     vg.Length
	row   int
}

// mostPoints is how many points of a line are marked: more would touch.
const mostPoints = 40

const keySample = 20 // width of a key's line

// placeKey fills rows of a width with the names of the series.
func (p Panel) placeKey(width vg.Length) (places []keyPlace) {
	style := textStyle(tickSize, ink, text.XLeft, text.YBottom)
	var x vg.Length
	row := 0
	for i, s := range p.Series {
		if s.Name == "" {
			continue
		}
		w := keySample + 4 + style.Width(s.Name)
		if x > 0 && x+w > width {
			x, row = 0, row+1
		}
		place := keyPlace{name: s.Name, style: lineStyles[i%len(lineStyles)], x: x, row: row}
		if slices.ContainsFunc(p.split(s.X, s.Y), func(run []xy) bool { return len(run) == 1 }) {
			m := singlePoint(i)
			place.mark = &m
		}
		places = append(places, place)
		x += w + 12
	}
	return places
}

// drawKeyRows draws a key whose last of rows rows has its base at y.
func drawKeyRows(c draw.Canvas, places []keyPlace, x, y vg.Length, rows int) {
	last := rows - 1
	if n := len(places); n > 0 {
		last = places[n-1].row
	}
	for _, k := range places {
		at := y + (vg.Length(last-k.row)+0.4)*keyRow
		c.StrokeLine2(k.style, x+k.x, at, x+k.x+keySample, at)
		if k.mark != nil {
			c.DrawGlyphNoClip(*k.mark, vg.Point{X: x + k.x + keySample/2, Y: at})
		}
		drawDigits(&c, textStyle(tickSize, ink, text.XLeft, text.YBottom), x+k.x+keySample+4, at, k.name)
	}
}

// drawn tells whether a value has a place on an axis. An axis whose ends are at those of floating
// point has no room for a margin, and no number of ticks is enough for it.
func drawn(v float64, log bool) bool {
	const most = 1e300
	return math.Abs(v) <= most && (!log || v >= 1/most)
}

// plot checks the panel and lays out its axes and lines.
func (p Panel) plot() (*plot.Plot, error) {
	if !(p.Smooth >= 0 && p.Smooth < 1) {
		return nil, fmt.Errorf("smooth is %v, wanted 0 to below 1", p.Smooth)
	}
	out := newPlot(p.XLabel, p.YLabel)
	runs := make([][][]xy, len(p.Series))
	raw := make([][][]xy, len(p.Series))
	for i, s := range p.Series {
		if len(s.X) != len(s.Y) {
			return nil, fmt.Errorf("series %q has %d x and %d y", s.Name, len(s.X), len(s.Y))
		}
		raw[i] = p.split(s.X, s.Y)
		runs[i] = raw[i]
		if p.Smooth > 0 {
			runs[i] = p.split(s.X, smoothed(s.Y, p.Smooth))
		}
		for _, run := range raw[i] {
			for _, v := range run {
				out.X.Min, out.X.Max = math.Min(out.X.Min, v.x), math.Max(out.X.Max, v.x)
				out.Y.Min, out.Y.Max = math.Min(out.Y.Min, v.y), math.Max(out.Y.Max, v.y)
			}
		}
	}
	if out.X.Min > out.X.Max {
		return nil, errors.New("no point that can be drawn")
	}
	if p.YRange != [2]float64{} {
		if !(p.YRange[0] < p.YRange[1]) || p.LogY && p.YRange[0] <= 0 {
			return nil, fmt.Errorf("y range is %v, wanted ascending, and positive on a logarithmic axis", p.YRange)
		}
		out.Y.Min, out.Y.Max = p.YRange[0], p.YRange[1]
	} else {
		pad(&out.Y, p.LogY, 0.04)
	}
	if p.XRange != [2]float64{} {
		if !(p.XRange[0] < p.XRange[1]) || p.LogX && p.XRange[0] <= 0 {
			return nil, fmt.Errorf("x range is %v, wanted ascending, and positive on a logarithmic axis", p.XRange)
		}
		out.X.Min, out.X.Max = p.XRange[0], p.XRange[1]
	} else {
		pad(&out.X, p.LogX, 0)
	}
	for _, a := range []struct {
		axis *plot.Axis
		log  bool
	}{{&out.X, p.LogX}, {&out.Y, p.LogY}} {
		if a.log {
			a.axis.Scale, a.axis.Tick.Marker = plot.LogScale{}, logTicks{}
		}
	}
	out.Add(gridLines{}, painter(func(c draw.Canvas, pl *plot.Plot) {
		for i := range p.Series {
			style := lineStyles[i%len(lineStyles)]
			if p.Smooth > 0 {
				under := draw.LineStyle{Color: pale(style.Color), Width: 0.5}
				drawRuns(c, pl, raw[i], under, draw.GlyphStyle{Color: under.Color, Radius: 1.5 * under.Width, Shape: draw.CircleGlyph{}})
			}
			drawRuns(c, pl, runs[i], style, singlePoint(i))
			if p.Points && len(p.Series[i].X) <= mostPoints {
				drawPoints(c, pl, runs[i], singlePoint(i))
			}
		}
	}))
	return out, nil
}

// pad widens an axis by a share of its range at both ends, and by something
// where it has none.
func pad(a *plot.Axis, log bool, share float64) {
	switch d := a.Max - a.Min; {
	case log && d == 0:
		a.Min, a.Max = a.Min/2, a.Max*2
	case log:
		f := math.Pow(a.Max/a.Min, share)
		a.Min, a.Max = a.Min/f, a.Max*f
	case d == 0:
		by := math.Max(math.Abs(a.Min)*0.1, 1)
		a.Min, a.Max = a.Min-by, a.Max+by
	default:
		a.Min, a.Max = a.Min-share*d, a.Max+share*d
	}
}

type xy struct{ x, y float64 }

// split returns the runs of points that can be drawn.
func (p Panel) split(x, y []float64) (runs [][]xy) {
	open := false
	for i := range x {
		ok := drawn(x[i], p.LogX) && drawn(y[i], p.LogY)
		if ok && !open {
			runs = append(runs, nil)
		}
		if ok {
			runs[len(runs)-1] = append(runs[len(runs)-1], xy{x[i], y[i]})
		}
		open = ok
	}
	return runs
}

// smoothed is the exponential moving average of the finite values of y; it is
// NaN where y is not finite.
func smoothed(y []float64, weight float64) []float64 {
	out := make([]float64, len(y))
	mean, mass := 0.0, 0.0
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			out[i] = math.NaN()
			continue
		}
		mean = weight*mean + (1-weight)*v
		mass = weight*mass + (1 - weight)
		out[i] = mean / mass
	}
	return out
}

// drawRuns draws lines clipped to the axes, and a run of one point as a mark.
func drawRuns(c draw.Canvas, p *plot.Plot, runs [][]xy, style draw.LineStyle, single draw.GlyphStyle) {
	x, y := p.Transforms(&c)
	for _, run := range runs {
		points := make([]vg.Point, len(run))
		for i, v := range run {
			points[i] = vg.Point{X: x(v.x), Y: y(v.y)}
		}
		if len(points) == 1 {
			c.DrawGlyph(single, points[0])
			continue
		}
		c.StrokeLines(style, c.ClipLinesXY(points)...)
	}
}

// drawPoints marks the points that lie on the axes' area.
func drawPoints(c draw.Canvas, p *plot.Plot, runs [][]xy, mark draw.GlyphStyle) {
	x, y := p.Transforms(&c)
	for _, run := range runs {
		for _, v := range run {
			if at := (vg.Point{X: x(v.x), Y: y(v.y)}); c.Contains(at) {
				c.DrawGlyph(mark, at)
			}
		}
	}
}

// pale mixes c with white, 1 to 2.
func pale(c color.Color) color.Color {
	r, g, b, _ := c.RGBA()
	mix := func(v uint32) uint8 { return uint8((v>>8 + 2*255) / 3) }
	return color.RGBA{mix(r), mix(g), mix(b), 0xff}
}
