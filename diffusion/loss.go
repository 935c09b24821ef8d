package diffusion

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/reverse"
)

// logProbs returns log p(X_{t'} | X_t) of every state, [batch·states] nats, from objects
// [batch, n, …], arrangements and ranks [batch, states, n] and times [batch, states], int32.
func logProbs(c *denoiser.Context, d *denoiser.Denoiser, law reverse.Law, objects, arrangements, ranks, times *graph.Node) *graph.Node {
	dims := arrangements.Shape().Dimensions
	arranged := denoiser.Arrange(d.Encode(c, objects), arrangements)
	scores := d.Scores(c, arranged, graph.Reshape(times, dims[0]*dims[1]))
	return law.LogProbGraph(scores, graph.Reshape(ranks, dims[0]*dims[1], dims[2]))
}

// loss is the weighted mean of −log p(X_{t'} | X_t) over states, the schedule bound of
// paper eq. (loss) without the terms that do not depend on the weights.
func loss(logp, weights *graph.Node) *graph.Node {
	w := graph.Reshape(weights, -1)
	return graph.Neg(graph.Div(graph.ReduceAllSum(graph.Mul(logp, w)), graph.ReduceAllSum(w)))
}
