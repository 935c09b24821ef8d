package learn

import (
	"strconv"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/machine"
)

// The estimate grows with the batch, the states and the network, and a training that does not fit
// is refused with the largest batch that does.
func TestMemoryIsForeseen(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.Task = config.Task{Name: "delta", N: 50, Target: "identity"}
	cfg.Model.Encoder = "table"
	memory := func(change func(*config.Config)) int64 {
		c := cfg
		change(&c)
		m, _, err := New(c, e)
		if err != nil {
			t.Fatal(err)
		}
		return m.StepMemory(c.Train.Batch, 1)
	}
	base := memory(func(*config.Config) {})
	for name, change := range map[string]func(*config.Config){
		"batch":        func(c *config.Config) { c.Train.Batch *= 2 },
		"trajectories": func(c *config.Config) { c.Train.Trajectories = 3 },
		"layers":       func(c *config.Config) { c.Model.Layers *= 2 },
		"dim":          func(c *config.Config) { c.Model.Dim *= 2 },
		"objects":      func(c *config.Config) { c.Task.N *= 2 },
	} {
		if got := memory(change); got <= base {
			t.Errorf("more %s: %d bytes, wanted more than %d", name, got, base)
		}
	}
	// Another device takes another copy of the weights, their gradients and moments, and no less
	// than the weights and two moments, of 4 bytes each.
	m, _, err := New(cfg, e)
	if err != nil {
		t.Fatal(err)
	}
	one, two := m.StepMemory(cfg.Train.Batch, 1), m.StepMemory(cfg.Train.Batch, 2)
	if least := one + int64(3*4*m.Denoiser.NumParameters()); two < least {
		t.Errorf("two devices: %d bytes, wanted %d or more", two, least)
	}
	cfg.Train.Batch = 1 << 20
	if m, _, err = New(cfg, e); err != nil {
		t.Fatal(err)
	}
	err = m.CheckMemory(1)
	if machine.FreeMemory() == 0 {
		t.Skip("this system does not say what memory is free")
	}
	if err == nil || !strings.Contains(hint.Text(err), "train.batch: a step of 1048576 sets needs about") || !strings.Contains(hint.Text(err), "hint: train.batch = ") {
		t.Errorf("error %v", err)
	}
	_, of3, _ := strings.Cut(hint.Text(m.CheckMemory(3)), "hint: train.batch = ")
	batch, _, _ := strings.Cut(of3, " ")
	if n, err := strconv.Atoi(batch); err != nil || n < 3 || n%3 != 0 {
		t.Errorf("three devices: train.batch = %q, wanted a multiple of 3", batch)
	}
	cfg.Train.Batch = 2
	if m, _, err = New(cfg, e); err != nil {
		t.Fatal(err)
	}
	if err := m.CheckMemory(1); err != nil {
		t.Errorf("two sets: %v", err)
	}
}

// Sets of another size are judged in batches that fit, and refused where not one fits.
func TestSizesThatFit(t *testing.T) {
	free := machine.FreeMemory()
	if free == 0 {
		t.Skip("this system does not say what memory is free")
	}
	cfg := config.Default()
	cfg.Task = config.Task{Name: "tsp", N: 5}
	cfg.Model.Encoder, cfg.Model.Positions = "points", "sinusoid"
	cfg.Process.Schedule = []int{0, 7}
	cfg.Eval.Batch = 1 << 20
	m, _, err := New(cfg, openEngine(t, "go"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.SetSize(100); err != nil {
		t.Fatal(err)
	}
	if b := m.Config.Eval.Batch; b < 1 || b == 1<<20 || m.decodeMemory(100, b) > free+free/2 { // what is free changes meanwhile
		t.Errorf("batches of %d sets need %d bytes, %d are free", b, m.decodeMemory(100, b), free)
	}
	// Of 10,000 objects the attention's logits and weights alone are 2 · 8 heads · 20,000² floats, 26 GB.
	if free > 25e9 {
		t.Skip("that fits here")
	}
	if _, err := m.SetSize(10_000); err == nil || !strings.Contains(hint.Text(err), "one set of 10000 objects needs about") {
		t.Errorf("10,000 objects: %v", err)
	}
}
