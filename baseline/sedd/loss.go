package sedd

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
)

// entropy is s − r·log s + K(r) as r·(s/r − 1 − log(s/r)), whose terms do not cancel, for the log of a
// ratio that is not 0. GoMLX has no
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
