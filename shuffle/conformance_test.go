package shuffle_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/shuffle"
	"github.com/riffle-ml/riffle/shuffle/shuffletest"
)

// Every forward law passes the suite that laws from elsewhere can run.
func TestLaws(t *testing.T) {
	for _, law := range shuffle.Laws() {
		t.Run(law.Name(), func(t *testing.T) { shuffletest.Law(t, law) })
	}
}

func TestLawNames(t *testing.T) {
	want := []string{"riffle", "transposition", "insertion"}
	var got []string
	for _, law := range shuffle.Laws() {
		got = append(got, law.Name())
		if found, err := shuffle.ByName(law.Name()); err != nil || found != law {
			t.Errorf("ByName(%q) = %v, %v", law.Name(), found, err)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("laws %v, wanted %v", got, want)
	}
	if law, err := shuffle.ByName("overhand"); err == nil {
		t.Errorf("ByName(overhand) = %v, wanted an error", law)
	}
}

// The reverse move is the inverse: it undoes the shuffle, and it is what the
// card player's reverse does.
func TestLawReverseMove(t *testing.T) {
	looks := map[string]func(inverse perm.Order) bool{
		// Two piles taken out, each in order: at most one descent.
		"riffle": func(inverse perm.Order) bool {
			descents := 0
			for i := 1; i < len(inverse); i++ {
				if inverse[i] < inverse[i-1] {
					descents++
				}
			}
			return descents <= 1
		},
		// A swap undoes itself.
		"transposition": func(inverse perm.Order) bool {
			return slices.Equal(perm.Compose(inverse, inverse), perm.Identity(len(inverse)))
		},
		// One card goes to the end, the others stay in order.
		"insertion": func(inverse perm.Order) bool {
			return len(inverse) == 0 || slices.IsSorted(inverse[:len(inverse)-1])
		},
	}
	for _, law := range shuffle.Laws() {
		t.Run(law.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				rng := drawRand(t)
				n := rapid.IntRange(0, 40).Draw(t, "n")
				sigma := make(perm.Order, n)
				law.Sample(rng, sigma)
				before := perm.Random(rng, n)
				after := perm.Act(sigma, before)
				if back := perm.Act(sigma.Inverse(), after); !slices.Equal(back, before) {
					t.Fatalf("inverse of %v gives %v, wanted %v", sigma, back, before)
				}
				if !looks[law.Name()](sigma.Inverse()) {
					t.Fatalf("inverse of %v is %v, not the reverse of a %s", sigma, sigma.Inverse(), law.Name())
				}
				if logProb := law.LogProb(sigma); math.IsInf(logProb, -1) {
					t.Fatalf("sampled %v, which has probability 0", sigma)
				}
			})
		})
	}
}

func TestCutOff(t *testing.T) {
	// log 52 = 3.951243718581427, log₂ 52 = 5.700439718141092.
	want := map[string]float64{"riffle": 8.550659577, "transposition": 102.732336683, "insertion": 205.464673366}
	for _, law := range shuffle.Laws() {
		if got := law.CutOff(52); math.Abs(got-want[law.Name()]) > 1e-8 {
			t.Errorf("%s: cut-off of 52 cards %v, wanted %v", law.Name(), got, want[law.Name()])
		}
		for n := range 2 {
			if got := law.CutOff(n); got != 0 {
				t.Errorf("%s: cut-off of %d cards %v, wanted 0", law.Name(), n, got)
			}
		}
	}
}

func drawRand(t *rapid.T) *rand.Rand {
	return rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 7))
}

// Shuffles are written into the caller's order: nothing is allocated once the buffers of
// that size are there.
func TestNoAllocations(t *testing.T) {
	rng, dst := rand.New(rand.NewPCG(1, 2)), make(perm.Order, 52)
	for _, law := range shuffle.Laws() {
		for _, times := range []int{1, 7, 60} {
			if got := testing.AllocsPerRun(100, func() { law.SampleT(rng, times, dst) }); got > 0 {
				t.Errorf("%s, %d times: %g allocations, wanted 0", law.Name(), times, got)
			}
		}
	}
}
