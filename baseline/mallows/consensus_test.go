package mallows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

// distance is the sum over voters of the pairs the other way round.
func distance(o perm.Order, votes []dataset.Vote) int {
	sum := 0
	for _, v := range votes {
		d, err := metric.Discordant(o.Rank(), v.Levels)
		if err != nil {
			panic(err)
		}
		sum += v.Count * d
	}
	return sum
}

// No order is nearer, of votes with ties and items left out.
func TestConsensusIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "n")
		votes := make([]dataset.Vote, rapid.IntRange(0, 5).Draw(t, "votes"))
		for i := range votes {
			votes[i] = dataset.Vote{Levels: drawLevels(t, n), Count: rapid.IntRange(1, 3).Draw(t, "count")}
		}
		o, exact, err := Consensus(votes, n)
		if err != nil || !exact || len(o) != n || o.Validate() != nil {
			t.Fatalf("%v: %v, exact %v, %v", votes, o, exact, err)
		}
		least := math.MaxInt
		for other := range perm.All(n) {
			least = min(least, distance(other, votes))
		}
		if got := distance(o, votes); got != least {
			t.Fatalf("%v: %v at distance %d, the least is %d", votes, o, got, least)
		}
	})
}

// Dynamic programming over one part of up to seven, with no majorities to divide it.
func TestBestOfAPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		p := &pairs{n, rapid.SliceOfN(rapid.IntRange(0, 9), n*n, n*n).Draw(t, "before")}
		cost := func(o perm.Order) int {
			sum := 0
			for i, a := range o {
				for _, b := range o[i+1:] {
					sum += p.before[b*n+a]
				}
			}
			return sum
		}
		least := math.MaxInt
		for o := range perm.All(n) {
			least = min(least, cost(o))
		}
		o := p.best(perm.Identity(n), nil)
		if err := o.Validate(); err != nil || cost(o) != least {
			t.Fatalf("%v of cost %d, %v, the least is %d", o, cost(o), err, least)
		}
		start := p.borda(perm.Identity(n))
		local := p.improve(slices.Clone(start))
		if err := local.Validate(); err != nil || cost(local) > cost(start) || cost(local) < least {
			t.Fatalf("%v of cost %d after %v of cost %d, %v", local, cost(local), start, cost(start), err)
		}
	})
}

// Majorities in a circle through all items: too many for the exact way.
func TestConsensusOfALargePart(t *testing.T) {
	const n = exactItems + 4
	rng := rand.New(rand.NewPCG(1, 2))
	var votes []dataset.Vote
	for shift := range n {
		o := perm.Identity(n)
		for i := range o {
			o[i] = (i + shift) % n
		}
		i, j := rng.IntN(n), rng.IntN(n)
		o[i], o[j] = o[j], o[i]
		votes = append(votes, strict(1, o...))
	}
	o, exact, err := Consensus(votes, n)
	if err != nil || exact {
		t.Fatalf("exact %v, %v", exact, err)
	}
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	least := distance(o, votes)
	for i := range n { // no move of one item is nearer
		for to := range n {
			moved := slices.Delete(slices.Clone(o), i, i+1)
			moved = slices.Insert(moved, to, o[i])
			if d := distance(moved, votes); d < least {
				t.Fatalf("%v at %d is nearer than %v at %d", moved, d, o, least)
			}
		}
	}
}

func BenchmarkConsensus(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		name  string
		n     int
		theta float64
	}{{"one part of 16", 16, 0}, {"n=100", 100, 0.1}, {"n=100,uniform", 100, 0}} {
		b.Run(c.name, func(b *testing.B) {
			m := Model{perm.Identity(c.n), c.theta}
			votes := make([]dataset.Vote, 1000)
			for i := range votes {
				votes[i] = strict(1, m.Sample(rng)...)
			}
			for b.Loop() {
				if _, _, err := Consensus(votes, c.n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
