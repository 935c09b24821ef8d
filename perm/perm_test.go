package perm_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/perm"
)

// drawOrder draws an order of 0 to limit items.
func drawOrder(t *rapid.T, limit int, label string) perm.Order {
	n := rapid.IntRange(0, limit).Draw(t, label+" length")
	return rapid.Permutation(perm.Identity(n)).Draw(t, label)
}

func TestActPlacesItems(t *testing.T) {
	o := perm.Order{2, 0, 1}
	got := perm.Act(o, []string{"a", "b", "c"})
	if want := []string{"c", "a", "b"}; !slices.Equal(got, want) {
		t.Errorf("Act = %v, wanted %v", got, want)
	}
	if got, want := o.Rank(), (perm.Rank{1, 2, 0}); !slices.Equal(got, want) {
		t.Errorf("Rank = %v, wanted %v", got, want)
	}
}

func TestComposeActsRightFirst(t *testing.T) {
	a, b := perm.Order{1, 0, 2}, perm.Order{2, 0, 1}
	// b·xyz = zxy, then a swaps the first two: xzy.
	got := perm.Act(perm.Compose(a, b), []byte("xyz"))
	if string(got) != "xzy" {
		t.Errorf("Compose(a, b) acts as %s, wanted xzy", got)
	}
}

func TestGroupLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawOrder(t, 12, "a")
		b := rapid.Permutation(perm.Identity(len(a))).Draw(t, "b")
		x := rapid.SliceOfN(rapid.Int(), len(a), len(a)).Draw(t, "x")

		if got, want := perm.Act(perm.Compose(a, b), x), perm.Act(a, perm.Act(b, x)); !slices.Equal(got, want) {
			t.Fatalf("Compose(a, b)·x = %v, a·(b·x) = %v", got, want)
		}
		if got := perm.Act(a.Inverse(), perm.Act(a, x)); !slices.Equal(got, x) {
			t.Fatalf("inverse does not undo: %v, wanted %v", got, x)
		}
		if got := a.Rank().Order(); !slices.Equal(got, a) {
			t.Fatalf("Rank().Order() = %v, wanted %v", got, a)
		}
		for position, item := range a {
			if got := a.Rank()[item]; got != position {
				t.Fatalf("rank of item %d is %d, wanted %d", item, got, position)
			}
		}
	})
}

func TestRandomIsUniform(t *testing.T) {
	const draws = 24000
	rng := rand.New(rand.NewPCG(3, 4))
	counts := make([]int, 24)
	for range draws {
		k, err := perm.Random(rng, 4).Index64()
		if err != nil {
			t.Fatal(err)
		}
		counts[k]++
	}
	chi2 := 0.0
	for _, c := range counts {
		d := float64(c) - draws/24.0
		chi2 += d * d / (draws / 24.0)
	}
	if chi2 > 49.73 { // 0.999 quantile, 23 degrees of freedom, published tables
		t.Errorf("chi-square %.1f over 24 cells, wanted 49.73 or less", chi2)
	}
}

func TestValidate(t *testing.T) {
	for _, good := range []perm.Order{nil, {}, {0}, {1, 0}, {2, 0, 1}} {
		if err := good.Validate(); err != nil {
			t.Errorf("%v: %v", good, err)
		}
	}
	bad := []struct {
		p    []int
		want string
	}{
		{[]int{1}, "entry 0 is 1, wanted 0 to 0"},
		{[]int{0, -1}, "entry 1 is -1, wanted 0 to 1"},
		{[]int{0, 2, 2}, "entry 2 repeats 2"},
	}
	for _, c := range bad {
		if err := perm.Order(c.p).Validate(); err == nil || err.Error() != "order: "+c.want {
			t.Errorf("order %v: error %v, wanted %q", c.p, err, c.want)
		}
		if err := perm.Rank(c.p).Validate(); err == nil || err.Error() != "rank: "+c.want {
			t.Errorf("rank %v: error %v, wanted %q", c.p, err, c.want)
		}
	}
}

func TestRisingSequences(t *testing.T) {
	cases := []struct {
		order perm.Order
		want  [][]int
	}{
		{perm.Order{}, nil},
		{perm.Order{0}, [][]int{{0}}},
		{perm.Order{1, 0}, [][]int{{0}, {1}}},
		{perm.Order{0, 1, 2}, [][]int{{0, 1, 2}}},
		{perm.Order{0, 3, 1, 4, 2}, [][]int{{0, 1, 2}, {3, 4}}}, // the paper's 1 4 2 5 3
		{perm.Order{3, 2, 1, 0}, [][]int{{0}, {1}, {2}, {3}}},
		{perm.Order{2, 0, 1}, [][]int{{0, 1}, {2}}},
		{perm.Order{1, 2, 0}, [][]int{{0}, {1, 2}}},
	}
	for _, c := range cases {
		if diff := cmp.Diff(c.want, c.order.RisingSequences()); diff != "" {
			t.Errorf("%v: %s", c.order, diff)
		}
		if got := c.order.RisingSequenceCount(); got != len(c.want) {
			t.Errorf("%v: count %d, wanted %d", c.order, got, len(c.want))
		}
	}
}

// The numbers of orders with 1, 2, … rising sequences are the Eulerian numbers;
// row 5 was computed independently with exact fractions.
func TestRisingSequencesAreEulerian(t *testing.T) {
	counts := make([]int, 5)
	for o := range perm.All(5) {
		counts[o.RisingSequenceCount()-1]++
	}
	if want := []int{1, 26, 66, 26, 1}; !slices.Equal(counts, want) {
		t.Errorf("counts %v, wanted %v", counts, want)
	}
}

func TestRisingSequencesReadLeftToRight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrder(t, 12, "o")
		sequences := o.RisingSequences()
		if got := slices.Concat(sequences...); !slices.Equal(got, perm.Identity(len(o))) {
			t.Fatalf("sequences %v do not list the items in order", sequences)
		}
		rank := o.Rank()
		for i, seq := range sequences {
			for j := 1; j < len(seq); j++ {
				if rank[seq[j-1]] > rank[seq[j]] {
					t.Fatalf("%v goes back from %d to %d", seq, seq[j-1], seq[j])
				}
			}
			if i > 0 && rank[seq[0]] > rank[seq[0]-1] {
				t.Fatalf("%v is not maximal", sequences[i-1])
			}
		}
	})
}

func TestInversions(t *testing.T) {
	cases := []struct {
		order perm.Order
		want  int
	}{{perm.Order{}, 0}, {perm.Order{0}, 0}, {perm.Order{1, 0}, 1}, {perm.Order{2, 0, 1}, 2}, {perm.Order{0, 3, 1, 4, 2}, 3}, {perm.Order{3, 2, 1, 0}, 6}}
	for _, c := range cases {
		if got := c.order.Inversions(); got != c.want {
			t.Errorf("%v: %d inversions, wanted %d", c.order, got, c.want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrder(t, 40, "o")
		want := 0
		for i := range o {
			for j := range i {
				if o[j] > o[i] {
					want++
				}
			}
		}
		if got := o.Inversions(); got != want {
			t.Fatalf("%d inversions, wanted %d", got, want)
		}
		if got := o.Inverse().Inversions(); got != want {
			t.Fatalf("inverse: %d inversions, wanted %d", got, want)
		}
	})
}

func TestAll(t *testing.T) {
	for n, want := range []string{
		"",
		"0",
		"0 1|1 0",
		"0 1 2|0 2 1|1 0 2|1 2 0|2 0 1|2 1 0",
	} {
		var got []string
		for o := range perm.All(n) {
			got = append(got, o.Text(perm.ZeroBased))
		}
		if strings.Join(got, "|") != want || len(got) == 0 {
			t.Errorf("All(%d) = %q, wanted %q", n, got, want)
		}
	}
	for o := range perm.All(-1) {
		t.Errorf("All(-1) yields %v", o)
	}
	for o := range perm.All(3) { // stopping early must not be an error
		if o[0] == 1 {
			break
		}
	}
}
