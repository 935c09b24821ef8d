package learn

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/internal/hint"
)

// losses are those of a run's log, by step.
func losses(t *testing.T, path string) []float64 {
	t.Helper()
	var all []float64
	for line := range strings.Lines(stepLines(t, path)) {
		var step struct{ Loss float64 }
		if err := json.Unmarshal([]byte(line), &step); err != nil {
			t.Fatal(err)
		}
		all = append(all, step.Loss)
	}
	return all
}

// With its batches shared by two devices, and by three from step 10 on, a training has the
// losses of one device, dropout and all.
func TestDevicesKeepTheLosses(t *testing.T) {
	const steps, stop = 20, 10
	e := openEngine(t, "xla")
	if e.NumDevices() < 3 {
		t.Skipf("not run on 3 devices: the engine has %d", e.NumDevices())
	}
	cfg := tiny()
	cfg.Model.Layers, cfg.Train.Steps = 1, steps
	_, one := train(t, cfg, e)

	dir := filepath.Join(t.TempDir(), "run")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := trainIn(ctx, newModel(t, cfg, e), dir, false, TrainOptions{Devices: 2, OnStep: func(p Progress) {
		if p.Step == stop {
			cancel()
		}
	}})
	if !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
	m := newModel(t, cfg, e)
	if err := trainIn(t.Context(), m, dir, true, TrainOptions{Devices: 3}); err != nil {
		t.Fatal(err)
	}
	want, got := losses(t, one), losses(t, dir)
	if len(want) != steps || len(got) != steps {
		t.Fatalf("%d and %d steps, wanted %d", len(want), len(got), steps)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-5*want[i] {
			t.Errorf("step %d: loss %.8f, wanted %.8f as on one device", i+1, got[i], want[i])
		}
	}
}

// So has the latent objective, which draws on the first device with the weights of all.
func TestDevicesKeepTheLatentLosses(t *testing.T) {
	e := openEngine(t, "xla")
	if e.NumDevices() < 2 {
		t.Skipf("not run on 2 devices: the engine has %d", e.NumDevices())
	}
	var logs [2][]float64
	for i := range logs {
		m := newScalars(t, scalars{N: 4}, func(c *config.Config) {
			c.Train.Objective, c.Train.Steps, c.Train.Batch, c.Process.Schedule = "latent", 5, 8, []int{0, 2, 7}
		})
		m.Task, m.Engine = pictured{m.Task.(scalars)}, e
		dir := filepath.Join(t.TempDir(), "run")
		if err := trainIn(t.Context(), m, dir, false, TrainOptions{Devices: i + 1}); err != nil {
			t.Fatal(err)
		}
		logs[i] = losses(t, dir)
	}
	if len(logs[0]) != 5 || len(logs[1]) != 5 {
		t.Fatalf("%d and %d steps, wanted 5", len(logs[0]), len(logs[1]))
	}
	for i, want := range logs[0] {
		if got := logs[1][i]; math.Abs(got-want) > 1e-5*math.Abs(want) {
			t.Errorf("step %d: loss %.8f, wanted %.8f as on one device", i+1, got, want)
		}
	}
}

func TestCheckDevices(t *testing.T) {
	m := newModel(t, tiny(), openEngine(t, "go"))
	for count, want := range map[int]string{
		0: "devices: must be 1 or more (got 0)",
		2: "devices: the go engine has 1, which uses all cores (got 2)\nhint: --engine xla shares batches among devices",
	} {
		if err := m.CheckDevices(count); err == nil || hint.Text(err) != want {
			t.Errorf("%d devices: %v, wanted %s", count, err, want)
		}
	}
	if err := m.CheckDevices(1); err != nil {
		t.Error(err)
	}
	x := newModel(t, tiny(), openEngine(t, "xla"))
	if x.Engine.NumDevices() < 4 {
		t.Skipf("not run on 4 devices: the engine has %d", x.Engine.NumDevices())
	}
	if err, want := x.CheckDevices(4), "devices: must divide train.batch (6) (got 4)"; err == nil || hint.Text(err) != want {
		t.Errorf("4 devices: %v, wanted %s", err, want)
	}
}
