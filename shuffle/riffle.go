package shuffle

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sync"

	"github.com/riffle-ml/riffle/perm"
)

// Riffle is the Gilbert–Shannon–Reeds riffle shuffle: the deck is cut at a Binomial(n, 1/2) place,
// and the two piles are interleaved. Every interleaving is equally likely. Its support is the
// orders with at most two rising sequences:
//
//	q(σ) = C(n+2−r, n) / 2ⁿ,  r = rising sequences of σ.
//
// t riffles are one shuffle with a = 2^t piles (Bayer & Diaconis 1992).
type Riffle struct{}

// Name returns "riffle".
func (Riffle) Name() string { return "riffle" }

// CutOff returns 3/2·log₂ n.
func (Riffle) CutOff(n int) float64 {
	if n <= 1 {
		return 0
	}
	return 1.5 * math.Log2(float64(n))
}

// LogProb returns log q(σ) of one riffle, in nats.
func (law Riffle) LogProb(sigma perm.Order) float64 { return law.LogProbT(1, sigma) }

// LogProbT returns the log probability of σ after t riffles, in nats:
//
//	log q^(t)(σ) = log C(n+2^t−r, n) − t·n·log 2,  r = rising sequences of σ,
//
// and −Inf where r > 2^t (Bayer & Diaconis 1992, Thm 1; paper §3.1). Any t ≥ 0 works: t = 0 gives
// the identity with certainty, and the value tends to −log n! as t → ∞. A negative t gives −Inf.
func (Riffle) LogProbT(t int, sigma perm.Order) float64 {
	return RiffleLogProb(len(sigma), sigma.RisingSequenceCount(), t)
}

// RiffleLogProb returns the log probability, in nats, that t riffles of n cards
// give one particular order with r rising sequences, 1 ≤ r ≤ n (see
// [Riffle.LogProbT]); −Inf where that is impossible. O(n).
func RiffleLogProb(n, r, t int) float64 {
	if n == 0 && t >= 0 {
		return 0
	}
	if t < 0 || t < 62 && r > 1<<t || r < 1 || r > n {
		return math.Inf(-1)
	}
	// C(n+a−r, n)/aⁿ = Π_{i=1…n} (a−r+i)/a / n!, with a = 2^t. Up to t = 52, a−r+i is exact in
	// float64, and so is the ratio. Above that the ratio is computed as 1 + (i−r)/a.
	sum := 0.0
	for i := 1; i <= n; i++ {
		if t <= 52 {
			sum += math.Log(math.Ldexp(float64(1<<t-r+i), -t))
		} else {
			sum += math.Log1p(math.Ldexp(float64(i-r), -t))
		}
	}
	return sum - logFactorial(n)
}

// Sample writes one riffle into dst.
func (law Riffle) Sample(rng *rand.Rand, dst perm.Order) { law.SampleT(rng, 1, dst) }

// maxKeyBits is the most bits a card's pile number has.
const maxKeyBits = 64

// SampleT writes the product of t riffles into dst, in O(n) expected time for
// any t and without allocating once buffers of that size exist.
//
// Every position draws the pile its card comes from, a uniform integer below a = 2^t; cards of one
// pile keep their order. The card at position i is then card k, where k is the place of position i
// in the stable sort of the pile numbers. So the sort itself gives the inverse shuffle, and the
// inverse of that is written here. Pile numbers are integers throughout, so no two positions tie by
// rounding. For t above 64, t = 64 is used instead. The two laws differ by a total variation
// distance under n²/2⁶⁵.
func (Riffle) SampleT(rng *rand.Rand, t int, dst perm.Order) {
	if t <= 0 || len(dst) < 2 {
		setIdentity(dst)
		return
	}
	s := samplers.Get().(*sampler)
	s.riffle(rng, min(t, maxKeyBits), dst)
	samplers.Put(s)
}

var samplers = sync.Pool{New: func() any { return new(sampler) }}

// sampler holds the buffers of one a-shuffle.
type sampler struct {
	keys   []uint64 // pile number of each position
	sorted []int32  // positions in the order of their keys
	starts []int32  // first place of each bucket
}

func (s *sampler) riffle(rng *rand.Rand, t int, dst perm.Order) {
	n := len(dst)
	// A counting sort over the leading bits, with at most about four buckets per card…
	lead := min(t, bits.Len(uint(n))+1)
	s.keys = resize(s.keys, n)
	s.starts = resize(s.starts, 1<<lead+1)
	clear(s.starts)
	shift := t - lead
	s.draw(rng, t)
	for _, key := range s.keys {
		s.starts[key>>shift+1]++
	}
	for b := range 1 << lead {
		s.starts[b+1] += s.starts[b]
	}
	if shift == 0 {
		for i, key := range s.keys {
			dst[i] = int(s.starts[key])
			s.starts[key]++
		}
		return
	}
	s.sorted = resize(s.sorted, n)
	for i, key := range s.keys {
		b := key >> shift
		s.sorted[s.starts[b]] = int32(i)
		s.starts[b]++
	}
	// … and an insertion sort for the rest of the key, within those buckets.
	// Both are stable.
	for j := 1; j < n; j++ {
		position := s.sorted[j]
		key := s.keys[position]
		k := j
		for ; k > 0 && s.keys[s.sorted[k-1]] > key; k-- {
			s.sorted[k] = s.sorted[k-1]
		}
		s.sorted[k] = position
	}
	for item, position := range s.sorted {
		dst[position] = item
	}
}

// draw fills keys with uniform t-bit integers, several from each random word.
func (s *sampler) draw(rng *rand.Rand, t int) {
	mask := uint64(math.MaxUint64) >> (64 - t)
	var word uint64
	left := 0
	for i := range s.keys {
		if left < t {
			word, left = rng.Uint64(), 64
		}
		s.keys[i] = word & mask
		word >>= t
		left -= t
	}
}

// resize returns a slice of length n, with old contents undefined.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
