package method

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/baseline/gumbelsinkhorn"
	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/perm"
)

// Gumbel–Sinkhorn's network scores places for each item. Where the scores say that item 0 goes to
// place 1, item 1 to 2 and item 2 to 0, the order is 2, 0, 1 and not its inverse.
func TestGumbelSinkhornScoresItems(t *testing.T) {
	exec, err := graph.NewExec(open(t).Backend, logAlpha)
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out := exec.MustCall(tensors.FromFlatDataAndDimensions([]float32{0, 9, 0, 0, 0, 9, 9, 0, 0}, 1, 3, 3))[0]
	flat, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		t.Fatal(err)
	}
	if o, err := gumbelsinkhorn.Matching(flat); err != nil || !slices.Equal(o, perm.Order{2, 0, 1}) {
		t.Errorf("order %v, %v, wanted 2 0 1", o, err)
	}
}

// What SEDD's sampler asks for at noise σ̄ are ratios at σ̄: the network is told log σ̄, and what it
// says of a masked position is divided by V·(e^σ̄ − 1) (Lou et al. 2024, the absorbing graph; V objects).
func TestSEDDRatiosAreAtSigma(t *testing.T) {
	const n = 5
	d, err := denoiser.New(denoiser.Config{
		N: n, Head: scoreEntropy.Head, Encoder: denoiser.EncoderConfig{Kind: "table"}, Dim: 16, Layers: 1, Heads: 2, FeedForward: 16,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &Setup{
		Config:   &config.Config{Method: "sedd", Task: config.Task{N: n}, Baseline: config.Baseline{Graph: "absorb", Sampler: "analytic", Steps: 8}},
		Denoiser: d, Engine: open(t), Store: model.NewStore(),
	}
	if err := d.Init(s.Store, 1); err != nil {
		t.Fatal(err)
	}
	o, err := newSEDDOrderer(s)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	network, err := newScorer(s, func(scores, _ *graph.Node) *graph.Node { return scores })
	if err != nil {
		t.Fatal(err)
	}
	defer network.Close()
	masked := slices.Repeat([]int32{n}, n) // MASK
	objects := tensors.FromFlatDataAndDimensions([]int32{3, 1, 4, 0, 2}, 1, n)
	for _, sigma := range []float64{0.25, 0.7, 2, 5} {
		got, err := o.ratios(objects)(masked, sigma)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := network.call(objects, masked, float32(10*math.Log(sigma)))
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range scores {
			if want := math.Exp(float64(x)) / (n * math.Expm1(sigma)); math.Abs(float64(got[i])/want-1) > 1e-3 {
				t.Errorf("σ̄ = %g: ratio %d is %.5f, wanted %.5f", sigma, i, got[i], want)
			}
		}
	}
}

// A configuration can name every method of the registry, by each of its objectives.
func TestConfigurationsReachEveryMethod(t *testing.T) {
	for _, m := range all {
		settings := [][]string{{"method=" + m.Name}}
		for _, objective := range m.Objectives {
			settings = append(settings, []string{"method=" + m.Name, "train.objective=" + objective})
		}
		if m.Objectives != nil {
			settings = settings[1:]
		}
		for _, set := range settings {
			cfg := config.Default()
			cfg.Task = config.Task{Name: "delta", N: 4, Target: "identity"}
			cfg.Model.Encoder = "table"
			for _, s := range set {
				if err := cfg.Set(s); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := cfg.Resolve(); err != nil {
				t.Fatalf("%v: %v", set, err)
			}
			if got, err := Of(&cfg); err != nil || got != m {
				t.Errorf("%v: got %v, %v", set, got, err)
			}
		}
	}
}

func open(t *testing.T) *engine.Engine {
	t.Helper()
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	return e
}
