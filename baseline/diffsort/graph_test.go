package diffsort

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
)

func tensor32(x []float64, dims ...int) *tensors.Tensor {
	return tensors.FromFlatDataAndDimensions(narrow(x), dims...)
}

func narrow(x []float64) []float32 {
	out := make([]float32, len(x))
	for i, v := range x {
		out[i] = float32(v)
	}
	return out
}

func wide(t *testing.T, x *tensors.Tensor) []float64 {
	t.Helper()
	var out []float64
	for _, v := range tensors.MustCopyFlatData[float32](x) {
		out = append(out, float64(v))
	}
	return out
}

// slow tells engines that take about a second to compile a graph: tests give them a few
// cases of what the go engine does in full.
func slow(e *engine.Engine) bool { return e.Kind != "go" }

// run evaluates a graph function of float32 inputs.
func run(t *testing.T, e *engine.Engine, f func(in []*graph.Node) []*graph.Node, in ...any) []*tensors.Tensor {
	t.Helper()
	out, err := graph.CallOnceN(e.Backend, f, in...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The graph's values are the host's, for every network, swap and size, in a batch. The gradient of
// a loss with a slope in every entry is the host's by central differences.
func TestGraphEqualsHost(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const rows = 3
		rng := rand.New(rand.NewPCG(2, 2))
		normal := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = float64(float32(rng.NormFloat64()))
			}
			return x
		}
		for _, name := range networkNames {
			for i, n := range sizes {
				for j, swap := range Swaps() {
					if n > 5 && (i+j)%3 != 0 && swap != Cauchy {
						continue // each swap meets each network at some greater size
					}
					if slow(e) && (swap != Cauchy || n != 3 && n != 17) {
						continue
					}
					what := fmt.Sprintf("%s %d %s", name, n, swap)
					s := mustSorter(t, name, n, swap, 2, false)
					scores, slopes, slopesP := normal(rows*n), normal(n), normal(n*n)
					loss := func(x []float64) float64 {
						sorted, p, err := s.Sort(x)
						if err != nil {
							t.Fatal(err)
						}
						sum := 0.0
						for i, v := range sorted {
							sum += slopes[i] * v
						}
						for i, v := range p {
							sum += slopesP[i] * v
						}
						return sum
					}
					out := run(t, e, func(in []*graph.Node) []*graph.Node {
						sorted, p := s.SortGraph(in[0])
						loss := graph.Add(graph.ReduceAllSum(graph.Mul(sorted, in[1])), graph.ReduceAllSum(graph.Mul(p, in[2])))
						return []*graph.Node{sorted, p, graph.Gradient(loss, in[0])[0]}
					}, tensor32(scores, rows, n), tensor32(slopes, 1, n), tensor32(slopesP, 1, n, n))
					values, p, gradient := wide(t, out[0]), wide(t, out[1]), wide(t, out[2])
					for r := range rows {
						x := scores[r*n : (r+1)*n]
						wantValues, wantP, err := s.Sort(x)
						if err != nil {
							t.Fatal(err)
						}
						near.All(t, what+" sorted", values[r*n:(r+1)*n], wantValues, 5e-6)
						near.All(t, what+" P", p[r*n*n:(r+1)*n*n], wantP, 5e-6)
						for i := range n {
							const h = 1e-6
							up, down := slices.Clone(x), slices.Clone(x)
							up[i] += h
							down[i] -= h
							near.Equal(t, fmt.Sprintf("%s slope %d", what, i), gradient[r*n+i], (loss(up)-loss(down))/(2*h), 1e-4)
						}
					}
				}
			}
		}
	})
}

// Error-free values are those of the hard sort to the last bit, also where soft and hard ones are
// far apart or scores large. Equal scores stay on their wires.
func TestGraphErrorFree(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, name := range networkNames {
			for _, n := range sizes {
				if slow(e) && n != 9 {
					continue
				}
				scores := append(spread(n), spread(n)...)
				for i := range n {
					scores[i] = float64(float32(scores[i] * 1234.567))
					scores[n+i] = float64(i / 2 % 2) // ties
				}
				s := mustSorter(t, name, n, Cauchy, 0.1, true)
				out := run(t, e, func(in []*graph.Node) []*graph.Node {
					sorted, p := s.SortGraph(in[0])
					gradient := graph.Gradient(graph.ReduceAllSum(graph.Square(p)), in[0])[0]
					return []*graph.Node{sorted, p, gradient}
				}, tensor32(scores, 2, n))
				values, p := wide(t, out[0]), wide(t, out[1])
				for r := range 2 {
					wantValues, wantP, err := s.Sort(scores[r*n : (r+1)*n])
					if err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(values[r*n:(r+1)*n], wantValues) || !slices.Equal(p[r*n*n:(r+1)*n*n], wantP) {
						t.Errorf("%s %d: row %d: %v, wanted %v", name, n, r, values[r*n:(r+1)*n], wantValues)
					}
				}
				finite(t, fmt.Sprintf("%s %d", name, n), wide(t, out[2]))
			}
		}
	})
}

func finite(t *testing.T, what string, x []float64) {
	t.Helper()
	for i, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Errorf("%s: entry %d is %g", what, i, v)
		}
	}
}

// Scores of ±1e4 and equal scores give finite losses and gradients for every swap, at the
// paper's greatest steepness.
func TestGraphExtremes(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const n = 5
		scores := []float64{1e4, -1e4, 0, 1e4, -1e4, 0, 0, 0, 0, 0, 4, 3, 2, 1, 0}
		ranks := []int32{1, 0, 2, 4, 3, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4}
		for _, swap := range Swaps() {
			for _, errorFree := range []bool{false, true} {
				if slow(e) && (errorFree || swap == Logistic || swap == Reciprocal) {
					continue
				}
				s := mustSorter(t, "bitonic", n, swap, 200, errorFree)
				out := run(t, e, func(in []*graph.Node) []*graph.Node {
					_, p := s.SortGraph(in[0])
					loss := CrossEntropy(p, in[1])
					return []*graph.Node{loss, p, graph.Gradient(loss, in[0])[0]}
				}, tensor32(scores, 3, n), tensors.FromFlatDataAndDimensions(ranks, 3, n))
				what := fmt.Sprintf("%s, error-free %v", swap, errorFree)
				finite(t, what+" loss", wide(t, out[0]))
				finite(t, what+" P", wide(t, out[1]))
				finite(t, what+" gradient", wide(t, out[2]))
				for i, v := range wide(t, out[1]) {
					if v < 0 || v > 1+1e-6 {
						t.Errorf("%s: P has %g at %d", what, v, i)
					}
				}
			}
		}
	})
}

// torchCase is a case of testdata/torch.json; see bench/torch/make_baseline_fixtures.py.
type torchCase struct {
	Network     string    `json:"network"`
	N           int       `json:"n"`
	Swap        string    `json:"swap"`
	Steepness   float64   `json:"steepness"`
	ErrorFree   bool      `json:"error_free"`
	Scores      []float64 `json:"scores"`
	Rank        []int32   `json:"rank"`
	Sorted      []float64 `json:"sorted"`
	P           []float64 `json:"p"`
	ProbeSorted []float64 `json:"probe_sorted"`
	ProbeP      []float64 `json:"probe_p"`
	ProbeSlope  []float64 `json:"probe_slope"`
	Objects     []float64 `json:"objects"`
	Loss        float64   `json:"loss"`
	LossSlope   []float64 `json:"loss_slope"`
}

// PyTorch's autograd, wire by wire in float64, has the same values, losses and gradients,
// also through the straight-through estimator.
func TestPyTorch(t *testing.T) {
	raw, err := os.ReadFile("testdata/torch.json")
	if err != nil {
		t.Fatal(err)
	}
	var fixture struct{ Cases []torchCase }
	if err := json.Unmarshal(raw, &fixture); err != nil {
		t.Fatal(err)
	}
	if len(fixture.Cases) < 30 {
		t.Fatalf("%d cases", len(fixture.Cases))
	}
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for i, c := range fixture.Cases {
			if slow(e) && i%17 > 1 { // one soft, one error-free, of different swaps
				continue
			}
			what := fmt.Sprintf("%s %d %s %g error-free %v", c.Network, c.N, c.Swap, c.Steepness, c.ErrorFree)
			swap := Swap(slices.Index(swapNames, c.Swap))
			s := mustSorter(t, c.Network, c.N, swap, c.Steepness, c.ErrorFree)
			sorted, p, err := s.Sort(c.Scores)
			if err != nil {
				t.Fatal(err)
			}
			near.All(t, what+" host", sorted, c.Sorted, 1e-12)
			near.All(t, what+" host P", p, c.P, 1e-12)

			objects := c.Objects
			if !c.ErrorFree {
				objects = make([]float64, 3*c.N)
			}
			out := run(t, e, func(in []*graph.Node) []*graph.Node {
				sorted, p := s.SortGraph(in[0])
				probe := graph.Add(graph.ReduceAllSum(graph.Mul(sorted, in[2])), graph.ReduceAllSum(graph.Mul(p, in[3])))
				loss := CrossEntropy(p, in[1])
				if c.ErrorFree {
					loss = ObjectLoss(p, in[1], in[4])
				}
				return []*graph.Node{sorted, p, graph.Gradient(probe, in[0])[0], loss, graph.Gradient(loss, in[0])[0]}
			}, tensor32(c.Scores, 1, c.N), tensors.FromFlatDataAndDimensions(c.Rank, 1, c.N), tensor32(c.ProbeSorted, 1, c.N),
				tensor32(c.ProbeP, 1, c.N, c.N), tensor32(objects, 1, c.N, 3))
			near.All(t, what+" sorted", wide(t, out[0]), c.Sorted, 5e-6)
			near.All(t, what+" P", wide(t, out[1]), c.P, 5e-6)
			near.All(t, what+" slope", wide(t, out[2]), c.ProbeSlope, 1e-4)
			near.All(t, what+" loss", wide(t, out[3]), []float64{c.Loss}, 1e-4)
			near.All(t, what+" loss slope", wide(t, out[4]), c.LossSlope, 1e-3)
		}
	})
}

func TestGraphRefusesWrongShapes(t *testing.T) {
	all, err := enginetest.All()
	if err != nil {
		t.Fatal(err)
	}
	s := mustSorter(t, "odd-even", 3, Cauchy, 1, false)
	rank := tensors.FromFlatDataAndDimensions([]int32{0, 1, 2}, 1, 3)
	for what, call := range map[string]func() error{
		"four scores for three": func() error {
			_, err := graph.CallOnceN(all[0].Backend, func(x *graph.Node) []*graph.Node {
				sorted, _ := s.SortGraph(x)
				return []*graph.Node{sorted}
			}, tensor32(make([]float64, 4), 1, 4))
			return err
		},
		"P of another size": func() error {
			_, err := graph.CallOnce(all[0].Backend, CrossEntropy, tensor32(make([]float64, 4), 1, 2, 2), rank)
			return err
		},
		"two objects for three": func() error {
			_, err := graph.CallOnce(all[0].Backend, ObjectLoss, tensor32(make([]float64, 9), 1, 3, 3), rank, tensor32(make([]float64, 2), 1, 2, 1))
			return err
		},
		"a rank of floats": func() error {
			_, err := graph.CallOnce(all[0].Backend, CrossEntropy, tensor32(make([]float64, 9), 1, 3, 3), tensor32(make([]float64, 3), 1, 3))
			return err
		},
	} {
		if call() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
