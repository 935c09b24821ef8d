package tsp

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/riffle-ml/riffle/internal/fuzztest"
)

// Whatever the coordinates, there is an error or an instance whose distances are finite,
// symmetric and not negative, and searches for tours end with a tour.
func FuzzNew(f *testing.F) {
	f.Add(byte(0), 0.0, 0.0, 3.0, 4.0, 1.0, 1.0, 2.5, 0.0)
	f.Add(byte(1), 1e280, -1e280, 0.0, 0.0, 1.0, 1e-300, 5e-324, 0.0)
	f.Add(byte(6), 90.0, 180.0, -90.0, -180.0, 1e300, -1e300, 0.59, 0.6)
	f.Add(byte(5), math.NaN(), math.Inf(1), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
	f.Fuzz(func(t *testing.T, kind byte, a, b, c, d, e, g, h, k float64) {
		points := [][2]float64{{a, b}, {c, d}, {e, g}, {h, k}, {a, d}}
		kinds := Kinds()
		fuzztest.Within(t, 4<<20, 0, 0, func() {
			x, err := New(points, kinds[int(kind)%len(kinds)])
			if err != nil {
				return
			}
			for i := range points {
				for j := range points {
					if v := x.Distance(i, j); !(v >= 0 && v <= maxDistance) || v != x.Distance(j, i) {
						t.Fatalf("%s %v: distance %d to %d is %v, back %v", x.Kind, points, i, j, v, x.Distance(j, i))
					}
				}
			}
			rng := rand.New(rand.NewPCG(1, 1))
			best, length, proven := Exact(t.Context(), x)
			for how, tour := range map[string][]int{"2-opt": TwoOptStarts(x, 2, rng), "Or-opt": OrOpt(x, best, 3, rng), "exact": best} {
				if err := x.Check(tour); err != nil {
					t.Fatalf("%s: %v", how, err)
				}
			}
			if !proven || math.IsNaN(length) || math.IsInf(length, 0) {
				t.Fatalf("%s %v: length %v, proven %v", x.Kind, points, length, proven)
			}
		})
	})
}

// Whatever the distances, there is an error or an instance whose searches, paths and doubts are of
// all cities, with the ends that were asked for.
func FuzzDirected(f *testing.F) {
	f.Add(int8(-1), int8(-1), 1.0, 9.0, 5.0, 1.0, 9.0, 5.0)
	f.Add(int8(0), int8(2), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
	f.Add(int8(3), int8(-1), 1e280, 1e-300, 5e-324, 1.0, 3.0, 1e280)
	f.Add(int8(1), int8(1), math.NaN(), -1.0, math.Inf(1), 1.0, 1.0, 1.0)
	f.Fuzz(func(t *testing.T, start, end int8, a, b, c, d, e, g float64) {
		for _, m := range [][]float64{
			{0, a, b, c, a, 0, d, e, b, d, 0, g, c, e, g, 0},
			{0, a, b, c, d, 0, e, g, a, d, 0, b, c, g, e, 0},
		} {
			x, err := NewDirected(m, 4)
			if err != nil {
				continue
			}
			ends := Ends{int(start), int(end)}
			open, err := x.Open(ends)
			if err != nil {
				continue
			}
			rng := rand.New(rand.NewPCG(1, 1))
			tour, length, proven := Exact(t.Context(), x)
			if !proven || x.Check(tour) != nil || math.IsNaN(length) || length != x.Length(tour) {
				t.Fatalf("%v: %v of %g, proven %v", m, tour, length, proven)
			}
			if shorter, ok := Doubt(x, tour); ok && shorter < length*(1-1e-6) {
				t.Fatalf("%v: the shortest tour %v of %g is doubted: %g", m, tour, length, shorter)
			}
			round, _, _ := Exact(t.Context(), open)
			for how, path := range map[string][]int{"exact": x.Path(round, ends), "Or-opt": x.Path(OrOpt(open, round, 3, rng), ends), "cut": x.Cut(tour, ends)} {
				if err := x.Check(path); err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				if ends.Start >= 0 && path[0] != ends.Start || ends.End >= 0 && path[3] != ends.End {
					t.Fatalf("%s: ends %v of %v", how, ends, path)
				}
			}
		}
	})
}
