package tsp

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/perm"
)

// A crossed square is 2 + 2·√2 long, and 4 with two edges exchanged: 20.71 % above it.
func TestDoubt(t *testing.T) {
	x := instance(t, [][2]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}}, Euclidean)
	crossed := perm.Order{0, 3, 2, 1}
	if shorter, ok := Doubt(x, crossed); !ok || math.Abs(shorter-4) > 1e-12 || math.Abs(x.Length(crossed)-2-2*math.Sqrt2) > 1e-12 {
		t.Errorf("%g, %v", shorter, ok)
	}
	var d Doubts
	d.Look("a:1", x, perm.Order{0, 1, 3, 2})
	if got := d.Warnings(); got != nil {
		t.Errorf("a shortest tour is doubted: %q", got)
	}
	d.Look("a:2", x, crossed)
	d.Look("a:3", x, crossed)
	d.Found("a:2", 4, 5)
	d.Found("a:3", 4, 4.000000001)
	want := []string{
		"2 of 3 reference tours cannot be the shortest, a:2: 4.828427125 long, 4 with two edges exchanged (2-opt): 20.71 % above it",
		"1 of 2 tours found are shorter than the reference, which cannot be the shortest then, a:2: 5 long, 25.00 % above a tour of 4",
	}
	if got := d.Warnings(); !slices.Equal(got, want) {
		t.Errorf("got %q\nwanted %q", got, want)
	}
	ring, err := NewDirected([]float64{0, 1, 9, 5, 5, 0, 1, 9, 9, 5, 0, 1, 1, 9, 5, 0}, 4)
	if err != nil {
		t.Fatal(err)
	}
	if shorter, ok := Doubt(ring, perm.Order{0, 2, 1, 3}); !ok || shorter != 4 {
		t.Errorf("two cities exchanged: %g, %v", shorter, ok)
	}
	if shorter, ok := Doubt(ring, perm.Order{0, 3, 2, 1}); !ok || shorter != 4 {
		t.Errorf("the wrong way round: %g, %v", shorter, ok)
	}
}

// Faults planted in a shortest tour: turned round it is as good. Two cities in one another's place
// are doubted, or make a tour that is as short. In other units lengths follow and nothing else.
func TestPlantedFaults(t *testing.T) {
	doubted := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(5, 9).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 8))
		points := square(rng, n)
		x, err := New(points, Euclidean)
		if err != nil {
			t.Fatal(err)
		}
		tour, length, _ := Exact(t.Context(), x)
		back := slices.Clone(tour)
		slices.Reverse(back)
		if _, ok := Doubt(x, back); ok || math.Abs(x.Length(back)-length) > 1e-12 {
			t.Fatal("a shortest tour is doubted when it is turned round")
		}
		swapped := slices.Clone(tour)
		i, j := rng.IntN(n), rng.IntN(n-1)
		if j >= i {
			j++
		}
		swapped[i], swapped[j] = swapped[j], swapped[i]
		// What 2-opt does not find, a search does: the gap is below zero.
		shorter, ok := Doubt(x, swapped)
		var d Doubts
		d.Found("x", length, x.Length(swapped))
		if wrong := x.Length(swapped) > length*(1+1e-6); wrong != (len(d.Warnings()) > 0) || ok && !wrong || ok && shorter < length-1e-9 {
			t.Fatalf("%g instead of %g: doubted %v (%g), %q", x.Length(swapped), length, ok, shorter, d.Warnings())
		}
		if ok {
			doubted++
		}
		for _, unit := range []float64{1e-6, 1e7} {
			scaled := make([][2]float64, n)
			for k, p := range points {
				scaled[k] = [2]float64{p[0] * unit, p[1] * unit}
			}
			y, err := New(scaled, Euclidean)
			if err != nil {
				t.Fatal(err)
			}
			other, l, _ := Exact(t.Context(), y)
			if math.Abs(l-length*unit) > 1e-9*length*unit || !slices.Equal(other, tour) {
				t.Fatalf("in units of %g: %g and %v, wanted %g and %v", unit, l, other, length*unit, tour)
			}
			if _, now := Doubt(y, swapped); now != ok {
				t.Fatalf("in units of %g doubted is %v, was %v", unit, now, ok)
			}
			whole, err := New(scaled, Euc2D)
			if err != nil {
				t.Fatal(err)
			}
			if w := whole.Rounded(); (w != "") != (unit < 1) || w != "" && !strings.Contains(w, "EUC_2D rounds all distances to 1 or less") {
				t.Fatalf("in units of %g: %q", unit, w)
			}
		}
	})
	if doubted < 50 {
		t.Errorf("only %d tours with two cities exchanged were doubted", doubted)
	}
}

// Minutes of 60 or more, which decimal degrees have, and places beyond the poles are warned of. The distances
// stay what TSPLIB's rule says.
func TestDegrees(t *testing.T) {
	for text, c := range map[string]struct {
		kind   Kind
		points [][2]float64
		want   string
	}{
		"minutes":            {Geo, [][2]float64{{16.47, 96.10}, {16.47, 94.44}, {-20.09, 92.54}}, ""},
		"whole degrees":      {Geo, [][2]float64{{40, -74}, {41, 2}}, ""},
		"decimal degrees":    {Geo, [][2]float64{{40.42, -74.0}, {40.7128, -74.006}}, "the latitude 40.7128 of city 2 has 71.28 minutes"},
		"a negative one":     {Geo, [][2]float64{{40.42, -73.935}}, "the longitude -73.935 of city 1 has 93.5 minutes"},
		"longitude first":    {Geo, [][2]float64{{-122.25, 37.45}}, "the latitude -122.25 of city 1 is beyond 90"},
		"points in a plane":  {Euc2D, [][2]float64{{40.99, -740}, {41.99, 2}}, ""},
		"the most of either": {Geo, [][2]float64{{89.59, 179.59}, {-90, 180}}, ""},
	} {
		x, err := New(c.points, c.kind)
		if err != nil {
			t.Fatal(err)
		}
		if got := x.Degrees(); (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, wanted %q", text, got, c.want)
		}
	}
}
