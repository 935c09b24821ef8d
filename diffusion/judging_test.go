package diffusion

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/reverse"
)

// Each choice costs −log(p + lapse), times its weight: by PL's own probabilities, one of which is as good as 0.
// Its slope in the scores is finite.
func TestLapse(t *testing.T) {
	e := enginetest.Open(t, "go")
	scores := []float32{0.5, -60, 1.5, 0}
	ranks := []int32{2, 0, 1, 3} // object 1 first, then 2, 0, 3
	const lapse = 0.01
	j := Judging{Lapse: lapse, Weight: func(i int) float32 { return []float32{1, 1, 0.5, 1}[i] }}
	out, err := graph.CallOnceN(e.Backend, func(s, r *graph.Node) []*graph.Node {
		logp := j.logProb(reverse.PlackettLuce{}, s, r)
		return []*graph.Node{logp, graph.Gradient(graph.ReduceAllSum(logp), s)[0]}
	}, tensors.FromFlatDataAndDimensions(scores, 4), tensors.FromFlatDataAndDimensions(ranks, 4))
	if err != nil {
		t.Fatal(err)
	}
	odds := func(k int) float64 { return math.Exp(float64(scores[k])) }
	want := math.Log(lapse) + // p is e^−60
		math.Log(odds(2)/(odds(2)+odds(0)+odds(3))+lapse) +
		0.5*math.Log(odds(0)/(odds(0)+odds(3))+lapse) +
		math.Log(1+lapse)
	near.Equal(t, "log p", float64(tensors.MustCopyFlatData[float32](out[0])[0]), want, 1e-5)
	for i, g := range tensors.MustCopyFlatData[float32](out[1]) {
		if math.IsNaN(float64(g)) || math.IsInf(float64(g), 0) || i == 1 && math.Abs(float64(g)) > 1e-6 {
			t.Errorf("slope %d is %g", i, g)
		}
	}
}

// Padding changes nothing: lengths of 3 padded to 5 cost what 3 alone do, but for the constant of choices that are certain.
func TestLapseOfPadding(t *testing.T) {
	e := enginetest.Open(t, "go")
	rng := rand.New(rand.NewPCG(1, 1))
	scores := make([]float32, 5)
	for i := range scores {
		scores[i] = float32(rng.NormFloat64())
	}
	j := Judging{Lapse: 0.05}
	value := func(f func(s, r *graph.Node) *graph.Node, s []float32, r []int32) float64 {
		out, err := graph.CallOnce(e.Backend, f, tensors.FromFlatDataAndDimensions(s, 1, len(s)), tensors.FromFlatDataAndDimensions(r, 1, len(r)))
		if err != nil {
			t.Fatal(err)
		}
		return float64(tensors.MustCopyFlatData[float32](out)[0])
	}
	law := reverse.PlackettLuce{}
	alone := value(func(s, r *graph.Node) *graph.Node { return j.logProb(law, s, r) }, scores[:3], []int32{2, 0, 1})
	padded := value(func(s, r *graph.Node) *graph.Node {
		s, r = law.Pad(s, r, graph.Const(s.Graph(), []int32{3}))
		return j.logProb(law, s, r)
	}, scores, []int32{2, 0, 1, 3, 4})
	near.Equal(t, "padded", padded, alone+2*math.Log(1.05), 1e-5)
}
