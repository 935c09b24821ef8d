package shuffle

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

func TestSamplerReusesItsBuffers(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var s sampler
	dst := make(perm.Order, 200)
	s.riffle(rng, 16, dst) // the first call makes them
	for _, c := range []struct{ n, t int }{{200, 16}, {200, 7}, {52, 7}, {2, 64}} {
		if allocs := testing.AllocsPerRun(50, func() { s.riffle(rng, c.t, dst[:c.n]) }); allocs != 0 {
			t.Errorf("n = %d, t = %d: %v allocations, wanted 0", c.n, c.t, allocs)
		}
	}
}

// The sort must agree with the definition, card by card. The card at position i is the number of
// positions whose pile comes before, or is the same and earlier.
func TestSamplerFollowsTheDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var s sampler
	for _, bits := range []int{1, 2, 5, 6, 7, 8, 13, 31, 33, 64} {
		for _, n := range []int{2, 3, 20, 100} {
			got, want := make(perm.Order, n), make(perm.Order, n)
			s.riffle(rng, bits, got)
			for i, key := range s.keys {
				if bits < 64 && key >= 1<<bits {
					t.Fatalf("t = %d: pile %d", bits, key)
				}
				for j, other := range s.keys {
					if other < key || other == key && j < i {
						want[i]++
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("t = %d: piles %v give %v, wanted %v", bits, s.keys, got, want)
			}
		}
	}
}
