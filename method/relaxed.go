package method

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
)

// DiffSort and Gumbel–Sinkhorn relax a permutation: the network scores objects, and what is
// learned is a matrix between 0 and 1. Both see the objects in a random arrangement, at time 0.

// shuffled are the inputs that both read: objects [batch, n, …], arrangements [batch, 1, n],
// times [batch, 1], zeros, and ranks [batch, n], where the object at each position belongs.
func (s *Setup) shuffled(b *Batch) []*tensors.Tensor {
	size, n := len(b.Clean), s.Config.Task.N
	arrangements, ranks := make([]int32, size*n), make([]int32, size*n)
	parallel.For(size, func(i int) {
		rng := rand.New(rand.NewPCG(s.Config.Seed^noiseStream, uint64(b.First+i)))
		rank := b.Clean[i].Rank()
		for k, object := range perm.Random(rng, n) {
			arrangements[i*n+k], ranks[i*n+k] = int32(object), int32(rank[object])
		}
	})
	return []*tensors.Tensor{
		b.Objects,
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

// relaxedOrderer finds orders by one pass and a decoder on the host.
type relaxedOrderer struct {
	*scorer
	seed   uint64
	decode func(scores []float32) (perm.Order, error)
}

// newRelaxed makes an orderer that decodes the head's scores after f.
func newRelaxed(s *Setup, f func(scores, _ *graph.Node) *graph.Node, decode func([]float32) (perm.Order, error)) (Orderer, error) {
	scorer, err := newScorer(s, f)
	return &relaxedOrderer{scorer, s.Config.Seed, decode}, err
}

// Orders implements [Orderer].
func (o *relaxedOrderer) Orders(objects *tensors.Tensor, first int) ([]perm.Order, error) {
	dims := objects.Shape().Dimensions
	start := make([]perm.Order, dims[0])
	flat := make([]int32, 0, dims[0]*dims[1])
	for i := range start {
		start[i] = perm.Random(rand.New(rand.NewPCG(o.seed, diffusion.Mix(o.seed, uint64(first+i)))), dims[1])
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

// Warnings implements [Orderer].
func (*relaxedOrderer) Warnings() []string { return nil }
