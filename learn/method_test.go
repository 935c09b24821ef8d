package learn

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/task"
)

// pictured is a task whose objects are pictures of two pixels that show their number.
type pictured struct{ scalars }

func (p pictured) Examples(split task.Split, first, count int) (*task.Examples, error) {
	e, err := p.scalars.Examples(split, first, count)
	if err != nil {
		return nil, err
	}
	e.PixelSize = 2
	for _, values := range e.Values {
		for _, v := range values {
			e.Pixels = append(e.Pixels, float32(10*v), float32(10*v))
		}
	}
	return e, nil
}

// SEDD learns one permutation with both of its graphs and samplers, and says how many of its
// results are permutations.
func TestSEDDLearns(t *testing.T) {
	for graph, sampler := range map[string]string{"absorb": "analytic", "uniform": "euler"} {
		cfg := tiny()
		cfg.Method, cfg.Baseline = "sedd", config.Baseline{Graph: graph, Sampler: sampler, Steps: 128}
		cfg.Model.Dropout, cfg.Model.Dim, cfg.Model.Layers = 0, 32, 2
		cfg.Train.Steps, cfg.Train.Batch, cfg.Train.LR = 600, 32, 3e-3
		m, path := train(t, cfg, openEngine(t, "go"))
		r, err := m.Evaluate(t.Context(), task.Test, 200, DecodeOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Method != "sedd" || r.Permutations == nil || r.Exact.Mean < 80 || r.Permutations.Mean < r.Exact.Mean || r.Correct.Mean < r.Exact.Mean || len(r.Warnings) > 0 {
			t.Errorf("%s: %+v", graph, r)
		}
		again, _, err := Load(path, openEngine(t, "go"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := again.Evaluate(t.Context(), task.Test, 200, DecodeOptions{}, nil)
		if err != nil || s.Exact != r.Exact || *s.Permutations != *r.Permutations {
			t.Errorf("%s: loaded again: %+v, %v", graph, s, err)
		}
	}
	// Untrained it repeats objects, which is counted and not repaired.
	cfg := tiny()
	cfg.Method = "sedd"
	r, err := newModel(t, cfg, openEngine(t, "go")).Evaluate(t.Context(), task.Test, 200, DecodeOptions{}, nil)
	if err != nil || r.Permutations.Mean > 50 { // 5!/5^5 is 4 %
		t.Errorf("untrained: %+v, %v", r, err)
	}
}

// The relaxed methods learn to sort numbers: DiffSort and Error-free DiffSort from orders,
// Gumbel–Sinkhorn from what sorted sets look like.
func TestRelaxedMethodsLearn(t *testing.T) {
	for method, change := range map[string]func(*config.Config){
		"diffsort":            func(c *config.Config) { c.Baseline.Network = "odd-even" },
		"error-free-diffsort": func(c *config.Config) { c.Baseline.Network, c.Model.Layers = "bitonic", 1 },
		"gumbel-sinkhorn":     func(c *config.Config) { c.Baseline.Tau, c.Model.Hidden = 0.5, []int{32, 32} },
	} {
		m := newScalars(t, scalars{n: 4}, func(c *config.Config) {
			c.Method, c.Model.Layers, c.Model.Positions, c.Model.Dropout, c.Model.Dim = method, 0, "none", 0, 16
			c.Train.Steps, c.Train.Batch, c.Train.LR = 500, 16, 5e-3
			change(c)
		})
		before, err := m.Evaluate(t.Context(), task.Test, 200, DecodeOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := trainIn(t.Context(), m, t.TempDir()+"/run", false, TrainOptions{}); err != nil {
			t.Fatal(err)
		}
		after, err := m.Evaluate(t.Context(), task.Test, 200, DecodeOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		// Gumbel–Sinkhorn gives each object a place by itself: no more than a good guess.
		want := map[string]float64{"diffsort": 80, "error-free-diffsort": 80, "gumbel-sinkhorn": 20}[method]
		if after.Exact.Mean < want || after.Correct.Mean < before.Correct.Mean+20 || after.Permutations != nil {
			t.Errorf("%s: %.1f %% exact, %.1f %% correct before, %.1f %% and %.1f %% after", method, before.Exact.Mean, before.Correct.Mean, after.Exact.Mean, after.Correct.Mean)
		}
	}
}

// What a method to compare with cannot do is said.
func TestBaselineErrors(t *testing.T) {
	cfg := tiny()
	cfg.Method = "sedd"
	m := newModel(t, cfg, openEngine(t, "go"))
	sets := []*dataset.Set{bare(5)}
	_, _, orderErr := m.Order(t.Context(), sets, 1, DecodeOptions{})
	_, _, sampleErr := m.Sample(t.Context(), sets, 1, 1)
	_, beamErr := m.Evaluate(t.Context(), task.Test, 1, DecodeOptions{Method: "beam"}, nil)
	_, sizeErr := m.SetSize(4)
	for what, err := range map[string]error{"order": orderErr, "sample": sampleErr, "beam": beamErr} {
		if err == nil || !strings.HasPrefix(err.Error(), "method sedd: has no ") || !strings.Contains(err.Error(), "\nhint: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
	if sizeErr == nil {
		t.Error("another size was taken")
	}
}

// A training by the latent objective learns, and, stopped and resumed, makes the same steps
// as an unbroken one: its moving average goes on.
func TestLatentResumes(t *testing.T) {
	model := func() *Model {
		m := newScalars(t, scalars{n: 4}, func(c *config.Config) {
			c.Train.Objective, c.Train.Steps, c.Train.Batch, c.Process.Schedule = "latent", 30, 8, []int{0, 2, 7}
		})
		m.Task = pictured{m.Task.(scalars)}
		return m
	}
	whole, broken := t.TempDir()+"/whole", t.TempDir()+"/broken"
	m := model()
	if err := trainIn(t.Context(), m, whole, false, TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	if v := m.State.ControlVariate; !(v > 0 && v < 1) || math.IsNaN(v) {
		t.Errorf("moving average %g", v)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err := trainIn(ctx, model(), broken, false, TrainOptions{OnStep: func(p Progress) {
		if p.Step == 13 {
			cancel()
		}
	}})
	if !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
	if err := trainIn(t.Context(), model(), broken, true, TrainOptions{}); err != nil {
		t.Fatal(err)
	}
	sameRun(t, whole, broken)
}

// The latent objective compares pictures.
func TestLatentNeedsPictures(t *testing.T) {
	m := newScalars(t, scalars{n: 4}, func(c *config.Config) { c.Train.Objective = "latent" })
	err := trainIn(t.Context(), m, t.TempDir()+"/x", false, TrainOptions{})
	if err == nil || !strings.Contains(err.Error(), "train.objective: latent compares pictures") {
		t.Errorf("got %v", err)
	}
}
