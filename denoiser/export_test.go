package denoiser

import (
	"sync"
	"testing"

	"github.com/riffle-ml/riffle/engine"
)

var engines = map[string]func() (*engine.Engine, error){
	"go":  sync.OnceValues(func() (*engine.Engine, error) { return engine.Open("go") }),
	"xla": sync.OnceValues(func() (*engine.Engine, error) { return engine.Open("xla") }),
}

// openEngine opens "go" or "xla"; the test is skipped where there is no plugin for XLA.
func openEngine(t *testing.T, kind string) *engine.Engine {
	t.Helper()
	e, err := engines[kind]()
	if err != nil && kind == "xla" {
		t.Skipf("not compared on XLA: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// EachEngine runs check on the go engine, and on XLA where there is a plugin.
func EachEngine(t *testing.T, check func(t *testing.T, e *engine.Engine)) {
	t.Helper()
	for _, kind := range []string{"go", "xla"} {
		t.Run(kind, func(t *testing.T) { check(t, openEngine(t, kind)) })
	}
}
