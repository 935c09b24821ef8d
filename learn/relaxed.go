package learn

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/baseline/diffsort"
	"github.com/riffle-ml/riffle/baseline/gumbelsinkhorn"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
)

// DiffSort and Gumbel–Sinkhorn relax a permutation: the network scores objects, and what is
// learned is a matrix between 0 and 1. Both see the objects in a random arrangement, at time 0.

// shuffled are the inputs that both read: objects [batch, n, …], arrangements [batch, 1, n],
// times [batch, 1], zeros, and ranks [batch, n], where the object at each position belongs.
func (m *Model) shuffled(b *batch) []*tensors.Tensor {
	size, n := len(b.clean), m.Config.Task.N
	arrangements, ranks := make([]int32, size*n), make([]int32, size*n)
	parallel.For(size, func(i int) {
		rng := rand.New(rand.NewPCG(m.Config.Seed^noiseStream, uint64(b.first+i)))
		rank := b.clean[i].Rank()
		for k, object := range perm.Random(rng, n) {
			arrangements[i*n+k], ranks[i*n+k] = int32(object), int32(rank[object])
		}
	})
	return []*tensors.Tensor{
		b.objects,
		tensors.FromFlatDataAndDimensions(arrangements, size, 1, n),
		tensors.FromFlatDataAndDimensions(make([]float32, size), size, 1),
		tensors.FromFlatDataAndDimensions(ranks, size, n),
	}
}

// contents are objects as numbers [batch, n, m] in an arrangement: pixels from 0 to 1, points
// or features as they are, identities one-hot.
func contents(objects, arrangements *graph.Node) *graph.Node {
	dims := objects.Shape().Dimensions
	x := graph.ConvertDType(objects, dtypes.Float32)
	switch {
	case objects.DType() == dtypes.Uint8:
		x = graph.MulScalar(x, 1.0/255)
	case len(dims) == 2:
		x = graph.OneHot(objects, dims[1], dtypes.Float32)
	}
	return denoiser.Arrange(graph.Reshape(x, dims[0], dims[1], -1), arrangements)
}

func (m *Model) sorters() (soft, exact *diffsort.Sorter, err error) {
	b := m.Config.Baseline
	network, err := diffsort.NetworkByName(b.Network, m.Config.Task.N)
	if err != nil {
		return nil, nil, err
	}
	if soft, err = diffsort.New(network, diffsort.Cauchy, b.Steepness, false); err != nil {
		return nil, nil, err
	}
	if m.Config.Method == "error-free-diffsort" {
		exact, err = diffsort.New(network, diffsort.Cauchy, b.Steepness, true)
	}
	return soft, exact, err
}

// diffSort is the method of a relaxed sorting network. Error-free adds the loss of the objects
// that its exact values move, weighted as the paper does for n.
func (m *Model) diffSort() (*method, error) {
	soft, exact, err := m.sorters()
	if err != nil {
		return nil, err
	}
	weight := diffsort.Paper(true, m.Config.Task.N).LossWeight
	return &method{
		loss: func(c *denoiser.Context, in []*graph.Node) *graph.Node {
			objects, arrangements, times, ranks := in[0], in[1], in[2], in[3]
			scores := m.Denoiser.Scores(c, m.Denoiser.Encode(c, objects), arrangements, times)
			_, p := soft.SortGraph(scores)
			loss := diffsort.CrossEntropy(p, ranks)
			if exact != nil {
				_, q := exact.SortGraph(scores)
				loss = graph.Add(loss, graph.MulScalar(diffsort.ObjectLoss(q, ranks, contents(objects, arrangements)), weight))
			}
			return loss
		},
		inputs: func(_ int, b *batch) ([]*tensors.Tensor, error) { return m.shuffled(b), nil },
		close:  func() {},
	}, nil
}

// gumbelSinkhorn is the method of relaxed matchings. Its loss sees pixels and no orders.
func (m *Model) gumbelSinkhorn() (*method, error) {
	o := gumbelsinkhorn.Defaults()
	b := m.Config.Baseline
	o.Tau, o.Iterations, o.Samples = b.Tau, b.Iterations, b.Samples
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &method{
		loss: func(c *denoiser.Context, in []*graph.Node) *graph.Node {
			objects, arrangements, times, clean, rng := in[0], in[1], in[2], in[3], in[4]
			scores := m.Denoiser.Scores(c, m.Denoiser.Encode(c, objects), arrangements, times)
			_, loss := o.LossGraph(rng, logAlpha(scores), contents(objects, arrangements), contents(objects, clean))
			return loss
		},
		inputs: func(s int, b *batch) ([]*tensors.Tensor, error) {
			in := m.shuffled(b)
			if err := in[3].FinalizeAll(); err != nil { // no order reaches the loss
				return nil, err
			}
			size, n := len(b.clean), m.Config.Task.N
			clean := make([]int32, 0, size*n)
			for _, o := range b.clean { // how the picture looks
				for _, k := range o {
					clean = append(clean, int32(k))
				}
			}
			rng, err := diffusion.DropoutState(m.Config.Seed^latentStream^uint64(b.first-b.step), s) // each process draws other noise
			if err != nil {
				return nil, err
			}
			return []*tensors.Tensor{in[0], in[1], in[2], tensors.FromFlatDataAndDimensions(clean, size, 1, n), rng}, nil
		},
		close: func() {},
	}, nil
}

// logAlpha turns a score of each item for each place into one of each place for each item.
func logAlpha(scores *graph.Node) *graph.Node { return graph.TransposeAllAxes(scores, 0, 2, 1) }

// relaxedOrderer finds orders by one pass and a decoder on the host.
type relaxedOrderer struct {
	*scorer
	m      *Model
	decode func(scores []float32) (perm.Order, error)
}

func (m *Model) newRelaxed() (orderer, error) {
	o := &relaxedOrderer{m: m}
	head := func(scores, _ *graph.Node) *graph.Node { return scores }
	if m.Config.Method == "gumbel-sinkhorn" {
		head = func(scores, _ *graph.Node) *graph.Node { return logAlpha(scores) }
		o.decode = gumbelsinkhorn.Matching[float32]
	} else {
		o.decode = func(scores []float32) (perm.Order, error) { return diffsort.Order(scores), nil }
	}
	var err error
	o.scorer, err = m.newScorer(head)
	return o, err
}

func (o *relaxedOrderer) orders(objects *tensors.Tensor, first int) ([]perm.Order, error) {
	dims := objects.Shape().Dimensions
	start := make([]perm.Order, dims[0])
	flat := make([]int32, 0, dims[0]*dims[1])
	for i := range start {
		start[i] = perm.Random(rand.New(rand.NewPCG(o.m.Config.Seed, diffusion.Mix(o.m.Config.Seed, uint64(first+i)))), dims[1])
		for _, k := range start[i] {
			flat = append(flat, int32(k))
		}
	}
	scores, err := o.call(objects, flat, 0)
	if err != nil {
		return nil, err
	}
	width := len(scores) / dims[0]
	out := make([]perm.Order, dims[0])
	for i := range out {
		order, err := o.decode(scores[i*width : (i+1)*width])
		if err != nil {
			return nil, err
		}
		out[i] = perm.Compose(order, start[i])
	}
	return out, nil
}
