package shuffle

import (
	"math"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/perm"
)

// Insertion is the random insertion: the last card goes before position i, or
// stays, with probability 1/n each,
//
//	insert_i = 0 … i−1, n−1, i … n−2,  insert_{n−1} = Id,
//
// positions counted from 0 (paper §3.1).
type Insertion struct{}

// Name returns "insertion".
func (Insertion) Name() string { return "insertion" }

// CutOff returns n·log n.
func (Insertion) CutOff(n int) float64 {
	if n <= 1 {
		return 0
	}
	return float64(n) * math.Log(float64(n))
}

// Sample writes one insertion into dst.
func (law Insertion) Sample(rng *rand.Rand, dst perm.Order) { law.SampleT(rng, 1, dst) }

// SampleT writes the product of t random insertions into dst, in O(n·t).
func (Insertion) SampleT(rng *rand.Rand, t int, dst perm.Order) {
	setIdentity(dst)
	if len(dst) < 2 {
		return
	}
	last := len(dst) - 1
	for range t {
		i := rng.IntN(len(dst))
		card := dst[last]
		copy(dst[i+1:], dst[i:last])
		dst[i] = card
	}
}

// LogProb returns log q(σ) of one move, in nats.
func (Insertion) LogProb(sigma perm.Order) float64 {
	if len(sigma) < 2 {
		return 0
	}
	last := len(sigma) - 1
	i := 0
	for i < last && sigma[i] == i {
		i++
	}
	if sigma[i] != last {
		return math.Inf(-1)
	}
	for j := i + 1; j <= last; j++ {
		if sigma[j] != j-1 {
			return math.Inf(-1)
		}
	}
	return -math.Log(float64(len(sigma)))
}
