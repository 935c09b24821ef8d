package reverse

import (
	"math"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

// A greedy step of the laws whose mode would not do, and of one whose mode does.
// Of six objects about which nothing is known one transposition stays with 1/6 and makes each of the 15 swaps
// with 1/18. The mode is to stay; a greedy step moves. It stays where that is likelier than to move, and where
// no swap is possible.
func TestGreedyStep(t *testing.T) {
	law, none := InverseTransposition{}, math.Inf(-1)
	for _, x := range []struct {
		scores []float64
		want   perm.Order
	}{
		{[]float64{0, 0, 0, 0, 0, 0, math.Log(5)}, perm.Order{1, 0, 2, 3, 4, 5}},
		{[]float64{0, 1, 0, 0, 2, 0, math.Log(5)}, perm.Order{0, 4, 2, 3, 1, 5}},
		{[]float64{0, 1, 0, 0, 2, 0, -0.1}, perm.Identity(6)},
		{[]float64{none, none, none, 0, none, none, 3}, perm.Identity(6)},
	} {
		got := make(perm.Order, 6)
		logp := GreedyStep(law, x.scores, got)
		if !slices.Equal(got, x.want) || logp != law.LogProb(x.scores, got) {
			t.Errorf("%v: step %v with log p %g, wanted %v", x.scores, got, logp, x.want)
		}
	}
	mode := make(perm.Order, 6)
	if law.Mode([]float64{0, 0, 0, 0, 0, 0, math.Log(5)}, mode); !slices.Equal(mode, perm.Identity(6)) {
		t.Errorf("mode %v: wanted the identity, or there is no difference", mode)
	}
	// Five even choices, the last a little to the left: it alone turns over. To stay has six ways.
	riffle, scores := InverseRiffle{}, []float64{-.1, -.1, -.1, -.1, .1}
	order := make(perm.Order, 5)
	logp := GreedyStep(riffle, scores, order)
	if want := (perm.Order{4, 0, 1, 2, 3}); !slices.Equal(order, want) || logp != riffle.LogProb(scores, want) {
		t.Errorf("IRS: step %v with log p %g, wanted %v", order, logp, want)
	}
	if riffle.Mode(scores, order); !slices.Equal(order, perm.Identity(5)) {
		t.Errorf("IRS: mode %v, wanted the identity, or there is no difference", order)
	}
	pl, step := []float64{1, 3, 2}, make(perm.Order, 3)
	if GreedyStep(PlackettLuce{}, pl, step); !slices.Equal(step, perm.Order{1, 2, 0}) {
		t.Errorf("PL: step %v, wanted the mode", step)
	}
}
