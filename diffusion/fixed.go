package diffusion

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/perm"
)

// Free is how many of n positions the process orders: n, or n−1 with FixFirst. Reverse laws
// and forward shuffles are over these, numbered from 0.
func (p *Process) Free(n int) int {
	if p.FixFirst && n > 0 {
		return n - 1
	}
	return n
}

// LogOrders is the log of the number of orders that the process can end in, in nats.
func (p *Process) LogOrders(n int) float64 { return LogFactorial(p.Free(n)) }

// shift turns an order of the free positions into one of all positions but the fixed ones.
func (p *Process) shift(free perm.Order) {
	if p.FixFirst {
		for i := range free {
			free[i]++
		}
	}
}

// apply returns σ·x where σ orders the free positions.
func (p *Process) apply(sigma, x perm.Order) perm.Order {
	if !p.FixFirst {
		return perm.Compose(sigma, x)
	}
	y := make(perm.Order, len(x))
	if len(x) > 0 {
		y[0] = x[0]
	}
	for i, v := range sigma {
		y[i+1] = x[v+1]
	}
	return y
}

// Start draws X_T: uniform over the orders of n objects, those with object 0 first where
// the process fixes it.
func (p *Process) Start(rng *rand.Rand, n int) perm.Order {
	return p.apply(perm.Random(rng, p.Free(n)), perm.Identity(n))
}

// Noise draws the start X_T of each of batch sets from a seed and the set's number (first, first+1,
// …). So a set's start does not depend on its batch.
func (p *Process) Noise(seed uint64, first, batch, n int) []perm.Order {
	out := make([]perm.Order, batch)
	for i := range out {
		out[i] = p.Start(rand.New(rand.NewPCG(seed, Mix(seed, uint64(first+i)))), n)
	}
	return out
}

// freeScores keeps what a network says of the free positions. Of scores [rows, n, n] that is the
// part [rows, n−1, n−1], and of [rows, n] or [rows, n+1] all but the first.
func (p *Process) freeScores(scores *graph.Node) *graph.Node {
	if !p.FixFirst {
		return scores
	}
	if scores.Rank() == 3 {
		return graph.Slice(scores, graph.AxisRange(), graph.AxisRange(1), graph.AxisRange(1))
	}
	return graph.Slice(scores, graph.AxisRange(), graph.AxisRange(1))
}

// freeRanks turns ranks [rows, n] of a step that keeps position 0 into those of the others.
func (p *Process) freeRanks(ranks *graph.Node) *graph.Node {
	if !p.FixFirst {
		return ranks
	}
	return graph.AddScalar(graph.Slice(ranks, graph.AxisRange(), graph.AxisRange(1)), -1)
}
