package sedd

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
)

// Uniform replaces objects by others, all alike: Q = 11ᵀ/V − I, where V is N, the number of
// objects. There is no MASK (SEDD paper; its division by V keeps rates from growing with V). In
// closed form
//
//	exp(σ̄ Q) = e^−σ̄·I + (1 − e^−σ̄)/V·11ᵀ.
//
// It is the process that the paper used for its SEDD baseline.
type Uniform struct{ N int }

func (Uniform) Name() string   { return "uniform" }
func (u Uniform) Objects() int { return u.N }
func (u Uniform) States() int  { return u.N }

func (u Uniform) Validate() error { return checkObjects(u.Name(), u.N) }

func (u Uniform) Rate(to, from int) float64 {
	if to == from {
		return 1/float64(u.N) - 1
	}
	return 1 / float64(u.N)
}

func (u Uniform) Transition(to, from int, sigma float64) float64 {
	other := -math.Expm1(-sigma) / float64(u.N)
	if to == from {
		return math.Exp(-sigma) + other
	}
	return other
}

func (u Uniform) Corrupt(rng *rand.Rand, sigma float64, x0, dst []int32) {
	renewed := -math.Expm1(-sigma)
	for i, v := range x0 {
		if rng.Float64() < renewed {
			v = rng.Int32N(int32(u.N))
		}
		dst[i] = v
	}
}

func (u Uniform) Limit(rng *rand.Rand, dst []int32) {
	for i := range dst {
		dst[i] = rng.Int32N(int32(u.N))
	}
}

// leap has the factors of exp(−dσ Q)·ratios and of exp(dσ Q), less a common e^dσ.
func (u Uniform) leap(dst, ratios []float64, x int32, dsigma float64) {
	total := 0.0
	for _, r := range ratios {
		total += r
	}
	renewed := -math.Expm1(-dsigma)
	arrives := renewed / float64(u.N)
	for y, r := range ratios {
		dst[y] = max(0, r-arrives*total) * arrives
	}
	dst[x] = max(0, ratios[x]-arrives*total) * (1 - renewed + arrives)
}

func (u Uniform) LossGraph(logScores, xt, x0, sigma, dsigma *graph.Node) *graph.Node {
	checkLoss(u, logScores, xt, x0, sigma, dsigma)
	at, clean := graph.ExpandAxes(xt, -1), graph.ExpandAxes(x0, -1) // [rows, n, 1]
	object := objects(logScores)                                    // [1, 1, V]
	zero, v := graph.ConstAs(logScores, 0), graph.ConstAs(logScores, float64(u.N))

	// Given x0, an object other than x0 is less probable than x0 itself by this factor.
	less := graph.StopGradient(graph.Neg(graph.Log1p(graph.Div(v, graph.Expm1(sigma)))))
	less = graph.Reshape(less, -1, 1, 1)
	logRatio := graph.Where(graph.Equal(object, clean), graph.Neg(less), zero)
	logRatio = graph.Where(graph.Equal(at, clean), less, logRatio) // [rows, n, V]

	// The token that is there already counts as right, which makes its term 0.
	logScores = graph.Where(graph.Equal(object, at), logRatio, logScores)
	terms := graph.ReduceSum(entropy(logScores, logRatio), -2, -1) // [rows]
	return graph.Mul(terms, graph.Div(dsigma, v))
}
