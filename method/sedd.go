package method

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/baseline/sedd"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
)

// scoreEntropy is SEDD, which takes an order for a sentence whose words are the objects. Its network
// reads which object stands at each position, none where the word is masked, and points at objects. So
// it can also be asked about objects it has never seen, which the original cannot.
var scoreEntropy = &Method{
	Name: "sedd", Head: "pointer", AnySequence: true,
	train:   func(s *Setup) (Training, error) { return newSEDD(s), nil },
	orderer: func(s *Setup) (Orderer, error) { return newSEDDOrderer(s) },
}

// words is SEDD at work.
type words struct {
	*Setup
	process sedd.Process
	noise   sedd.Noise
}

func newSEDD(s *Setup) words {
	if s.Config.Baseline.Graph == "uniform" {
		return words{s, sedd.Uniform{N: s.Config.Task.N}, sedd.DefaultGeometric}
	}
	return words{s, sedd.Absorb{N: s.Config.Task.N}, sedd.DefaultLogLinear}
}

// seddTime is what the network is told of the noise: the log, as σ̄ goes over five decades.
func seddTime(sigma float64) float32 { return float32(10 * math.Log(sigma)) }

// logScores turns the network's scores [rows, n, n] into log-ratios; sigma is [rows].
func (t words) logScores(scores, sigma *graph.Node) *graph.Node {
	if a, ok := t.process.(sedd.Absorb); ok {
		return a.Scale(scores, sigma)
	}
	return scores
}

// earliest is the first moment that training sees, where ratios are not yet without bound.
const earliest = 1e-3

// Loss reads objects [batch, n, …], x_t [batch, 1, n] and x_0 [batch, n], time [batch, 1], σ̄ and its
// derivative [batch].
func (t words) Loss(c *denoiser.Context, in []*graph.Node) *graph.Node {
	objects, xt, x0, times, sigma, dsigma := in[0], in[1], in[2], in[3], in[4], in[5]
	scores := t.Denoiser.Scores(c, t.Denoiser.Encode(c, objects), xt, times)
	loss := t.process.LossGraph(t.logScores(scores, sigma), graph.Squeeze(xt, 1), x0, sigma, dsigma)
	return graph.ReduceAllMean(loss)
}

func (t words) Inputs(b *Batch) ([]*tensors.Tensor, error) {
	size, n := len(b.Clean), t.Config.Task.N
	xt, x0 := make([]int32, size*n), make([]int32, size*n)
	times, sigma, dsigma := make([]float32, size), make([]float32, size), make([]float32, size)
	shift := rand.New(rand.NewPCG(t.Config.Seed^seddStream, uint64(b.Step))).Float64()
	parallel.For(size, func(i int) {
		rng := rand.New(rand.NewPCG(t.Config.Seed^noiseStream, uint64(b.First+i)))
		// The times of a batch are spread evenly: less variance than drawing each.
		_, at := math.Modf(shift + float64(b.Offset+i)/float64(b.Whole))
		at = earliest + (1-earliest)*at
		row := x0[i*n : (i+1)*n]
		for k, v := range b.Clean[i] {
			row[k] = int32(v)
		}
		total := t.noise.Total(at)
		t.process.Corrupt(rng, total, row, xt[i*n:(i+1)*n])
		times[i], sigma[i], dsigma[i] = seddTime(total), float32(total), float32(t.noise.Rate(at))
	})
	return []*tensors.Tensor{
		b.Objects,
		tensors.FromFlatDataAndDimensions(xt, size, 1, n), tensors.FromFlatDataAndDimensions(x0, size, n),
		tensors.FromFlatDataAndDimensions(times, size, 1),
		tensors.FromFlatDataAndDimensions(sigma, size), tensors.FromFlatDataAndDimensions(dsigma, size),
	}, nil
}

func (words) Close() {}

// seddOrderer draws from SEDD's sampler.
type seddOrderer struct {
	*scorer
	seed    uint64
	sampler sedd.Sampler
	// unusable counts draws whose ratios were no numbers to draw by.
	unusable int
}

func newSEDDOrderer(s *Setup) (*seddOrderer, error) {
	t := newSEDD(s)
	scorer, err := newScorer(s, func(scores, times *graph.Node) *graph.Node {
		sigma := graph.Exp(graph.MulScalar(graph.Reshape(times, -1), 0.1)) // as seddTime made it
		return graph.Exp(t.logScores(scores, sigma))
	})
	if err != nil {
		return nil, err
	}
	b := s.Config.Baseline
	return &seddOrderer{scorer: scorer, seed: s.Config.Seed ^ seddStream, sampler: sedd.Sampler{Process: t.process, Noise: t.noise, Method: sedd.Method(b.Sampler), Steps: b.Steps}}, nil
}

// Orders implements [Orderer].
func (o *seddOrderer) Orders(objects *tensors.Tensor, first int) ([]perm.Order, error) {
	dims := objects.Shape().Dimensions
	drawn, err := o.sampler.Sample(dims[0], dims[1], diffusion.Mix(o.seed, uint64(first)), o.ratios(objects))
	if err != nil {
		return nil, err
	}
	o.unusable += drawn.Unusable
	out := make([]perm.Order, len(drawn.Tokens))
	for i, x := range drawn.Tokens {
		out[i] = make(perm.Order, len(x))
		for k, v := range x {
			out[i][k] = int(v)
		}
	}
	return out, nil
}

// ratios are what the sampler asks the network for: those of objects at noise sigma = σ̄.
func (o *seddOrderer) ratios(objects *tensors.Tensor) sedd.Score {
	return func(x []int32, sigma float64) ([]float32, error) {
		return o.call(objects, x, seddTime(sigma))
	}
}

// Warnings implements [Orderer].
func (o *seddOrderer) Warnings() []string {
	if o.unusable == 0 {
		return nil
	}
	return []string{fmt.Sprintf("sedd: %d draws had ratios that are not finite or nothing to choose from: the network's scores are broken", o.unusable)}
}
