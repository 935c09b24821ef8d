package learn

import (
	"fmt"
	"time"
)

// compiling says that the engine compiles a graph for sets of up to size objects. Size 0 is their encoder. It
// returns a function to call when that is done. The go engine compiles nothing that would take a while.
func (m *Model) compiling(size int) (done func()) {
	if m.Engine.Kind == "go" {
		return func() {}
	}
	what := fmt.Sprintf("sets of up to %d items", size)
	if size == 0 {
		what = "the items' encoder"
	}
	if m.OnCompile != nil {
		m.OnCompile(fmt.Sprintf("compiling for %s …", what))
	}
	start := time.Now()
	m.shapes++
	return func() { m.compiled += time.Since(start) }
}

// Compiled is how many shapes of graphs the engine has compiled for the model, and how long that took
// with the first run of each. The go engine compiles none.
func (m *Model) Compiled() (shapes int, took time.Duration) { return m.shapes, m.compiled }
