package constraint

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

// BenchmarkWalk takes walks at random through rules that a random order obeys: n/2 items
// before others and n/2 positions forbidden.
func BenchmarkWalk(b *testing.B) {
	for _, n := range []int{20, 52, 100, 256} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			p, err := knotted(rng, n).Compile(n)
			if err != nil {
				b.Fatal(err)
			}
			may := make([]bool, n)
			b.ReportAllocs()
			for b.Loop() {
				randomWalk(rng, p.Walk(), may)
			}
		})
	}
}

// knotted are rules that a random order obeys, which only a search decides.
func knotted(rng *rand.Rand, n int) (s Set) {
	truth := perm.Random(rng, n)
	rank := truth.Rank()
	for len(s.Befores) < n/2 {
		if a, b := rng.IntN(n), rng.IntN(n); rank[a] < rank[b] {
			s.Befores = append(s.Befores, Before{a, b})
		}
	}
	for len(s.Forbids) < n/2 {
		if k, i := rng.IntN(n), rng.IntN(n); rank[k] != i {
			s.Forbids = append(s.Forbids, Place{k, i})
		}
	}
	return s
}

// randomWalk walks to the end, each item that may come next being as probable as the others.
func randomWalk(rng *rand.Rand, w *Walk, may []bool) {
	for range may {
		w.Next(may)
		count, next := 0, 0
		for k, ok := range may {
			if ok {
				if count++; rng.IntN(count) == 0 {
					next = k
				}
			}
		}
		w.Place(next)
	}
}
