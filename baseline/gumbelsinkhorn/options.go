// Package gumbelsinkhorn learns orders without being told them, by Gumbel–Sinkhorn networks (Mena,
// Belanger, Linderman & Snoek, "Learning Latent Permutations with Gumbel-Sinkhorn Networks", ICLR
// 2018). It is one of the methods that the paper compares with on jigsaw puzzles.
//
// A network gives n items a matrix log α [n, n]; log α[i, k] says how well item k suits
// position i. The Sinkhorn operator makes it doubly stochastic by taking turns at rows and
// columns, in log space:
//
//	Z ← Z − log Σ_k exp Z[i, k],  Z ← Z − log Σ_i exp Z[i, k],  l times;  S(log α) = exp Z.
//
// As the temperature τ falls to 0, S(log α/τ) goes to the permutation matrix of the order o with
// the greatest Σ_i log α[i, o[i]], which is [Matching]. With noise g of the standard Gumbel
// distribution on every entry, S((log α + g)/τ) is a relaxed random permutation. Its orientation is
// that of every package here, the paper's Q:
//
//	P[i, k] ≈ 1 where item k goes to position i;  P·items are the items in order.
//
// The loss of the jigsaw task is the mean squared error of P·shuffled against the ordered
// items, in pixels, over some draws of g. No order enters it. [Options.LossGraph] builds it,
// [Matching] decodes. What gives log α is up to the caller.
package gumbelsinkhorn

import (
	"fmt"
	"math"
)

// Options are the settings of the relaxation.
type Options struct {
	Tau         float64 // temperature τ, in units of log α, 1e-6 or more
	Iterations  int     // of the Sinkhorn operator, l, 1 to 1000
	Samples     int     // draws of the noise for each row of a batch, 1 to 1000
	NoiseFactor float64 // what the noise is multiplied by, 0 or more; 0 for none
}

// maxCount bounds iterations and samples: each is part of the graph, or of its memory.
const maxCount = 1000

// Defaults are the paper's 20 iterations and 10 samples, and τ = 1 with plain Gumbel noise.
func Defaults() Options { return Options{Tau: 1, Iterations: 20, Samples: 10, NoiseFactor: 1} }

// Validate reports the first option out of its range.
func (o Options) Validate() error {
	switch {
	case !(o.Tau >= 1e-6 && o.Tau <= math.MaxFloat32): // NaN too
		return fmt.Errorf("gumbel-sinkhorn: tau must be 1e-6 or more and finite (got %g)", o.Tau)
	case o.Iterations < 1 || o.Iterations > maxCount:
		return fmt.Errorf("gumbel-sinkhorn: iterations must be 1 to %d (got %d)", maxCount, o.Iterations)
	case o.Samples < 1 || o.Samples > maxCount:
		return fmt.Errorf("gumbel-sinkhorn: samples must be 1 to %d (got %d)", maxCount, o.Samples)
	case !(o.NoiseFactor >= 0 && o.NoiseFactor <= math.MaxFloat32):
		return fmt.Errorf("gumbel-sinkhorn: noise factor must be 0 or more and finite (got %g)", o.NoiseFactor)
	}
	return nil
}
