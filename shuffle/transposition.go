package shuffle

import (
	"math"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/perm"
)

// Transposition is the random transposition: two positions are drawn uniformly
// and independently and their cards swapped,
//
//	q((i j)) = 2/n² for i ≠ j,  q(Id) = 1/n
//
// (paper §3.1).
type Transposition struct{}

// Name returns "transposition".
func (Transposition) Name() string { return "transposition" }

// CutOff returns n/2·log n.
func (Transposition) CutOff(n int) float64 {
	if n <= 1 {
		return 0
	}
	return float64(n) / 2 * math.Log(float64(n))
}

// Sample writes one transposition, or the identity, into dst.
func (law Transposition) Sample(rng *rand.Rand, dst perm.Order) { law.SampleT(rng, 1, dst) }

// SampleT writes the product of t random transpositions into dst, in O(n+t).
func (Transposition) SampleT(rng *rand.Rand, t int, dst perm.Order) {
	setIdentity(dst)
	if len(dst) < 2 {
		return
	}
	for range t {
		i, j := rng.IntN(len(dst)), rng.IntN(len(dst))
		dst[i], dst[j] = dst[j], dst[i]
	}
}

// LogProb returns log q(σ) of one move, in nats.
func (Transposition) LogProb(sigma perm.Order) float64 {
	n := float64(len(sigma))
	moved := 0
	for i, v := range sigma {
		if v != i {
			moved++
		}
	}
	switch {
	case len(sigma) < 2:
		return 0
	case moved == 0:
		return -math.Log(n)
	case moved == 2:
		return math.Log(2) - 2*math.Log(n)
	default:
		return math.Inf(-1)
	}
}
