package denoiser

import (
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

func smallEdges(head string) Config {
	return Config{N: 5, Head: head, Encoder: EncoderConfig{Kind: "points"}, Dim: 8, Layers: 2, Heads: 2, FeedForward: 8}
}

// edgeScores are those of a network with its starting weights.
func edgeScores(t *testing.T, e *engine.Engine, d *Denoiser, training bool, points, states []float32, time int32) []float32 {
	t.Helper()
	n := len(points) / 2
	return call(t, e, d, training, func(c *Context, in []*graph.Node) *graph.Node {
		if d.Config.Head == headEdges {
			return d.EdgeScores(c, in[0], nil, nil)
		}
		return d.EdgeScores(c, in[0], in[1], in[2])
	}, tensors.FromFlatDataAndDimensions(points, 1, n, 2), tensors.FromFlatDataAndDimensions(states, 1, n, n), tensors.FromFlatDataAndDimensions([]int32{time}, 1))
}

func tourStates(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n*n)
	for i := range n {
		for j := range i {
			v := float32(rng.IntN(2))
			x[i*n+j], x[j*n+i] = v, v
		}
	}
	return x
}

// hostNet computes an edge network as its documentation says it, loop by loop.
type hostNet struct {
	d    *Denoiser
	vals map[string][]float32
}

func newHostNet(d *Denoiser) hostNet {
	h := hostNet{d, map[string][]float32{}}
	for _, p := range d.Params() {
		h.vals[p.Name] = p.Initial(3) // as call has them
	}
	return h
}

func (h hostNet) linear(name string, x []float64) []float64 {
	w, b := h.vals[name+".weight"], h.vals[name+".bias"]
	out := make([]float64, len(b))
	for o := range out {
		out[o] = float64(b[o])
		for i, v := range x {
			out[o] += float64(w[o*len(x)+i]) * v
		}
	}
	return out
}

func (h hostNet) mlp(name string, x []float64) []float64 {
	return h.linear(name+"2", relu(h.linear(name+"1", x)))
}

func relu(x []float64) []float64 {
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = max(0, v)
	}
	return out
}

func sum(xs ...[]float64) []float64 {
	out := make([]float64, len(xs[0]))
	for _, x := range xs {
		for i, v := range x {
			out[i] += v
		}
	}
	return out
}

// waves is the sinusoid of a number: cosines first.
func waves(v float64, dim int) []float64 {
	out := make([]float64, dim)
	for i := range dim / 2 {
		a := v * math.Pow(10000, -float64(i)/float64(dim/2))
		out[i], out[dim/2+i] = math.Cos(a), math.Sin(a)
	}
	return out
}

// norm of rows of the same axis: their layer norms, or the running batch norm, which is at its start.
func (h hostNet) norm(x []float64) []float64 {
	if h.d.Config.Head == headEdges {
		out := make([]float64, len(x))
		for i, v := range x {
			out[i] = v / math.Sqrt(1+1e-5)
		}
		return out
	}
	mean, variance := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	out := make([]float64, len(x))
	for i, v := range x {
		out[i] = (v - mean) / math.Sqrt(variance+1e-5)
	}
	return out
}

func (h hostNet) scores(points, states []float32, time int32) []float32 {
	n, d := len(points)/2, h.d.Config.Dim
	noisy := h.d.Config.Head == headNoisyEdges
	x, y := make([][]float64, n), make([][]float64, n*n)
	var t []float64
	if noisy {
		z := h.linear("graph.time.0", waves(float64(time), 256))
		for i, v := range z {
			z[i] = v / (1 + math.Exp(-v))
		}
		t = h.linear("graph.time.2", z)
	}
	for i := range n {
		p := []float64{float64(points[2*i]), float64(points[2*i+1])}
		in := p
		if noisy {
			in = append(waves(100*p[0], d/2), waves(100*p[1], d/2)...)
		}
		x[i] = h.linear("graph.nodes", in)
		for j := range n {
			in := []float64{math.Hypot(p[0]-float64(points[2*j]), p[1]-float64(points[2*j+1]))}
			if noisy {
				in = waves(100*(2*float64(states[i*n+j])-1), d)
			}
			y[i*n+j] = h.linear("graph.edges", in)
		}
	}
	for _, layer := range []string{"graph.layers.0.", "graph.layers.1."} {
		nx, ny := make([][]float64, n), make([][]float64, n*n)
		for i := range n {
			gates, total := make([][]float64, n), make([]float64, d)
			for j := range n {
				hat := sum(h.linear(layer+"w3", y[i*n+j]), h.linear(layer+"w4", x[i]), h.linear(layer+"w5", x[j]))
				gates[j] = make([]float64, d)
				for k, v := range hat {
					gates[j][k] = 1 / (1 + math.Exp(-v))
					total[k] += gates[j][k]
				}
				if noisy {
					ny[i*n+j] = sum(y[i*n+j], h.mlp(layer+"mlp", h.norm(hat)), h.linear(layer+"time", t))
				} else {
					ny[i*n+j] = sum(y[i*n+j], relu(h.norm(hat)))
				}
			}
			heard := make([]float64, d)
			for j := range n {
				for k, v := range h.linear(layer+"w2", x[j]) {
					g := gates[j][k]
					if !noisy {
						g /= total[k]
					}
					heard[k] += g * v
				}
			}
			nx[i] = sum(x[i], relu(h.norm(sum(h.linear(layer+"w1", x[i]), heard))))
		}
		x, y = nx, ny
	}
	out := make([]float32, n*n)
	for k := range y {
		out[k] = float32(h.mlp("graph.out", y[k])[0])
	}
	return out
}

// Both networks are what their documentation says.
func TestEdgeScoresAgainstLoops(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		rng := rand.New(rand.NewPCG(1, 2))
		points, states := randomFloats(rng, 12), tourStates(rng, 6)
		for _, head := range []string{headEdges, headNoisyEdges} {
			d := build(t, smallEdges(head))
			near.AllWithin(t, head, edgeScores(t, e, d, false, points, states, 7), newHostNet(d).scores(points, states, 7), 2e-4)
		}
	})
}

// Naming the cities otherwise names the edges otherwise, no more; in training too, where the batch norm
// has the batch's statistics.
func TestEdgesEquivariance(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 5
	points, states, names := randomFloats(rng, 2*n), tourStates(rng, n), perm.Order{4, 2, 0, 1, 3}
	moved, renamed := make([]float32, 2*n), make([]float32, n*n)
	for i, a := range names {
		copy(moved[2*i:], points[2*a:2*a+2])
		for j, b := range names {
			renamed[i*n+j] = states[a*n+b]
		}
	}
	for _, head := range []string{headEdges, headNoisyEdges} {
		for _, training := range []bool{false, true} {
			d := build(t, smallEdges(head))
			a, b := edgeScores(t, e, d, training, points, states, 9), edgeScores(t, e, d, training, moved, renamed, 9)
			want := make([]float32, n*n)
			for i, k := range names {
				for j, l := range names {
					want[i*n+j] = a[k*n+l]
				}
			}
			near.AllWithin(t, head, b, want, 1e-4)
		}
	}
}

// The state of an edge and the time matter to noisy edges.
func TestNoisyEdgesRead(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	d := build(t, smallEdges(headNoisyEdges))
	points, states := randomFloats(rng, 8), tourStates(rng, 4)
	at := edgeScores(t, e, d, false, points, states, 9)
	later := edgeScores(t, e, d, false, points, states, 900)
	states[1], states[4] = 1-states[1], 1-states[4]
	other := edgeScores(t, e, d, false, points, states, 9)
	for name, x := range map[string][]float32{"time": later, "state": other} {
		greatest := 0.0
		for i := range x {
			greatest = max(greatest, math.Abs(float64(x[i]-at[i])))
		}
		if greatest < 1e-3 {
			t.Errorf("the %s changes the scores by %g at most", name, greatest)
		}
	}
}

func TestEdgesRefuse(t *testing.T) {
	c := smallEdges(headEdges)
	c.Encoder = EncoderConfig{Kind: "table"}
	if _, err := New(c); err == nil || err.Error() != `Encoder.Kind: edges are between points, wanted points (got "table")` {
		t.Errorf("error %v", err)
	}
}
