package plot

import (
	"image/color"
	"math"
	"strings"
	"testing"
)

// bands is n×n marginals around the diagonal.
func bands(n int, width float64) [][]float64 {
	m := make([][]float64, n)
	for k := range m {
		m[k] = make([]float64, n)
		sum := 0.0
		for i := range m[k] {
			m[k][i] = math.Exp(-math.Pow(float64(i-k)/width, 2))
			sum += m[k][i]
		}
		for i := range m[k] {
			m[k][i] /= sum
		}
	}
	return m
}

func TestHeatMap(t *testing.T) {
	for _, c := range []struct {
		name    string
		h       HeatMap
		numbers bool
	}{
		{"marginals-5", HeatMap{Values: bands(5, 0.9), Items: []string{"Oslo", "Bergen", "Trondheim", "Bodø", "Tromsø"}}, true},
		{"marginals-30", HeatMap{Values: bands(30, 2)}, false},
		{"marginals-200", HeatMap{Values: bands(200, 5)}, false},
		{"marginals-1", HeatMap{Values: [][]float64{{1}}}, true},
		{"marginals-2x8", HeatMap{Values: bands(8, 3)[:2]}, true},
	} {
		img, svg := render(t, c.name, c.h)
		wantClearMargin(t, img)
		for _, want := range []string{">position<", ">item<", ">probability<"} {
			if !strings.Contains(svg, want) {
				t.Errorf("%s: svg lacks %q", c.name, want)
			}
		}
		if got := strings.Contains(svg, ">.") || c.name == "marginals-1"; got != c.numbers {
			t.Errorf("%s: numbers in the cells: %v, wanted %v", c.name, got, c.numbers)
		}
		for name := range c.h.Items {
			if !strings.Contains(svg, ">"+c.h.Items[name]+"<") {
				t.Errorf("%s: svg lacks the item %q", c.name, c.h.Items[name])
			}
		}
	}
}

// Row 0 is on top and column 0 at the left.
func TestHeatMapOrientation(t *testing.T) {
	img, svg := render(t, "corner", HeatMap{Values: [][]float64{{0, 1}, {0.6, 0}}})
	centre := func(v float64) (x, y int) {
		b, n := img.Bounds(), 0
		for py := range b.Dy() {
			for px := range b.Dx() * 3 / 4 { // the colour bar is right of it
				if isColour(img.At(px, py), viridis(v), 0) {
					x, y, n = x+px, y+py, n+1
				}
			}
		}
		if n == 0 {
			t.Fatalf("no pixel of value %v", v)
		}
		return x / n, y / n
	}
	x1, y1 := centre(1)
	x2, y2 := centre(0.6)
	if x1 <= x2 || y1 >= y2 {
		t.Errorf("item 0 at position 1 is drawn at (%d, %d), item 1 at position 0 at (%d, %d)", x1, y1, x2, y2)
	}
	if !strings.Contains(svg, ">.60<") {
		t.Error("svg lacks the number .60")
	}
}

func TestHeatMapTop(t *testing.T) {
	for largest, want := range map[float64]float64{0: 1, 1: 1, 0.51: 1, 0.5: 0.5, 0.3: 0.5, 0.2: 0.2, 0.06: 0.1, 0.004: 0.005} {
		if got := (HeatMap{Values: [][]float64{{0, largest}}}).top(); math.Abs(got-want) > 1e-12 {
			t.Errorf("colours for %v end at %v, wanted %v", largest, got, want)
		}
	}
}

func TestHeatMapErrors(t *testing.T) {
	for want, h := range map[string]HeatMap{
		"no values":                        {},
		"row 1 has 1 values, wanted 2":     {Values: [][]float64{{0, 1}, {1}}},
		"item 0 at position 1 is NaN":      {Values: [][]float64{{0, math.NaN()}}},
		"item 0 at position 0 is 2":        {Values: [][]float64{{2}}},
		"heat map: 2 names for 1 items":    {Values: [][]float64{{1}}, Items: []string{"a", "b"}},
		"item 1 at position 0 is -0.5, wa": {Values: [][]float64{{0}, {-0.5}}},
	} {
		wantError(t, h.check(), want)
	}
}

// Numbers on cells can be read on every shade: WCAG's 4.5:1. By hand, green (0, 128, 0) has white
// on it at 1.05/(0.7152·0.2159 + 0.05) = 5.14:1 and black at 4.09:1.
func TestContrast(t *testing.T) {
	if got := contrast(color.RGBA{0, 128, 0, 255}); got != color.White {
		t.Errorf("%v on green, wanted white", got)
	}
	for k := range 101 {
		c := viridis(float64(k) / 100)
		low, high := luminance(c), luminance(contrast(c))
		if low > high {
			low, high = high, low
		}
		if ratio := (high + 0.05) / (low + 0.05); ratio < 4.5 {
			t.Errorf("viridis %g: contrast %.2f", float64(k)/100, ratio)
		}
	}
}
