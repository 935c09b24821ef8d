package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/riffle-ml/riffle/internal/machine"
	"github.com/riffle-ml/riffle/plot"
)

// styles is how many kinds of lines package plot has before they come again.
const styles = 6

// quantity is what a figure shows of the points.
type quantity struct {
	file, name, unit string
	of               func(point) float64
}

var quantities = []quantity{
	{"growth-time.png", "time", "s", func(p point) float64 { return p.seconds }},
	{"growth-memory.png", "memory", "MB", func(p point) float64 { return p.megabytes }},
}

func (c curve) values(q quantity) (x, y []float64) {
	for _, p := range c.points {
		x, y = append(x, p.x), append(y, q.of(p))
	}
	return x, y
}

// label is that of the axis of a quantity.
func (q quantity) label(axis string) string {
	switch {
	case q.name == "memory":
		return "peak memory (MB)"
	case axis == "beam":
		return "a decode (s)"
	}
	return "a training step (s)"
}

// panel has the points of the curves along an axis, each with its law as a line.
func panel(curves []curve, axis string, q quantity) plot.Panel {
	labels := map[string]string{"n": "objects n", "batch": "batch (sets)", "layers": "layers", "beam": "beam (orders)"}
	p := plot.Panel{XLabel: labels[axis], YLabel: q.label(axis), LogX: true, LogY: true}
	var dots []plot.Series
	for _, c := range curves {
		if c.axis != axis {
			continue
		}
		x, y := c.values(q)
		l := fit(x, y)
		s := plot.Series{Name: c.name}
		const samples = 60
		for i := range samples + 1 {
			at := x[0] * math.Pow(x[len(x)-1]/x[0], float64(i)/samples)
			s.X, s.Y = append(s.X, at), append(s.Y, l.at(at))
		}
		p.Series = append(p.Series, s)
		dot := plot.Series{}
		for i := range x { // gaps leave the points unjoined
			dot.X, dot.Y = append(dot.X, x[i], math.NaN()), append(dot.Y, y[i], math.NaN())
		}
		dots = append(dots, dot)
	}
	for len(p.Series) < styles { // so that points have the colours of their lines
		p.Series = append(p.Series, plot.Series{})
	}
	p.Series = append(p.Series, dots...)
	return p
}

// report writes the table and the figures.
func report(dir string, curves []curve, quick bool, took time.Duration) error {
	var axes []string
	for _, c := range curves {
		if !slices.Contains(axes, c.axis) {
			axes = append(axes, c.axis)
		}
	}
	for _, q := range quantities {
		var f plot.Lines
		for _, axis := range axes {
			f.Panels = append(f.Panels, panel(curves, axis, q))
		}
		if err := plot.Save(filepath.Join(dir, q.file), f); err != nil {
			return err
		}
	}
	how := "median of 3 rounds of 3"
	if quick {
		how = "one of each (-quick)"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `# Growth

Written by `+"`make bench-growth`"+` on %s in %.0f s: %s, %s engine, %s, a process a point. The task is delta with a network of
width 32 and 2 layers; "wide" has the paper's width 128 and 7 layers. Time is that of a training step, along the beam that of
decoding a batch; memory is the largest resident set of the process, the program and XLA's compiler in it. Laws are
base + factor·x^power with the least squares of relative errors, whose root mean square is the last column; what varies by less
than a tenth is constant.

![Time, points measured and laws fitted, on logarithmic axes](growth-time.png)
![Memory, points measured and laws fitted, on logarithmic axes](growth-memory.png)

| along | of | | measured | law | off by |
|---|---|---|---|---|--:|
`, time.Now().Format(time.DateOnly), took.Seconds(), machine.Name(), curves[0].engine, how)
	for _, c := range curves {
		for _, q := range quantities {
			x, y := c.values(q)
			l := fit(x, y)
			var measured []string
			for i := range x {
				measured = append(measured, fmt.Sprintf("%g: %s", x[i], short(y[i])))
			}
			fmt.Fprintf(&b, "| %s | %s | %s, %s | %s | %s | %.0f %% |\n", c.axis, c.name, q.name, q.unit, strings.Join(measured, ", "), l.format(c.axis), 100*l.off)
		}
	}
	b.WriteString("\nWhy:\n\n")
	for _, c := range curves {
		fmt.Fprintf(&b, "- **%s**, %s: %s.\n", c.axis, c.name, c.why)
	}
	b.WriteString(`
The base of memory is the program and its engine. On XLA that is mostly the compiler, which needs room by the size of the graph, so
by layers, not by n, the batch or the beam: the curves rise where a step needs more than compiling it did. A step keeps for its
gradient what it computed on the way forward, so there memory grows as the work does, but for what XLA computes in parts and
drops. Powers between 1 and 2 are of sums n + n² seen over a range, not laws of their own.
`)
	return os.WriteFile(filepath.Join(dir, "growth.md"), []byte(b.String()), 0o644)
}

// short writes three digits.
func short(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.3g", v)
}
