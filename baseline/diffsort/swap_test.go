package diffsort

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
)

// By hand, from the formulas.
func TestWeight(t *testing.T) {
	for _, c := range []struct {
		swap               Swap
		d, steepness, want float64
	}{
		{Logistic, math.Log(3), 1, 0.75},
		{Logistic, -math.Log(3) / 2, 2, 0.25},
		{LogisticART, 16, math.Log(3) / 8, 0.75}, // φ(16) = 16^¾ = 8
		{LogisticART, 1.0 / 16, 8 * math.Log(9), 0.9},
		{Reciprocal, 1, 2, 0.75},
		{Reciprocal, -3, 2, 0.125},
		{Cauchy, 1, 1, 0.75},
		{Cauchy, -0.5, 2, 0.25},
		{Cauchy, math.Sqrt(3), 1, 5.0 / 6},
		{Optimal, 0.1, 1, 0.6},
		{Optimal, 0.5, 1, 0.875},
		{Optimal, -0.25, 5, 0.05},
	} {
		near.Equal(t, c.swap.String(), c.swap.Weight(c.d, c.steepness), c.want, 1e-9)
	}
}

// f(−v) = 1 − f(v), f rises from 0 to 1, and names lead back.
func TestWeightIsSigmoid(t *testing.T) {
	for _, s := range Swaps() {
		last := 0.0
		for i := -400; i <= 400; i++ {
			d := float64(i) / 100
			w := s.Weight(d, 3)
			near.Equal(t, s.String(), w+s.Weight(-d, 3), 1, 1e-15)
			if w < last {
				t.Errorf("%s falls at %g", s, d)
			}
			last = w
		}
		near.Equal(t, s.String(), s.Weight(0, 3), 0.5, 0)
		near.Equal(t, s.String(), s.Weight(1e12, 3), 1, 1e-9)
		near.Equal(t, s.String(), s.Weight(-1e12, 3), 0, 1e-9)
	}
	if Swap(9).String() == "" {
		t.Error("an unknown swap has no text")
	}
}

// Values and slopes of the graph are the host's, from the middle to far out, and the slope is
// finite at 0: β/4 for the logistic, β·(1e-10)^−¼/4 for it with φ, β/4, β/π and β.
func TestWeightGraph(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const steepness = 2.0
		d := []float64{0, 0.01, -0.01, 0.1, -0.12, 0.13, -0.4, 0.6, -1, 3, -7, 10, 25, -25, 100, -1000, 1e6, -1e8}
		middle := map[Swap]float64{
			Logistic: steepness / 4.0, LogisticART: steepness / 4 * math.Pow(10, 2.5), Reciprocal: steepness / 4.0,
			Cauchy: steepness / math.Pi, Optimal: steepness,
		}
		for _, swap := range Swaps() {
			out := run(t, e, func(in []*graph.Node) []*graph.Node {
				w := swap.graph(in[0], steepness)
				return []*graph.Node{w, graph.Gradient(graph.ReduceAllSum(w), in[0])[0]}
			}, tensor32(d, len(d)))
			values, slopes := wide(t, out[0]), wide(t, out[1])
			for i, d := range d {
				near.Equal(t, swap.String(), values[i], swap.Weight(d, steepness), 3e-7)
				h := 1e-6 * max(math.Abs(d), 0.01)
				want := (swap.Weight(d+h, steepness) - swap.Weight(d-h, steepness)) / (2 * h)
				if d == 0 {
					want = middle[swap]
				}
				near.Equal(t, swap.String()+" slope", slopes[i], want, 2e-6)
			}
		}
	})
}
