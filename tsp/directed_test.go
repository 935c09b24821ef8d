package tsp

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/perm"
)

// randomMatrix draws distances that depend on the direction; whole ones have ties.
func randomMatrix(t interface{ Fatal(...any) }, rng *rand.Rand, n int, whole bool) *Instance {
	d := make([]float64, n*n)
	for i := range d {
		d[i] = rng.Float64()
		if whole {
			d[i] = float64(rng.IntN(9))
		}
	}
	x, err := NewDirected(d, n)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Four cities by hand: round 0 1 2 3 each step is 1 long, the other way 5, across 9.
func TestDirected(t *testing.T) {
	x, err := NewDirected([]float64{
		7, 1, 9, 5,
		5, 0, 1, 9,
		9, 5, 0, 1,
		1, 9, 5, 0,
	}, 4)
	if err != nil || !x.Directed() {
		t.Fatal(x, err)
	}
	if there, back := x.Length(perm.Order{0, 1, 2, 3}), x.Length(perm.Order{0, 3, 2, 1}); there != 4 || back != 20 {
		t.Errorf("there %g, back %g, wanted 4 and 20", there, back)
	}
	tour, length, proven := Exact(t.Context(), x)
	if !slices.Equal(tour, perm.Order{0, 1, 2, 3}) || length != 4 || !proven {
		t.Errorf("%v of %g, proven %v", tour, length, proven)
	}
	if got := x.Canonical(perm.Order{3, 2, 1, 0}, 0); !slices.Equal(got, perm.Order{0, 3, 2, 1}) {
		t.Errorf("written as %v: turned round", got)
	}
	same, err := NewDirected([]float64{0, 2, 2, 0}, 2)
	if err != nil || same.Directed() {
		t.Errorf("distances that are the same back: directed %v, %v", same.Directed(), err)
	}
	_, err = NewMatrix([]float64{0, 1, 2, 2, 0, 3, 2, 4, 0}, 3)
	if pair, ok := errors.AsType[*PairError](err); !ok || pair.A != 0 || pair.B != 1 || !errors.Is(err, ErrAsymmetric) {
		t.Errorf("got %v", err)
	}
}

// Looking through all sets equals the other dynamic program; searches give tours that are never
// longer than their start, and of few cities find the shortest.
func TestDirectedSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		x := randomMatrix(t, rng, n, rapid.Bool().Draw(t, "whole"))
		want := heldKarp(x)
		tour, length, proven := Exact(t.Context(), x)
		if err := x.Check(tour); err != nil || math.Abs(length-want) > 1e-12*(1+want) || length != x.Length(tour) || !proven {
			t.Fatalf("%d cities: %g (%v), wanted %g", n, length, err, want)
		}
		start := perm.Random(rng, n)
		kept := slices.Clone(start)
		for name, tour := range map[string]perm.Order{"2-opt": TwoOpt(x, start), "no kicks": OrOpt(x, start, 0, rng), "kicks": OrOpt(x, start, 20*n, rng)} {
			if err := x.Check(tour); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if l := x.Length(tour); l > x.Length(start)+1e-12 || name == "kicks" && n < 7 && l > want+1e-9 {
				t.Fatalf("%s: %d cities, %g from %g, the shortest is %g", name, n, l, x.Length(start), want)
			}
		}
		if !slices.Equal(start, kept) {
			t.Fatal("the tour given was changed")
		}
	})
}

// No exchange of two neighbouring runs is left that makes the tour shorter, of those in which a
// city goes to one of its ten nearest.
func TestDirectedOptimum(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		const n = 11 // each has ten others
		x := randomMatrix(t, rng, n, false)
		tour := OrOpt(x, perm.Random(rng, n), 0, rng)
		length := x.Length(tour)
		for from := range n {
			turned := append(slices.Clone(tour[from:]), tour[:from]...)
			for middle := 1; middle < n; middle++ {
				for to := middle + 1; to < n; to++ {
					other := slices.Concat(turned[middle:to], turned[:middle], turned[to:])
					if l := x.Length(other); l < length-1e-9 {
						t.Fatalf("seed %d: %g, and %g by an exchange", seed, length, l)
					}
				}
			}
		}
	}
}

// A cheap way through all cities is found, in the direction in which it is cheap.
func TestDirectedRing(t *testing.T) {
	const n = 60
	rng := rand.New(rand.NewPCG(1, 7))
	ring := perm.Random(rng, n)
	d := make([]float64, n*n)
	for i := range d {
		d[i] = 2 + 8*rng.Float64()
	}
	for i, k := range ring {
		d[k*n+ring[(i+1)%n]] = 1
	}
	x, err := NewDirected(d, n)
	if err != nil {
		t.Fatal(err)
	}
	tour, length, proven := Exact(t.Context(), x)
	if length != n || proven || !slices.Equal(tour, From(ring, 0)) {
		t.Errorf("%g, proven %v: %v", length, proven, tour)
	}
}
