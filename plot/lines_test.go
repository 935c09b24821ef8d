package plot

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// noisyRun is a loss and two accuracies over a training run that look real.
func noisyRun(n int) (loss, exact, correct Series) {
	rng := rand.New(rand.NewPCG(1, 2))
	loss, exact, correct = Series{Name: "train"}, Series{Name: "exact"}, Series{Name: "correct"}
	for i := range n {
		x := float64(i * 50)
		fall := math.Exp(-x / 4000)
		loss.X, loss.Y = append(loss.X, x), append(loss.Y, 2+18*fall+rng.NormFloat64()*(0.3+2*fall))
		if i%10 == 0 {
			exact.X, exact.Y = append(exact.X, x), append(exact.Y, 90*(1-fall)*(1-fall))
			correct.X, correct.Y = append(correct.X, x), append(correct.Y, 97-80*fall)
		}
	}
	return loss, exact, correct
}

func TestTraining(t *testing.T) {
	loss, exact, correct := noisyRun(400)
	img, svg := render(t, "training", Training([]Series{loss}, []Series{exact, correct}))
	wantSize(t, img, 2*panelWidth+8, panelHeight+keyRow)
	wantClearMargin(t, img)
	for _, want := range []string{">loss (nats)<", ">accuracy (%)<", ">step<", ">train<", ">exact<", ">correct<", ">100<", ">15,000<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("svg lacks %q", want)
		}
	}
	blue, orange := lineStyles[0].Color.(color.RGBA), lineStyles[1].Color.(color.RGBA)
	if count(img, blue, 10) < 500 || count(img, orange, 10) < 200 {
		t.Error("a line is missing")
	}
	if count(img, pale(blue).(color.RGBA), 4) < 500 {
		t.Error("the unsmoothed loss is missing")
	}
}

func TestLinesLogarithmicWithGaps(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	p := Panel{
		XLabel: "step", YLabel: "loss (nats)", LogX: true, LogY: true,
		Series: []Series{
			{"a longer name of a series", []float64{0, 1, 10, 100, 1000}, []float64{5, 3, nan, 0.3, 0.01}},
			{"another one with a long name", []float64{1, 10, 100, 1000}, []float64{2, 0, inf, 0.5}},
			{"one point", []float64{30}, []float64{1}},
		},
	}
	runs := p.split(p.Series[0].X, p.Series[0].Y)
	if len(runs) != 2 || len(runs[0]) != 1 || len(runs[1]) != 2 {
		t.Errorf("runs are %v, wanted x = 1, then 100 and 1000", runs)
	}
	img, svg := render(t, "log", Lines{Panels: []Panel{p}})
	wantSize(t, img, panelWidth+8, panelHeight+3*keyRow)
	wantClearMargin(t, img)
	for _, want := range []string{">0.1<", ">1,000<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("svg lacks %q", want)
		}
	}
}

// The diagonal is drawn whatever the data, which is one point here.
func TestCalibrationFigure(t *testing.T) {
	img, svg := render(t, "calibration", Calibration([]Series{{"a before b", []float64{0.75}, []float64{0.25}}}, []Series{{"a before b", []float64{0.75}, []float64{123}}}))
	wantSize(t, img, 2*panelWidth+8, panelHeight+keyRow)
	for i := range 2 {
		if count(img, lineStyles[i].Color.(color.RGBA), 10) == 0 {
			t.Errorf("series %d is missing", i)
		}
	}
	for _, want := range []string{">probability given<", ">share that came true<", ">predictions<", ">as given<", ">a before b<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("svg lacks %q", want)
		}
	}
}

func TestLinesOfOnePoint(t *testing.T) {
	for _, log := range []bool{false, true} {
		img, _ := render(t, "point", Lines{Panels: []Panel{{LogX: log, LogY: log, Series: []Series{{"", []float64{3}, []float64{3}}}}}})
		if count(img, lineStyles[0].Color.(color.RGBA), 10) == 0 {
			t.Error("the point is missing")
		}
	}
}

func TestLinesErrors(t *testing.T) {
	one := []Series{{"s", []float64{1}, []float64{1}}}
	for want, l := range map[string]Lines{
		"lines: no panels":                                  {},
		"panel 0: no point that can be drawn":               {[]Panel{{}}},
		`panel 0: series "s" has 1 x and 0 y`:               {[]Panel{{Series: []Series{{"s", []float64{1}, nil}}}}},
		"panel 1: smooth is 1, wanted 0 to below 1":         {[]Panel{{Series: one}, {Series: one, Smooth: 1}}},
		"panel 0: y range is [2 1], wanted ascending":       {[]Panel{{Series: one, YRange: [2]float64{2, 1}}}},
		"panel 0: y range is [0 1], wanted ascending, and ": {[]Panel{{Series: one, YRange: [2]float64{0, 1}, LogY: true}}},
	} {
		wantError(t, l.encode(nil, false), want)
	}
}

func TestSmoothed(t *testing.T) {
	// By hand, weight 1/2: 4; (4/4+8/2)/(3/4) = 20/3; a gap; (5/2+0/2)/(7/8) = 20/7.
	got := smoothed([]float64{4, 8, math.NaN(), 0}, 0.5)
	for i, want := range []float64{4, 20. / 3, math.NaN(), 20. / 7} {
		if !(math.Abs(got[i]-want) < 1e-12 || math.IsNaN(got[i]) && math.IsNaN(want)) {
			t.Errorf("value %d is %v, wanted %v", i, got[i], want)
		}
	}
}

// What a run does not log has no panel; all panels go over the same steps.
func TestMetrics(t *testing.T) {
	tau := Series{X: []float64{10, 20}, Y: []float64{-0.5, 0.9}}
	gradient := Series{X: []float64{1, 20}, Y: []float64{30, 2}}
	l := Metrics(tau, Series{}, gradient, gradient)
	img, svg := render(t, "metrics", l)
	wantSize(t, img, 3*panelWidth+8, panelHeight)
	for _, p := range l.Panels {
		if p.XRange != [2]float64{0, 20} || p.XLabel != "step" {
			t.Errorf("%s: over %v %v, wanted steps 0 to 20", p.YLabel, p.XRange, p.XLabel)
		}
	}
	for _, want := range []string{">Kendall's tau<", ">gradient norm<", ">learning rate<"} {
		if !strings.Contains(strings.ReplaceAll(svg, "&#39;", "'"), want) {
			t.Errorf("svg lacks %q", want)
		}
	}
	if strings.Contains(svg, "gap") {
		t.Error("a run that logs no gap has a panel of it")
	}
}

// Few points are marked, many are not: 41 marks would touch.
func TestPointsAreMarked(t *testing.T) {
	inked := func(n int, points bool) int {
		s := Series{X: make([]float64, n), Y: make([]float64, n)}
		for i := range n {
			s.X[i] = float64(i)
		}
		img, _ := render(t, "points", Lines{Panels: []Panel{{Series: []Series{s}, Points: points}}})
		return count(img, lineStyles[0].Color.(color.RGBA), 10)
	}
	if inked(mostPoints, true) <= inked(mostPoints, false) {
		t.Error("points are not marked")
	}
	if inked(mostPoints+1, true) != inked(mostPoints+1, false) {
		t.Error("more points than can be told apart are marked")
	}
}

func TestXRange(t *testing.T) {
	s := []Series{{"", []float64{1, 2}, []float64{1, 2}}}
	for _, p := range []Panel{{XRange: [2]float64{2, 1}, Series: s}, {XRange: [2]float64{0, 1}, LogX: true, Series: s}} {
		if _, err := p.plot(); err == nil || !strings.Contains(err.Error(), "x range is") {
			t.Errorf("%v: %v", p.XRange, err)
		}
	}
}

// Four panels stand two by two, five in two rows of three places: each has its own labels, none is
// drawn over another.
func TestLinesGrid(t *testing.T) {
	for _, c := range []struct{ panels, columns, rows int }{{1, 1, 1}, {3, 3, 1}, {4, 2, 2}, {5, 3, 2}} {
		var l Lines
		for i := range c.panels {
			l.Panels = append(l.Panels, Panel{XLabel: fmt.Sprintf("x%d", i), YLabel: "y", Series: []Series{{Name: "a", X: []float64{0, 1}, Y: []float64{0, 1}}}})
		}
		img, svg := render(t, fmt.Sprintf("grid-%d", c.panels), l)
		wantClearMargin(t, img)
		for i := range c.panels {
			if n := strings.Count(svg, fmt.Sprintf(">x%d<", i)); n != 1 {
				t.Errorf("%d panels: label x%d stands %d times", c.panels, i, n)
			}
		}
		if want := fmt.Sprintf(`<svg width="%dpt" height="%dpt"`, c.columns*panelWidth+8, c.rows*(panelHeight+keyRow)); !strings.Contains(svg, want) {
			t.Errorf("%d panels: no %s in %.200s", c.panels, want, svg)
		}
	}
}

// Single points of two series differ in more than hue, for a print in grey: a disc and a ring,
// which the key shows as well.
func TestSinglePoints(t *testing.T) {
	for _, marked := range []bool{false, true} {
		testSinglePoints(t, marked)
	}
}

func testSinglePoints(t *testing.T, marked bool) {
	t.Helper()
	draw := func(file string, series ...Series) image.Image {
		img, _ := render(t, file, Lines{Panels: []Panel{{XLabel: "x", YLabel: "y", XRange: [2]float64{0, 10}, YRange: [2]float64{0, 10}, Series: series, Points: marked}}})
		return img
	}
	// Off the axes nothing is drawn, and what has no name is in no key.
	off := Series{X: []float64{50}, Y: []float64{50}}
	point := Series{X: []float64{5}, Y: []float64{5}}
	disc := count(draw("single-first", point), lineStyles[0].Color.(color.RGBA), 8)
	ring := count(draw("single-second", off, point), lineStyles[1].Color.(color.RGBA), 8)
	if ring <= 0 || 4*ring >= 3*disc {
		t.Errorf("%d pixels of a disc, %d of a ring of its size, wanted fewer and some", disc, ring)
	}
	named, line := off, Series{Name: "a", X: []float64{50, 60}, Y: []float64{50, 50}}
	named.Name = "a"
	with := count(draw("single-key", named, point), lineStyles[0].Color.(color.RGBA), 8)
	without := count(draw("single-key-of-line", line, point), lineStyles[0].Color.(color.RGBA), 8)
	if with <= without {
		t.Errorf("%d pixels in the key of a single point, %d in that of a line", with, without)
	}
}
