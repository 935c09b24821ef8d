package diffsort

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/near"
)

// By hand: for P = [[w, 1−w], [1−w, w]] and the rank that swaps, each of the four entries
// costs −log(1 − w), with slopes 1/(1 − w) or −1/(1 − w) over the four of the mean.
func TestCrossEntropyByHand(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const w = 0.2
		out := run(t, e, func(in []*graph.Node) []*graph.Node {
			loss := CrossEntropy(in[0], in[1])
			return []*graph.Node{loss, graph.Gradient(loss, in[0])[0]}
		}, tensor32([]float64{w, 1 - w, 1 - w, w}, 1, 2, 2), tensors.FromFlatDataAndDimensions([]int32{1, 0}, 1, 2))
		near.Equal(t, "loss", wide(t, out[0])[0], -math.Log(1-w), 1e-6)
		const slope = 0.25 / (1 - w)
		near.All(t, "slope", wide(t, out[1]), []float64{slope, -slope, -slope, slope}, 1e-5)
	})
}

// Where P is certain and right the loss is 0. Certain and wrong, log 2²⁴ + 1 an entry (the tangent
// at 2⁻²⁴ goes down by 1 to 0), with a slope of 2²⁴ over the four of the mean.
func TestCrossEntropyCertain(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, c := range []struct {
			rank        []int32
			loss, slope float64
		}{
			{[]int32{0, 1}, 0, -0.25},
			{[]int32{1, 0}, 24*math.Ln2 + 1, 0.25 * (1 << 24)},
		} {
			out := run(t, e, func(in []*graph.Node) []*graph.Node {
				loss := CrossEntropy(in[0], in[1])
				return []*graph.Node{loss, graph.Gradient(loss, in[0])[0]}
			}, tensor32([]float64{1, 0, 0, 1}, 1, 2, 2), tensors.FromFlatDataAndDimensions(c.rank, 1, 2))
			near.Equal(t, "loss", wide(t, out[0])[0], c.loss, 1e-6)
			near.Equal(t, "slope of the first entry", wide(t, out[1])[0], c.slope, 1e-6)
		}
	})
}

// Item 0 has to go to position 1, item 1 to position 2, item 2 to position 0.
func TestTarget(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		out := run(t, e, func(in []*graph.Node) []*graph.Node {
			return []*graph.Node{Target(in[0], in[1].DType())}
		}, tensors.FromFlatDataAndDimensions([]int32{1, 2, 0}, 1, 3), tensor32([]float64{0}, 1))
		near.All(t, "Q", wide(t, out[0]), []float64{0, 0, 1, 1, 0, 0, 0, 1, 0}, 0)
	})
}

// Objects 1 and 4 the wrong way round are 3 off each: a mean square of 9.
func TestObjectLossByHand(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for _, c := range []struct {
			rank []int32
			want float64
		}{{[]int32{1, 0}, 9}, {[]int32{0, 1}, 0}} {
			out := run(t, e, func(in []*graph.Node) []*graph.Node {
				return []*graph.Node{ObjectLoss(in[0], in[1], in[2])}
			}, tensor32([]float64{1, 0, 0, 1}, 1, 2, 2), tensors.FromFlatDataAndDimensions(c.rank, 1, 2), tensor32([]float64{1, 4}, 1, 2, 1))
			near.Equal(t, "loss", wide(t, out[0])[0], c.want, 1e-6)
		}
	})
}
