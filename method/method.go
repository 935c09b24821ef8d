// Package method holds what a training may minimise and how orders are found with what was learned,
// one method a file. The methods are diffusion trained on the bound, diffusion trained on pixels
// alone, and those that diffusion is compared with.
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

// Method is a way to learn orders. Package config says which keys belong to it.
type Method struct {
	// Name is the value of the key method. Objectives are the values of train.objective that
	// select this method, nil if the method has a single objective.
	Name       string
	Objectives []string
	// Head is what the network ends in ([denoiser.Config]), "" for the scores of a reverse law. A
	// method with such scores has a process. The process's reverse steps find orders, also by beam
	// search, draw them and score them.
	Head string
	// AnySequence says that what the method finds may not be a permutation.
	AnySequence bool
	// Pictures says that the loss compares pictures. The objects must then be pictures.
	Pictures bool
	// OneProcess says that several processes cannot share its batches.
	OneProcess bool

	prepare func(*Setup, *Batch) // nil where a batch needs nothing
	train   func(*Setup) (Training, error)
	orderer func(*Setup) (Orderer, error) // nil where reverse steps find orders
}

var all = []*Method{bound, latent, gumbelSinkhorn, diffSort, errorFree, scoreEntropy, graphConvolutions, edgeDiffusion}

// Of returns the method of a resolved configuration.
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

// Refuse is the error for a question that only reverse steps can answer, nil if the method has
// them.
func (m *Method) Refuse(what string) error {
	if m.Diffuses() {
		return nil
	}
	return hint.Errorf("riffle eval judges it; a model with method diffusion can do the rest", "method %s: has no %s, it is only there for comparison", m.Name, what)
}

// States is how many states of a set the network sees in a training step.
func (m *Method) States(s *Setup) int {
	if m.Diffuses() {
		return s.Config.Objective().PerSet(s.Process)
	}
	return 1
}

// CheckPictures returns an error if the method needs pictures and the task's objects are not
// pictures.
func (m *Method) CheckPictures(c *config.Config, pixels []float32) error {
	if !m.Pictures || pixels != nil {
		return nil
	}
	return config.Errorf(config.TrainObjective, "%s compares pictures, but the objects of task %s are not pictures", strings.Join(m.Objectives, ", "), c.Task.Name)
}

// Prepare adds to a batch what depends on the seed and the step alone. Batches are prepared ahead of
// their steps.
func (m *Method) Prepare(s *Setup, b *Batch) {
	if m.prepare != nil {
		m.prepare(s, b)
	}
}

// Train begins a training. The caller closes it.
func (m *Method) Train(s *Setup) (Training, error) { return m.train(s) }

// Orderer returns what finds orders, for methods without a process. The caller closes it.
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
	First     int             // number of the first set, counted over the whole training
	Whole     int             // how many sets the step's whole batch has; this one may be a process's share of it
	Offset    int             // where in the whole batch this share begins
	Objects   *tensors.Tensor // [batch, n, …]
	Clean     []perm.Order
	Padded    bool              // whether some sets have fewer than n objects
	States    *diffusion.States // of methods with a process
	Pixels    []float32         // [batch, n, PixelSize], nil if the objects are not pictures
	PixelSize int
}

// Training is a method at work.
type Training interface {
	// Loss builds the loss of a step from its inputs, see [diffusion.Loss].
	Loss(c *denoiser.Context, inputs []*graph.Node) *graph.Node
	// Inputs makes what the loss reads of a batch. It is called once per step, in the order of the
	// steps, before the step is made.
	Inputs(b *Batch) ([]*tensors.Tensor, error)
	Close()
}

// Orderer finds orders.
type Orderer interface {
	// Orders finds one order for each of the sets, which are number first, first+1, … of their
	// split. A method with AnySequence may return something that is not a permutation.
	Orders(objects *tensors.Tensor, first int) ([]perm.Order, error)
	// Warnings are about the orders found so far.
	Warnings() []string
	Close()
}

// Streams keep the uses of a seed apart.
const (
	noiseStream  = 0x6e6f697365 // "noise"
	latentStream = 0x6c6174656e // "laten"
	seddStream   = 0x73656464   // "sedd"
)
