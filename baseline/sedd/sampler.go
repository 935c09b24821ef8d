package sedd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"

	"github.com/riffle-ml/riffle/internal/parallel"
)

// Method says how [Sampler] goes from one time to the next.
type Method string

const (
	// Euler jumps with the reverse rate at the present time: a position turns from x
	// to y with probability Δt·σ(t)·Q[x, y]·ratio_y and stays otherwise (τ-leaping,
	// SEDD paper, "Time-Reversal Strategies"). Its error falls with 1/steps.
	Euler Method = "euler"
	// Analytic is Tweedie τ-leaping (same place): p(y | x) is, up to a factor,
	//
	//	(exp(−Δσ̄ Q)·ratios)_y · exp(Δσ̄ Q)[x, y],
	//
	// the best of the updates that treat positions apart; exact for a single position.
	// Under [Uniform] errors of the ratios, rounding to float32 with them, count e^Δσ̄
	// times: with [DefaultGeometric] Δσ̄ is below 3.5 from 64 steps on, 12 at 13. Under
	// [Absorb] with [LogLinear] noise it is the same as [Euler].
	Analytic Method = "analytic"
)

// lastTime is where the steps end and the last, noise-removing draw begins: the value in
// the authors' code.
const lastTime = 1e-5

// Score gives the ratios p(y at position i, else x)/p(x) of a batch of sequences under the noise
// sigma = σ̄(t). x [batch, n] row-major holds tokens. The result [batch, n, V] row-major holds
// ratios, not their logs. The sampler does not keep or change either. A score that cannot follow
// returns an error, which ends the sampling.
type Score func(x []int32, sigma float64) ([]float32, error)

// Sampler draws sequences by running a [Process] backwards with a [Score].
type Sampler struct {
	Process Process
	Noise   Noise
	Method  Method
	Steps   int // equal steps in t, 1 or more; Score is called once more than that
}

// Validate reports what [Sampler.Sample] cannot run with.
func (s Sampler) Validate() error {
	if s.Process == nil || s.Noise == nil {
		return fmt.Errorf("sedd: sampler: process and noise must be given (got %v and %v)", s.Process, s.Noise)
	}
	if err := s.Process.Validate(); err != nil {
		return err
	}
	if err := s.Noise.Validate(); err != nil {
		return err
	}
	if s.Method != Euler && s.Method != Analytic {
		return fmt.Errorf("sedd: sampler: method must be %q or %q (got %q)", Euler, Analytic, s.Method)
	}
	if s.Steps < 1 {
		return fmt.Errorf("sedd: sampler: steps must be 1 or more (got %d)", s.Steps)
	}
	return nil
}

// Sample draws batch sequences of n tokens. It goes from [Process] Limit at t = 1 in equal steps to
// t = 1e-5, and then once to no noise at all by [Analytic], MASK left out. Row b depends on seed, b
// and the score alone, not on the size of the batch.
//
// Ratios that are not numbers, negative or infinite do not stop it: they count as 0, 0 and
// the largest float32. A masked position for which no object has a positive ratio at the
// end takes any object with equal probability. Samples.Unusable counts both.
func (s Sampler) Sample(batch, n int, seed uint64, score Score) (Samples, error) {
	if err := s.Validate(); err != nil {
		return Samples{}, err
	}
	if batch < 0 || n < 0 || n > 0 && batch > math.MaxInt32/n {
		return Samples{}, fmt.Errorf("sedd: sampler: wanted 0 to %d tokens (got %d sequences of %d)", math.MaxInt32, batch, n)
	}
	flat := make([]int32, batch*n)
	rows, rngs := make([][]int32, batch), make([]*rand.Rand, batch)
	for b := range rows {
		rows[b] = flat[b*n : (b+1)*n : (b+1)*n]
		rngs[b] = rand.New(rand.NewPCG(seed, uint64(b)))
		s.Process.Limit(rngs[b], rows[b])
	}
	var unusable atomic.Int64
	width := n * s.Process.Objects()
	for step := range s.Steps + 1 {
		k := s.kernel(step)
		ratios, err := score(slices.Clone(flat), k.sigma)
		if err != nil {
			return Samples{}, fmt.Errorf("sedd: sampler: step %d of %d: %w", step+1, s.Steps+1, err)
		}
		if len(ratios) != batch*width {
			return Samples{}, fmt.Errorf("sedd: sampler: step %d of %d: wanted %d ratios for %d sequences of %d tokens (got %d)", step+1, s.Steps+1, batch*width, batch, n, len(ratios))
		}
		parallel.For(batch, func(b int) {
			unusable.Add(int64(k.move(rngs[b], rows[b], ratios[b*width:(b+1)*width])))
		})
	}
	return Samples{Tokens: rows, Unusable: int(unusable.Load())}, nil
}

// kernel is one step of a sampler.
type kernel struct {
	process Process
	sigma   float64 // σ̄ before the step
	dsigma  float64 // what the step takes away: σ̄(t) − σ̄(t'), for Euler Δt·σ(t)
	euler   bool
	last    bool
}

// kernel returns step 0 … Steps, the last of which removes what noise there is.
func (s Sampler) kernel(step int) kernel {
	dt := (1 - lastTime) / float64(s.Steps)
	t := 1 - float64(step)*dt
	k := kernel{process: s.Process, sigma: s.Noise.Total(t)}
	switch {
	case step == s.Steps:
		k.sigma = s.Noise.Total(lastTime)
		k.dsigma, k.last = k.sigma, true
	case s.Method == Euler:
		k.dsigma, k.euler = dt*s.Noise.Rate(t), true
	default:
		k.dsigma = max(0, k.sigma-s.Noise.Total(t-dt))
	}
	return k
}

// move draws the next tokens of one sequence in place, and counts what was unusable.
func (k kernel) move(rng *rand.Rand, x []int32, ratios []float32) (unusable int) {
	v := k.process.Objects()
	clean, weights := make([]float64, v), make([]float64, k.process.States())
	for i, token := range x {
		bad := usable(clean, ratios[i*v:(i+1)*v], token)
		choices := k.weigh(weights, clean, token)
		next, ok := categorical(rng, choices)
		if bad || !ok {
			unusable++
		}
		x[i] = int32(next)
	}
	return unusable
}

// weigh fills weights [States] for the token x, given usable ratios, and returns those
// that may be chosen.
func (k kernel) weigh(weights, ratios []float64, x int32) []float64 {
	if k.euler {
		clear(weights)
		leaves := 0.0
		for y, r := range ratios {
			if y != int(x) {
				weights[y] = k.dsigma * k.process.Rate(int(x), y) * r
				leaves += weights[y]
			}
		}
		weights[x] = max(0, 1-leaves)
		return weights
	}
	k.process.leap(weights, ratios, x, k.dsigma)
	if k.last {
		return weights[:len(ratios)]
	}
	return weights
}

// usable copies ratios into dst, with 1 for the token x itself. It reports whether there was one
// that is not a finite number of 0 or more.
func usable(dst []float64, ratios []float32, x int32) (bad bool) {
	for y, r := range ratios {
		switch {
		case y == int(x):
			r = 1
		case !(r >= 0):
			r, bad = 0, true
		case r > math.MaxFloat32:
			r, bad = math.MaxFloat32, true
		}
		dst[y] = float64(r)
	}
	return bad
}

// categorical draws an index with probability in proportion to its weight, which is
// finite and 0 or more. Where no weight is positive it draws from all alike, not ok.
func categorical(rng *rand.Rand, weights []float64) (index int, ok bool) {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	if total == 0 {
		return rng.IntN(len(weights)), false
	}
	u := rng.Float64() * total
	for i, w := range weights {
		if w > 0 {
			// Rounding may leave a little of u at the end: the last possible index has it.
			if index = i; u < w {
				break
			}
			u -= w
		}
	}
	return index, true
}
