package heatmap

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

func random(t interface{ Fatal(...any) }, rng *rand.Rand, n int) *tsp.Instance {
	points := make([][2]float64, n)
	for i := range points {
		points[i] = [2]float64{rng.Float64(), rng.Float64()}
	}
	x, err := tsp.New(points, tsp.Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// Whatever the scores, both give a tour of all cities from city 0.
func TestAlwaysATour(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		x := random(t, rng, n)
		scores := make([]float64, n*n)
		for i := range scores {
			scores[i] = []float64{rng.NormFloat64(), 0, math.Inf(-1), math.Inf(1)}[rng.IntN(4)]
			if rng.IntN(2) == 0 {
				scores[i] = rng.Float64()
			}
		}
		for i := range scores {
			if math.IsInf(scores[i], 1) { // +Inf − Inf is no number
				scores[i] = 1e300
			}
		}
		merged, err := Merge(scores, x)
		if err != nil {
			t.Fatal(err)
		}
		beamed, err := Beam(scores, x, rapid.IntRange(1, 5).Draw(t, "width"))
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range map[string]perm.Order{"merge": merged, "beam": beamed} {
			if err := o.Validate(); err != nil || len(o) != n || o[0] != 0 {
				t.Fatalf("%s: %v is no tour of %d from 0: %v", name, o, n, err)
			}
		}
	})
}

// The edges of a tour, scored above all others, are that tour.
func TestPlanted(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50 {
		n := 4 + rng.IntN(20)
		x := random(t, rng, n)
		want := tsp.Canonical(perm.Random(rng, n))
		scores := make([]float64, n*n)
		for i := range scores {
			scores[i] = 1e-9 * rng.Float64()
		}
		logp := make([]float64, n*n)
		for i, c := range want {
			d := want[(i+1)%n]
			scores[c*n+d], scores[d*n+c] = 100, 100
		}
		for i := range logp {
			logp[i] = math.Log(scores[i])
		}
		for name, f := range map[string]func() (perm.Order, error){
			"merge":  func() (perm.Order, error) { return Merge(scores, x) },
			"greedy": func() (perm.Order, error) { return Beam(logp, x, 1) },
		} {
			got, err := f()
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(tsp.Canonical(got), want) {
				t.Fatalf("%s: %v, wanted %v", name, got, want)
			}
		}
	}
}

// A beam that keeps everything finds the shortest tour, and merging by hand gives this one.
func TestAgainstOthers(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		n := 3 + rng.IntN(4)
		x := random(t, rng, n)
		logp := make([]float64, n*n)
		for i := range logp {
			logp[i] = rng.NormFloat64()
		}
		got, err := Beam(logp, x, 1000)
		if err != nil {
			t.Fatal(err)
		}
		want, length, proven := tsp.Exact(t.Context(), x)
		if !proven || math.Abs(x.Length(got)-length) > 1e-12 {
			t.Errorf("length %g by the whole beam, %g by the solver (%v)", x.Length(got), length, want)
		}
	}
	// Four cities on a line at 0, 1, 3, 7 with scores alike: the edges by length are 0–1 (1), 1–2 (2), 0–2 (3,
	// would close a cycle), 2–3 (4). Then 3 and 0 meet.
	x, err := tsp.New([][2]float64{{0, 0}, {1, 0}, {3, 0}, {7, 0}}, tsp.Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	scores := slices.Repeat([]float64{1}, 16)
	if got, _ := Merge(scores, x); !slices.Equal(tsp.Canonical(got), perm.Order{0, 1, 2, 3}) {
		t.Errorf("on a line %v, wanted 0 1 2 3", got)
	}
	scores[0*4+3], scores[3*4+0], scores[1*4+2], scores[2*4+1] = 8, 8, 0, 0 // 16/7 for 0–3, 2/1 for 0–1, 2/4 for 2–3
	if got, _ := Merge(scores, x); !slices.Equal(tsp.Canonical(got), tsp.Canonical(perm.Order{0, 3, 2, 1})) {
		t.Errorf("with a long edge wanted %v, wanted 0 3 2 1", got)
	}
}

func TestRefuses(t *testing.T) {
	x := random(t, rand.New(rand.NewPCG(1, 1)), 3)
	bad := make([]float64, 9)
	bad[5] = math.NaN()
	for want, f := range map[string]func() error{
		"wanted 9 scores":               func() error { _, err := Merge(make([]float64, 4), x); return err },
		"score of 1 and 2 is not a num": func() error { _, err := Beam(bad, x, 1); return err },
		"1 or wider (got 0)":            func() error { _, err := Beam(make([]float64, 9), x, 0); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, wanted %q", err, want)
		}
	}
}
