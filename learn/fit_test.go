package learn

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/run"
)

// What Fit refuses it refuses before it makes a directory, and a directory in use stays; a
// training that is stopped is there to be loaded.
func TestFit(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Task = config.Task{Name: "delta", N: 4, Target: "identity"}
	cfg.Model = config.Model{Encoder: "table", Dim: 8, Layers: 1, Heads: 2, FeedForward: 8, Positions: "sinusoid", GPLRows: "dummies"}
	cfg.Train.Steps, cfg.Train.Batch, cfg.Train.Validate = 2, 4, 0
	path := filepath.Join(t.TempDir(), "run")
	wrong := cfg
	wrong.Train.Steps = 0
	if _, _, err := Fit(t.Context(), wrong, path, e); err == nil {
		t.Error("0 steps: no error")
	}
	if _, err := run.Open(path); !errors.Is(err, run.ErrNoRun) {
		t.Errorf("what is refused leaves something behind: %v", err)
	}
	m, _, err := Fit(t.Context(), cfg, path, e)
	if err != nil || m.State.Step != 2 || !m.State.Finished {
		t.Fatalf("state %+v, error %v", m.State, err)
	}
	if _, _, err := Fit(t.Context(), cfg, path, e); err == nil {
		t.Error("over a run: no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stopped := filepath.Join(t.TempDir(), "stopped")
	if _, _, err := Fit(ctx, cfg, stopped, e); !errors.Is(err, ErrStopped) {
		t.Errorf("stopped: %v", err)
	}
	if m, _, err := Load(stopped, e); err != nil || m.State.Finished {
		t.Errorf("after the stop: %v", err)
	}
}
