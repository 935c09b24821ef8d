package diffsort

import (
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"
)

// Swap is a relaxed comparison: a sigmoid f with f(−v) = 1 − f(v) that stands for the
// step function. Of two values a and b, f(β(b − a)) is how much a is the smaller one; β is
// the steepness. With d = b − a and v = βd:
//
//	Logistic     1/(1 + e^−v)
//	LogisticART  1/(1 + e^−βφ(d)), φ(d) = d/(|d| + 1e-10)^¼, activation replacement
//	Reciprocal   ½ + ½ v/(2 + |v|)
//	Cauchy       ½ + arctan(v)/π
//	Optimal      ½ + v where |v| ≤ ¼, else 1 − 1/(16v) for v > 0 and 1/(16|v|) for v < 0
//
// Logistic and LogisticART are those of Petersen et al. 2021. The others are those of Petersen et
// al. 2022, with which a sorting network stays monotonic in each value. Steepness is as in the code
// published with these papers; the 2022 paper's own reciprocal is 4 times as steep, ½ + v/(1 +
// 2|v|). That code uses Cauchy where nothing is said, and so, then, do the steepnesses of [Paper].
type Swap int

// The relaxed comparisons.
const (
	Logistic Swap = iota
	LogisticART
	Reciprocal
	Cauchy
	Optimal
)

var swapNames = []string{"logistic", "logistic-art", "reciprocal", "cauchy", "optimal"}

const (
	artPower = 0.25  // λ of Petersen et al. 2021
	artFloor = 1e-10 // keeps φ's slope finite at 0
)

// Swaps returns all of them.
func Swaps() []Swap { return []Swap{Logistic, LogisticART, Reciprocal, Cauchy, Optimal} }

// String returns the name, such as "logistic-art".
func (s Swap) String() string {
	if s < 0 || int(s) >= len(swapNames) {
		return fmt.Sprintf("swap function %d", int(s))
	}
	return swapNames[s]
}

// Weight returns how much the first of two values is the smaller one, 0 to 1, where the
// second is greater by d; NaN for NaN.
func (s Swap) Weight(d, steepness float64) float64 {
	v := steepness * d
	switch s {
	case Logistic:
		return 1 / (1 + math.Exp(-v))
	case LogisticART:
		return 1 / (1 + math.Exp(-v*math.Pow(math.Abs(d)+artFloor, -artPower)))
	case Reciprocal:
		return 0.5 + 0.5*v/(2+math.Abs(v))
	case Cauchy:
		return 0.5 + math.Atan(v)/math.Pi
	}
	switch { // Optimal
	case v > 0.25:
		return 1 - 1/(16*v)
	case v < -0.25:
		return -1 / (16 * v)
	}
	return 0.5 + v
}

// graph is Weight for a node.
func (s Swap) graph(d *graph.Node, steepness float64) *graph.Node {
	v := graph.MulScalar(d, steepness)
	half := graph.ConstAs(v, 0.5)
	switch s {
	case Logistic:
		return graph.Logistic(v)
	case LogisticART:
		scale := graph.PowScalar(graph.AddScalar(graph.Abs(d), artFloor), -artPower)
		return graph.Logistic(graph.Mul(v, scale))
	case Reciprocal:
		return graph.Add(half, graph.Div(graph.MulScalar(v, 0.5), graph.AddScalar(graph.Abs(v), 2)))
	case Cauchy:
		return graph.AddScalar(graph.MulScalar(arctan(v), 1/math.Pi), 0.5)
	}
	// Where stops gradients, not NaN: the branch not taken has to be finite too.
	size := graph.MaxScalar(graph.Abs(v), 0.25)
	tail := graph.Reciprocal(graph.MulScalar(size, 16))
	far := graph.Where(graph.IsPositive(v), graph.OneMinus(tail), tail)
	near := graph.LessOrEqual(graph.Abs(v), graph.ConstAs(v, 0.25))
	return graph.Where(near, graph.Add(half, v), far)
}

// arctan is the arc tangent with its gradient 1/(1 + v²), which GoMLX's has not. XLA's CPU plugin
// errs by more than 10 in atan2(20, 1) with a constant 1. Hence the quotient below 1, of two
// numbers that are no constants.
func arctan(v *graph.Node) *graph.Node {
	size, one := graph.Abs(v), graph.ConstAs(v, 1)
	angle := graph.Atan2(graph.Min(size, one), graph.Max(size, one))
	angle = graph.Where(graph.GreaterThan(size, one), graph.AddScalar(graph.Neg(angle), math.Pi/2), angle)
	value := graph.Where(graph.IsNegative(v), graph.Neg(angle), angle)
	sloped := graph.IdentityWithCustomGradient(v, func(v, adjoint *graph.Node) *graph.Node {
		return graph.Div(adjoint, graph.OnePlus(graph.Square(v)))
	})
	return replaced(sloped, value)
}

// replaced has the value of value, exactly, and the gradient of x, which must be finite.
func replaced(x, value *graph.Node) *graph.Node {
	return graph.Add(graph.StopGradient(value), graph.Sub(x, graph.StopGradient(x)))
}
