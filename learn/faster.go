package learn

import (
	"fmt"
	"time"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
)

// The first two are the seconds of a core that XLA takes to compile a training step for a size of sets, and an
// answer. At rest they are 5 and 0.8; they have the room that the times of the network's products have (see
// productTime). compileTime, which bounds a request, has more room. backward is how many times as long as the
// network's part of an answer a step takes, for as many states.
const (
	trainCompileTime = 8.0
	askCompileTime   = 1.3
	backward         = 3.0
)

// Choice says which of two engines is faster for some work, by the estimate of [Model.Work].
type Choice struct {
	Kind string // "go" or "xla"
	Why  string
}

// choose compares seconds of the go engine with seconds and compiling of XLA for shapes.
func choose(what string, goTime, xlaTime, compiling float64, shapes int) Choice {
	c := Choice{Kind: "xla"}
	if goTime <= xlaTime+compiling {
		c.Kind = "go"
	}
	plural := "s"
	if shapes == 1 {
		plural = ""
	}
	c.Why = fmt.Sprintf("%s is estimated at %s on go, %s on xla with %s to compile %d shape%s", what, span(goTime), span(xlaTime+compiling), span(compiling), shapes, plural)
	return c
}

// span is a time in words of two digits.
func span(seconds float64) string {
	d := time.Duration(min(seconds, 1e9) * float64(time.Second))
	switch {
	case d >= 10*time.Hour:
		return fmt.Sprintf("%.0f h", d.Hours())
	case d >= 10*time.Minute:
		return fmt.Sprintf("%.0f min", d.Minutes())
	}
	return fmt.Sprintf("%.2g s", max(d.Seconds(), 0.001))
}

// sizes are the sizes that sets may be padded to. Of ranked lists these are all up to the largest.
func (m *Model) sizes() []int {
	most := m.Config.Task.N
	if !m.Config.MixedSizes() {
		return []int{most}
	}
	var out []int
	for n := most; n > 1; n-- {
		if size := denoiser.PaddedSize(n, most); len(out) == 0 || out[len(out)-1] != size {
			out = append(out, size)
		}
	}
	return out[:min(len(out), 4)] // most lists are among the larger sizes
}

// on returns f with another engine in the model, for an estimate.
func (m *Model) on(kind string, f func() float64) float64 {
	was := m.Engine
	defer func() { m.Engine = was }()
	m.Engine = &engine.Engine{Kind: kind}
	return f()
}

// FasterToTrain says which engine trains faster. Where the number of steps is given, the engine that
// is done first is taken, with what it takes to compile. Where the time is given, the one that makes
// more steps is taken, in that time and the time to compile.
func (m *Model) FasterToTrain() Choice {
	states := m.Method.States(m.setup())
	n := m.Config.Task.N
	step := func() float64 {
		return backward * float64(m.Config.Train.Batch) * (float64(states)*m.stateTime(n) + m.encodeTime(n))
	}
	goStep, xlaStep := m.on("go", step), m.on("xla", step)
	shapes := max(len(m.sizes()), len(m.Config.TrainSizes()))
	compiling := trainCompileTime * float64(shapes)
	steps := float64(m.Config.Train.Steps)
	if limit, err := m.Config.TimeLimit(); err == nil && limit > 0 {
		steps = limit.Seconds() / xlaStep
	}
	return choose("training", steps*goStep, steps*xlaStep, compiling, shapes)
}

// FasterToAsk says which engine answers a question about so many sets of the largest size faster.
// The rest of a program's start is left out.
func (m *Model) FasterToAsk(q Query, sets int) Choice {
	if !m.Method.Diffuses() { // of methods to compare with there is no estimate
		return Choice{Kind: "xla", Why: "xla is there"}
	}
	shapes := m.sizes()
	seconds := func() float64 {
		total := m.workOf(q, m.Config.Task.N, sets, false).Seconds
		for _, n := range shapes { // the last part of each is filled up
			states := m.part(n)
			total += states * m.stateTime(n)
		}
		return total
	}
	compiling := askCompileTime * (float64(len(shapes)) + 0.25)
	what := fmt.Sprintf("an answer for %d sets", sets)
	if sets == 1 {
		what = "an answer for 1 set"
	}
	return choose(what, m.on("go", seconds), m.on("xla", seconds), compiling, len(shapes))
}
