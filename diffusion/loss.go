package diffusion

import (
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/denoiser"
)

// Inputs are the states as [BoundLoss] takes them, after the objects: arrangements, times,
// ranks or, where there is one, Last, and weights.
func (s *States) Inputs() []*tensors.Tensor {
	back := tensors.FromFlatDataAndDimensions(s.Rank, s.Batch, s.PerSet, s.N)
	if s.Last != nil {
		back = tensors.FromFlatDataAndDimensions(s.Last, s.Batch, s.PerSet, s.N)
	}
	return append(s.places(), back, tensors.FromFlatDataAndDimensions(s.Weight, s.Batch, s.PerSet))
}

// places are arrangements and times.
func (s *States) places() []*tensors.Tensor {
	return []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(s.Arrangement, s.Batch, s.PerSet, s.N),
		tensors.FromFlatDataAndDimensions(s.Time, s.Batch, s.PerSet),
	}
}

// BoundLoss is the weighted mean of −log p(X_{t'} | X_t) over states, the schedule bound of
// paper eq. (loss) without the terms that do not depend on the weights. Its inputs are the
// objects [batch, n, …] and [States.Inputs]. With [States.Last] the step that was drawn gives
// way to the mean over all that could have been, given X_0 as well.
func BoundLoss(d *denoiser.Denoiser, p *Process) Loss {
	return func(c *denoiser.Context, in []*graph.Node) *graph.Node {
		objects, arrangements, times, back, weights := in[0], in[1], in[2], in[3], in[4]
		dims := arrangements.Shape().Dimensions
		scores := p.freeScores(d.Scores(c, d.Encode(c, objects), arrangements, times))
		back = graph.Reshape(back, dims[0]*dims[1], dims[2])
		var logp *graph.Node
		if back.DType().IsFloat() {
			logp = graph.ReduceSum(graph.Mul(p.freeScores(back), graph.LogSoftmax(scores, -1)), -1)
		} else {
			logp = p.Reverse.LogProbGraph(scores, p.freeRanks(back))
		}
		w := graph.Reshape(weights, -1)
		return graph.Neg(graph.Div(graph.ReduceAllSum(graph.Mul(logp, w)), graph.ReduceAllSum(w)))
	}
}
