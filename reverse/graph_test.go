package reverse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

// example is a row of a batch.
type example struct {
	scores []float64
	order  perm.Order
	length int // objects that are not padding, if padded
}

// runGraph returns log p and the gradient of its sum for a batch, whose examples
// with −Inf are left out of the sum if finiteOnly.
func runGraph(t *testing.T, e *engine.Engine, law Law, batch []example, padded bool) (logp []float32, grad [][]float32) {
	t.Helper()
	n, width := len(batch[0].order), len(batch[0].scores)
	var scores []float32
	var ranks, lengths []int32
	for _, x := range batch {
		for _, s := range x.scores {
			scores = append(scores, float32(s))
		}
		for _, r := range x.order.Rank() {
			ranks = append(ranks, int32(r))
		}
		lengths = append(lengths, int32(x.length))
	}
	dims := append([]int{len(batch)}, law.Layout().Dims(n)...)
	out, err := graph.CallOnceN(e.Backend, func(s, r, l *graph.Node) []*graph.Node {
		var logp *graph.Node
		if padded {
			logp = law.LogProbGraph(law.(Padder).Pad(s, r, l))
		} else {
			logp = law.LogProbGraph(s, r)
		}
		return []*graph.Node{logp, graph.Gradient(graph.ReduceAllSum(logp), s)[0]}
	}, tensors.FromFlatDataAndDimensions(scores, dims...), tensors.FromFlatDataAndDimensions(ranks, len(batch), n),
		tensors.FromFlatDataAndDimensions(lengths, len(batch)))
	if err != nil {
		t.Fatal(err)
	}
	flat := tensors.MustCopyFlatData[float32](out[1])
	for i := range batch {
		grad = append(grad, flat[i*width:(i+1)*width])
	}
	return tensors.MustCopyFlatData[float32](out[0]), grad
}

// Scores of ±1e4 give a finite value, equal to the host's, and a finite gradient. −Inf is
// impossible where it is needed, and absent elsewhere. NaN stays NaN.
func TestGraphExtremes(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, law := range Laws() {
			const n = 4
			rng := rand.New(rand.NewPCG(4, 4))
			var batch []example
			for _, o := range States(n) {
				for _, values := range [][]float64{{1e4, -1e4}, {1e4, -1e4, 0, 1}, {negInf, 0, 1}, {negInf}, {negInf, 1e4, -1e4}} {
					s := make([]float64, law.NumScores(n))
					for i := range s {
						s[i] = values[rng.IntN(len(values))]
					}
					batch = append(batch, example{scores: s, order: o})
				}
			}
			logp, grad := runGraph(t, e, law, batch, false)
			for b, x := range batch {
				tolerance := 1e-6
				if law.Layout() == Contexts {
					tolerance = 1e-5 // log-odds are sums of up to 64 products of 100
				}
				what := fmt.Sprintf("%s: scores %v order %v", law.Name(), x.scores, x.order)
				near.Equal(t, what, float64(logp[b]), law.LogProb(x.scores, x.order), tolerance)
				for i, g := range grad[b] {
					if v := float64(g); math.IsNaN(v) || math.IsInf(v, 0) {
						t.Errorf("%s: slope %d is %g", what, i, v)
					}
				}
			}

			s := make([]float64, law.NumScores(n))
			s[len(s)-1] = math.NaN()
			if law.Name() == "gpl" || law.Name() == "path" { // the last score is not looked at
				s[0] = math.NaN()
			}
			// A swap of the first two is an order of IT and IRS, a cycle one of II and IRS.
			o := perm.Order{1, 0, 2, 3}
			if law.Name() == "ii" {
				o = perm.Order{1, 2, 3, 0}
			}
			if logp, _ := runGraph(t, e, law, []example{{scores: s, order: o}}, false); logp[0] == logp[0] {
				t.Errorf("%s: a NaN score gave %g", law.Name(), logp[0])
			}
		}
	})
}

// The terms of the first two choices are log p of what stands there: the sum over the two orders of four
// that begin so. All terms are log p.
func TestChoicesAreOfTheFirst(t *testing.T) {
	e := enginetest.Open(t, "go")
	rng := rand.New(rand.NewPCG(4, 4))
	for _, law := range Laws() {
		law, ok := law.(ByChoice)
		if !ok {
			continue
		}
		scores, host := make([]float32, law.NumScores(4)), make([]float64, law.NumScores(4))
		for i := range scores {
			scores[i] = float32(rng.NormFloat64())
			host[i] = float64(scores[i])
		}
		o := perm.Order{2, 0, 3, 1}
		ranks := []int32{1, 3, 0, 2}
		out, err := graph.CallOnce(e.Backend, law.ChoiceLogProbGraph, tensors.FromFlatDataAndDimensions(scores, law.Layout().Dims(4)...), tensors.FromFlatDataAndDimensions(ranks, 4))
		if err != nil {
			t.Fatal(err)
		}
		terms := tensors.MustCopyFlatData[float32](out)
		want := math.Log(math.Exp(law.LogProb(host, o)) + math.Exp(law.LogProb(host, perm.Order{2, 0, 1, 3})))
		near.Equal(t, law.Name(), float64(terms[0])+float64(terms[1]), want, 1e-5)
		near.Equal(t, law.Name(), float64(terms[0])+float64(terms[1])+float64(terms[2])+float64(terms[3]), law.LogProb(host, o), 1e-5)
	}
}

// Any number of leading axes, also none.
func TestGraphLeadingAxes(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, law := range Laws() {
			const n = 3
			width := law.NumScores(n)
			scores := make([]float32, 4*width)
			host := make([]float64, 4*width)
			for i := range scores {
				scores[i] = float32(i%5) / 2
				host[i] = float64(scores[i])
			}
			ranks := []int32{0, 1, 2, 0, 2, 1, 0, 2, 1, 0, 1, 2}
			for _, lead := range [][]int{{}, {2, 2}} {
				tail := law.Layout().Dims(n)
				size := 1
				for _, d := range lead {
					size *= d
				}
				out, err := graph.CallOnce(e.Backend, law.LogProbGraph,
					tensors.FromFlatDataAndDimensions(scores[:size*width], append(append([]int{}, lead...), tail...)...),
					tensors.FromFlatDataAndDimensions(ranks[:size*n], append(append([]int{}, lead...), n)...))
				if err != nil {
					t.Fatal(err)
				}
				for b, got := range tensors.MustCopyFlatData[float32](out) {
					var r perm.Rank
					for _, v := range ranks[b*n : (b+1)*n] {
						r = append(r, int(v))
					}
					near.Equal(t, fmt.Sprint(law.Name(), lead, b), float64(got), law.LogProb(host[b*width:(b+1)*width], r.Order()), 1e-6)
				}
			}
		}
	})
}

// A set padded to n objects has the log-probability it has alone, whatever the
// padding's scores, and the padding has gradient zero.
func TestPaddedEqualsAlone(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const n = 5
		rng := rand.New(rand.NewPCG(5, 5))
		for _, law := range Laws() {
			var batch []example
			var want []float64
			var real [][]bool
			for length := 1; length <= n; length++ {
				for range 8 {
					alone := randomScores(rng, law.NumScores(length), 2)
					s, own := randomScores(rng, law.NumScores(n), 9), make([]bool, law.NumScores(n))
					at := func(i int) int { return i }
					switch law.Name() {
					case "gpl", "path":
						at = func(i int) int { return i/length*n + i%length }
					case "cgpl": // the rows of padding are behind the others
					case "it":
						at = func(i int) int {
							if i == length {
								return n
							}
							return i
						}
					}
					for i, v := range alone {
						s[at(i)], own[at(i)] = v, true
					}
					o := make(perm.Order, length)
					law.Sample(rng, alone, o)
					want = append(want, law.LogProb(alone, o))
					for i := length; i < n; i++ {
						o = append(o, i)
					}
					batch, real = append(batch, example{s, o, length}), append(real, own)
				}
			}
			logp, grad := runGraph(t, e, law, batch, true)
			for b := range batch {
				near.Equal(t, fmt.Sprintf("%s: %d of %d", law.Name(), batch[b].length, n), float64(logp[b]), want[b], 5e-6)
				for i, own := range real[b] {
					if !own && grad[b][i] != 0 {
						t.Errorf("%s: padding score %d has slope %g", law.Name(), i, grad[b][i])
					}
				}
			}
		}
	})
}

func TestGraphRefusesWrongShapes(t *testing.T) {
	all, err := enginetest.All()
	if err != nil {
		t.Fatal(err)
	}
	_, err = graph.CallOnce(all[0].Backend, PlackettLuce{}.LogProbGraph,
		tensors.FromFlatDataAndDimensions(make([]float32, 4), 1, 4), tensors.FromFlatDataAndDimensions([]int32{0, 1, 2}, 1, 3))
	if err == nil {
		t.Error("4 scores for 3 objects: no error")
	}
}
