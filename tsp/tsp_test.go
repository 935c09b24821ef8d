package tsp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/perm"
)

func square(rng *rand.Rand, n int) [][2]float64 {
	p := make([][2]float64, n)
	for i := range p {
		p[i] = [2]float64{rng.Float64(), rng.Float64()}
	}
	return p
}

func instance(t testing.TB, points [][2]float64, kind Kind) *Instance {
	t.Helper()
	x, err := New(points, kind)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// heldKarp is the length of a shortest tour by dynamic programming over sets of cities (Held &
// Karp 1962): independent of the solvers.
func heldKarp(x *Instance) float64 {
	n := x.N()
	if n < 2 {
		return 0
	}
	all := 1 << (n - 1) // cities 1 … n−1
	best := make([]float64, all*n)
	for i := range best {
		best[i] = math.Inf(1)
	}
	for k := 1; k < n; k++ {
		best[1<<(k-1)*n+k] = x.Distance(0, k)
	}
	for set := range all {
		for last := 1; last < n; last++ {
			b := best[set*n+last]
			if math.IsInf(b, 1) {
				continue
			}
			for k := 1; k < n; k++ {
				if set>>(k-1)&1 == 0 {
					at := (set|1<<(k-1))*n + k
					best[at] = min(best[at], b+x.Distance(last, k))
				}
			}
		}
	}
	shortest := math.Inf(1)
	for k := 1; k < n; k++ {
		shortest = min(shortest, best[(all-1)*n+k]+x.Distance(k, 0))
	}
	return shortest
}

func TestDistances(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		p, q [2]float64
		want float64
	}{
		{Euc2D, [2]float64{0, 0}, [2]float64{1.5, 2}, 3}, // 2.5 is 3: halves go up
		{Euc2D, [2]float64{0, 0}, [2]float64{0, 2.4999}, 2},
		{Ceil2D, [2]float64{0, 0}, [2]float64{3, 4.001}, 6},
		{Floor2D, [2]float64{0, 0}, [2]float64{3, 4.9}, 5},
		{Exact2D, [2]float64{0, 0}, [2]float64{3, 4}, 5},
		{Euclidean, [2]float64{1, 1}, [2]float64{2, 2}, math.Sqrt2},
		{Att, [2]float64{0, 0}, [2]float64{10, 20}, 8},  // ⌈√50⌉ = ⌈7.07⌉
		{Att, [2]float64{0, 0}, [2]float64{30, 10}, 10}, // √100 = 10
		// ulysses16, cities 1 and 2, by the rule by hand: latitudes 38.24 and 39.57, longitudes
		// 20.42 and 26.15 are 38°24', 39°57', 20°42', 26°15'.
		{Geo, [2]float64{38.24, 20.42}, [2]float64{39.57, 26.15}, 509},
	} {
		got, err := distance(c.p, c.q, c.kind)
		if err != nil || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s of %v and %v: %g, wanted %g (%v)", c.kind, c.p, c.q, got, c.want, err)
		}
	}
}

// The optimum of a 3 × 3 unit grid is 8 + √2 in floats, one tour in two of integers is 9.
func TestGrid(t *testing.T) {
	var points [][2]float64
	for i := range 9 {
		points = append(points, [2]float64{float64(i % 3), float64(i / 3)})
	}
	_, length, proven := Exact(t.Context(), instance(t, points, Euclidean))
	if !proven || math.Abs(length-(8+math.Sqrt2)) > 1e-12 {
		t.Errorf("got %.12f, proven %v", length, proven)
	}
}

// ulysses16 of TSPLIB, whose optimum is published: 6859.
func TestUlysses16(t *testing.T) {
	points := [][2]float64{
		{38.24, 20.42},
		{39.57, 26.15},
		{40.56, 25.32},
		{36.26, 23.12},
		{33.48, 10.54},
		{37.56, 12.19},
		{38.42, 13.11},
		{37.52, 20.44},
		{41.23, 9.10},
		{41.17, 13.05},
		{36.08, -5.21},
		{38.47, 15.13},
		{38.15, 15.35},
		{37.51, 15.17},
		{35.49, 14.32},
		{39.36, 19.56},
	}
	tour, length, proven := Exact(t.Context(), instance(t, points, Geo))
	if !proven || length != 6859 || tour[0] != 0 {
		t.Errorf("got %g, proven %v: %v", length, proven, tour)
	}
}

// Exact equals dynamic programming, whatever the instance: points, duplicates, lines, grids
// full of ties, matrices that no points have.
func TestExactIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 10).Draw(t, "n")
		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 1))
		var x *Instance
		var err error
		switch rapid.SampledFrom([]string{"points", "tiny", "grid", "line", "matrix", "integers"}).Draw(t, "what") {
		case "points":
			x, err = New(square(rng, n), Euclidean)
		case "tiny": // what is short is not all the same
			p := square(rng, n)
			for i := range p {
				p[i][0], p[i][1] = p[i][0]*1e-12, p[i][1]*1e-12
			}
			x, err = New(p, Euclidean)
		case "grid":
			p := make([][2]float64, n)
			for i := range p {
				p[i] = [2]float64{float64(rng.IntN(3)), float64(rng.IntN(3))}
			}
			x, err = New(p, Euclidean)
		case "line":
			p := make([][2]float64, n)
			for i := range p {
				p[i] = [2]float64{float64(rng.IntN(20)), 0}
			}
			x, err = New(p, Euc2D)
		default:
			d := make([]float64, n*n)
			for i := range n {
				for j := range i {
					d[i*n+j] = rng.Float64() * 100
					if seed%2 == 0 {
						d[i*n+j] = float64(rng.IntN(12))
					}
					d[j*n+i] = d[i*n+j]
				}
			}
			x, err = NewMatrix(d, n)
		}
		if err != nil {
			t.Fatal(err)
		}
		want := heldKarp(x)
		tour, length, proven := Exact(context.Background(), x)
		if err := x.Check(tour); err != nil {
			t.Fatal(err)
		}
		if !proven || math.Abs(length-want) > 2e-9*want || length != x.Length(tour) {
			t.Fatalf("%d cities: %g, wanted %g (proven %v)", n, length, want, proven)
		}
		// From any tour: the one that Exact begins with leaves little to do.
		tour, proven = branchAndBound(context.Background(), x, perm.Random(rng, n), math.MaxInt)
		if err := x.Check(tour); err != nil {
			t.Fatal(err)
		}
		if length = x.Length(tour); !proven || math.Abs(length-want) > 2e-9*want {
			t.Fatalf("%d cities, from a random tour: %g, wanted %g (proven %v)", n, length, want, proven)
		}
	})
}

// From tours that are a little too long: there bounds decide on edges at once.
func TestBranchAndBound(t *testing.T) {
	improved := 0
	for seed := range uint64(2000) {
		rng := rand.New(rand.NewPCG(seed, 6))
		n := 5 + int(seed%6)
		points := square(rng, n)
		if seed%2 == 1 { // ties
			for i := range points {
				points[i] = [2]float64{math.Floor(4 * points[i][0]), math.Floor(4 * points[i][1])}
			}
		}
		x := instance(t, points, Euclidean)
		start := TwoOpt(x, perm.Random(rng, n))
		want := heldKarp(x)
		if x.Length(start) > want*(1+1e-9) {
			improved++
		}
		tour, proven := branchAndBound(t.Context(), x, start, math.MaxInt)
		if got := x.Length(tour); !proven || x.Check(tour) != nil || math.Abs(got-want) > 2e-9*want {
			t.Fatalf("seed %d, %d cities: %g, wanted %g (proven %v)", seed, n, got, want, proven)
		}
	}
	if improved < 50 {
		t.Errorf("2-opt left only %d tours to improve", improved)
	}
}

// Whatever the way round and wherever it begins, a tour is written in one way, as long as it was.
func TestCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		tour := perm.Random(rng, n)
		c := Canonical(tour)
		if n > 0 && c[0] != 0 || n > 2 && c[1] > c[n-1] {
			t.Fatalf("%v of %v", c, tour)
		}
		x, err := New(square(rng, n), Euclidean)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(x.Length(c)-x.Length(tour)) > 1e-12 {
			t.Fatalf("%v is not the tour %v", c, tour)
		}
		if n == 0 {
			return
		}
		k := rng.IntN(n)
		again := append(slices.Clone(tour[k:]), tour[:k]...)
		slices.Reverse(again)
		if !slices.Equal(Canonical(again), c) {
			t.Fatalf("%v became %v, %v became %v", tour, c, again, Canonical(again))
		}
	})
}

// A context that has ended gives a tour, which is not proven; a large problem does not hold it up.
func TestExactStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, n := range []int{4, 300} {
		x := instance(t, square(rand.New(rand.NewPCG(1, 1)), n), Euclidean)
		tour, _, proven := Exact(ctx, x)
		if proven || x.Check(tour) != nil {
			t.Errorf("%d cities: proven %v, %v", n, proven, x.Check(tour))
		}
	}
}

// Every heuristic gives a tour, never longer than what it started from.
func TestHeuristics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 40).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		points := square(rng, n)
		if rapid.Bool().Draw(t, "grid") {
			for i := range points {
				points[i] = [2]float64{float64(rng.IntN(4)), float64(rng.IntN(4))}
			}
		}
		x, err := New(points, Euclidean)
		if err != nil {
			t.Fatal(err)
		}
		start := perm.Random(rng, n)
		kept := append(perm.Order{}, start...)
		two := TwoOpt(x, start)
		or := OrOpt(x, start, 20, rng)
		for name, tour := range map[string]perm.Order{"2-opt": two, "or-opt": or} {
			if err := x.Check(tour); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if x.Length(tour) > x.Length(start)+1e-9 {
				t.Fatalf("%s: %g, longer than %g", name, x.Length(tour), x.Length(start))
			}
		}
		// The first of five starts is that of one.
		seed := rng.Uint64()
		one, five := TwoOptStarts(x, 1, rand.New(rand.NewPCG(seed, 0))), TwoOptStarts(x, 5, rand.New(rand.NewPCG(seed, 0)))
		if err := errors.Join(x.Check(one), x.Check(five)); err != nil {
			t.Fatal(err)
		}
		if x.Length(five) > x.Length(one) {
			t.Fatalf("five starts: %g, one: %g", x.Length(five), x.Length(one))
		}
		if fmt.Sprint(kept) != fmt.Sprint(start) {
			t.Fatal("the tour given was changed")
		}
		// No 2-opt move is left, of all n².
		for i := range n {
			for j := i + 2; j < n; j++ {
				if a, b, c, d := two[i], two[i+1], two[j], two[(j+1)%n]; a != d && x.gain(a, b, c, d) > 0 {
					t.Fatalf("2-opt left a move at %d, %d", i, j)
				}
			}
		}
	})
}

// Labels of 20 and of 50 cities are as long as the proven optimum, and written in one way.
func TestLabelsAreOptimal(t *testing.T) {
	for n, count := range map[int]int{0: 1, 1: 1, 2: 2, 3: 2, 5: 20, 20: 40, 50: 3} {
		for i := range count {
			points := square(rand.New(rand.NewPCG(uint64(n), uint64(i))), n)
			x := instance(t, points, Euclidean)
			label := Label(points, rand.New(rand.NewPCG(7, uint64(i))))
			if err := x.Check(label); err != nil {
				t.Fatal(err)
			}
			tour, length, proven := Exact(t.Context(), x)
			if got := x.Length(label); !proven || got > length*(1+1e-9) {
				t.Errorf("%d cities, instance %d: label %.9f, optimum %.9f (proven %v)", n, i, got, length, proven)
			}
			if !slices.Equal(label, tour) { // random points have one shortest tour
				t.Errorf("%d cities, instance %d: %v, wanted %v", n, i, label, tour)
			}
		}
	}
}

func TestInstanceErrors(t *testing.T) {
	if _, err := New([][2]float64{{0, math.NaN()}}, Euclidean); err == nil {
		t.Error("NaN was taken")
	}
	if _, err := New([][2]float64{{-1e308, 0}, {1.7e308, 0}}, Euclidean); err == nil || err.Error() != "cities 0 and 1: are too far apart (+Inf), wanted at most 1e+280" {
		t.Errorf("got %v", err)
	}
	if _, err := New([][2]float64{{0, 0}, {1, 1}}, "XRAY1"); err == nil {
		t.Error("an unknown kind was taken")
	}
	if _, err := NewMatrix([]float64{0, 1, 2, 0}, 2); !errors.Is(err, ErrAsymmetric) {
		t.Errorf("got %v", err)
	}
	if _, err := NewMatrix([]float64{0, 1, 1}, 2); err == nil || err.Error() != "distances: wanted 4 of 2 cities (got 3)" {
		t.Errorf("got %v", err)
	}
	x := instance(t, [][2]float64{{0, 0}, {1, 0}}, Euclidean)
	for _, bad := range []perm.Order{{0}, {0, 0}, {0, 2}} {
		if x.Check(bad) == nil {
			t.Errorf("%v was taken for a tour", bad)
		}
	}
}

func BenchmarkLabel(b *testing.B) {
	for _, n := range []int{20, 50} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			i := uint64(0)
			for b.Loop() {
				rng := rand.New(rand.NewPCG(uint64(n), i))
				Label(square(rng, n), rng)
				i++
			}
		})
	}
}

func BenchmarkExact(b *testing.B) {
	for _, n := range []int{20, 30, 50} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			i, unproven := uint64(0), 0
			for b.Loop() {
				ctx, cancel := context.WithTimeout(b.Context(), 20*time.Second)
				x, err := New(square(rand.New(rand.NewPCG(uint64(n), i)), n), Euclidean)
				if err != nil {
					b.Fatal(err)
				}
				if _, _, proven := Exact(ctx, x); !proven {
					unproven++
				}
				cancel()
				i++
			}
			b.ReportMetric(100*float64(unproven)/float64(i), "%unproven")
		})
	}
}
