package constraint

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkWalk takes walks at random through rules that a random order obeys: n/2 items
// before others and n/2 positions forbidden.
func BenchmarkWalk(b *testing.B) {
	for _, n := range []int{20, 52, 100, 256} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, uint64(n)))
			p, err := dense(rng, n, n/2, n/2).Compile(n)
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
