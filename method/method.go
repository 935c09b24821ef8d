// Package method holds what a training may minimise and how orders are found with what was learned,
// one method a file. The methods are diffusion by the bound and by pixels alone, and what diffusion
// is compared with.
package method

import (
	"slices"
	"strings"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
)

// Method is a way to learn orders. Its keys of a configuration are those for it in package config.
type Method struct {
	// Name is that of the configuration's method, and Objectives are the values of train.objective
	// that stand for it, none where the method has but one.
	Name       string
	Objectives []string
	// Head is what the network ends in ([denoiser.Config]), "" for the scores of a reverse law. A
	// method with such scores has a process. Its reverse steps find orders, by beam too, and draw and
	// score them.
	Head string
	// AnySequence is whether what it finds may be no permutation.
	AnySequence bool
	// Pictures is whether the loss compares pictures, which the objects must then be.
	Pictures bool
	// OneProcess is whether several processes cannot share its batches.
	OneProcess bool

	prepare func(*Setup, *Batch) // nil where a batch needs nothing
	train   func(*Setup) (Training, error)
	orderer func(*Setup) (Orderer, error) // nil where reverse steps find orders
}

var all = []*Method{bound, latent, gumbelSinkhorn, diffSort, errorFree, scoreEntropy, graphConvolutions, edgeDiffusion}

// Of returns the method of a configuration that is resolved.
func Of(c *config.Config) (*Method, error) {
	for _, m := range all {
		if m.Name == c.Method && (m.Objectives == nil || slices.Contains(m.Objectives, c.Train.Objective)) {
			return m, nil
		}
	}
	return nil, config.Errorf("method", "%s has no objective %q", c.Method, c.Train.Objective)
}

// Diffuses reports whether the method has a process, whose reverse steps find orders.
func (m *Method) Diffuses() bool { return m.Head == "" }

// Refuse is the error for what only reverse steps can do, nil where the method has them.
func (m *Method) Refuse(what string) error {
	if m.Diffuses() {
		return nil
	}
	return hint.Errorf("riffle eval judges it; a model with method diffusion can do the rest", "method %s: has no %s, it is there to be compared with", m.Name, what)
}

// States is how many states of a set the network sees in a training step.
func (m *Method) States(s *Setup) int {
	if m.Diffuses() {
		return s.Config.Objective().PerSet(s.Process)
	}
	return 1
}

// CheckPictures is an error where the method needs pictures and the task's objects are none.
func (m *Method) CheckPictures(c *config.Config, pixels []float32) error {
	if !m.Pictures || pixels != nil {
		return nil
	}
	return config.Errorf(config.TrainObjective, "%s compares pictures, which the objects of task %s are not", strings.Join(m.Objectives, ", "), c.Task.Name)
}

// Prepare adds to a batch what depends on the seed and the step alone. Batches are prepared ahead of
// their steps.
func (m *Method) Prepare(s *Setup, b *Batch) {
	if m.prepare != nil {
		m.prepare(s, b)
	}
}

// Train begins a training; close what it returns.
func (m *Method) Train(s *Setup) (Training, error) { return m.train(s) }

// Orderer returns what finds orders; close it. It is for methods without a process.
func (m *Method) Orderer(s *Setup) (Orderer, error) { return m.orderer(s) }

// Setup is what a method works on.
type Setup struct {
	Config   *config.Config
	Denoiser *denoiser.Denoiser
	Process  *diffusion.Process // nil with another method than diffusion
	Engine   *engine.Engine
	Store    *model.Store
	State    *run.State
}

// Batch is the sets of a training step.
type Batch struct {
	Step      int             // from 1
	First     int             // number of the first set, of all that training draws
	Whole     int             // how many sets the step's whole batch has, of which this may be a process's share
	Offset    int             // where in the whole batch this share begins
	Objects   *tensors.Tensor // [batch, n, …]
	Clean     []perm.Order
	Padded    bool              // whether n is more than some sets have
	States    *diffusion.States // of methods with a process
	Pixels    []float32         // [batch, n, PixelSize], nil where the objects are no pictures
	PixelSize int
}

// Training is a method at work.
type Training interface {
	// Loss builds the loss of a step from its inputs, see [diffusion.Loss].
	Loss(c *denoiser.Context, inputs []*graph.Node) *graph.Node
	// Inputs makes what the loss reads of a batch. It is called once a step, in their order, before the
	// step is made.
	Inputs(b *Batch) ([]*tensors.Tensor, error)
	Close()
}

// Orderer finds orders.
type Orderer interface {
	// Orders finds one of each of some sets, number first, first+1, … of their split. What a
	// method that knows nothing of permutations gives may be none.
	Orders(objects *tensors.Tensor, first int) ([]perm.Order, error)
	// Warnings are of the orders found so far.
	Warnings() []string
	Close()
}

// Streams keep the uses of a seed apart.
const (
	noiseStream  = 0x6e6f697365 // "noise"
	latentStream = 0x6c6174656e // "laten"
	seddStream   = 0x73656464   // "sedd"
)
