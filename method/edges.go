package method

import (
	"math"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// GCN and DIFUSCO learn which edges are in the tour, an undirected graph with two edges a city.

// tourEdges are the edges of orders as tours, [batch, n, n] of 0 and 1, symmetric.
func tourEdges(orders []perm.Order, n int) []float32 {
	flat := make([]float32, len(orders)*n*n)
	for i, o := range orders {
		x := flat[i*n*n : (i+1)*n*n]
		for k, c := range o {
			d := o[(k+1)%n]
			x[c*n+d], x[d*n+c] = 1, 1
		}
	}
	return flat
}

// crossEntropies are those of logits [batch, n, n] and targets of 0 and 1, in nats, and which pairs are of
// two cities, 0 or 1.
func crossEntropies(logits, targets *graph.Node) (losses, pairs *graph.Node) {
	n := logits.Shape().Dimensions[1]
	shape := shapes.Make(dtypes.Int32, n, n)
	g := logits.Graph()
	pairs = graph.ConvertDType(graph.NotEqual(graph.Iota(g, shape, 0), graph.Iota(g, shape, 1)), dtypes.Float32)
	pairs = graph.BroadcastToDims(graph.ExpandAxes(pairs, 0), logits.Shape().Dimensions...)
	// log(1 + exp(x)) − y x, without overflow.
	softplus := graph.Add(graph.MaxScalar(logits, 0), graph.Log1P(graph.Exp(graph.Neg(graph.Abs(logits)))))
	return graph.Mul(pairs, graph.Sub(softplus, graph.Mul(targets, logits))), pairs
}

// instances are sets of points as instances of the travelling salesman problem.
func instances(objects *tensors.Tensor) ([]*tsp.Instance, error) {
	dims := objects.Shape().Dimensions
	flat, err := tensors.CopyFlatData[float32](objects)
	if err != nil {
		return nil, err
	}
	out := make([]*tsp.Instance, dims[0])
	for i := range out {
		points := make([][2]float64, dims[1])
		for k := range points {
			at := 2 * (i*dims[1] + k)
			points[k] = [2]float64{float64(flat[at]), float64(flat[at+1])}
		}
		if out[i], err = tsp.New(points, tsp.Euclidean); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// tours decodes the scores of edges, [batch·n·n], set by set, and finishes by 2-opt if wanted.
func tours(objects *tensors.Tensor, scores []float64, twoOpt bool, decode func(scores []float64, x *tsp.Instance) (perm.Order, error)) ([]perm.Order, error) {
	xs, err := instances(objects)
	if err != nil {
		return nil, err
	}
	out, errs := make([]perm.Order, len(xs)), make([]error, len(xs))
	parallel.For(len(xs), func(i int) {
		n := xs[i].N()
		if out[i], errs[i] = decode(scores[i*n*n:(i+1)*n*n], xs[i]); errs[i] == nil && twoOpt {
			out[i] = tsp.From(tsp.TwoOpt(xs[i], out[i]), 0)
		}
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// probabilities are those of edges, of which either end has a logit, [batch, n, n].
func probabilities(logits []float32, batch, n int) []float64 {
	out := make([]float64, len(logits))
	for i := range batch {
		x := logits[i*n*n:]
		for a := range n {
			for b := range n {
				p := (sigmoid(x[a*n+b]) + sigmoid(x[b*n+a])) / 2
				out[i*n*n+a*n+b] = p
			}
		}
	}
	return out
}

func sigmoid(x float32) float64 { return 1 / (1 + math.Exp(-float64(x))) }
