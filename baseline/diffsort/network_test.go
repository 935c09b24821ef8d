package diffsort

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

func mustNetwork(t testing.TB, name string, n int) *Network {
	t.Helper()
	w, err := NetworkByName(name, n)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

var networkNames = []string{"odd-even", "bitonic"}

// A network that sorts all lists of zeros and ones sorts everything (Knuth, The Art of
// Computer Programming 3, §5.3.4, theorem Z).
func TestZeroOnePrinciple(t *testing.T) {
	for _, name := range networkNames {
		for n := 1; n <= 13; n++ {
			w := mustNetwork(t, name, n)
			x := make([]float64, n)
			for bits := range 1 << n {
				for i := range x {
					x[i] = float64(bits >> i & 1)
				}
				o, err := w.Sort(x)
				if err != nil || o.Validate() != nil || !slices.IsSorted(perm.Act(o, x)) {
					t.Fatalf("%s: %v sorted by %v, %v", name, x, o, err)
				}
			}
		}
	}
}

// Stage by stage, the zero-one principle is in reach of any size: where the blocks of one
// stage are sorted, each in its direction, those of the next must be. Sizes are the paper's,
// and some at which leaving wires out of a network with other directions does not sort.
func TestBitonicStages(t *testing.T) {
	for _, n := range []int{22, 38, 43, 52, 100, 200} {
		w := mustNetwork(t, "bitonic", n)
		for first := 0; first < len(w.layers); {
			l := w.layers[first]
			half := l.stride
			stage := w.layers[first:][:0]
			for first < len(w.layers) && w.layers[first].run == l.run {
				stage = append(stage, w.layers[first])
				first++
			}
			before := layer{before: l.before, run: half} // directions of the stage before
			for ones := range (half + 1) * (half + 1) {
				counts := [2]int{ones / (half + 1), ones % (half + 1)}
				x := make([]int, l.total) // virtual wires too; they are not looked at
				for v := range x {
					c, at := counts[v/half%2], v%half
					if before.falls(v) && half > 1 {
						at = half - 1 - at
					}
					if at >= half-c {
						x[v] = 1
					}
				}
				x = x[l.before:]
				for _, l := range stage {
					l.each(n, func(a, b int, falls bool) {
						if (x[b] < x[a]) != falls && x[a] != x[b] {
							x[a], x[b] = x[b], x[a]
						}
					})
				}
				for i := 1; i < n; i++ {
					v := i + l.before
					if v%(2*half) == 0 {
						continue // another block
					}
					if x[i-1] != x[i] && (x[i] < x[i-1]) != l.falls(v) {
						t.Fatalf("n = %d, blocks of %d: %v", n, 2*half, x)
					}
				}
			}
		}
	}
}

func TestSortRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, name := range networkNames {
		for _, n := range []int{16, 17, 52, 100, 200} {
			w := mustNetwork(t, name, n)
			for range 20 {
				x := make([]float64, n)
				for i := range x {
					x[i] = rng.NormFloat64()
				}
				want := slices.Clone(x)
				slices.Sort(want)
				if o, err := w.Sort(x); err != nil || !slices.Equal(perm.Act(o, x), want) {
					t.Fatalf("%s %d: not sorted, %v", name, n, err)
				}
			}
		}
	}
}

// n layers for odd–even and k(k+1)/2 for bitonic; no wire is in a layer twice. The
// comparators of odd–even are (n−1)n/2 (Knuth), of bitonic n/2 a layer for n = 2^k.
func TestLayers(t *testing.T) {
	for _, c := range []struct {
		name               string
		n, depth, compares int
	}{
		{"odd-even", 1, 0, 0},
		{"odd-even", 2, 2, 1},
		{"odd-even", 3, 3, 3},
		{"odd-even", 9, 9, 36},
		{"odd-even", 16, 16, 120},
		{"bitonic", 1, 0, 0},
		{"bitonic", 2, 1, 1},
		{"bitonic", 4, 3, 6},
		{"bitonic", 16, 10, 80},
		{"bitonic", 17, 15, -1},
		{"bitonic", 200, 36, -1},
	} {
		w := mustNetwork(t, c.name, c.n)
		count := 0
		for l := range w.Depth() {
			used := make([]bool, c.n)
			for _, p := range w.Layer(l) {
				if used[p.Low] || used[p.High] || p.Low == p.High {
					t.Errorf("%s %d: layer %d uses a wire of %v twice", c.name, c.n, l, p)
				}
				used[p.Low], used[p.High] = true, true
				count++
			}
		}
		if w.Depth() != c.depth || c.compares >= 0 && count != c.compares || w.N() != c.n || w.Name() != c.name {
			t.Errorf("%s %d: depth %d, %d comparators, wanted %d, %d", c.name, c.n, w.Depth(), count, c.depth, c.compares)
		}
	}
	// The textbook's picture of Batcher's network for four wires.
	want := [][]Comparator{{{0, 1}, {3, 2}}, {{0, 2}, {1, 3}}, {{0, 1}, {2, 3}}}
	w := mustNetwork(t, "bitonic", 4)
	for l, pairs := range want {
		if !slices.Equal(w.Layer(l), pairs) {
			t.Errorf("bitonic 4, layer %d: %v, wanted %v", l, w.Layer(l), pairs)
		}
	}
}

// Equal values stay where they are.
func TestSortTies(t *testing.T) {
	for _, name := range networkNames {
		o, err := mustNetwork(t, name, 11).Sort(make([]float64, 11))
		if err != nil || !slices.Equal(o, perm.Identity(11)) {
			t.Errorf("%s: %v, %v", name, o, err)
		}
	}
}

func TestNetworkErrors(t *testing.T) {
	for _, n := range []int{0, -1, maxWires + 1, math.MaxInt} {
		for _, name := range networkNames {
			if _, err := NetworkByName(name, n); err == nil {
				t.Errorf("%s of %d: no error", name, n)
			}
		}
	}
	if _, err := NetworkByName("bubble", 3); err == nil {
		t.Error("bubble: no error")
	}
	if _, err := mustNetwork(t, "bitonic", 3).Sort(make([]float64, 2)); err == nil {
		t.Error("two values for three wires: no error")
	}
	nan := math.NaN()
	if o, err := mustNetwork(t, "bitonic", 5).Sort([]float64{nan, 1, nan, 0, -1}); err != nil || o.Validate() != nil {
		t.Errorf("NaN: %v, %v", o, err)
	}
}
