package reverse

import (
	"math"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

// Values of these tests were computed independently of this package with exact
// fractions (of e^s to many digits), and rounded to six digits.

var (
	gplRows   = []float64{1, 2, 3, 0, 1, 0, 5, -1, 2}
	notGreedy = []float64{0.1, 0, -9, 3, 0, 0, 0, 0, 0}
)

func TestHandValues(t *testing.T) {
	for _, c := range []struct {
		law    Law
		scores []float64
		order  perm.Order
		logp   float64
	}{
		{PlackettLuce{}, []float64{1, 2, 3}, perm.Order{2, 1, 0}, -0.720868},
		{PlackettLuce{}, []float64{1, 2, 3}, perm.Order{0, 1, 2}, -3.720868},
		{PlackettLuce{}, []float64{1, 2, 3}, perm.Order{1, 0, 2}, -3.534534},
		{GeneralizedPlackettLuce{}, gplRows, perm.Order{2, 1, 0}, -0.720868},
		{GeneralizedPlackettLuce{}, gplRows, perm.Order{0, 1, 2}, -2.720868},
		{GeneralizedPlackettLuce{}, gplRows, perm.Order{1, 0, 2}, -2.100753},
		{InverseTransposition{}, []float64{0, 1, 2, 0.5}, perm.Order{0, 1, 2}, math.Log(0.377541)},
		{InverseTransposition{}, []float64{0, 1, 2, 0.5}, perm.Order{1, 0, 2}, math.Log(0.03323)},
		{InverseTransposition{}, []float64{0, 1, 2, 0.5}, perm.Order{2, 1, 0}, math.Log(0.152334)},
		{InverseTransposition{}, []float64{0, 1, 2, 0.5}, perm.Order{0, 2, 1}, math.Log(0.436896)},
		{InverseRiffle{}, []float64{0.5, -1, 2}, perm.Order{0, 1, 2}, math.Log(0.254549)},
		{InverseRiffle{}, []float64{0.5, -1, 2}, perm.Order{2, 0, 1}, math.Log(0.243104)},
		{InverseRiffle{}, []float64{0.5, -1, 2}, perm.Order{1, 0, 2}, math.Log(0.012103)},
		{InverseRiffle{}, []float64{0.5, -1, 2}, perm.Order{1, 2, 0}, math.Log(0.089433)},
		{InverseRiffle{}, []float64{0.5, -1, 2}, perm.Order{0, 2, 1}, math.Log(0.40081)},
		// e/(e + 2), and e^−1/(e^−1 + 2) by hand.
		{InverseInsertion{}, []float64{1, 0, 0}, perm.Order{1, 2, 0}, -0.551445},
		{InverseInsertion{}, []float64{0, -1, 0}, perm.Order{0, 2, 1}, -1.861995},
	} {
		got := c.law.LogProb(c.scores, c.order)
		// Six digits of p are worth 1e-6/p in log p.
		if math.Abs(got-c.logp) > 1e-6+1e-6*math.Exp(-c.logp) {
			t.Errorf("%s: log p of %v is %.6f, wanted %.6f", c.law.Name(), c.order, got, c.logp)
		}
	}
}

// Greedy is not the mode of GPL; a beam of 2 finds it.
func TestGreedyIsNotMode(t *testing.T) {
	law, o := GeneralizedPlackettLuce{}, make(perm.Order, 3)
	if logp := law.Mode(notGreedy, o); !slices.Equal(o, perm.Order{0, 1, 2}) || math.Abs(logp+1.337602) > 1e-6 {
		t.Errorf("greedy is %v, %.6f; wanted 0 1 2, −1.337602", o, logp)
	}
	best := law.TopK(notGreedy, 2)[0]
	if !slices.Equal(best.Order, perm.Order{1, 0, 2}) || math.Abs(best.LogProb+0.793043) > 1e-6 {
		t.Errorf("best is %v, %.6f; wanted 1 0 2, −0.793043", best.Order, best.LogProb)
	}
}

// PL is GPL with equal rows (paper §3.2.2).
func TestPLIsGPLWithEqualRows(t *testing.T) {
	s := []float64{0.3, -2, 1.5, 0}
	rows := slices.Repeat(s, len(s))
	for _, o := range States(len(s)) {
		near.Equal(t, "log p", GeneralizedPlackettLuce{}.LogProb(rows, o), PlackettLuce{}.LogProb(s, o), 1e-14)
	}
}

// The paper's pile procedure, step by step with slices as piles (front is top).
func TestInverseRiffleByHand(t *testing.T) {
	goesLeft := []bool{false, true, false, true, true}
	var left, right []int
	for i := len(goesLeft) - 1; i >= 0; i-- {
		if goesLeft[i] {
			left = append([]int{i}, left...)
		} else {
			right = append([]int{i}, right...)
		}
	}
	got := make(perm.Order, len(goesLeft))
	piles(got, func(i int) bool { return goesLeft[i] })
	if want := append(left, right...); !slices.Equal(got, want) || !slices.Equal(got, perm.Order{1, 3, 4, 0, 2}) {
		t.Errorf("got %v, wanted %v", got, want)
	}
}
