package metric_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

// meanDistance is the mean number of pairs that an order puts differently, by Kendall's tau.
func meanDistance(t *testing.T, o perm.Order, orders []perm.Order) float64 {
	t.Helper()
	pairs, sum := float64(len(o)*(len(o)-1))/2, 0.0
	for _, x := range orders {
		tau, err := metric.KendallTau(o.Rank(), x.Rank())
		if err != nil {
			t.Fatal(err)
		}
		sum += (1 - tau) / 2 * pairs
	}
	return sum / float64(len(orders))
}

// Condorcet's paradox: 0 before 1 before 2 before 0 in two of three each. Every order that
// keeps two of the three majorities costs 1 + 1 + 2 of 9 pairs.
func TestConsensusOfParadox(t *testing.T) {
	o, distance, err := metric.Consensus([]perm.Order{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}})
	if err != nil || !slices.Equal(o, perm.Order{0, 1, 2}) || math.Abs(distance-4.0/3) > 1e-12 {
		t.Errorf("%v at %g, %v: wanted 0 1 2 at 4/3", o, distance, err)
	}
}

func TestConsensusIsTheBest(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := range 7 {
		for range 5 {
			var orders []perm.Order
			for range 1 + rng.IntN(6) {
				orders = append(orders, perm.Random(rng, n))
			}
			got, distance, err := metric.Consensus(orders)
			if err != nil || got.Validate() != nil {
				t.Fatalf("%v: %v", got, err)
			}
			best, least := perm.Order(nil), math.Inf(1)
			for o := range perm.All(n) {
				if d := meanDistance(t, o, orders); d < least-1e-9 {
					best, least = slices.Clone(o), d
				}
			}
			if math.Abs(distance-least) > 1e-9 || !slices.Equal(got, best) {
				t.Errorf("%v: consensus %v at %g, wanted %v at %g", orders, got, distance, best, least)
			}
		}
	}
}

// Many noisy copies of one order of many items lead back to it, and no item can be moved to
// the good.
func TestConsensusOfManyItems(t *testing.T) {
	const n = 40
	rng := rand.New(rand.NewPCG(2, 2))
	truth := perm.Random(rng, n)
	var orders []perm.Order
	for range 60 {
		o := slices.Clone(truth)
		for range n {
			i := rng.IntN(n - 1)
			o[i], o[i+1] = o[i+1], o[i]
		}
		orders = append(orders, o)
	}
	got, distance, err := metric.Consensus(orders)
	if err != nil {
		t.Fatal(err)
	}
	if want := meanDistance(t, got, orders); math.Abs(distance-want) > 1e-9 {
		t.Errorf("distance %g, wanted %g", distance, want)
	}
	if !slices.Equal(got, truth) {
		t.Errorf("consensus %v, wanted %v", got, truth)
	}
	// Orders with nothing in common: the end of the search is a local optimum.
	orders = nil
	for range 5 {
		orders = append(orders, perm.Random(rng, n))
	}
	if got, distance, err = metric.Consensus(orders); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j := range n {
			o := slices.Insert(slices.Delete(slices.Clone(got), i, i+1), j, got[i])
			if d := meanDistance(t, o, orders); d < distance-1e-9 {
				t.Fatalf("item %d moved to %d costs %g, the consensus %g", got[i], j, d, distance)
			}
		}
	}
}

func TestConsensusErrors(t *testing.T) {
	for _, orders := range [][]perm.Order{nil, {{0, 1}, {0}}, {{0, 0}}} {
		if _, _, err := metric.Consensus(orders); err == nil {
			t.Errorf("%v: no error", orders)
		}
	}
}
