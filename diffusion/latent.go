package diffusion

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
)

// Latent is the objective whose permutations are latent. A reverse step is judged by what its
// result looks like, and never by the shuffle that it should undo (paper appendix, "Latent loss").
// With σ_1 … σ_N drawn from p_θ(σ | X_t), the gradient of a state's loss is that of
//
//	−Σ_j (w_j − λ·log p_θ(σ_j | X_t) − ema)·log p_θ(σ_j | X_t),   w_j = softmax_j log N(X_{t'} | σ_j·X_t, s²·I)
//
// with the factors before log p_θ held constant (REINFORCE). ema, the moving average of
// w_j − λ·log p_θ, is a control variate; λ weighs the entropy of p_θ.
type Latent struct {
	Samples int     // N; paper: 10
	Entropy float64 // λ; paper: 0.05
	Rate    float64 // of the moving average; paper: 0.995
	SD      float64 // s, of a pixel; paper: 1. The smaller, the more do small differences count.
}

// leastSD keeps the squares of pixels over those of SD finite in float32.
const leastSD = 1e-6

// Validate checks the settings.
func (l Latent) Validate() error {
	switch {
	case l.Samples < 2 || l.Samples > 1<<20:
		return field.Errorf("Samples", "must be 2 to %d (got %d)", 1<<20, l.Samples)
	case !(l.Entropy >= 0 && l.Entropy <= math.MaxFloat32): // NaN too
		return field.Errorf("Entropy", "must be 0 or more and finite (got %g)", l.Entropy)
	case !(l.Rate >= 0 && l.Rate <= 1):
		return field.Errorf("Rate", "must be 0 to 1 (got %g)", l.Rate)
	case !(l.SD >= leastSD && l.SD <= math.MaxFloat32):
		return field.Errorf("SD", "must be %g or more and finite (got %g)", leastSD, l.SD)
	}
	return nil
}

// LatentStates are noisy pictures of some sets: what stands at each position of X_t, as
// pixels, and what stood there one reverse step nearer to the picture.
type LatentStates struct {
	*States
	// Now and Before are the pixels of X_t and X_{t'}, [batch·perSet, n, pixels].
	Now, Before []float32
	Pixels      int
}

// Picture makes states into pictures: pixels [batch, n, pixels] are the objects' own. The
// ranks of the shuffles, which the loss must not know, are dropped.
func (s *States) Picture(pixels []float32, size int) *LatentStates {
	l := &LatentStates{States: s, Pixels: size, Now: make([]float32, len(s.Arrangement)*size), Before: make([]float32, len(s.Arrangement)*size)}
	parallel.For(s.Batch*s.PerSet, func(row int) {
		set := pixels[row/s.PerSet*s.N*size:]
		for k, object := range s.Arrangement[row*s.N : (row+1)*s.N] {
			picture := set[int(object)*size : (int(object)+1)*size]
			copy(l.Now[(row*s.N+k)*size:], picture)
			copy(l.Before[(row*s.N+int(s.Rank[row*s.N+k]))*size:], picture)
		}
	})
	s.Rank = nil
	return l
}

// LatentTrainer draws the steps that a latent training step judges. Close it after use.
type LatentTrainer struct {
	Latent
	// Average is the moving average of the factors, part of a training's state.
	Average float64

	process *Process
	seed    uint64
	scores  *model.Exec
}

// NewLatentTrainer prepares drawing with the weights in a store; seed is that of the draws.
func NewLatentTrainer(e *engine.Engine, store *model.Store, d *denoiser.Denoiser, p *Process, l Latent, seed uint64) (*LatentTrainer, error) {
	if err := l.Validate(); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	t := &LatentTrainer{Latent: l, process: p, seed: seed}
	var err error
	// The scores that the training step will see: in training mode, with its dropout.
	t.scores, err = model.NewExec(e.Backend, store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		objects, arrangements, times, rng := in[0], in[1], in[2], in[3]
		c := denoiser.NewContext(objects.Graph(), store, true, rng)
		scores := p.freeScores(d.Scores(c, d.Encode(c, objects), arrangements, times))
		for name, old := range c.Changed { // running statistics move once a step, not twice
			denoiser.Variable(store, name).SetNodeValue(old)
		}
		return scores
	})
	return t, err
}

// Close frees the compiled graph.
func (t *LatentTrainer) Close() { t.scores.Finalize() }

// Inputs draws for training step s and returns the inputs of [Latent.Loss], the objects
// among them; dropout is the seed of the trainer's dropout. Of the states it reads where the
// objects stand in X_t and the pixels; no shuffle is known to it.
func (t *LatentTrainer) Inputs(s int, dropout uint64, objects *tensors.Tensor, states *LatentStates) ([]*tensors.Tensor, error) {
	rng, err := DropoutState(dropout, s)
	if err != nil {
		return nil, err
	}
	in := states.places()
	arrangements, times := in[0], in[1]
	out, err := t.scores.Call1(objects, arrangements, times, rng)
	if err != nil {
		return nil, fmt.Errorf("scores of training step %d: %w", s, err)
	}
	scores, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		return nil, err
	}
	for _, x := range []*tensors.Tensor{out, rng} {
		if err := x.FinalizeAll(); err != nil {
			return nil, err
		}
	}
	rows, n, size := states.Batch*states.PerSet, states.N, t.Samples
	free := t.process.Free(n)
	law := t.process.Reverse
	width := law.NumScores(free)
	ranks := make([]int32, rows*size*free)
	factors := make([]float64, rows*size)
	nats := make([]float64, rows)
	parallel.For(rows, func(row int) {
		rng := rand.New(rand.NewPCG(Mix(t.seed, uint64(s)), uint64(row)))
		own := make([]float64, width)
		for i := range own {
			own[i] = float64(scores[row*width+i])
		}
		gap := distances(states.Before[row*n*states.Pixels:(row+1)*n*states.Pixels], states.Now[row*n*states.Pixels:(row+1)*n*states.Pixels], n, n-free)
		sigma := make(perm.Order, free)
		f := factors[row*size : (row+1)*size]
		logp := make([]float64, size)
		for j := range size {
			law.Sample(rng, own, sigma)
			logp[j] = law.LogProb(own, sigma)
			for i, k := range sigma {
				ranks[(row*size+j)*free+k] = int32(i)
				f[j] -= gap[i*free+k] / (2 * t.SD * t.SD)
			}
		}
		total := math.Inf(-1)
		for _, x := range f {
			total = logAdd(total, x)
		}
		nats[row] = math.Log(float64(size)) - total
		for j := range f {
			f[j] = math.Exp(f[j]-total) - t.Entropy*logp[j]
		}
	})
	mean, loss := 0.0, 0.0
	for _, f := range factors {
		mean += f / float64(len(factors))
	}
	for _, x := range nats {
		loss += x / float64(rows)
	}
	weights := make([]float32, len(factors))
	for i, f := range factors {
		weights[i] = float32(f - t.Average)
	}
	if average := t.Rate*t.Average + (1-t.Rate)*mean; !math.IsNaN(average) && !math.IsInf(average, 0) {
		t.Average = average // else the step will be refused
	}
	return []*tensors.Tensor{
		objects, arrangements, times,
		tensors.FromFlatDataAndDimensions(ranks, rows, size, free),
		tensors.FromFlatDataAndDimensions(weights, rows, size),
		tensors.FromScalar(float32(loss)),
	}, nil
}

// distances returns the squared distances [free, free] between the pixels of two states at the
// positions from fixed on. They say how unlike position i of before and position k of now are.
func distances(before, now []float32, n, fixed int) []float64 {
	size, free := len(now)/n, n-fixed
	gap := make([]float64, free*free)
	for i := range free {
		a := before[(i+fixed)*size : (i+fixed+1)*size]
		for k := range free {
			b := now[(k+fixed)*size : (k+fixed+1)*size]
			sum := 0.0
			for x := range a {
				d := float64(a[x] - b[x])
				sum += d * d
			}
			gap[i*free+k] = sum
		}
	}
	return gap
}

// Loss is the loss of a latent step; its inputs are those of [LatentTrainer.Inputs]. Its
// value is −log (1/N) Σ_j N(X_{t'} | σ_j·X_t, s²·I), the mean over states, in nats and without
// the Gaussian's constant; its gradient is that of [Latent].
func (l Latent) Loss(d *denoiser.Denoiser, p *Process) Loss {
	return func(c *denoiser.Context, in []*graph.Node) *graph.Node {
		objects, arrangements, times, ranks, weights, value := in[0], in[1], in[2], in[3], in[4], in[5]
		drawn := ranks.Shape().Dimensions
		scores := p.freeScores(d.Scores(c, d.Encode(c, objects), arrangements, times))
		shape := append([]int{drawn[0], drawn[1]}, scores.Shape().Dimensions[1:]...)
		logp := p.Reverse.LogProbGraph(graph.BroadcastToDims(graph.ExpandAxes(scores, 1), shape...), ranks)
		surrogate := graph.Neg(graph.DivScalar(graph.ReduceAllSum(graph.Mul(logp, weights)), float64(drawn[0])))
		return graph.Add(surrogate, graph.StopGradient(graph.Sub(value, surrogate)))
	}
}
