package learn

import (
	"math"
	"testing"

	"github.com/riffle-ml/riffle/engine"
)

// What XLA compiles is counted; the go engine compiles nothing.
func TestCompiled(t *testing.T) {
	for kind, want := range map[string]int{"go": 0, "xla": 3} {
		var said []string
		m := &Model{Engine: &engine.Engine{Kind: kind}, OnCompile: func(text string) { said = append(said, text) }}
		for _, size := range []int{0, 8, 16} {
			m.compiling(size)()
		}
		if shapes, took := m.Compiled(); shapes != want || len(said) != want || (took > 0) != (want > 0) {
			t.Errorf("%s: %d shapes in %s, %q said, wanted %d", kind, shapes, took, said, want)
		}
	}
}

// A tour and the same the other way round are as long as each other in every unit.
func TestCompareCosts(t *testing.T) {
	tenth := 0.1 // no constant, which would be exact
	for _, c := range []struct {
		a, b float64
		want int
	}{
		{tenth + 2*tenth, 3 * tenth, 0},
		{1e7*tenth + 2e7*tenth, 3e7 * tenth, 0},
		{1, 1 + 1e-11, -1},
		{1<<40 - 1, 1<<40 - 2, 1},
		{math.Inf(1), math.Inf(1), 0},
	} {
		if got := compareCosts(c.a, c.b); got != c.want {
			t.Errorf("%g and %g compare as %d, wanted %d", c.a, c.b, got, c.want)
		}
	}
}
