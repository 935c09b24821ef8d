package learn

import (
	"testing"

	"github.com/riffle-ml/riffle/task"
)

// The rotations of four are learned in a few hundred steps, which no Plackett–Luce law can be:
// the fitted one is uniform, 1 − 4/24 from them.
func TestLearnsModes(t *testing.T) {
	cfg := tiny()
	cfg.Task.N, cfg.Task.Target = 4, "rotations"
	cfg.Process.Forward, cfg.Process.Reverse, cfg.Process.Schedule = "insertion", "ii", []int{0, 1, 2, 3, 4, 5, 6, 7, 8}
	cfg.Model.Dim, cfg.Model.Layers, cfg.Model.Heads, cfg.Model.FeedForward, cfg.Model.Dropout = 32, 2, 4, 64, 0
	cfg.Train.Objective, cfg.Train.Steps, cfg.Train.Batch, cfg.Train.Trajectories = "random-step", 300, 16, 8
	cfg.Train.LR, cfg.Train.Warmup = 3e-3, 20
	cfg.Eval.Batch = 200
	m, _ := train(t, cfg, openEngine(t, "go"))
	r, err := m.Evaluate(t.Context(), task.Test, 600, DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if x := r.Modes; !(x.None < 0.1 && x.TV < 0.15 && x.PlackettLuce > 0.83) {
		t.Errorf("TV %.3f, %.1f %% on no mode (Plackett–Luce: TV %.3f); wanted less than 0.15 and 10 %%", x.TV, 100*x.None, x.PlackettLuce)
	}
}
