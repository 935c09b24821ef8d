package mallows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

// drawRules draws rules of every kind that an order obeys.
func drawRules(t *rapid.T, o perm.Order) (r constraint.Rules) {
	n := len(o)
	for range rapid.IntRange(0, 4).Draw(t, "rules") {
		i, j := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.IntRange(0, n-1).Draw(t, "j")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			r.Pins = append(r.Pins, constraint.Place{Item: o[i], Position: i})
		case 1:
			if i != j {
				r.Forbids = append(r.Forbids, constraint.Place{Item: o[i], Position: j})
			}
		case 2:
			if i != j {
				r.Befores = append(r.Befores, constraint.Before{A: o[min(i, j)], B: o[max(i, j)]})
			}
		case 3:
			r.Firsts = append(r.Firsts, constraint.Among{Items: slices.Clone(o[:min(i, j)]), Count: max(i, j)})
		}
	}
	return r
}

// No order that obeys is nearer; by moves and exchanges alone none is worse than the start.
func TestConsensusUnder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		votes := make([]dataset.Vote, rapid.IntRange(0, 5).Draw(t, "votes"))
		for i := range votes {
			votes[i] = dataset.Vote{Levels: drawLevels(t, n), Count: rapid.IntRange(1, 3).Draw(t, "count")}
		}
		start := rapid.Permutation(perm.Identity(n)).Draw(t, "start")
		rules := drawRules(t, start)
		o, exact, err := ConsensusUnder(votes, n, rules, start)
		if err != nil || !exact || o.Validate() != nil || rules.Check(o) != nil {
			t.Fatalf("%v under %+v: %v, exact %v, %v", votes, rules, o, exact, err)
		}
		least := math.MaxInt
		for other := range perm.All(n) {
			if rules.Check(other) == nil {
				least = min(least, distance(other, votes))
			}
		}
		if got := distance(o, votes); got != least {
			t.Fatalf("%v under %+v: %v at distance %d, the least is %d", votes, rules, o, got, least)
		}
		o = newPairs(votes, n).improveUnder(slices.Clone(start), rules)
		if got := distance(o, votes); o.Validate() != nil || rules.Check(o) != nil || got < least || got > distance(start, votes) {
			t.Fatalf("%v under %+v from %v: %v at distance %d", votes, rules, start, o, got)
		}
		for i := range o {
			for j := range o {
				moved, exchanged := slices.Clone(o), slices.Clone(o)
				moved = slices.Insert(slices.Delete(moved, i, i+1), j, o[i])
				exchanged[i], exchanged[j] = o[j], o[i]
				for _, other := range []perm.Order{moved, exchanged} {
					if rules.Check(other) == nil && distance(other, votes) < distance(o, votes) {
						t.Fatalf("%v under %+v: %v is nearer than %v, one step away", votes, rules, other, o)
					}
				}
			}
		}
	})
}

// Of 40 items it obeys, and is near the best: votes are around an order that obeys.
func TestConsensusUnderOfMany(t *testing.T) {
	const n = 40
	rng := rand.New(rand.NewPCG(1, 2))
	center := perm.Identity(n)
	rules := constraint.Rules{Pins: []constraint.Place{{Item: 7, Position: 9}}, Befores: []constraint.Before{{A: 20, B: 39}}, Forbids: []constraint.Place{{Item: 3, Position: 4}}}
	var votes []dataset.Vote
	for range 30 {
		o := slices.Clone(center)
		for range 60 {
			i := rng.IntN(n - 1)
			o[i], o[i+1] = o[i+1], o[i]
		}
		votes = append(votes, dataset.VoteOf(o, 1))
	}
	far := perm.Identity(n)
	slices.Reverse(far)
	far = slices.DeleteFunc(far, func(k int) bool { return k == 7 || k == 39 })
	far = slices.Insert(append(far, 39), 9, 7)
	obeys := slices.Insert(slices.Delete(slices.Clone(center), 7, 8), 9, 7) // the nearest to the center
	o, exact, err := ConsensusUnder(votes, n, rules, far)
	if err != nil || exact || o.Validate() != nil || rules.Check(o) != nil {
		t.Fatalf("%v, exact %v, %v", o, exact, err)
	}
	if got, near := distance(o, votes), distance(obeys, votes); got > near {
		t.Errorf("distance %d, wanted %d, that of the order in their middle that obeys, or less", got, near)
	}
	for _, bad := range []perm.Order{nil, perm.Identity(n - 1), {}} {
		if _, _, err := ConsensusUnder(votes, n, rules, bad); err == nil {
			t.Errorf("start %v: wanted an error", bad)
		}
	}
}
