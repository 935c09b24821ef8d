// Package sedd is the mathematics of score entropy discrete diffusion, SEDD (Lou, Meng & Ermon
// 2024, "Discrete Diffusion Modeling by Estimating the Ratios of the Data Distribution",
// arXiv:2310.16834). It is the baseline of the paper's appendix "Additional Synthetic Experiment:
// Learning a Single Permutation List". No network is in it.
//
// # Setting
//
// An order of n objects is read as a sequence of n tokens: the token at position i is the index of
// the object there ([perm.Order] as int32). Each position changes on its own, by a continuous-time
// Markov chain with rate matrix σ(t)·Q. So nothing keeps a sequence a permutation: what SEDD
// samples may repeat objects. See [Samples].
//
//	the SEDD paper    here
//	σ(t), σ̄(t)        [Noise] Rate and Total: the noise rate and its integral, t in [0, 1]
//	Q                 [Process] Rate: [Uniform] or [Absorb]
//	exp(σ̄ Q)          [Process] Transition
//	N                 [Process] States
//	s_θ(x)_i,y        ratios [n, V]: of the sequence with object y at position i to x
//	log s_θ           logScores [n, V], natural logs
//	MASK              token V of [Absorb]
//	L_DWDSE           [Process] LossGraph, at one t
//	Tweedie τ-leaping [Analytic]
//
// Matrices act on columns, as in the SEDD paper: Rate(to, from), and dp/dt = σ(t)·Q·p.
//
// Ratios and log-scores have one column an object, V in all, for both processes: SEDD
// never needs the ratio to a masked sequence. The column of the token that is at the
// position already is 1 by definition and is never read.
package sedd

import (
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"
)

// Process is the noise that each position goes through: a rate matrix Q whose
// exponential has a closed form. [Uniform] and [Absorb] are the two of the SEDD paper;
// both are values without state, safe for concurrent use.
type Process interface {
	// Name is "uniform" or "absorb".
	Name() string
	// Objects is V, the number of objects.
	Objects() int
	// States is the number of tokens: V, and one more if there is a MASK.
	States() int
	// Validate reports a process without objects.
	Validate() error
	// Rate is Q[to, from], per unit of σ̄. Its columns sum to 0.
	Rate(to, from int) float64
	// Transition is exp(σ̄ Q)[to, from], the probability of token to after noise
	// sigma ≥ 0 if the token was from. Its columns sum to 1.
	Transition(to, from int, sigma float64) float64
	// Corrupt draws X_t given x0 into dst, position by position, for the noise
	// sigma ≥ 0 = σ̄(t). dst has the length of x0 and may be x0.
	Corrupt(rng *rand.Rand, sigma float64, x0, dst []int32)
	// Limit draws from the limit of exp(σ̄ Q) for σ̄ → ∞ into dst.
	Limit(rng *rand.Rand, dst []int32)
	// LossGraph builds the score entropy [rows], in nats, of a batch,
	//
	//	dσ·Σ_i Σ_{y ≠ x_i} Q[x_i, y]·( s_iy − r_iy·log s_iy + K(r_iy) ),  K(a) = a·(log a − 1),
	//	r_iy = exp(σ̄ Q)[y, x0_i] / exp(σ̄ Q)[x_i, x0_i],
	//
	// the integrand of the SEDD paper's L_DWDSE (a ratio of 0 has K = 0): 0 if s = r and positive
	// otherwise.
	// logScores [rows, n, V] float, xt and x0 [rows, n] int32, sigma > 0 and dsigma
	// [rows] of the type of logScores. It has first derivatives by logScores alone. A
	// row is NaN where a log-score that counts is NaN, or more than 88 (float32) above
	// the log of its true ratio; ±50 is safe. Tokens out of range are not noticed.
	LossGraph(logScores, xt, x0, sigma, dsigma *graph.Node) *graph.Node

	// leap writes p(token at t' | token x at t) into dst [States], up to a factor, by
	// Tweedie τ-leaping: dsigma = σ̄(t) − σ̄(t') ≥ 0, ratios [V] ≥ 0 with 1 at x.
	leap(dst, ratios []float64, x int32, dsigma float64)
}
