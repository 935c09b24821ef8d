package sedd

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// Loss is the denoising score entropy of one sequence at one time, in nats,
//
//	dσ·Σ_i Σ_{y ≠ x_i} Q[x_i, y]·( s_iy − r_iy·log s_iy + K(r_iy) ),  K(a) = a·(log a − 1),
//	r_iy = exp(σ̄ Q)[y, x0_i] / exp(σ̄ Q)[x_i, x0_i],
//
// the integrand of the SEDD paper's L_DWDSE (a ratio of 0 has K = 0).
// logScores [n·V] row-major are log s, xt the sequence x, sigma = σ̄(t) > 0, dsigma = σ(t).
// It is 0 if s = r and positive otherwise; its mean over x0 given x is least where s are
// the ratios of the marginal p_t. With the divergence of p_T given x0 from the law that
// samples start from, its mean over x_t, integrated over t, is at least −log p(x0).
//
// It is the float64 reference of [Process] LossGraph. It fails on lengths that do not
// fit, tokens out of range, a masked x0, an x that x0 cannot become, and a sigma that is
// not positive or a dsigma that is negative.
func Loss(p Process, logScores []float64, xt, x0 []int32, sigma, dsigma float64) (float64, error) {
	v := p.Objects()
	if len(xt) != len(x0) || len(logScores) != len(x0)*v {
		return 0, fmt.Errorf("sedd: loss: wanted n tokens x, n tokens x0 and n·%d log-scores (got %d, %d and %d)", v, len(xt), len(x0), len(logScores))
	}
	if !(sigma > 0) || !(dsigma >= 0) {
		return 0, fmt.Errorf("sedd: loss: wanted sigma > 0 and dsigma ≥ 0 (got %g and %g)", sigma, dsigma)
	}
	sum := 0.0
	for i, x := range xt {
		if x0[i] < 0 || int(x0[i]) >= v || x < 0 || int(x) >= p.States() {
			return 0, fmt.Errorf("sedd: loss: position %d has x %d and x0 %d, wanted below %d and %d, from 0", i, x, x0[i], p.States(), v)
		}
		here := p.Transition(int(x), int(x0[i]), sigma)
		if here == 0 {
			return 0, fmt.Errorf("sedd: loss: position %d cannot go from %d to %d", i, x0[i], x)
		}
		for y, l := range logScores[i*v : (i+1)*v] {
			if rate := p.Rate(int(x), y); y != int(x) && rate > 0 {
				sum += rate * scoreEntropy(l, p.Transition(y, int(x0[i]), sigma)/here)
			}
		}
	}
	return dsigma * sum, nil
}

// scoreEntropy is s − r·log s + K(r) as r·(s/r − 1 − log(s/r)), whose terms do not cancel.
func scoreEntropy(logScore, r float64) float64 {
	if r == 0 {
		return math.Exp(logScore)
	}
	u := logScore - math.Log(r)
	return r * (math.Expm1(u) - u)
}

// entropy is scoreEntropy in a graph, for the log of a ratio that is not 0. GoMLX has no
// gradient of expm1, so the gradient by logScore, r·(s/r − 1), is given by hand: as the
// factor of a term that is 0.
func entropy(logScore, logRatio *graph.Node) *graph.Node {
	u, r := graph.Sub(logScore, logRatio), graph.Exp(logRatio)
	excess := graph.Expm1(u)
	value := graph.StopGradient(graph.Mul(r, graph.Sub(excess, u)))
	slope := graph.StopGradient(graph.Mul(r, excess))
	return graph.Add(value, graph.Mul(slope, graph.Sub(logScore, graph.StopGradient(logScore))))
}

// logExpm1 is log(e^x − 1), x > 0, also where e^x overflows.
func logExpm1(x *graph.Node) *graph.Node {
	return graph.StopGradient(graph.Add(x, graph.Log(graph.Neg(graph.Expm1(graph.Neg(x))))))
}

// exp is e^x with NaN kept: the go engine's vector exp hides it.
func exp(x *graph.Node) *graph.Node {
	return graph.Where(graph.NotEqual(x, x), x, graph.Exp(x))
}

// objects is 0, 1, …, V−1 as [1, 1, V] int32.
func objects(logScores *graph.Node) *graph.Node {
	return graph.Iota(logScores.Graph(), shapes.Make(dtypes.Int32, 1, 1, logScores.Shape().Dim(-1)), 2)
}

// checkScores panics unless logScores is [rows, n, V] float and sigma [rows] alike.
func checkScores(p Process, logScores, sigma *graph.Node) {
	s, want := logScores.Shape(), p.Objects()
	if !s.DType.IsFloat() || s.Rank() != 3 || s.Dim(2) != want {
		panic(fmt.Errorf("sedd: %s: log-scores must be float [rows, n, %d] (got %s)", p.Name(), want, s))
	}
	if !sigma.Shape().Equal(shapes.Make(s.DType, s.Dim(0))) {
		panic(fmt.Errorf("sedd: %s: sigma and dsigma must be [rows] of the type of log-scores %s (got %s)", p.Name(), s, sigma.Shape()))
	}
}

func checkLoss(p Process, logScores, xt, x0, sigma, dsigma *graph.Node) {
	checkScores(p, logScores, sigma)
	checkScores(p, logScores, dsigma)
	for _, x := range []*graph.Node{xt, x0} {
		if x.DType() != dtypes.Int32 || !slices.Equal(x.Shape().Dimensions, logScores.Shape().Dimensions[:2]) {
			panic(fmt.Errorf("sedd: %s: x_t and x_0 must be int32 [rows, n] for log-scores %s (got %s)", p.Name(), logScores.Shape(), x.Shape()))
		}
	}
}

func checkObjects(name string, n int) error {
	// A token, MASK with it, is an int32.
	if n < 1 || n >= math.MaxInt32 {
		return fmt.Errorf("sedd: %s: objects must be 1 to %d (got %d)", name, math.MaxInt32-1, n)
	}
	return nil
}
