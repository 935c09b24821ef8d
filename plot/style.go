package plot

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

var (
	ink   = color.RGBA{0x22, 0x22, 0x22, 0xff}
	faint = color.RGBA{0xe2, 0xe2, 0xe2, 0xff}
	muted = color.RGBA{0x70, 0x70, 0x70, 0xff}
	red   = color.RGBA{0xd6, 0x1f, 0x1f, 0xff}
	green = color.RGBA{0x1a, 0x7f, 0x37, 0xff}
)

const (
	labelSize = 9 // points, axis labels
	tickSize  = 8 // points, tick labels and keys
)

func sans(size vg.Length) font.Font {
	return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

// textStyle is text of a size, aligned as given at the point it is drawn at.
func textStyle(size vg.Length, c color.Color, x text.XAlignment, y text.YAlignment) text.Style {
	return text.Style{Color: c, Font: sans(size), XAlign: x, YAlign: y, Handler: plot.DefaultTextHandler}
}

func bold(s text.Style) text.Style {
	s.Font.Weight = stdfont.WeightBold
	return s
}

// newPlot is an empty plot in this package's style.
func newPlot(xLabel, yLabel string) *plot.Plot {
	p := plot.New()
	p.X.Label.Text, p.Y.Label.Text = xLabel, yLabel
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font = sans(labelSize)
		a.Label.TextStyle.Color = ink
		a.Label.Padding = 3
		a.Tick.Label.Font = sans(tickSize)
		a.Tick.Label.Color = ink
		a.Tick.Length = 3
		a.Tick.Color, a.Color = ink, ink
		a.Tick.Width, a.Width = 0.6, 0.6
		a.Padding = 0
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks{5}, linearTicks{6}
	return p
}

// painter is a plotter that is a function.
type painter func(c draw.Canvas, p *plot.Plot)

// Plot draws.
func (f painter) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

// gridLines draws a faint line at every labelled tick.
type gridLines struct{}

func (gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: faint, Width: 0.5}
	for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		if v := x(t.Value); !t.IsMinor() && c.ContainsX(v) {
			c.StrokeLine2(style, v, c.Min.Y, v, c.Max.Y)
		}
	}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if v := y(t.Value); !t.IsMinor() && c.ContainsY(v) {
			c.StrokeLine2(style, c.Min.X, v, c.Max.X, v)
		}
	}
}

// linearTicks are a multiple of 1, 2 or 5 times a power of ten apart, the
// smallest that leaves at most so many steps.
type linearTicks struct{ most float64 }

func (t linearTicks) Ticks(lo, hi float64) []plot.Tick {
	step := math.Pow10(int(math.Floor(math.Log10((hi - lo) / t.most))))
	for _, m := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(m*step) <= t.most+1e-9 {
			step *= m
			break
		}
	}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	var ticks []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+1e-9*step; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: formatTick(i*step, decimals)})
	}
	return ticks
}

// formatTick writes v with a fixed number of decimals, thousands apart by
// commas, and a true minus sign.
func formatTick(v float64, decimals int) string {
	if math.Abs(v) >= 1e9 || decimals > 6 {
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	s := strconv.FormatFloat(math.Abs(v), 'f', decimals, 64)
	whole, fraction, _ := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if v < 0 && strings.Trim(s, "0.") != "" {
		return "−" + whole
	}
	return whole
}

// logTicks are the powers of ten. Where those, or every few of them, are fewer than three labels, 2
// and 5 times them are labelled too, then more digits. Over less than that it is as linearTicks.
type logTicks struct{}

func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	if !(lo > 0 && hi <= math.MaxFloat64) { // no end of powers of ten
		return nil
	}
	every := max(1, int(math.Ceil(math.Log10(hi/lo)/6)))
	for _, digits := range []string{"1", "125", "12357", "123456789"} {
		var ticks []plot.Tick
		labels := 0
		for e := int(math.Floor(math.Log10(lo))); math.Pow10(e) <= hi; e++ {
			for m := 1; m < 10; m++ {
				v := float64(m) * math.Pow10(e)
				if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
					continue
				}
				t := plot.Tick{Value: v}
				if strings.Contains(digits, strconv.Itoa(m)) && e%every == 0 {
					t.Label = formatTick(v, max(0, -e))
					labels++
				}
				ticks = append(ticks, t)
			}
		}
		if labels >= 3 {
			return ticks
		}
	}
	return linearTicks{4}.Ticks(lo, hi)
}

// indexTicks labels the integers from lo to hi that are a multiple of a step. The step leaves at
// most limit of them. names, where there are any, stand for numbers from first on.
type indexTicks struct {
	limit int
	first int
	names []string
}

func (t indexTicks) Ticks(lo, hi float64) []plot.Tick {
	step := 1
	for _, next := range []int{2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000} {
		if int(math.Floor(hi)-math.Ceil(lo))/step+1 <= t.limit {
			break
		}
		step = next
	}
	var ticks []plot.Tick
	for i := int(math.Ceil(lo)); float64(i) <= hi; i++ {
		if i%step != 0 {
			continue
		}
		label := strconv.Itoa(i)
		if k := i - t.first; k >= 0 && k < len(t.names) {
			label = t.names[k]
		}
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: label})
	}
	return ticks
}
