package diffusion

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// knotted are rules that a random order obeys: n/2 items before others and n/2 positions
// forbidden, which only a search decides.
func knotted(rng *rand.Rand, n int) (s constraint.Rules) {
	truth := perm.Random(rng, n)
	rank := truth.Rank()
	for len(s.Befores) < n/2 {
		a, b := rng.IntN(n), rng.IntN(n)
		if rank[a] < rank[b] {
			s.Befores = append(s.Befores, constraint.Before{A: a, B: b})
		}
	}
	for len(s.Forbids) < n/2 {
		k, i := rng.IntN(n), rng.IntN(n)
		if rank[k] != i {
			s.Forbids = append(s.Forbids, constraint.Place{Item: k, Position: i})
		}
	}
	return s
}

// knottedStep is a last step under such rules, with scores of standard deviation 2.
func knottedStep(b *testing.B, law reverse.Law, n int) lastStep {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	plan, err := knotted(rng, n).Compile(n)
	if err != nil {
		b.Fatal(err)
	}
	scores := make([]float64, law.NumScores(n))
	for i := range scores {
		scores[i] = 2 * rng.NormFloat64()
	}
	return lastStep{&Process{Reverse: law}, plan, scores, perm.Random(rng, n)}
}

// A draw under rules: 256 rejected, one of 256 built.
func BenchmarkWithConstraintsDraw(b *testing.B) {
	for _, law := range []reverse.Law{reverse.PlackettLuce{}, reverse.GeneralizedPlackettLuce{}} {
		for _, n := range []int{20, 52, 100} {
			b.Run(fmt.Sprintf("%s/n=%d", law.Name(), n), func(b *testing.B) {
				s := knottedStep(b, law, n)
				rng := rand.New(rand.NewPCG(2, 2))
				dst := make(perm.Order, n)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := s.sample(b.Context(), rng, dst); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// The 64 most probable orders under rules, as a beam of that width finds them.
func BenchmarkWithConstraintsBeam(b *testing.B) {
	for _, n := range []int{20, 52, 100} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			s := knottedStep(b, reverse.GeneralizedPlackettLuce{}, n)
			for b.Loop() {
				if _, err := s.topK(b.Context(), 64); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
