package reverse

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

// contextScores are of n objects, all 0 but what set says by row, vector (key, last, mean) and entry.
func contextScores(n int, set func(at func(row, vector, entry int) *float64)) []float64 {
	s := make([]float64, ContextualPlackettLuce{}.NumScores(n))
	set(func(row, vector, entry int) *float64 { return &s[row*contextRow+vector*ContextWidth+entry] })
	return s
}

// By hand: the start asks tanh(1) in entry 0. Object 1, placed first, asks −0.5 there and adds 2 by the
// mean, so tanh(1.5). Keys in entry 0 are 3, 1 and −2, and object 2 has 0.7 of its own.
func TestContextualByHand(t *testing.T) {
	scores := contextScores(3, func(at func(row, vector, entry int) *float64) {
		*at(0, 1, 0) = 1
		*at(1, 0, 0), *at(2, 0, 0), *at(3, 0, 0) = 3, 1, -2
		*at(2, 1, 0), *at(2, 2, 0) = -0.5, 2
		*at(3, 3, 0) = 0.7
	})
	first, then := math.Tanh(1), math.Tanh(1.5)
	want := first - math.Log(math.Exp(3*first)+math.Exp(first)+math.Exp(0.7-2*first)) +
		3*then - math.Log(math.Exp(3*then)+math.Exp(0.7-2*then))
	near.Equal(t, "log p", ContextualPlackettLuce{}.LogProb(scores, perm.Order{1, 0, 2}), want, 1e-14)
}

// PL is the law with keys of 0.
func TestPLIsContextualWithoutKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := randomScores(rng, 4, 2)
	scores := randomScores(rng, ContextualPlackettLuce{}.NumScores(4), 1)
	for j, v := range s {
		row := scores[(1+j)*contextRow : (2+j)*contextRow]
		clear(row[:ContextWidth])
		row[contextRow-1] = v
	}
	for _, o := range States(4) {
		near.Equal(t, "log p", ContextualPlackettLuce{}.LogProb(scores, o), PlackettLuce{}.LogProb(s, o), 1e-14)
	}
}

// Half of 0 1 2 3 and half of 3 0 2 1, which path cannot make. After object 0 it depends on object
// 3 whether 1 or 2 comes next.
func TestContextualMakesWhatPathCannot(t *testing.T) {
	const strong = 60
	scores := contextScores(4, func(at func(row, vector, entry int) *float64) {
		// Entry 0 wants 0 or 3, entry 1 wants 1, entry 2 wants 2, entry 3 wants 3.
		*at(1, 0, 0), *at(4, 0, 0) = strong, strong
		for j := 1; j <= 3; j++ {
			*at(1+j, 0, j) = strong / 2 // less than 0 has
		}
		*at(0, 1, 0) = 20 // first 0 or 3
		*at(1, 1, 1) = 20 // after 0: 1,
		*at(4, 1, 0) = 20 // after 3: 0,
		*at(4, 2, 2) = 90 // and with 3 placed 2 rather than 1
		*at(4, 2, 1) = -90
		*at(2, 1, 2) = 20 // after 1: 2
		*at(3, 1, 3) = 20 // after 2: 3, of what is left
		*at(2, 2, 1) = -90
	})
	for _, o := range []perm.Order{{0, 1, 2, 3}, {3, 0, 2, 1}} {
		near.Equal(t, "p", math.Exp(ContextualPlackettLuce{}.LogProb(scores, o)), 0.5, 1e-6)
	}
}

// Vectors may hold anything: entries count within ±100, and NaN as 0.
func TestContextualEntriesAreBounded(t *testing.T) {
	law := ContextualPlackettLuce{}
	cut := func(v float64) []float64 {
		return contextScores(3, func(at func(row, vector, entry int) *float64) { *at(0, 1, 3), *at(2, 0, 3) = 0.3, v })
	}
	o := perm.Order{1, 2, 0}
	for _, c := range [][2]float64{{1e300, 100}, {math.Inf(-1), -100}, {math.NaN(), 0}} {
		if got, want := law.LogProb(cut(c[0]), o), law.LogProb(cut(c[1]), o); got != want {
			t.Errorf("%g: log p is %g, wanted %g as with %g", c[0], got, want, c[1])
		}
	}
}

// A beam that keeps all prefixes finds the best order, which the greedy one is not.
func TestContextualBeamBeatsGreedy(t *testing.T) {
	scores := contextScores(3, func(at func(row, vector, entry int) *float64) {
		*at(1, 3, 0), *at(2, 3, 0), *at(3, 3, 0) = 0.1, 0, -9
		*at(3, 0, 0), *at(1, 0, 0) = 9, 9
		*at(2, 1, 0) = 20
		*at(1, 0, 1), *at(2, 1, 1) = 9, 20  // after 1 the rest is certain
		*at(2, 0, 2), *at(1, 1, 2) = -9, 20 // after 0 the two are even
	})
	law, o := ContextualPlackettLuce{}, make(perm.Order, 3)
	if law.Mode(scores, o); !slices.Equal(o, perm.Order{0, 1, 2}) {
		t.Errorf("greedy is %v, wanted 0 1 2", o)
	}
	if best := law.TopK(scores, 6)[0]; !slices.Equal(best.Order, perm.Order{1, 0, 2}) {
		t.Errorf("best is %v, wanted 1 0 2", best.Order)
	}
}
