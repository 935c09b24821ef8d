package reverse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

// By hand: of three objects the start chooses 1 with e²/(e¹ + e² + e⁰), the row of object 1, the
// third, chooses 2 with e⁰·⁵/(e¹·⁵ + e⁰·⁵), and 0 is left.
func TestPathByHand(t *testing.T) {
	scores := []float64{
		1, 2, 0, // the start
		9, 9, 9,
		1.5, 7, 0.5, // after object 1
		-9, 3, 3,
	}
	want := math.Log(math.Exp(2)/(math.E+math.Exp(2)+1)) + math.Log(math.Exp(0.5)/(math.Exp(1.5)+math.Exp(0.5)))
	near.Equal(t, "log p", TransitionPlackettLuce{}.LogProb(scores, perm.Order{1, 2, 0}), want, 1e-14)
}

// PL is the law with equal rows.
func TestPLIsPathWithEqualRows(t *testing.T) {
	s := []float64{0.3, -2, 1.5, 0}
	rows := slices.Repeat(s, len(s)+1)
	for _, o := range States(len(s)) {
		near.Equal(t, "log p", TransitionPlackettLuce{}.LogProb(rows, o), PlackettLuce{}.LogProb(s, o), 1e-14)
	}
}

// Any one order has a probability of 1 for scores of 0 and −Inf.
func TestPathOfOneOrder(t *testing.T) {
	for _, o := range States(4) {
		scores := slices.Repeat([]float64{negInf}, 20)
		last := -1
		for _, k := range o {
			scores[(last+1)*4+k], last = 0, k
		}
		if logp := (TransitionPlackettLuce{}).LogProb(scores, o); logp != 0 {
			t.Errorf("log p of %v is %g, wanted 0", o, logp)
		}
	}
}

// Whether object 1 or 2 follows object 0 is one number of the law, whatever was before. With
// x = e^(S[1,1] − S[1,2]): p(0 1 2 3) ≤ p(0 first)·x/(1+x) and p(3 0 2 1) ≤ p(3 first)·1/(1+x), so
// their product is 1/16 at most, where half of each would have 1/4. The bound is reached.
func TestPathCannotMakeAll(t *testing.T) {
	law := TransitionPlackettLuce{}
	one, other := perm.Order{0, 1, 2, 3}, perm.Order{3, 0, 2, 1}
	product := func(scores []float64) float64 { return law.LogProb(scores, one) + law.LogProb(scores, other) }
	rng := rand.New(rand.NewPCG(1, 6))
	for range 20000 {
		if got := product(randomScores(rng, 20, math.Exp(4*rng.Float64()-1))); got > math.Log(1.0/16)+1e-12 {
			t.Fatalf("the probabilities multiply to %g, above 1/16", math.Exp(got))
		}
	}
	best := slices.Repeat([]float64{negInf}, 20)
	best[0], best[3] = 0, 0       // the start: 0 or 3
	best[5], best[6] = 0, 0       // after 0: 1 or 2
	best[8+2] = 0                 // after 1: 2
	best[12+3], best[12+1] = 0, 0 // after 2: 3 or 1, whichever is left
	best[16] = 0                  // after 3: 0
	near.Equal(t, "the best product", product(best), math.Log(1.0/16), 1e-12)
}

// A beam that keeps all prefixes finds the best order, which the greedy one is not. The start
// prefers 0, after which 1 and 2 are even. After 1 the rest is certain.
func TestPathBeamBeatsGreedy(t *testing.T) {
	scores := []float64{
		0.1, 0, -9,
		0, 0, 0,
		9, 0, 0,
		0, 0, 0,
	}
	law, o := TransitionPlackettLuce{}, make(perm.Order, 3)
	if law.Mode(scores, o); !slices.Equal(o, perm.Order{0, 1, 2}) {
		t.Errorf("greedy is %v, wanted 0 1 2", o)
	}
	if best := law.TopK(scores, 2)[0]; !slices.Equal(best.Order, perm.Order{1, 0, 2}) {
		t.Errorf("best is %v, wanted 1 0 2", best.Order)
	}
}
