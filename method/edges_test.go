package method

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/tsp"
)

func TestTourEdges(t *testing.T) {
	got := tourEdges([]perm.Order{{0, 2, 1, 3}}, 4) // 0–2, 2–1, 1–3, 3–0
	want := []float32{
		0, 0, 1, 1,
		0, 0, 1, 1,
		1, 1, 0, 0,
		1, 1, 0, 0,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, wanted %v", got, want)
	}
}

// −log of the probability of the right class, nothing on the diagonal, and no overflow.
func TestCrossEntropies(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	logits := []float32{5, 0, 200, -200, 7, 1, -3, 2, 9}
	targets := []float32{0, 1, 0, 1, 0, 1, 0, 1, 0}
	exec, err := model.NewExec(e.Backend, model.NewStore(), func(_ *model.Scope, x, y *graph.Node) []*graph.Node {
		losses, pairs := crossEntropies(x, y)
		return []*graph.Node{losses, pairs}
	})
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Call(tensors.FromFlatDataAndDimensions(logits, 1, 3, 3), tensors.FromFlatDataAndDimensions(targets, 1, 3, 3))
	if err != nil {
		t.Fatal(err)
	}
	losses, _ := tensors.CopyFlatData[float32](out[0])
	pairs, _ := tensors.CopyFlatData[float32](out[1])
	want := []float64{0, math.Log(2), 200, 200, 0, math.Log1p(math.Exp(-1)), math.Log1p(math.Exp(-3)), math.Log1p(math.Exp(-2)), 0}
	for k := range want {
		if math.Abs(float64(losses[k])-want[k]) > 1e-5*(1+want[k]) {
			t.Errorf("pair %d: %g, wanted %g", k, losses[k], want[k])
		}
		if wantPair := float32(1); pairs[k] != wantPair && k%4 != 0 || k%4 == 0 && pairs[k] != 0 {
			t.Errorf("pair %d: %g", k, pairs[k])
		}
	}
}

// Both methods learn the shortest tours of a few instances, and what they find are tours.
func TestEdgeMethodsLearn(t *testing.T) {
	const n, batch = 6, 8
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	points := make([]float32, batch*n*2)
	for i := range points {
		points[i] = rng.Float32()
	}
	objects := func() *tensors.Tensor { return tensors.FromFlatDataAndDimensions(slices.Clone(points), batch, n, 2) }
	xs, err := instances(objects())
	if err != nil {
		t.Fatal(err)
	}
	best, shortest := make([]perm.Order, batch), 0.0
	for i, x := range xs {
		var length float64
		best[i], length, _ = tsp.Exact(t.Context(), x)
		shortest += length
	}
	for _, m := range []*Method{graphConvolutions, edgeDiffusion} {
		t.Run(m.Name, func(t *testing.T) {
			cfg := config.Default()
			cfg.Method, cfg.Task = m.Name, config.Task{Name: "tsp", N: n}
			cfg.Baseline.Beam, cfg.Baseline.Steps = 1, 10
			d, err := denoiser.New(denoiser.Config{N: n, Head: m.Head, Encoder: denoiser.EncoderConfig{Kind: "points"}, Dim: 16, Layers: 2, Heads: 1, FeedForward: 1})
			if err != nil {
				t.Fatal(err)
			}
			store := model.NewStore()
			if err := d.Init(store, 1); err != nil {
				t.Fatal(err)
			}
			s := &Setup{Config: &cfg, Denoiser: d, Engine: e, Store: store, State: &run.State{}}
			training, err := m.Train(s)
			if err != nil {
				t.Fatal(err)
			}
			defer training.Close()
			trainer, err := diffusion.NewTrainer(e, store, d, training.Loss, cfg.AdamW(), 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer trainer.Close()
			var losses []float64
			for step := 1; step <= 150; step++ {
				b := &Batch{Step: step, First: (step - 1) * batch, Whole: batch, Objects: objects(), Clean: best}
				inputs, err := training.Inputs(b)
				if err != nil {
					t.Fatal(err)
				}
				made, err := trainer.Step(step, 1e-2, inputs...)
				if err != nil {
					t.Fatal(err)
				}
				loss, _, taken, err := made.Read()
				if err != nil || !taken {
					t.Fatal(loss, err)
				}
				losses = append(losses, loss)
			}
			mean := func(x []float64) (sum float64) {
				for _, v := range x {
					sum += v / float64(len(x))
				}
				return sum
			}
			if first, last := mean(losses[:10]), mean(losses[140:]); last > first/2 {
				t.Errorf("loss %.3f at first, %.3f at last", first, last)
			}
			orderer, err := m.Orderer(s)
			if err != nil {
				t.Fatal(err)
			}
			defer orderer.Close()
			found, err := orderer.Orders(objects(), 0)
			if err != nil {
				t.Fatal(err)
			}
			length := 0.0
			for i, o := range found {
				if err := xs[i].Check(o); err != nil {
					t.Errorf("instance %d: %v", i, err)
				}
				length += xs[i].Length(o)
			}
			if gap := length/shortest - 1; gap > 0.03 {
				t.Errorf("tours of the training are %.1f %% longer than the shortest", 100*gap)
			}
		})
	}
}
