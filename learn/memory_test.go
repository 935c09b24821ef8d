package learn

import (
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/run"
)

// The estimate grows with the batch, the states and the network, and a training that does not fit
// is refused with the largest batch that does.
func TestMemoryIsForeseen(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	cfg := run.Default()
	cfg.Task = run.Task{Name: "delta", N: 50, Target: "identity"}
	cfg.Model.Encoder = "table"
	memory := func(change func(*run.Config)) int64 {
		c := cfg
		change(&c)
		m, _, err := New(c, e)
		if err != nil {
			t.Fatal(err)
		}
		return m.StepMemory(c.Train.Batch)
	}
	base := memory(func(*run.Config) {})
	for name, change := range map[string]func(*run.Config){
		"batch":        func(c *run.Config) { c.Train.Batch *= 2 },
		"trajectories": func(c *run.Config) { c.Train.Trajectories = 3 },
		"layers":       func(c *run.Config) { c.Model.Layers *= 2 },
		"dim":          func(c *run.Config) { c.Model.Dim *= 2 },
		"objects":      func(c *run.Config) { c.Task.N *= 2 },
	} {
		if got := memory(change); got <= base {
			t.Errorf("more %s: %d bytes, wanted more than %d", name, got, base)
		}
	}
	cfg.Train.Batch = 1 << 20
	m, _, err := New(cfg, e)
	if err != nil {
		t.Fatal(err)
	}
	err = m.CheckMemory()
	if freeMemory() == 0 {
		t.Skip("this system does not say what memory is free")
	}
	if err == nil || !strings.Contains(err.Error(), "train.batch: a step of 1048576 sets needs about") || !strings.Contains(err.Error(), "hint: train.batch = ") {
		t.Errorf("error %v", err)
	}
	cfg.Train.Batch = 2
	if m, _, err = New(cfg, e); err != nil {
		t.Fatal(err)
	}
	if err := m.CheckMemory(); err != nil {
		t.Errorf("two sets: %v", err)
	}
}
