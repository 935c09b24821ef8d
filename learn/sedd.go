package learn

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

// SEDD takes an order for a sentence whose words are the objects. Its network reads which
// object stands at each position, none where the word is masked, and points at objects: so
// it can also be asked about objects it has never seen, which the original cannot.

func (m *Model) seddProcess() (sedd.Process, sedd.Noise) {
	if m.Config.Baseline.Graph == "uniform" {
		return sedd.Uniform{N: m.Config.Task.N}, sedd.DefaultGeometric
	}
	return sedd.Absorb{N: m.Config.Task.N}, sedd.DefaultLogLinear
}

// seddTime is what the network is told of the noise: the log, as σ̄ goes over five decades.
func seddTime(sigma float64) float32 { return float32(10 * math.Log(sigma)) }

// seddLogScores turns the network's scores [rows, n, n] into log-ratios; sigma is [rows].
func seddLogScores(p sedd.Process, scores, sigma *graph.Node) *graph.Node {
	if a, ok := p.(sedd.Absorb); ok {
		return a.Scale(scores, sigma)
	}
	return scores
}

// earliest is the first moment that training sees, where ratios are not yet without bound.
const earliest = 1e-3

func (m *Model) seddMethod() (*method, error) {
	p, noise := m.seddProcess()
	n := m.Config.Task.N
	return &method{
		// Inputs: objects [batch, n, …], x_t [batch, 1, n] and x_0 [batch, n], time
		// [batch, 1], σ̄ and its derivative [batch].
		loss: func(c *denoiser.Context, in []*graph.Node) *graph.Node {
			objects, xt, x0, times, sigma, dsigma := in[0], in[1], in[2], in[3], in[4], in[5]
			scores := m.Denoiser.Scores(c, m.Denoiser.Encode(c, objects), xt, times)
			loss := p.LossGraph(seddLogScores(p, scores, sigma), graph.Squeeze(xt, 1), x0, sigma, dsigma)
			return graph.ReduceAllMean(loss)
		},
		inputs: func(s int, b *batch) ([]*tensors.Tensor, error) {
			size := len(b.clean)
			xt, x0 := make([]int32, size*n), make([]int32, size*n)
			times, sigma, dsigma := make([]float32, size), make([]float32, size), make([]float32, size)
			shift := rand.New(rand.NewPCG(m.Config.Seed^seddStream, uint64(s))).Float64()
			parallel.For(size, func(i int) {
				rng := rand.New(rand.NewPCG(m.Config.Seed^noiseStream, uint64(b.first+i)))
				// The times of a batch are spread evenly: less variance than drawing each.
				_, t := math.Modf(shift + float64(b.first-b.step+i)/float64(b.whole))
				t = earliest + (1-earliest)*t
				row := x0[i*n : (i+1)*n]
				for k, v := range b.clean[i] {
					row[k] = int32(v)
				}
				total := noise.Total(t)
				p.Corrupt(rng, total, row, xt[i*n:(i+1)*n])
				times[i], sigma[i], dsigma[i] = seddTime(total), float32(total), float32(noise.Rate(t))
			})
			return []*tensors.Tensor{
				b.objects,
				tensors.FromFlatDataAndDimensions(xt, size, 1, n), tensors.FromFlatDataAndDimensions(x0, size, n),
				tensors.FromFlatDataAndDimensions(times, size, 1),
				tensors.FromFlatDataAndDimensions(sigma, size), tensors.FromFlatDataAndDimensions(dsigma, size),
			}, nil
		},
		close: func() {},
	}, nil
}

// seddOrderer draws from SEDD's sampler.
type seddOrderer struct {
	*scorer
	m       *Model
	sampler sedd.Sampler
	// unusable counts draws whose ratios were no numbers to draw by.
	unusable int
}

func (m *Model) newSEDD() (orderer, error) {
	p, noise := m.seddProcess()
	s, err := m.newScorer(func(scores, times *graph.Node) *graph.Node {
		sigma := graph.Exp(graph.MulScalar(graph.Reshape(times, -1), 0.1)) // as seddTime made it
		return graph.Exp(seddLogScores(p, scores, sigma))
	})
	if err != nil {
		return nil, err
	}
	return &seddOrderer{scorer: s, m: m, sampler: sedd.Sampler{Process: p, Noise: noise, Method: sedd.Method(m.Config.Baseline.Sampler), Steps: m.Config.Baseline.Steps}}, nil
}

func (o *seddOrderer) orders(objects *tensors.Tensor, first int) ([]perm.Order, error) {
	dims := objects.Shape().Dimensions
	seed := diffusion.Mix(o.m.Config.Seed^seddStream, uint64(first))
	drawn, err := o.sampler.Sample(dims[0], dims[1], seed, o.ratios(objects))
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

func (o *seddOrderer) warnings() []string {
	if o.unusable == 0 {
		return nil
	}
	return []string{fmt.Sprintf("sedd: %d draws had ratios that are not finite or nothing to choose from: the network's scores are broken", o.unusable)}
}
