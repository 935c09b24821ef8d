// Package enginetest runs tests of graphs on the engines that are there.
package enginetest

import (
	"sync"
	"testing"

	"github.com/riffle-ml/riffle/engine"
)

var engines = map[string]func() (*engine.Engine, error){
	"go":  sync.OnceValues(func() (*engine.Engine, error) { return engine.Open("go") }),
	"xla": sync.OnceValues(func() (*engine.Engine, error) { return engine.Open("xla") }),
}

// Open opens "go" or "xla", once a process; the test is skipped where there is no plugin for
// XLA.
func Open(t testing.TB, kind string) *engine.Engine {
	t.Helper()
	e, err := engines[kind]()
	if err != nil && kind == "xla" {
		t.Skipf("not run on XLA: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Each runs check on the go engine, and on XLA where there is a plugin.
func Each(t *testing.T, check func(t *testing.T, e *engine.Engine)) {
	t.Helper()
	for _, kind := range []string{"go", "xla"} {
		t.Run(kind, func(t *testing.T) { check(t, Open(t, kind)) })
	}
}

// All returns the engines that are there, go first.
func All() ([]*engine.Engine, error) {
	e, err := engines["go"]()
	if err != nil {
		return nil, err
	}
	all := []*engine.Engine{e}
	if e, err := engines["xla"](); err == nil {
		all = append(all, e)
	}
	return all, nil
}
