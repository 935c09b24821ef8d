package tsp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/perm"
)

// shortestPath is the length of the shortest path between ends, of all orders.
func shortestPath(x *Instance, e Ends) float64 {
	best := math.Inf(1)
	var visit func(path perm.Order, left []int)
	visit = func(path perm.Order, left []int) {
		if len(left) == 0 {
			if n := len(path); n == 0 || (e.Start < 0 || path[0] == e.Start) && (e.End < 0 || path[n-1] == e.End) {
				best = min(best, x.PathLength(path))
			}
			return
		}
		for i, k := range left {
			visit(append(slices.Clone(path), k), slices.Delete(slices.Clone(left), i, i+1))
		}
	}
	visit(nil, perm.Identity(x.n))
	return best
}

// Four cities on a line, by hand: 0, 1, 3 and 10.
func TestPathByHand(t *testing.T) {
	x := instance(t, [][2]float64{{3, 0}, {0, 0}, {10, 0}, {1, 0}}, Euclidean)
	for _, c := range []struct {
		e    Ends
		want perm.Order
		long float64
	}{
		{Free, perm.Order{1, 3, 0, 2}, 10},
		{Ends{2, -1}, perm.Order{2, 0, 3, 1}, 10},
		{Ends{-1, 2}, perm.Order{1, 3, 0, 2}, 10},
		{Ends{0, -1}, perm.Order{0, 3, 1, 2}, 13}, // 3 → 1 → 0 → 10
		{Ends{0, 2}, perm.Order{0, 3, 1, 2}, 13},
		{Ends{2, 0}, perm.Order{2, 1, 3, 0}, 13},
	} {
		open, err := x.Open(c.e)
		if err != nil {
			t.Fatal(err)
		}
		tour, _, proven := Exact(t.Context(), open)
		path := x.Path(tour, c.e)
		if got := x.PathLength(path); got != c.long || !proven || c.e.Start >= 0 && path[0] != c.e.Start || c.e.End >= 0 && path[3] != c.e.End {
			t.Errorf("%+v: %v of %g, wanted %v of %g", c.e, path, got, c.want, c.long)
		}
	}
	for _, e := range []Ends{{4, 0}, {0, 4}, {1, 1}} {
		if _, err := x.Open(e); err == nil {
			t.Errorf("ends %+v were taken", e)
		}
	}
}

// The shortest tour of the open instance is the shortest path, whatever the distances, and of
// whatever closed tour a path between the ends is cut.
func TestOpenIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 6).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		var x *Instance
		var err error
		switch rapid.SampledFrom([]string{"points", "grid", "symmetric", "directed"}).Draw(t, "what") {
		case "points":
			x, err = New(square(rng, n), Euclidean)
		case "grid":
			p := square(rng, n)
			for i := range p {
				p[i] = [2]float64{math.Floor(3 * p[i][0]), math.Floor(3 * p[i][1])}
			}
			x, err = New(p, Euc2D)
		case "symmetric": // which no points have
			d := make([]float64, n*n)
			for i := range n {
				for j := range i {
					d[i*n+j] = rng.Float64()
					d[j*n+i] = d[i*n+j]
				}
			}
			x, err = NewMatrix(d, n)
		default:
			x = randomMatrix(t, rng, n, rapid.Bool().Draw(t, "whole"))
		}
		if err != nil {
			t.Fatal(err)
		}
		e := Ends{rapid.IntRange(-1, n-1).Draw(t, "start"), rapid.IntRange(-1, n-1).Draw(t, "end")}
		open, err := x.Open(e)
		if err != nil {
			if e.Start != e.End {
				t.Fatal(err)
			}
			return
		}
		want := shortestPath(x, e)
		tour, _, proven := Exact(t.Context(), open)
		start := perm.Random(rng, n)
		for name, path := range map[string]perm.Order{"exact": x.Path(tour, e), "any": x.Path(perm.Random(rng, n+1), e), "cut": x.Cut(start, e)} {
			if err := x.Check(path); n > 0 && err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if n > 0 && (e.Start >= 0 && path[0] != e.Start || e.End >= 0 && path[n-1] != e.End) {
				t.Fatalf("%s: ends %+v of %v", name, e, path)
			}
			if l := x.PathLength(path); name == "exact" && (!proven || math.Abs(l-want) > 1e-8*(1+want)) || l < want-1e-9 {
				t.Fatalf("%s: %d cities, %+v: %g, wanted %g (proven %v)", name, n, e, l, want, proven)
			}
		}
	})
}

// Six cities round a ring, by hand: from city 0 to city 3, half way, a path goes along one side, over to
// the far end of the other side, and back along it. With the end beside the start only their edge is left out.
func TestCutBetweenEnds(t *testing.T) {
	x := instance(t, [][2]float64{{0, 0}, {1, 1}, {2, 1}, {3, 0}, {2, -1}, {1, -1}}, Euclidean)
	ring := perm.Order{0, 1, 2, 3, 4, 5}
	side := math.Sqrt2
	for _, c := range []struct {
		e    Ends
		long float64
	}{
		{Ends{0, 3}, side + 1 + math.Hypot(1, 2) + 1 + side}, // 0 1 2 5 4 3
		{Ends{0, 1}, 2 + 3*side},
		{Ends{4, 3}, 2 + 3*side},
	} {
		path := x.Cut(ring, c.e)
		if got := x.PathLength(path); math.Abs(got-c.long) > 1e-12 || path[0] != c.e.Start || path[5] != c.e.End || path.Validate() != nil {
			t.Errorf("%+v: %v of %g, wanted %g", c.e, path, got, c.long)
		}
	}
	if !slices.Equal(ring, perm.Identity(6)) {
		t.Errorf("the tour is now %v", ring)
	}
}
