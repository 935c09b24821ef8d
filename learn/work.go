package learn

import (
	"math"
	"runtime"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/reverse"
)

// Work is an estimate of what an answer takes, from above for most questions.
type Work struct {
	// Seconds are of a processor. They count the compiling of shapes that were never asked for.
	Seconds float64
	// Bytes are of memory beside the network's own: scores, states and answers.
	Bytes float64
}

// Add is the work of both, whose memory is taken at the same time.
func (w Work) Add(v Work) Work { return Work{w.Seconds + v.Seconds, w.Bytes + v.Bytes} }

// What things take, in seconds of a core of an Intel Xeon at 2.1 GHz (docs/robustness.md says how
// they were measured). A slower or busier machine takes longer.
const (
	compileTime   = 1.5    // a shape, on XLA; the go engine has next to nothing to compile
	productTime   = 24e-12 // an operation of a matrix product of the transformer, on XLA
	numberTime    = 13e-9  // of the 4 d + d_ff numbers of a token in a layer: norms, sums, activations
	logitTime     = 0.8e-9 // a logit of the attention
	encodeTime    = 5e-9   // a number that the encoder makes of an object
	goEngine      = 3.0    // times as much on the go engine
	childTime     = 500e-9 // a way that a beam looks at, and 8 ns an item
	offerTime     = 100e-9 // a prefix of a search by rows in a row, and 2 ns an item
	sumTime       = 0.5e-9 // a score in the sum over all ways into a state
	drawTime      = 16e-9  // a score that a draw, or log p of an order, looks at
	ruledOffer    = 120e-9 // an item that a prefix of a search under rules may go on with
	ruledStep     = 5e-6   // a position of such a prefix, or order
	ruledDrawTime = 30e-9  // one that a draw under rules does, of each order that it builds
	childBytes    = 150.0  // a way that a beam looks at, and 8 an item
	prefixBytes   = 60.0   // an item of a prefix under rules
)

// Work estimates what an answer to a complete question about sets takes. The network's part grows with
// the number of states that go through it. The host's part depends on the law. It is in floating point,
// so that no question is so large that its work looks small.
func (m *Model) Work(q Query, sets []*dataset.Set) (total Work) {
	free, ruled := map[int]int{}, map[int]int{} // sets by their number of items
	shapes := map[int]bool{}
	for _, s := range sets {
		n := len(s.Items)
		if n > 1 {
			shapes[m.PaddedSize(n)] = true
		}
		if s.Constraints.IsZero() || q.Kind == KindScore {
			free[n]++
		} else {
			ruled[n]++
		}
	}
	for n, count := range free {
		total = total.Add(m.workOf(q, n, count, false))
	}
	for n, count := range ruled {
		total = total.Add(m.workOf(q, n, count, true))
	}
	for n := range shapes { // each compiled, and its last part filled up at each step
		states := m.part(n)
		total.Seconds += m.compileTime() + float64(len(m.Process.Steps))*states*m.stateTime(n)
	}
	if len(shapes) > 0 { // the encoder
		total.Seconds += m.compileTime() / 4
	}
	return total
}

// PaddedSize is the size that the network is compiled for to judge sets of n objects.
func (m *Model) PaddedSize(n int) int {
	most := m.Denoiser.Config.N
	if _, pads := m.Process.Reverse.(reverse.Padder); !pads || n == most {
		return n
	}
	return denoiser.PaddedSize(n, most)
}

// part is how many states of so many objects go through the network together.
func (m *Model) part(n int) (states float64) {
	return float64(diffusion.PartRows(m.Denoiser.Tokens(n)))
}

// workOf is the work of sets of n items, but for compiling.
func (m *Model) workOf(q Query, n, count int, ruled bool) Work {
	sets, items := float64(count), float64(n)
	if n < 2 { // nothing to ask the network
		return Work{1e-5 * sets, 100 * sets * float64(max(1, q.Count))}
	}
	together := float64(min(count, m.Config.Eval.Batch)) // whose scores are there at a time
	switch {
	case q.Kind == KindSample:
		together = 1
	case q.Kind == KindOrder && !q.Decode.wide():
		together = float64(min(count, m.together(n)))
	}
	steps := float64(len(m.Process.At(n).Steps) - 1)
	width := float64(m.Process.Reverse.NumScores(m.Process.Free(n)))
	states, most := steps, 1.0 // states of a set that go through the network, over all steps and at a time
	host := Work{}             // of a set
	switch q.Kind {
	case KindOrder:
		if method := methodOf(q.Decode.Method); method != nil {
			states, most, host = method.work(m, q, n, steps, ruled)
		}
	case KindSample:
		most = float64(min(q.Count, samplesAtOnce))
		states = steps * math.Ceil(float64(q.Count)/most) * most
		host.Seconds = states * drawTime * width
		host.Bytes = float64(q.Count)*(30*items+200)*sets + 20*items*items*sets
		if ruled {
			host.Seconds += float64(q.Count) * diffusion.Proposals * items * (items*ruledDrawTime + ruledStep)
		}
	case KindScore:
		most = float64(min(q.Count, 64))
		states = steps * float64(q.Count)
		host.Seconds = states * (drawTime*width + 1e-7*items)
		host.Bytes = 60*most*steps*items*together + 10*float64(q.Count)*sets
		if orders := float64(m.exactOrders(n)); orders > 0 {
			states, most = states+steps*orders, max(most, orders)
			host.Seconds += steps * orders * orders * (drawTime*width + 3e-7)
			host.Bytes += 400 * orders * together
		}
	}
	// Scores are kept for all states of the sets that go together, those of a part of them once more.
	copies := 1.0
	if q.Kind == KindOrder {
		copies = float64(max(1, q.Decode.Symmetries))
		if m.viewer() != nil { // what is read from all sides is there together
			host.Bytes += 4 * copies * items * float64(m.Denoiser.Config.Dim) * together
		}
	}
	return Work{
		Seconds: copies * sets * (host.Seconds + states*m.stateTime(m.PaddedSize(n)) + m.encodeTime(n)),
		Bytes:   together*most*(width*8+(steps+4)*(8*items+24)) + host.Bytes,
	}
}

// greedyWork is the work of one way, a step after the other.
func (m *Model) greedyWork(_ Query, n int, steps float64, ruled bool) (states, most float64, host Work) {
	items := float64(n)
	host.Seconds = steps * drawTime * float64(m.Process.Reverse.NumScores(m.Process.Free(n))) * 2
	if ruled {
		host.Seconds += items * (ruledOffer*items + ruledStep)
	}
	return steps, 1, host
}

// beamWork is that of a set's beam.
func (m *Model) beamWork(q Query, n int, steps float64, ruled bool) (states, most float64, host Work) {
	items, outer := float64(n), float64(q.Decode.Beam)
	states = 1 + (steps-1)*outer
	width := float64(m.Process.Reverse.NumScores(m.Process.Free(n)))
	inner := max(outer, float64(q.Decode.Inner))
	cores := float64(runtime.GOMAXPROCS(0))
	ways := min(outer, inner)
	if _, rows := m.Process.Reverse.(reverse.Rows); !rows { // few orders within reach
		inner = min(inner, width*items)
		ways = min(ways, inner)
	}
	w := Work{
		Seconds: states*(inner*items*(offerTime+2e-9*items)+200e-9*width) + states*ways*(childTime+8e-9*items) + states*outer*(sumTime*width+10e-9*items),
		Bytes:   outer*ways*(childBytes+8*items) + cores*inner*items*24 + float64(q.Top)*(30*items+200),
	}
	if ruled { // the last step
		w.Seconds += outer * inner * items * (items*ruledOffer + ruledStep)
		w.Bytes += cores * inner * items * prefixBytes
	}
	return states, outer, w
}

// stateTime is the time that the network takes for a state of a set of n items.
func (m *Model) stateTime(n int) float64 {
	d := m.Denoiser.Config
	tokens, dim, hidden := float64(m.Denoiser.Tokens(n)), float64(d.Dim), float64(d.FeedForward)
	layer := productTime*(tokens*(8*dim*dim+4*dim*hidden)+4*tokens*tokens*dim) + numberTime*tokens*(4*dim+hidden) + logitTime*float64(d.Heads)*tokens*tokens
	if d.Edges {
		layer += productTime * 8 * float64(n*n) * dim
	}
	return m.engineFactor() * (float64(d.Layers)*layer + 2*productTime*tokens*tokens*dim)
}

// encodeTime is the time that the encoder takes for a set of n objects.
func (m *Model) encodeTime(n int) float64 {
	return m.engineFactor() * encodeTime * float64(n) * m.objectFloats()
}

func (m *Model) engineFactor() float64 {
	if m.Engine.Kind == "go" {
		return goEngine
	}
	return 1
}

func (m *Model) compileTime() float64 {
	if m.Engine.Kind == "go" {
		return 0.02
	}
	return compileTime
}
