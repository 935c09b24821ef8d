package evaluate

import (
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/task"
)

// SEDD learns one permutation with both of its graphs and samplers, and says how many of its
// results are permutations.
func TestSEDDLearns(t *testing.T) {
	for graph, sampler := range map[string]string{"absorb": "analytic", "uniform": "euler"} {
		cfg := tiny()
		cfg.Method, cfg.Baseline = "sedd", config.Baseline{Graph: graph, Sampler: sampler, Steps: 128}
		cfg.Model.Dropout, cfg.Model.Dim, cfg.Model.Layers = 0, 32, 2
		cfg.Train.Steps, cfg.Train.Batch, cfg.Train.LR = 600, 32, 3e-3
		m, path := train(t, cfg, openEngine(t, "go"))
		r, err := Run(t.Context(), m, task.Test, 200, learn.DecodeOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Method != "sedd" || r.Figure("permutations") == nil || r.Mean("exact") < 80 || r.Mean("permutations") < r.Mean("exact") || r.Mean("correct") < r.Mean("exact") || len(r.Warnings) > 0 {
			t.Errorf("%s: %+v", graph, r)
		}
		again, _, err := learn.Load(path, openEngine(t, "go"))
		if err != nil {
			t.Fatal(err)
		}
		s, err := Run(t.Context(), again, task.Test, 200, learn.DecodeOptions{}, nil)
		if err != nil || *s.Figure("exact") != *r.Figure("exact") || *s.Figure("permutations") != *r.Figure("permutations") {
			t.Errorf("%s: loaded again: %+v, %v", graph, s, err)
		}
	}
	// Untrained it repeats objects, which is counted and not repaired.
	cfg := tiny()
	cfg.Method = "sedd"
	r, err := Run(t.Context(), newModel(t, cfg, openEngine(t, "go")), task.Test, 200, learn.DecodeOptions{}, nil)
	if err != nil || r.Mean("permutations") > 50 { // 5!/5^5 is 4 %
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
		m := newScalars(t, scalars{N: 4}, func(c *config.Config) {
			c.Method, c.Model.Layers, c.Model.Positions, c.Model.Dropout, c.Model.Dim = method, 0, "none", 0, 16
			c.Train.Steps, c.Train.Batch, c.Train.LR = 500, 16, 5e-3
			change(c)
		})
		before, err := Run(t.Context(), m, task.Test, 200, learn.DecodeOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := trainIn(t.Context(), m, t.TempDir()+"/run", false, learn.TrainOptions{}); err != nil {
			t.Fatal(err)
		}
		after, err := Run(t.Context(), m, task.Test, 200, learn.DecodeOptions{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		// Gumbel–Sinkhorn gives each object a place by itself: no more than a good guess.
		want := map[string]float64{"diffsort": 80, "error-free-diffsort": 80, "gumbel-sinkhorn": 20}[method]
		if after.Mean("exact") < want || after.Mean("correct") < before.Mean("correct")+20 || after.Figure("permutations") != nil {
			t.Errorf("%s: %.1f %% exact, %.1f %% correct before, %.1f %% and %.1f %% after", method, before.Mean("exact"), before.Mean("correct"), after.Mean("exact"), after.Mean("correct"))
		}
	}
}
