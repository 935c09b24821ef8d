package method

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/baseline/difusco"
	"github.com/riffle-ml/riffle/baseline/heatmap"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
)

// edgeDiffusion is DIFUSCO (Sun & Yang 2023). Noise flips edges of the tour. From the noisy edges a
// gated graph network tells which edges were in the tour. Its last probabilities are merged into a
// tour.
var edgeDiffusion = &Method{
	Name: "difusco", Head: "noisy-edges",
	train:   func(s *Setup) (Training, error) { return flips{s, difusco.Paper()}, nil },
	orderer: func(s *Setup) (Orderer, error) { return newFlips(s) },
}

type flips struct {
	*Setup
	noise *difusco.Noise
}

// Loss reads points [batch, n, 2], noisy edges [batch, n, n], times [batch] and the edges of the tours.
func (t flips) Loss(c *denoiser.Context, in []*graph.Node) *graph.Node {
	points, noisy, times, targets := in[0], in[1], in[2], in[3]
	losses, pairs := crossEntropies(t.Denoiser.EdgeScores(c, points, noisy, times), targets)
	return graph.Div(graph.ReduceAllSum(losses), graph.ReduceAllSum(pairs))
}

func (t flips) Inputs(b *Batch) ([]*tensors.Tensor, error) {
	n, batch := t.Config.Task.N, len(b.Clean)
	clean := tourEdges(b.Clean, n)
	noisy, times := append([]float32{}, clean...), make([]int32, batch)
	parallel.For(batch, func(i int) {
		rng := rand.New(rand.NewPCG(t.Config.Seed^noiseStream, uint64(b.First+i)))
		times[i] = int32(1 + rng.IntN(t.noise.Steps()))
		t.noise.Corrupt(rng, int(times[i]), n, noisy[i*n*n:(i+1)*n*n])
	})
	return []*tensors.Tensor{
		b.Objects, tensors.FromFlatDataAndDimensions(noisy, batch, n, n),
		tensors.FromFlatDataAndDimensions(times, batch), tensors.FromFlatDataAndDimensions(clean, batch, n, n),
	}, nil
}

func (flips) Close() {}

// flipsOrderer takes edges from noise to a tour.
type flipsOrderer struct {
	flips
	exec  *model.Exec
	times []int
}

func newFlips(s *Setup) (*flipsOrderer, error) {
	o := &flipsOrderer{flips: flips{s, difusco.Paper()}}
	var err error
	if o.times, err = o.noise.Schedule(s.Config.Baseline.Steps); err != nil {
		return nil, err
	}
	o.exec, err = model.NewExec(s.Engine.Backend, s.Store, func(_ *model.Scope, points, noisy, times *graph.Node) *graph.Node {
		return s.Denoiser.EdgeScores(denoiser.NewContext(points.Graph(), s.Store, false, nil), points, noisy, times)
	})
	return o, err
}

func (o *flipsOrderer) Orders(objects *tensors.Tensor, first int) ([]perm.Order, error) {
	dims := objects.Shape().Dimensions
	batch, n := dims[0], dims[1]
	states, rngs := make([]float32, batch*n*n), make([]*rand.Rand, batch)
	for i := range rngs {
		rngs[i] = rand.New(rand.NewPCG(o.Config.Seed, diffusion.Mix(o.Config.Seed, uint64(first+i))))
		draw(states[i*n*n:(i+1)*n*n], n, rngs[i], func(int) float64 { return 0.5 })
	}
	var one []float64 // the probability that an edge was in the tour
	for k, t := range o.times[:len(o.times)-1] {
		logits, err := o.ask(objects, states, t)
		if err != nil {
			return nil, err
		}
		one = probabilities(logits, batch, n)
		s := o.times[k+1]
		if s == 0 {
			break
		}
		parallel.For(batch, func(i int) {
			x, p := states[i*n*n:(i+1)*n*n], one[i*n*n:(i+1)*n*n]
			draw(x, n, rngs[i], func(at int) float64 { return o.noise.Posterior(s, t, x[at] == 1, p[at]) })
		})
	}
	return tours(objects, one, o.Config.Baseline.TwoOpt, heatmap.Merge)
}

// draw draws each edge of a set: it is 1 with probability one(at).
func draw(x []float32, n int, rng *rand.Rand, one func(at int) float64) {
	for i := range n {
		for j := range i {
			v := float32(0)
			if rng.Float64() < one(i*n+j) {
				v = 1
			}
			x[i*n+j], x[j*n+i] = v, v
		}
	}
}

// ask asks the network about noisy edges at time t.
func (o *flipsOrderer) ask(objects *tensors.Tensor, states []float32, t int) ([]float32, error) {
	dims := objects.Shape().Dimensions
	times := make([]int32, dims[0])
	for i := range times {
		times[i] = int32(t)
	}
	out, err := o.exec.Call1(objects, tensors.FromFlatDataAndDimensions(states, dims[0], dims[1], dims[1]), tensors.FromFlatDataAndDimensions(times, len(times)))
	if err != nil {
		return nil, err
	}
	logits, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		return nil, err
	}
	return logits, out.FinalizeAll()
}

func (*flipsOrderer) Warnings() []string { return nil }
func (o *flipsOrderer) Close()           { o.exec.Finalize() }
