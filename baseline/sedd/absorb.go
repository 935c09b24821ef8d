package sedd

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
)

// Absorb replaces objects by MASK, token V, where V is N, the number of objects (SEDD
// paper): from each object with rate 1 to MASK, and nowhere from there. A token
// is masked after noise σ̄ with probability 1 − e^−σ̄.
type Absorb struct{ N int }

func (Absorb) Name() string   { return "absorb" }
func (a Absorb) Objects() int { return a.N }
func (a Absorb) States() int  { return a.N + 1 }

func (a Absorb) Validate() error { return checkObjects(a.Name(), a.N) }

// Mask is the token MASK, V.
func (a Absorb) Mask() int32 { return int32(a.N) }

func (a Absorb) Rate(to, from int) float64 {
	switch {
	case from == a.N:
		return 0
	case to == from:
		return -1
	case to == a.N:
		return 1
	}
	return 0
}

func (a Absorb) Transition(to, from int, sigma float64) float64 {
	switch {
	case to == from && from == a.N:
		return 1
	case to == from:
		return math.Exp(-sigma)
	case to == a.N:
		return -math.Expm1(-sigma)
	}
	return 0
}

func (a Absorb) Corrupt(rng *rand.Rand, sigma float64, x0, dst []int32) {
	masked := -math.Expm1(-sigma)
	for i, v := range x0 {
		if rng.Float64() < masked {
			v = a.Mask()
		}
		dst[i] = v
	}
}

// Limit writes MASK everywhere.
func (a Absorb) Limit(_ *rand.Rand, dst []int32) {
	for i := range dst {
		dst[i] = a.Mask()
	}
}

// leap keeps what is not masked. A mask turns to object y with probability
// (e^dσ − 1)·ratio, exactly, and stays one with what is left.
func (a Absorb) leap(dst, ratios []float64, x int32, dsigma float64) {
	clear(dst)
	if x != a.Mask() {
		dst[x] = 1
		return
	}
	freed, growth := 0.0, math.Expm1(dsigma)
	for y, r := range ratios {
		dst[y] = growth * r
		freed += dst[y]
	}
	dst[a.N] = max(0, 1-freed)
}

// Scale turns the outputs [rows, n, V] of a network into log-scores of the same shape,
//
//	log s = output − log(e^σ̄ − 1) − log V,  sigma > 0 [rows],
//
// for a process that masks (the scaling of the SEDD paper's networks): given a clean token, the
// ratios of a masked position sum to 1/(e^σ̄ − 1), so that a network need not learn that
// scale. Outputs of 0 guess all objects alike. A network for [Uniform] goes without.
func (a Absorb) Scale(outputs, sigma *graph.Node) *graph.Node {
	checkScores(a, outputs, sigma)
	shift := graph.Add(logExpm1(sigma), graph.ConstAs(sigma, math.Log(float64(a.N))))
	return graph.Sub(outputs, graph.Reshape(shift, -1, 1, 1))
}

func (a Absorb) LossGraph(logScores, xt, x0, sigma, dsigma *graph.Node) *graph.Node {
	checkLoss(a, logScores, xt, x0, sigma, dsigma)
	masked := graph.Equal(xt, graph.ConstAs(xt, a.N))                  // [rows, n]
	right := graph.Equal(objects(logScores), graph.ExpandAxes(x0, -1)) // [rows, n, V]
	zero := graph.ConstAs(logScores, 0)

	// Given x0, a masked position's only ratio is that of x0; that of the others is 0,
	// whose term is the score alone. Zeros in place of what does not count keep
	// overflow there out of the gradient.
	logScores = graph.Where(graph.ExpandAxes(masked, -1), logScores, zero)
	others := graph.ReduceSum(graph.Where(right, zero, exp(logScores)), -1)
	own := graph.ReduceSum(graph.Where(right, logScores, zero), -1)
	logRatio := graph.Reshape(graph.Neg(logExpm1(sigma)), -1, 1)
	terms := graph.Add(others, entropy(own, logRatio)) // [rows, n]
	return graph.Mul(graph.ReduceSum(graph.Where(masked, terms, zero), -1), dsigma)
}
