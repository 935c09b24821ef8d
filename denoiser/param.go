package denoiser

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
)

// Param is one array of the network. Its name and shape are those of the PyTorch module that
// bench/torch describes, so a saved model loads there as it is.
type Param struct {
	Name      string
	Shape     []int
	Trainable bool // false for running statistics and what is frozen
	Frozen    bool // a weight that training leaves as it is
	init      func(rng *rand.Rand, flat []float32)
}

// Size returns the number of elements.
func (p *Param) Size() int {
	n := 1
	for _, d := range p.Shape {
		n *= d
	}
	return n
}

// Initial returns the starting values for a seed. They depend on the seed and the
// name alone, not on the engine or on other arrays.
func (p *Param) Initial(seed uint64) []float32 {
	h := fnv.New64a()
	h.Write([]byte(p.Name))
	rng := rand.New(rand.NewPCG(seed, h.Sum64()))
	flat := make([]float32, p.Size())
	p.init(rng, flat)
	return flat
}

func constant(v float32) func(*rand.Rand, []float32) {
	return func(_ *rand.Rand, flat []float32) {
		for i := range flat {
			flat[i] = v
		}
	}
}

func uniform(bound float64) func(*rand.Rand, []float32) {
	return func(rng *rand.Rand, flat []float32) {
		for i := range flat {
			flat[i] = float32(bound * (2*rng.Float64() - 1))
		}
	}
}

func normal(std float64) func(*rand.Rand, []float32) {
	return func(rng *rand.Rand, flat []float32) {
		for i := range flat {
			flat[i] = float32(std * rng.NormFloat64())
		}
	}
}

// xavier draws uniformly with bound √(6/(in+out)) (Glorot & Bengio 2010), kaiming with
// √(6/in) (He et al. 2015), for weights before a ReLU.
func xavier(in, out int) func(*rand.Rand, []float32) {
	return uniform(math.Sqrt(6 / float64(in+out)))
}
func kaiming(in int) func(*rand.Rand, []float32) { return uniform(math.Sqrt(6 / float64(in))) }

// registry collects parameters while the network is put together.
type registry struct{ params []*Param }

func (r *registry) add(name string, init func(*rand.Rand, []float32), shape ...int) *Param {
	p := &Param{Name: name, Shape: shape, Trainable: true, init: init}
	r.params = append(r.params, p)
	return p
}

func (r *registry) buffer(name string, value float32, shape ...int) *Param {
	p := r.add(name, constant(value), shape...)
	p.Trainable = false
	return p
}

// Context is what the layers need while a graph is built.
type Context struct {
	Graph    *graph.Graph
	Store    *model.Store
	Training bool
	// Changed holds the values that running statistics had before this graph changed them.
	Changed map[string]*graph.Node
	rng     *graph.Node // state of the noise of dropout, [3] uint64
	keys    uint64      // how many keys were taken of it
	half    bool        // products of dense layers are of bfloat16
	lengths *graph.Node // [batch] of the sets that are being encoded, or nil
}

// NewContext starts the building of one graph. rng is the state for dropout
// ([3] uint64, see graph.RNGStateFromSeed); nil where training is false.
func NewContext(g *graph.Graph, store *model.Store, training bool, rng *graph.Node) *Context {
	// To GoMLX every graph is one of training. In others the go engine compiles the weights in as
	// constants, and a graph would keep the weights that it was compiled with.
	store.SetTraining(g, true)
	return &Context{Graph: g, Store: store, Training: training, Changed: map[string]*graph.Node{}, rng: rng}
}

func variablePath(name string) string { return "/" + name }

func (c *Context) get(p *Param) *graph.Node {
	v := c.Store.GetVariable(variablePath(p.Name))
	if v == nil {
		panic(fmt.Errorf("parameter %q has no value", p.Name))
	}
	return v.NodeValue(c.Graph)
}

func (c *Context) set(p *Param, value *graph.Node) {
	v := c.Store.GetVariable(variablePath(p.Name))
	if c.Changed[p.Name] == nil {
		c.Changed[p.Name] = v.NodeValue(c.Graph)
	}
	v.SetNodeValue(value)
}

// Variable returns the stored variable of a parameter, nil before [SetParam].
func Variable(store *model.Store, name string) *model.Variable {
	return store.GetVariable(variablePath(name))
}

// SetParam puts values under a name into the store, replacing older ones.
func SetParam(store *model.Store, name string, shape []int, flat []float32) error {
	t := tensors.FromFlatDataAndDimensions(flat, shape...)
	if v := Variable(store, name); v != nil {
		return v.SetValue(t)
	}
	_, err := store.CreateVariable(variablePath(name), t)
	return err
}

// dropout zeroes elements with probability p while training and scales the rest. Every element
// of every call has noise of its own, (a_r + b_c)·(d_r + e_c) mod 2³² for row r and column c, where a,
// b, d and e are hashes of (r or c, call, state). So noise is computed where it is needed, forward
// and again backward, in the same pass over memory as what it acts on. A generator of random bits
// would be a pass of its own (on XLA's CPU a quarter of a training step). Sums and products are what
// the go engine computes fast, and rows and columns are few.
func (c *Context) dropout(x *graph.Node, p float64) *graph.Node {
	if !c.Training || p == 0 {
		return x
	}
	dims := x.Shape().Dimensions
	columns := 1
	for i := len(dims) - 1; i >= 0 && columns < 128; i-- {
		columns *= dims[i]
	}
	rows := x.Shape().Size() / columns
	term := func() *graph.Node {
		return graph.Add(graph.ExpandAxes(c.hashes(rows), 1), graph.ExpandAxes(c.hashes(columns), 0))
	}
	h := graph.Mul(term(), term())
	keep := graph.GreaterOrEqual(h, graph.Scalar(c.Graph, dtypes.Uint32, uint32(p*(1<<32))))
	return graph.Where(graph.Reshape(keep, dims...), graph.MulScalar(x, 1/(1-p)), graph.ZerosLike(x))
}

// hashes returns [count] uint32, others at each call.
func (c *Context) hashes(count int) *graph.Node {
	h := graph.Iota(c.Graph, shapes.Make(dtypes.Uint32, count), 0)
	h = mixBits(graph.BitwiseXor(h, graph.ExpandLeftToRank(c.key(), 1)), 0x7feb352d, 15)
	return mixBits(graph.BitwiseXor(h, graph.ExpandLeftToRank(c.key(), 1)), 0x846ca68b, 16)
}

// key returns the next key of the noise, a scalar uint32.
func (c *Context) key() *graph.Node {
	c.keys++
	word := graph.Reshape(graph.Slice(c.rng, graph.AxisElem(0)))
	word = graph.Add(word, graph.Scalar(c.Graph, dtypes.Uint64, c.keys*0x9e3779b97f4a7c15)) // SplitMix64
	word = graph.Mul(graph.BitwiseXor(word, graph.BitwiseShiftRightLogicalScalar(word, uint64(30))), graph.Scalar(c.Graph, dtypes.Uint64, uint64(0xbf58476d1ce4e5b9)))
	word = graph.Mul(graph.BitwiseXor(word, graph.BitwiseShiftRightLogicalScalar(word, uint64(27))), graph.Scalar(c.Graph, dtypes.Uint64, uint64(0x94d049bb133111eb)))
	return graph.ConvertDType(graph.BitwiseShiftRightLogicalScalar(word, uint64(32)), dtypes.Uint32)
}

// mixBits is a round of Wellons' lowbias32 (2018): x ← x ⊕ (x ≫ 16), x·m, x ⊕ (x ≫ s).
func mixBits(x *graph.Node, m uint32, s uint32) *graph.Node {
	x = graph.BitwiseXor(x, graph.BitwiseShiftRightLogicalScalar(x, uint32(16)))
	x = graph.Mul(x, graph.Scalar(x.Graph(), dtypes.Uint32, m))
	return graph.BitwiseXor(x, graph.BitwiseShiftRightLogicalScalar(x, s))
}
