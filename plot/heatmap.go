package plot

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// HeatMap is a matrix of probabilities, such as item-by-position marginals:
// Values[k][i] is the probability that item k stands at position i.
type HeatMap struct {
	Values [][]float64 // [items][positions], 0 to 1
	Items  []string    // names of the items; nil numbers them from 0

	ItemLabel string // of the axis of items; "" is "item"
}

func (h HeatMap) check() error {
	if len(h.Values) == 0 || len(h.Values[0]) == 0 {
		return errors.New("heat map: no values")
	}
	for k, row := range h.Values {
		if len(row) != len(h.Values[0]) {
			return fmt.Errorf("heat map: row %d has %d values, wanted %d as row 0 has", k, len(row), len(h.Values[0]))
		}
		for i, v := range row {
			if !inUnit(v) {
				return fmt.Errorf("heat map: item %d at position %d is %v, wanted 0 to 1", k, i, v)
			}
		}
	}
	if h.Items != nil && len(h.Items) != len(h.Values) {
		return fmt.Errorf("heat map: %d names for %d items", len(h.Items), len(h.Values))
	}
	return nil
}

func (h HeatMap) encode(w io.Writer, svg bool) error {
	if err := h.check(); err != nil {
		return err
	}
	rows, cols := len(h.Values), len(h.Values[0])
	p := newPlot("position", cmp.Or(h.ItemLabel, "item"))
	top := h.top()
	m := cells{rows: rows, cols: cols, top: top, numbers: max(rows, cols) <= 12, at: func(r, c int) (float64, bool) {
		return math.Min(math.Max(h.Values[r][c], 0), 1), true
	}}
	m.setAxes(p)
	p.X.Tick.Marker = indexTicks{limit: 14}
	p.Y.Tick.Marker = indexTicks{limit: 30, names: h.Items}
	p.Add(m)

	// The data area is 20 points a cell, between 120 and 300.
	const barSpace = 62
	side := func(n int) vg.Length { return vg.Length(min(max(20*n, 120), 300)) }
	probe := p.DataCanvas(draw.NewCanvas(nil, 1000, 1000)).Size()
	width, height := side(cols)+1000-probe.X+barSpace+4, side(rows)+1000-probe.Y+16
	return encodeVector(w, svg, dotsPerInch, width, height, func(c draw.Canvas) {
		area := draw.Crop(c, 4, -barSpace, 4, -12)
		p.Draw(area)
		data := p.DataCanvas(area)
		drawColourBar(c, data.Max.X+10, data.Min.Y, data.Max.Y, top)
	})
}

// top is where the colours end. That is 1 or, where all values are below a half, the first 1, 2 or
// 5 times a power of ten that holds them.
func (h HeatMap) top() float64 {
	largest := 0.0
	for _, row := range h.Values {
		largest = max(largest, slices.Max(row))
	}
	if largest > 0.5 || largest <= 0 {
		return 1
	}
	unit := math.Pow10(int(math.Floor(math.Log10(largest))))
	for _, m := range []float64{1, 2, 5} {
		if largest <= m*unit*(1+1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// drawColourBar draws the scale from 0 to top at x, with its label to the right.
func drawColourBar(c draw.Canvas, x, y0, y1 vg.Length, top float64) {
	const steps, width = 128, 9
	height := (y1 - y0) / steps
	for i := range steps {
		y := y0 + vg.Length(i)*height
		fillRect(&c, viridis((float64(i)+0.5)/steps), x, y, x+width, min(y+height+0.3, y1))
	}
	style := textStyle(tickSize, ink, text.XLeft, text.YBottom)
	var widest vg.Length
	for _, f := range []float64{0, 0.5, 1} {
		y, text := y0+vg.Length(f)*(y1-y0), strconv.FormatFloat(f*top, 'g', 3, 64)
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 0.6}, x+width, y, x+width+3, y)
		drawDigits(&c, style, x+width+5, y, text)
		widest = max(widest, style.Width(text))
	}
	label := textStyle(labelSize, ink, text.XCenter, text.YTop)
	label.Rotation = math.Pi / 2
	c.FillText(label, vg.Point{X: x + width + 8 + widest, Y: (y0 + y1) / 2}, "probability")
}
