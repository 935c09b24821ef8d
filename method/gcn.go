package method

import (
	"math"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/baseline/heatmap"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// graphConvolutions is the graph convolutional network of Joshi, Laurent & Bresson, "An Efficient Graph
// Convolutional Network Technique for the Travelling Salesman Problem" (2019). One pass gives each edge
// the probability that it is in the tour, and a beam search finds a tour of probable edges.
var graphConvolutions = &Method{
	Name: "gcn", Head: "edges",
	train:   func(s *Setup) (Training, error) { return convolutions{s}, nil },
	orderer: func(s *Setup) (Orderer, error) { return newConvolutions(s) },
}

type convolutions struct{ *Setup }

// Loss reads points [batch, n, 2] and the edges of their tours [batch, n, n]. The two classes have equal
// weight, as the paper balances them: n of n(n − 1)/2 edges are in a tour.
func (t convolutions) Loss(c *denoiser.Context, in []*graph.Node) *graph.Node {
	points, targets := in[0], in[1]
	losses, pairs := crossEntropies(t.Denoiser.EdgeScores(c, points, nil, nil), targets)
	mean := func(class *graph.Node) *graph.Node {
		return graph.Div(graph.ReduceAllSum(graph.Mul(losses, class)), graph.ReduceAllSum(class))
	}
	return graph.MulScalar(graph.Add(mean(targets), mean(graph.Sub(pairs, targets))), 0.5)
}

func (t convolutions) Inputs(b *Batch) ([]*tensors.Tensor, error) {
	n := t.Config.Task.N
	return []*tensors.Tensor{b.Objects, tensors.FromFlatDataAndDimensions(tourEdges(b.Clean, n), len(b.Clean), n, n)}, nil
}

func (convolutions) Close() {}

// convolutionsOrderer finds tours by the beam.
type convolutionsOrderer struct {
	*Setup
	exec *model.Exec
}

func newConvolutions(s *Setup) (*convolutionsOrderer, error) {
	exec, err := model.NewExec(s.Engine.Backend, s.Store, func(_ *model.Scope, points *graph.Node) *graph.Node {
		return s.Denoiser.EdgeScores(denoiser.NewContext(points.Graph(), s.Store, false, nil), points, nil, nil)
	})
	return &convolutionsOrderer{s, exec}, err
}

func (o *convolutionsOrderer) Orders(objects *tensors.Tensor, _ int) ([]perm.Order, error) {
	out, err := o.exec.Call1(objects)
	if err != nil {
		return nil, err
	}
	logits, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		return nil, err
	}
	if err := out.FinalizeAll(); err != nil {
		return nil, err
	}
	dims := objects.Shape().Dimensions
	scores := probabilities(logits, dims[0], dims[1])
	for i, p := range scores {
		scores[i] = math.Log(max(p, math.SmallestNonzeroFloat64))
	}
	b := o.Config.Baseline
	return tours(objects, scores, b.TwoOpt, func(logp []float64, x *tsp.Instance) (perm.Order, error) {
		return heatmap.Beam(logp, x, b.Beam)
	})
}

func (*convolutionsOrderer) Warnings() []string { return nil }
func (o *convolutionsOrderer) Close()           { o.exec.Finalize() }
