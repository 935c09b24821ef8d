package evaluate

import (
	"math"
	"testing"

	"github.com/riffle-ml/riffle/learn"
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
	r, err := Run(t.Context(), m, task.Test, 600, learn.DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if none, tv, law := value(r, "modes.none"), value(r, "modes.tv"), value(r, "modes.plackett_luce"); !(none < 0.1 && tv < 0.15 && law > 0.83) {
		t.Errorf("TV %.3f, %.1f %% on no mode (Plackett–Luce: TV %.3f); wanted less than 0.15 and 10 %%", tv, 100*none, law)
	}
}

// By hand: shares of 0.1 and 0.5 of modes of 0.5 and 0.5 leave 0.4 elsewhere.
func TestDistance(t *testing.T) {
	if got := distance([]float64{0.5, 0.5}, []float64{0.1, 0.5}); math.Abs(got-0.4) > 1e-12 {
		t.Errorf("TV %g, wanted (0.4 + 0 + 0.4)/2 = 0.4", got)
	}
}

// A model of several orders is judged by the nearest, and by how its samples share them.
func TestEvaluateModes(t *testing.T) {
	cfg := tiny()
	cfg.Task.Target = "rotations"
	m := newModel(t, cfg, openEngine(t, "go"))
	r, err := Run(t.Context(), m, task.Test, 60, learn.DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	shares, weights := detail[[]float64](r, "modes.shares"), detail[[]float64](r, "modes.weights")
	if detail[int](r, "modes.samples") != 60 || len(weights) != 5 || len(shares) != 5 {
		t.Fatalf("%+v: wanted 60 samples and 5 modes", r.Details)
	}
	sum := value(r, "modes.none")
	for _, s := range shares {
		sum += s
	}
	if math.Abs(sum-1) > 1e-9 || math.Abs(value(r, "modes.tv")-distance(weights, shares)) > 1e-12 {
		t.Errorf("%+v: shares sum to %g", r.Details, sum)
	}
	// All rotations together leave no item ahead: the fit is uniform, 5 of 120 orders.
	if want, got := 1-5.0/120, value(r, "modes.plackett_luce"); math.Abs(got-want) > 1e-6 {
		t.Errorf("Plackett–Luce: TV %g, wanted %g", got, want)
	}
	// 5 · √(2·0.2·0.8/(60π))/2, by hand.
	if got := value(r, "modes.perfect"); math.Abs(got-0.10301) > 1e-4 {
		t.Errorf("perfect draws: TV %g, wanted 0.1030", got)
	}
	cfg = tiny()
	m = newModel(t, cfg, m.Engine)
	if r, err = Run(t.Context(), m, task.Test, 10, learn.DecodeOptions{}, nil); err != nil || r.Details != nil {
		t.Errorf("one order: modes %v, %v", r.Details, err)
	}
}

// value is the figure of a key that has no interval, NaN where there is none.
func value(r *Result, key string) float64 {
	for _, f := range r.Figures {
		if f.Key == key && f.Value != nil {
			return float64(*f.Value)
		}
	}
	return math.NaN()
}

// detail is what a result keeps at a key.
func detail[T any](r *Result, key string) (v T) {
	for _, d := range r.Details {
		if d.Key == key {
			v, _ = d.Value.(T)
		}
	}
	return v
}
