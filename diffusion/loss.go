package diffusion

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/reverse"
)

// Inputs are the states as [BoundLoss] takes them, after the objects. They are arrangements, times,
// ranks (or Last, where there is one), weights and, of sets of several sizes, Lengths.
func (s *States) Inputs() []*tensors.Tensor {
	back := tensors.FromFlatDataAndDimensions(s.Rank, s.Batch, s.PerSet, s.N)
	if s.Last != nil {
		back = tensors.FromFlatDataAndDimensions(s.Last, s.Batch, s.PerSet, s.N)
	}
	in := append(s.places(), back, tensors.FromFlatDataAndDimensions(s.Weight, s.Batch, s.PerSet))
	if s.Lengths != nil {
		in = append(in, tensors.FromFlatDataAndDimensions(s.Lengths, s.Batch))
	}
	return in
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
// way to the mean over all that could have been, given X_0 as well. With [States.Lengths] the
// objects behind a set's own are padding, which changes nothing.
func BoundLoss(d *denoiser.Denoiser, p *Process) Loss { return ChoiceLoss(d, p, Judging{}) }

// Judging is how a [reverse.ByChoice] law's choices count in a loss; the zero value is log p.
type Judging struct {
	// Weight multiplies the term of each free position i, from 0; nil is 1 everywhere. Of a process of
	// one reverse step, weights that are 1 up to some position and 0 behind it give log p of what stands there.
	Weight func(position int) float32
	// Lapse is added to the probability of each choice, log(p + Lapse), so that none costs more than
	// −log Lapse. So what cannot be told, such as a digit that is misread, does not outweigh all that
	// can.
	Lapse float64
}

// logProb is the judged log p of scores and rank.
func (j Judging) logProb(law reverse.Law, scores, rank *graph.Node) *graph.Node {
	if j.Weight == nil && j.Lapse == 0 {
		return law.LogProbGraph(scores, rank)
	}
	logp := law.(reverse.ByChoice).ChoiceLogProbGraph(scores, rank)
	if j.Lapse > 0 {
		logp = graph.Log(graph.AddScalar(graph.Exp(logp), j.Lapse))
	}
	if j.Weight != nil {
		weights := make([]float32, rank.Shape().Dim(-1))
		for i := range weights {
			weights[i] = j.Weight(i)
		}
		logp = graph.Mul(logp, graph.ExpandLeftToRank(graph.Const(logp.Graph(), weights), logp.Rank()))
	}
	return graph.ReduceSum(logp, -1)
}

// ChoiceLoss is [BoundLoss] with each choice of the law judged as j says.
func ChoiceLoss(d *denoiser.Denoiser, p *Process, j Judging) Loss {
	return func(c *denoiser.Context, in []*graph.Node) *graph.Node {
		objects, arrangements, times, back, weights := in[0], in[1], in[2], in[3], in[4]
		var lengths, free *graph.Node // of the sets, and of the rows' free positions
		dims := arrangements.Shape().Dimensions
		if len(in) > 5 {
			lengths = in[5]
			free = graph.BroadcastToDims(graph.ExpandAxes(lengths, 1), dims[0], dims[1])
			free = graph.AddScalar(graph.Reshape(free, -1), p.Free(dims[2])-dims[2])
		}
		scores := p.freeScores(d.ScoresPadded(c, d.EncodePadded(c, objects, lengths), arrangements, times, lengths))
		back = graph.Reshape(back, dims[0]*dims[1], dims[2])
		var logp *graph.Node
		switch {
		case back.DType().IsFloat(): // of a law that picks an object
			if free != nil {
				scores, _ = p.Reverse.(reverse.Categorical).Pad(scores, graph.ConvertDType(p.freeScores(back), dtypes.Int32), free)
			}
			logp = graph.ReduceSum(graph.Mul(p.freeScores(back), graph.LogSoftmax(scores, -1)), -1)
		case free != nil:
			scores, rank := p.Reverse.(reverse.Padder).Pad(scores, p.freeRanks(back), free)
			logp = j.logProb(p.Reverse, scores, rank)
		default:
			logp = j.logProb(p.Reverse, scores, p.freeRanks(back))
		}
		w := graph.Reshape(weights, -1)
		return graph.Neg(graph.Div(graph.ReduceAllSum(graph.Mul(logp, w)), graph.ReduceAllSum(w)))
	}
}
