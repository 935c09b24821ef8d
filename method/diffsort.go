package method

import (
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/baseline/diffsort"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/perm"
)

var (
	diffSort = &Method{
		Name: "diffsort", Head: "score", orderer: sorted,
		train: func(s *Setup) (Training, error) { return newSorting(s, false) },
	}
	// errorFree adds the loss of the objects that the exact values of its swaps move.
	errorFree = &Method{
		Name: "error-free-diffsort", Head: "score", orderer: sorted,
		train: func(s *Setup) (Training, error) { return newSorting(s, true) },
	}
)

// sorting is a relaxed sorting network at work.
type sorting struct {
	*Setup
	soft   *diffsort.Sorter
	exact  *diffsort.Sorter // of error-free DiffSort, else nil
	weight float64          // of its loss, as the paper has it for n
}

func newSorting(s *Setup, errorFree bool) (*sorting, error) {
	b := s.Config.Baseline
	network, err := diffsort.NetworkByName(b.Network, s.Config.Task.N)
	if err != nil {
		return nil, err
	}
	t := &sorting{Setup: s, weight: diffsort.Paper(true, s.Config.Task.N).LossWeight}
	if t.soft, err = diffsort.New(network, diffsort.Cauchy, b.Steepness, false); err != nil {
		return nil, err
	}
	if errorFree {
		t.exact, err = diffsort.New(network, diffsort.Cauchy, b.Steepness, true)
	}
	return t, err
}

// Loss reads what [Setup.shuffled] makes.
func (t *sorting) Loss(c *denoiser.Context, in []*graph.Node) *graph.Node {
	objects, arrangements, times, ranks := in[0], in[1], in[2], in[3]
	scores := t.Denoiser.Scores(c, t.Denoiser.Encode(c, objects), arrangements, times)
	_, p := t.soft.SortGraph(scores)
	loss := diffsort.CrossEntropy(p, ranks)
	if t.exact != nil {
		_, q := t.exact.SortGraph(scores)
		loss = graph.Add(loss, graph.MulScalar(diffsort.ObjectLoss(q, ranks, contents(objects, arrangements)), t.weight))
	}
	return loss
}

func (t *sorting) Inputs(b *Batch) ([]*tensors.Tensor, error) { return t.shuffled(b), nil }

func (*sorting) Close() {}

// sorted finds the order of rising scores.
func sorted(s *Setup) (Orderer, error) {
	return newRelaxed(s, func(scores, _ *graph.Node) *graph.Node { return scores },
		func(scores []float32) (perm.Order, error) { return diffsort.Order(scores), nil })
}
