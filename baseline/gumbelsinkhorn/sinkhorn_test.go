package gumbelsinkhorn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
)

func tensor32(x []float64, dims ...int) *tensors.Tensor {
	flat := make([]float32, len(x))
	for i, v := range x {
		flat[i] = float32(v)
	}
	return tensors.FromFlatDataAndDimensions(flat, dims...)
}

// run evaluates a graph function and returns its outputs, which are float32.
func run(t *testing.T, e *engine.Engine, f func(in []*graph.Node) []*graph.Node, in ...any) [][]float64 {
	t.Helper()
	out, err := graph.CallOnceN(e.Backend, f, in...)
	if err != nil {
		t.Fatal(err)
	}
	all := make([][]float64, len(out))
	for i, x := range out {
		for _, v := range tensors.MustCopyFlatData[float32](x) {
			all[i] = append(all[i], float64(v))
		}
	}
	return all
}

// normal returns normal numbers that float32 has exactly.
func normal(rng *rand.Rand, n int, scale float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(float32(scale * rng.NormFloat64()))
	}
	return x
}

func mustSinkhorn(t *testing.T, logAlpha []float64, iterations int) []float64 {
	t.Helper()
	p, err := Sinkhorn(logAlpha, iterations)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Of a 2×2 matrix a, b; c, d the limit keeps ad/bc: with p on the diagonal and 1 − p off
// it, p/(1 − p) = √(ad/bc). Here that is √(6·6/(2·2)) = 3, and √(1·1/(1·16)) = ¼.
func TestTwoByTwo(t *testing.T) {
	for _, c := range []struct {
		a    []float64
		want float64
	}{{[]float64{6, 2, 2, 6}, 0.75}, {[]float64{1, 1, 16, 1}, 0.2}} {
		logAlpha := make([]float64, 4)
		for i, v := range c.a {
			logAlpha[i] = math.Log(v)
		}
		want := []float64{c.want, 1 - c.want, 1 - c.want, c.want}
		near.All(t, "host", mustSinkhorn(t, logAlpha, 100), want, 1e-12)
		enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
			out := run(t, e, func(in []*graph.Node) []*graph.Node {
				return []*graph.Node{SinkhornGraph(in[0], 20)}
			}, tensor32(logAlpha, 2, 2))
			near.All(t, "graph", out[0], want, 1e-6)
		})
	}
}

// One iteration by hand: 1, 3; 1, 1 has rows ¼, ¾; ½, ½, whose columns sum to ¾ and 5/4.
func TestOneIteration(t *testing.T) {
	got := mustSinkhorn(t, []float64{0, math.Log(3), 0, 0}, 1)
	near.All(t, "S", got, []float64{1.0 / 3, 0.6, 2.0 / 3, 0.4}, 1e-15)
	near.All(t, "no iteration", mustSinkhorn(t, []float64{math.Log(2)}, 0), []float64{2}, 1e-15)
}

// Columns sum to one after any number of iterations and rows after many. A constant added to a row
// or a column of log α changes nothing in the limit.
func TestSums(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(rt, "n")
		logAlpha := rapid.SliceOfN(rapid.Float64Range(-3, 3), n*n, n*n).Draw(rt, "log alpha")
		few, err := Sinkhorn(logAlpha, 1)
		if err != nil {
			rt.Fatal(err)
		}
		many, err := Sinkhorn(logAlpha, 500)
		if err != nil {
			rt.Fatal(err)
		}
		shifted := slices.Clone(logAlpha)
		for i := range n {
			shifted[i*n] -= 2 // column 0
			shifted[i]++      // row 0
		}
		same, err := Sinkhorn(shifted, 500)
		if err != nil {
			rt.Fatal(err)
		}
		for i := range n {
			row, column, early := 0.0, 0.0, 0.0
			for k := range n {
				row += many[i*n+k]
				column += many[k*n+i]
				early += few[k*n+i]
				if math.Abs(many[i*n+k]-same[i*n+k]) > 1e-4 {
					rt.Fatalf("entry %d, %d moves with row 0 and column 0 from %g to %g", i, k, many[i*n+k], same[i*n+k])
				}
			}
			if math.Abs(early-1) > 1e-12 || math.Abs(column-1) > 1e-12 || math.Abs(row-1) > 1e-4 {
				rt.Fatalf("row %d sums to %g, column to %g and after one iteration to %g", i, row, column, early)
			}
		}
	})
}

// The graph's values are the host's, and the gradient of a loss with a slope in every entry
// is the host's by central differences.
func TestGraphEqualsHost(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const rows, iterations = 2, 20
		rng := rand.New(rand.NewPCG(1, 1))
		for _, n := range []int{1, 2, 5, 9} {
			if e.Kind != "go" && n != 5 {
				continue // seconds of compiling
			}
			logAlpha, slopes := normal(rng, rows*n*n, 2), normal(rng, n*n, 1)
			loss := func(x []float64) float64 {
				sum := 0.0
				for i, v := range mustSinkhorn(t, x, iterations) {
					sum += v * slopes[i]
				}
				return sum
			}
			out := run(t, e, func(in []*graph.Node) []*graph.Node {
				p := SinkhornGraph(in[0], iterations)
				return []*graph.Node{p, graph.Gradient(graph.ReduceAllSum(graph.Mul(p, in[1])), in[0])[0]}
			}, tensor32(logAlpha, rows, n, n), tensor32(slopes, 1, n, n))
			for r := range rows {
				x := logAlpha[r*n*n : (r+1)*n*n]
				near.All(t, fmt.Sprintf("n = %d", n), out[0][r*n*n:(r+1)*n*n], mustSinkhorn(t, x, iterations), 2e-6)
				for i := range x {
					const h = 1e-5
					up, down := slices.Clone(x), slices.Clone(x)
					up[i] += h
					down[i] -= h
					near.Equal(t, fmt.Sprintf("n = %d, slope %d", n, i), out[1][r*n*n+i], (loss(up)-loss(down))/(2*h), 2e-5)
				}
			}
		}
	})
}

// Scores of ±1e4 give a finite matrix whose columns sum to one, and a finite gradient.
func TestExtremes(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const n = 4
		rng := rand.New(rand.NewPCG(2, 2))
		logAlpha := make([]float64, n*n)
		for i := range logAlpha {
			logAlpha[i] = []float64{1e4, -1e4, 0}[rng.IntN(3)]
		}
		out := run(t, e, func(in []*graph.Node) []*graph.Node {
			p := SinkhornGraph(in[0], 20)
			return []*graph.Node{p, graph.Gradient(graph.ReduceAllSum(graph.Square(p)), in[0])[0]}
		}, tensor32(logAlpha, n, n))
		near.All(t, "graph", out[0], mustSinkhorn(t, logAlpha, 20), 1e-2) // float32 has steps of 1e-3 at 1e4
		for k := range n {
			near.Equal(t, "column", out[0][k]+out[0][n+k]+out[0][2*n+k]+out[0][3*n+k], 1, 1e-5)
		}
		for _, g := range out[1] {
			if math.IsNaN(g) || math.IsInf(g, 0) {
				t.Errorf("gradient %v", out[1])
			}
		}
	})
}

func TestSinkhornErrors(t *testing.T) {
	if _, err := Sinkhorn(make([]float64, 5), 1); err == nil {
		t.Error("5 entries: no error")
	}
	if _, err := Sinkhorn(make([]float64, 4), -1); err == nil {
		t.Error("-1 iterations: no error")
	}
	all, err := enginetest.All()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := graph.CallOnce(all[0].Backend, func(x *graph.Node) *graph.Node { return SinkhornGraph(x, 1) },
		tensor32(make([]float64, 6), 2, 3)); err == nil {
		t.Error("2 by 3: no error")
	}
}
