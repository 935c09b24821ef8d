package method

import (
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/baseline/gumbelsinkhorn"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
)

// gumbelSinkhorn is the method of relaxed matchings. Its loss sees pixels and no orders.
var gumbelSinkhorn = &Method{
	Name: "gumbel-sinkhorn", Head: "assign",
	train: func(s *Setup) (Training, error) {
		o, b := gumbelsinkhorn.Defaults(), s.Config.Baseline
		o.Tau, o.Iterations, o.Samples = b.Tau, b.Iterations, b.Samples
		return matching{s, o}, o.Validate()
	},
	orderer: func(s *Setup) (Orderer, error) {
		return newRelaxed(s, func(scores, _ *graph.Node) *graph.Node { return logAlpha(scores) }, gumbelsinkhorn.Matching[float32])
	},
}

// matching is Gumbel–Sinkhorn at work.
type matching struct {
	*Setup
	options gumbelsinkhorn.Options
}

// Loss reads objects, arrangements and times ([Setup.shuffled]), how the picture looks [batch, 1, n]
// and the state of the noise.
func (t matching) Loss(c *denoiser.Context, in []*graph.Node) *graph.Node {
	objects, arrangements, times, clean, rng := in[0], in[1], in[2], in[3], in[4]
	scores := t.Denoiser.Scores(c, t.Denoiser.Encode(c, objects), arrangements, times)
	_, loss := t.options.LossGraph(rng, logAlpha(scores), contents(objects, arrangements), contents(objects, clean))
	return loss
}

func (t matching) Inputs(b *Batch) ([]*tensors.Tensor, error) {
	in := t.shuffled(b)
	if err := in[3].FinalizeAll(); err != nil { // no order reaches the loss
		return nil, err
	}
	size, n := len(b.Clean), t.Config.Task.N
	clean := make([]int32, 0, size*n)
	for _, o := range b.Clean {
		for _, k := range o {
			clean = append(clean, int32(k))
		}
	}
	rng, err := diffusion.DropoutState(t.Config.Seed^latentStream^uint64(b.Offset), b.Step) // each process draws other noise
	if err != nil {
		return nil, err
	}
	return []*tensors.Tensor{in[0], in[1], in[2], tensors.FromFlatDataAndDimensions(clean, size, 1, n), rng}, nil
}

func (matching) Close() {}

// logAlpha turns a score of each item for each place into one of each place for each item.
func logAlpha(scores *graph.Node) *graph.Node { return graph.TransposeAllAxes(scores, 0, 2, 1) }
