package diffusion

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
)

// Loss builds the loss of one training step, a scalar in nats, from the step's inputs.
type Loss func(c *denoiser.Context, inputs []*graph.Node) *graph.Node

// Trainer makes training steps. Its weights are in Store under the denoiser's names.
type Trainer struct {
	Store    *model.Store
	Denoiser *denoiser.Denoiser
	AdamW    AdamW
	Seed     uint64 // of the noise of dropout

	loss    Loss
	exec    *model.Exec
	engine  *engine.Engine
	devices *devices // nil: one
	half    *half    // nil: one process
}

// NewTrainer compiles nothing yet; the first step of a shape does. The store holds the
// weights (see [denoiser.Denoiser.Init]) and, when training goes on, the moments; taken is
// how many steps have changed them, 0 at the start.
func NewTrainer(e *engine.Engine, store *model.Store, d *denoiser.Denoiser, loss Loss, opt AdamW, seed uint64, taken int) (*Trainer, error) {
	if err := opt.Validate(); err != nil {
		return nil, err
	}
	if err := initMoments(store, d, taken, opt.Average > 0); err != nil {
		return nil, err
	}
	t := &Trainer{Store: store, Denoiser: d, AdamW: opt, Seed: seed, loss: loss, engine: e}
	var err error
	t.exec, err = model.NewExec(e.Backend, store, t.build)
	return t, err
}

// Close frees the compiled graphs.
func (t *Trainer) Close() {
	t.exec.Finalize()
	if t.half != nil {
		t.half.close()
	}
}

// build is the graph of one step: learning rate, dropout state, the loss's inputs → [3]
// (loss, gradient norm, 1 if the step was taken).
func (t *Trainer) build(_ *model.Scope, in []*graph.Node) *graph.Node {
	rate, rng := in[0], in[1]
	c := denoiser.NewContext(rate.Graph(), t.Store, true, rng)
	l := t.loss(c, in[2:])
	norm, ok := t.AdamW.update(t.Store, t.Denoiser, l, rate, c.Changed)
	one := graph.ConvertDType(ok, l.DType())
	return graph.Stack([]*graph.Node{l, norm, one}, 0)
}

// Step is the outcome of one training step. It stays on the engine until it is read.
type Step struct {
	Number int
	Rate   float64
	result *tensors.Tensor
	inputs []*tensors.Tensor // an engine may read them until the step is done
}

// Read fetches the loss (for [BoundLoss] the mean −log p a state in nats), the gradient's norm before clipping, and
// whether the step was taken. A step whose loss or gradient is not finite changes nothing.
func (s *Step) Read() (loss, norm float64, taken bool, err error) {
	flat, err := tensors.CopyFlatData[float32](s.result)
	if err != nil {
		return 0, 0, false, err
	}
	for _, t := range append(s.inputs, s.result) {
		if err := t.FinalizeAll(); err != nil {
			return 0, 0, false, err
		}
	}
	return float64(flat[0]), float64(flat[1]), flat[2] == 1, nil
}

// Step makes training step number s, counted from 1, at a learning rate. The inputs are the
// loss's; they are freed when the step is read.
func (t *Trainer) Step(s int, rate float64, inputs ...*tensors.Tensor) (*Step, error) {
	seed := t.Seed
	if t.half != nil && t.half.peers.Rank() > 0 {
		seed = Mix(seed, uint64(t.half.peers.Rank()))
	}
	rng, err := DropoutState(seed, s)
	if err != nil {
		return nil, err
	}
	inputs = append([]*tensors.Tensor{tensors.FromScalar(float32(rate)), rng}, inputs...)
	if t.half != nil {
		return t.half.step(s, rate, inputs)
	}
	if t.devices != nil {
		return t.devices.step(t, s, rate, inputs)
	}
	out, err := t.exec.Call1(inputs)
	if err != nil {
		return nil, fmt.Errorf("training step %d: %w", s, err)
	}
	return &Step{Number: s, Rate: rate, result: out, inputs: inputs}, nil
}

// DropoutState is the state of the noise of dropout in training step s, [3] uint64.
func DropoutState(seed uint64, s int) (*tensors.Tensor, error) {
	return graph.RNGStateFromSeed(int64(Mix(seed, uint64(s)) >> 1))
}

// Mix derives a seed from two numbers (the finaliser of SplitMix64).
func Mix(a, b uint64) uint64 {
	z := a + (b+1)*0x9e3779b97f4a7c15
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Moments returns the names under which the store keeps the optimiser's moments of the
// trained parameters, first and second.
func Moments(d *denoiser.Denoiser) (first, second map[string]string) {
	first, second = map[string]string{}, map[string]string{}
	for _, p := range d.Params() {
		if p.Trainable {
			first[p.Name], second[p.Name] = firstMoment(p.Name), secondMoment(p.Name)
		}
	}
	return first, second
}

// LogFactorial is log n!, so that log p(X_T) of the uniform noise is −LogFactorial(n).
func LogFactorial(n int) float64 {
	l, _ := math.Lgamma(float64(n) + 1)
	return l
}
