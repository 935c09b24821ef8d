package learn

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/scalarstest"
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

func newModel(t testing.TB, cfg config.Config, e *engine.Engine) *Model {
	t.Helper()
	m, _, err := New(cfg, e)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// train makes a run of a configuration in a new directory.
func train(t testing.TB, cfg config.Config, e *engine.Engine) (*Model, string) {
	t.Helper()
	m, path := newModel(t, cfg, e), filepath.Join(t.TempDir(), "run")
	if err := trainIn(t.Context(), m, path, false, TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	return m, path
}

// trainIn trains a model in a run directory.
func trainIn(ctx context.Context, m *Model, path string, resume bool, opt TrainOptions) (err error) {
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

// stepLines returns the lines of training steps in a run's log.
func stepLines(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path, run.MetricsFile))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, `{"step":`) {
			b.WriteString(line)
		}
	}
	return b.String()
}

// sameRun fails the test unless two runs made the same steps and ended with the same
// weights and moments, byte for byte.
func sameRun(t testing.TB, want, got string) {
	t.Helper()
	if a, b := stepLines(t, want), stepLines(t, got); a != b {
		t.Errorf("the steps differ:\n%s\n%s", a, b)
	}
	for _, name := range []string{run.ModelFile, run.AdamMFile, run.AdamVFile} {
		if !bytes.Equal(arrays(t, want, name), arrays(t, got, name)) {
			t.Errorf("%s differs", name)
		}
	}
}

// arrays are the bytes of a run's file of arrays, without its metadata: that has the configuration, which may tell of
// checkpoints and validations.
func arrays(t testing.TB, dir, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	tensors, _, err := run.ReadTensors(data)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := run.WriteTensors(&b, tensors, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// counted counts the batches of a user's sets that go to the network.
type counted struct {
	scalars
	batches *int
}

// warned warns of numbers above 1.
type warned struct{ scalars }

func (w warned) Objects(ctx context.Context, sets []*dataset.Set) (*tensors.Tensor, []dataset.Warning, error) {
	var warnings []dataset.Warning
	for _, set := range sets {
		for _, it := range set.Items {
			if it.Features[0] > 1 {
				warnings = append(warnings, dataset.Warning{Kind: "large", Text: fmt.Sprintf("%g is large", it.Features[0])})
			}
		}
	}
	t, _, err := w.scalars.Objects(ctx, sets)
	return t, warnings, err
}

func (c counted) Objects(ctx context.Context, sets []*dataset.Set) (*tensors.Tensor, []dataset.Warning, error) {
	*c.batches++
	return c.scalars.Objects(ctx, sets)
}

// newScalars makes a model of a scalars task; the rest is as in tiny.
func newScalars(t testing.TB, work scalars, change func(*config.Config)) *Model {
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
	m, err := PlanTask(cfg, work, openEngine(t, "go"))
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
	numbers    = scalarstest.Numbers
	randomSets = scalarstest.Sets
)
