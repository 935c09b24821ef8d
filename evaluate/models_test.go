package evaluate

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/scalarstest"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/run"
)

func openEngine(t testing.TB, spec string) *engine.Engine {
	t.Helper()
	e, err := engine.Open(spec)
	if err != nil {
		if spec == "go" {
			t.Fatal(err)
		}
		t.Skipf("no such engine here: %v", err)
	}
	return e
}

// tiny is the permutation of 5 objects that most tests learn: 40 steps with dropout, each
// in a millisecond.
func tiny() config.Config {
	c := config.Default()
	c.Title, c.Task = "for tests", config.Task{Name: "delta", N: 5, Target: "random"}
	c.Model = config.Model{Encoder: "table", Dim: 8, Layers: 1, Heads: 2, FeedForward: 16, Dropout: 0.2, Positions: "sinusoid", GPLRows: "dummies"}
	c.Train.Steps, c.Train.Batch, c.Train.Trajectories, c.Train.Warmup = 40, 6, 2, 5
	c.Train.Checkpoint, c.Train.Validate = "1h", 0
	c.Eval = config.Eval{Examples: 20, Batch: 8}
	return c
}

func newModel(t testing.TB, cfg config.Config, e *engine.Engine) *learn.Model {
	t.Helper()
	m, _, err := learn.New(cfg, e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// train makes a run of a configuration in a new directory.
func train(t testing.TB, cfg config.Config, e *engine.Engine) (*learn.Model, string) {
	t.Helper()
	m, path := newModel(t, cfg, e), filepath.Join(t.TempDir(), "run")
	if err := trainIn(t.Context(), m, path, false, learn.TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	return m, path
}

// trainIn trains a model in a run directory.
func trainIn(ctx context.Context, m *learn.Model, path string, resume bool, opt learn.TrainOptions) (err error) {
	var dir *run.Dir
	if resume {
		dir, err = run.Resume(path)
	} else {
		dir, err = run.Create(path, &m.Config)
	}
	if err != nil {
		return err
	}
	return errors.Join(m.Train(ctx, dir, resume, opt), dir.Close())
}

// newScalars makes a model of a scalars task; the rest is as in tiny.
func newScalars(t testing.TB, work scalars, change func(*config.Config)) *learn.Model {
	t.Helper()
	cfg := tiny()
	cfg.Task.N = work.N
	cfg.Model.Encoder, cfg.Model.Hidden = "features", []int{8}
	if change != nil {
		change(&cfg)
	}
	if _, err := cfg.Resolve(); err != nil {
		t.Fatal(err)
	}
	m, err := learn.PlanTask(cfg, work, openEngine(t, "go"))
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Denoiser.Init(m.Store, cfg.Seed); err != nil {
		t.Fatal(err)
	}
	return m
}

type scalars = scalarstest.Task

var (
	bare       = scalarstest.Bare
	randomSets = scalarstest.Sets
)
