package learn

import (
	"math"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/baseline/diffsort"
	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// The entropy of samples is the mean over samples: an order that came three times counts thrice.
func TestEntropyWeighsOrders(t *testing.T) {
	m, _ := train(t, tiny(), openEngine(t, "go"))
	ex, err := m.Task.Examples(task.Test, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	often := ex.Clean[0]
	seldom := slices.Clone(often)
	slices.Reverse(seldom)
	sets := []*dataset.Set{bare(5), bare(5)}
	for i, o := range []perm.Order{often, seldom} {
		sets[i].Order, sets[i].OrderGiven = o, "order"
	}
	scored, _, err := m.Score(t.Context(), sets, 64, 1)
	if err != nil {
		t.Fatal(err)
	}
	a, b := float64(scored[0].LogProb), float64(scored[1].LogProb)
	if math.Abs(a-b) < 0.1 {
		t.Fatalf("log p %.3f and %.3f: these orders do not tell weighted from plain", a, b)
	}
	e, err := m.Entropy(t.Context(), bare(5), []perm.Order{often, seldom, often, often}, 64, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := -(0.75*a + 0.25*b); math.Abs(float64(e.Mean)-want) > 1e-9 {
		t.Errorf("entropy %.6f, wanted %.6f", float64(e.Mean), want)
	}
}

// lossAt is the loss of a method on the batch of step 1, and the network's scores of that batch.
func lossAt(t *testing.T, m *Model, f func(scores *graph.Node, in []*graph.Node) *graph.Node) (loss, want float64) {
	t.Helper()
	b, err := m.batch(1, share{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	method, err := m.Method.Train(m.setup())
	if err != nil {
		t.Fatal(err)
	}
	defer method.Close()
	inputs, err := method.Inputs(b)
	if err != nil {
		t.Fatal(err)
	}
	exec, err := model.NewExec(m.Engine.Backend, m.Store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		c := denoiser.NewContext(in[0].Graph(), m.Store, false, nil)
		scores := m.Denoiser.Scores(c, m.Denoiser.Encode(c, in[0]), in[1], in[2])
		return graph.Stack([]*graph.Node{method.Loss(c, in), f(scores, in)}, 0)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call1(inputs)
	if err != nil {
		t.Fatal(err)
	}
	flat, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		t.Fatal(err)
	}
	return float64(flat[0]), float64(flat[1])
}

// Error-free DiffSort's second loss is of the objects that the error-free swaps move. Those of the
// relaxed swaps would blend objects, which is what it avoids (Kim et al. 2024).
func TestErrorFreeLoss(t *testing.T) {
	m := newScalars(t, scalars{N: 4}, func(c *config.Config) {
		c.Method, c.Baseline.Network, c.Baseline.Steepness = "error-free-diffsort", "odd-even", 3
	})
	network, err := diffsort.OddEven(4)
	if err != nil {
		t.Fatal(err)
	}
	with := func(exact bool) float64 {
		second, err := diffsort.New(network, diffsort.Cauchy, 3, exact)
		if err != nil {
			t.Fatal(err)
		}
		soft, err := diffsort.New(network, diffsort.Cauchy, 3, false)
		if err != nil {
			t.Fatal(err)
		}
		got, want := lossAt(t, m, func(scores *graph.Node, in []*graph.Node) *graph.Node {
			_, p := soft.SortGraph(scores)
			_, q := second.SortGraph(scores)
			objects := denoiser.Arrange(in[0], in[1])
			return graph.Add(diffsort.CrossEntropy(p, in[3]), graph.MulScalar(diffsort.ObjectLoss(q, in[3], objects), diffsort.Paper(true, 4).LossWeight))
		})
		return got - want
	}
	if d := with(true); math.Abs(d) > 1e-5 {
		t.Errorf("the loss is %g above that of the error-free network", d)
	}
	if d := with(false); math.Abs(d) < 1e-4 {
		t.Errorf("the loss is that of the relaxed network alone (difference %g)", d)
	}
}

// A network of single items, which knows nothing of places, can learn one order by Gumbel–Sinkhorn,
// whose network scores places for each item.
func TestGumbelSinkhornLearnsOneOrder(t *testing.T) {
	e := openEngine(t, "go")
	cfg := tiny()
	cfg.Method, cfg.Model.Layers, cfg.Model.Positions, cfg.Model.Dropout, cfg.Model.Dim = "gumbel-sinkhorn", 0, "none", 0, 16
	cfg.Baseline.Tau, cfg.Train.Steps, cfg.Train.Batch, cfg.Train.LR = 0.5, 300, 16, 1e-2
	nothing := func(scores *graph.Node, _ []*graph.Node) *graph.Node { return graph.ConstAs(scores, 0) }
	before, _ := lossAt(t, newModel(t, cfg, e), nothing)
	m, _ := train(t, cfg, e)
	// Each item's place is then certain, and the loss is what noise is left.
	if after, _ := lossAt(t, m, nothing); after > before/10 {
		t.Errorf("loss %.4f before training and %.4f after", before, after)
	}
	ex, err := m.Task.Examples(task.Test, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if o := ex.Clean[0]; slices.Equal(o, perm.Order(o.Rank())) {
		t.Fatalf("%v is its own inverse: it does not tell the two apart", o)
	}
	find, _, err := m.Finder(DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if ex, err = m.Task.Examples(task.Test, 0, 50); err != nil {
		t.Fatal(err)
	}
	orders, err := find(t.Context(), ex, 0)
	for i, o := range orders {
		if !slices.Equal(o, ex.Clean[i]) {
			t.Errorf("set %d: order %v, wanted %v: one order, told by the items", i, o, ex.Clean[i])
		}
	}
	if err != nil || len(orders) != 50 {
		t.Errorf("%d orders, %v", len(orders), err)
	}
}

// The scores that a latent step draws from are those of the step itself: its seed makes the mask
// of dropout.
func TestLatentDrawsUnderTheStepsMask(t *testing.T) {
	m := newScalars(t, scalars{N: 4}, func(c *config.Config) {
		c.Train.Objective, c.Process.Schedule, c.Train.Samples, c.Train.Entropy, c.Model.Dropout = "latent", []int{0, 7}, 8, 1, 0.5
	})
	b, err := m.batch(1, share{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	b.Pixels, b.PixelSize = make([]float32, len(b.Clean)*4), 1 // alike: a factor is 1/N − λ·log p
	method, err := m.Method.Train(m.setup())
	if err != nil {
		t.Fatal(err)
	}
	defer method.Close()
	in, err := method.Inputs(b)
	if err != nil {
		t.Fatal(err)
	}
	factors, err := tensors.CopyFlatData[float32](in[4])
	if err != nil {
		t.Fatal(err)
	}
	exec, err := model.NewExec(m.Engine.Backend, m.Store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		c := denoiser.NewContext(in[0].Graph(), m.Store, true, in[4])
		scores := m.Denoiser.Scores(c, m.Denoiser.Encode(c, in[0]), in[1], in[2])
		drawn := in[3].Shape().Dimensions
		return m.Process.Reverse.LogProbGraph(graph.BroadcastToDims(graph.ExpandAxes(scores, 1), append([]int{drawn[0], drawn[1]}, scores.Shape().Dimensions[1:]...)...), in[3])
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	noise, err := diffusion.DropoutState(m.Config.Seed, 1)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Call1(in[0], in[1], in[2], in[3], noise)
	if err != nil {
		t.Fatal(err)
	}
	logp, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range factors {
		if drawn := 1/float64(m.Config.Train.Samples) - float64(f); math.Abs(drawn-float64(logp[i])) > 1e-3 {
			t.Errorf("draw %d: log p %.5f when it was drawn, %.5f in the step", i, drawn, logp[i])
		}
	}
}
