package diffusion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/perm"
)

func batchOf(p *Process, seed uint64, batch, n int, objects *tensors.Tensor) []*tensors.Tensor {
	o := Objective{Trajectories: 1}
	s := NewStates(batch, o.PerSet(p), n)
	for i := range batch {
		o.Fill(s, p, rand.New(rand.NewPCG(seed, uint64(i))), i, perm.Identity(n))
	}
	return append([]*tensors.Tensor{objects}, s.Inputs()...)
}

var testAdamW = AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, WeightDecay: 0.01, Clip: 1}

// Every law learns the order of objects that carry their rank, where the reverse step is
// determined: from noise to the one right order, or one shuffle back to it. They do so with the
// first object fixed too.
func TestEveryLawLearns(t *testing.T) {
	const n, batch = 4, 16
	for _, p := range slices.Concat(processes(), fixed()) {
		p.Steps = []int{0, 1}
		if p.Reverse.FullSupport() {
			p.Steps = []int{0, 7}
		}
		e, store, d := tiny(t, p, n)
		tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		steps, rate := 120, 5e-3
		if p.Reverse.Name() == "it" { // which two objects are out of place is harder to see than an order
			steps, rate = 800, 2e-3
		}
		var first, last float64
		for s := 1; s <= steps; s++ {
			loss := trainOne(t, tr, s, rate, batchOf(p, uint64(s), batch, n, ranked(batch, n)))
			if s <= 5 {
				first += loss / 5
			}
			if s > steps-5 {
				last += loss / 5
			}
		}
		tr.Close()
		if last > 0.5*first {
			t.Errorf("%s, first fixed %v: loss %.3f at first, %.3f after %d steps", p.Reverse.Name(), p.FixFirst, first, last, steps)
		}
	}
}

// ranked are sets of objects that carry their rank in the clean order, the identity.
func ranked(batch, n int) *tensors.Tensor {
	flat := make([]float32, batch*n*2)
	for i := range flat {
		flat[i] = float32(i/2%n) / float32(n)
	}
	return tensors.FromFlatDataAndDimensions(flat, batch, n, 2)
}

func trainOne(t *testing.T, tr *Trainer, s int, rate float64, inputs []*tensors.Tensor) float64 {
	t.Helper()
	step, err := tr.Step(s, rate, inputs...)
	if err != nil {
		t.Fatal(err)
	}
	loss, norm, taken, err := step.Read()
	if err != nil || !taken || math.IsNaN(norm) {
		t.Fatalf("step %d: loss %g, norm %g, taken %v, %v", s, loss, norm, taken, err)
	}
	return loss
}

// A step whose gradient is not finite changes nothing and says so.
func TestStepRefusesNaN(t *testing.T) {
	const n, batch = 3, 2
	p := riffleGPL(0, 7)
	e, store, d := tiny(t, p, n)
	tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	read := func() []float32 {
		var all []float32
		for v := range store.IterVariables() {
			flat, err := tensors.CopyFlatData[float32](v.MustValue())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, flat...)
		}
		return all
	}
	before := read()
	for name, bad := range map[string]float64{"NaN": math.NaN(), "+Inf": math.Inf(1), "huge": 1e38} {
		flat := make([]float32, batch*n*2)
		flat[3] = float32(bad)
		step, err := tr.Step(1, 1e-3, batchOf(p, 1, batch, n, tensors.FromFlatDataAndDimensions(flat, batch, n, 2))...)
		if err != nil {
			t.Fatal(err)
		}
		_, _, taken, err := step.Read()
		if err != nil {
			t.Fatal(err)
		}
		if name != "huge" && taken {
			t.Errorf("%s: the step was taken", name)
		}
		for _, v := range read() {
			if v != v {
				t.Fatalf("%s: a weight is NaN", name)
			}
		}
		if !taken && !slices.Equal(before, read()) {
			t.Errorf("%s: a refused step changed a weight or a moment", name)
		}
		before = read()
	}
}

// The same seed and step give the same dropout; another step gives another.
func TestDropoutFollowsSeedAndStep(t *testing.T) {
	const n, batch = 3, 4
	p := riffleGPL(0, 7)
	loss := func(step int) float64 {
		e, store, _ := tiny(t, p, n)
		d, err := denoiser.New(denoiser.Config{
			N: n, Law: p.Reverse, Encoder: denoiser.EncoderConfig{Kind: "features", Features: 2, Hidden: []int{8}},
			Dim: 8, Layers: 1, Heads: 2, FeedForward: 16, Dropout: 0.3,
		})
		if err != nil {
			t.Fatal(err)
		}
		tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 11, 0)
		if err != nil {
			t.Fatal(err)
		}
		s, err := tr.Step(step, 1e-3, batchOf(p, 1, batch, n, features(rand.New(rand.NewPCG(1, 1)), batch, n))...)
		if err != nil {
			t.Fatal(err)
		}
		l, _, _, err := s.Read()
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	a, b, c := loss(1), loss(1), loss(2)
	if a != b {
		t.Errorf("same step: losses %g and %g", a, b)
	}
	if a == c {
		t.Errorf("steps 1 and 2 had the same dropout")
	}
}

// Adam's bias correction counts the steps that were taken: a refused one before them changes
// nothing.
func TestRefusedStepsDoNotCount(t *testing.T) {
	const n, batch = 3, 2
	p := riffleGPL(0, 7)
	weights := func(refuse bool) []float32 {
		e, store, d := tiny(t, p, n)
		tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		if refuse {
			bad := make([]float32, batch*n*2)
			bad[0] = float32(math.NaN())
			step, err := tr.Step(1, 1e-3, batchOf(p, 1, batch, n, tensors.FromFlatDataAndDimensions(bad, batch, n, 2))...)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, taken, err := step.Read(); err != nil || taken {
				t.Fatalf("a batch with NaN: taken %v, %v", taken, err)
			}
		}
		step, err := tr.Step(2, 1e-3, batchOf(p, 1, batch, n, features(rand.New(rand.NewPCG(1, 1)), batch, n))...)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, taken, err := step.Read(); err != nil || !taken {
			t.Fatalf("taken %v, %v", taken, err)
		}
		flat, err := tensors.CopyFlatData[float32](denoiser.Variable(store, "encoder.fc1.weight").MustValue())
		if err != nil {
			t.Fatal(err)
		}
		return flat
	}
	if a, b := weights(false), weights(true); !slices.Equal(a, b) {
		t.Errorf("weights %v, after a refused step %v", a, b)
	}
}

// A step whose weights would not be finite is refused, however finite its gradient.
func TestStepRefusesInfiniteWeights(t *testing.T) {
	const n, batch = 3, 2
	p := riffleGPL(0, 7)
	e, store, d := tiny(t, p, n)
	tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	step, err := tr.Step(1, math.MaxFloat64, batchOf(p, 1, batch, n, features(rand.New(rand.NewPCG(1, 1)), batch, n))...)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, taken, err := step.Read(); err != nil || taken {
		t.Errorf("taken %v, %v", taken, err)
	}
}

// Settings that are fine in float64 and 0 or 1 to the engine, in float32, would refuse every step.
func TestAdamWInFloat32(t *testing.T) {
	for name, change := range map[string]func(*AdamW){
		"epsilon": func(a *AdamW) { a.Epsilon = 1e-50 },
		"beta1":   func(a *AdamW) { a.Beta1 = 0.9999999999 },
		"beta2":   func(a *AdamW) { a.Beta2 = 0.9999999999 },
	} {
		a := testAdamW
		change(&a)
		if a.Validate() == nil {
			t.Errorf("%s: %+v accepted", name, a)
		}
	}
	if err := testAdamW.Validate(); err != nil {
		t.Error(err)
	}
}
