package reverse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

func gplRow(scores []float64, n int) func(int) []float64 {
	return func(i int) []float64 { return scores[i*n : (i+1)*n] }
}

// slowBeam is the paper's beam without any shortcut: all children, sorted. It keeps
// the greedy prefix in place of the last.
func slowBeam(scores []float64, n, k int) []Candidate {
	type prefix struct {
		order  perm.Order
		logp   float64
		greedy bool
	}
	beam := []prefix{{greedy: true}}
	for i := range n {
		var next []prefix
		for _, p := range beam {
			row, total := scores[i*n:(i+1)*n], negInf
			for k, s := range row {
				if !slices.Contains(p.order, k) {
					total = logAdd(total, s)
				}
			}
			best := -1
			for k, s := range row {
				if slices.Contains(p.order, k) {
					continue
				}
				if best < 0 || s > next[best].logp-p.logp+total {
					best = len(next)
				}
				next = append(next, prefix{append(slices.Clone(p.order), k), p.logp + s - total, false})
			}
			next[best].greedy = p.greedy
		}
		slices.SortStableFunc(next, func(a, b prefix) int {
			if a.logp > b.logp {
				return -1
			}
			if a.logp < b.logp {
				return 1
			}
			return 0
		})
		greedy := slices.IndexFunc(next, func(p prefix) bool { return p.greedy })
		if greedy >= k {
			next[k-1] = next[greedy]
		}
		beam = next[:min(k, len(next))]
	}
	var out []Candidate
	for _, p := range beam {
		out = append(out, Candidate{p.order, p.logp})
	}
	return out
}

func TestBeamEqualsPlainBeam(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var beam Beam
	for _, n := range []int{2, 5, 9, 70} {
		for _, scale := range []float64{0.3, 3, 30, 2000} { // 2000: weights underflow
			for _, k := range []int{1, 3, 20} {
				scores := randomScores(rng, n*n, scale)
				got, want := beam.Search(n, k, gplRow(scores, n)), slowBeam(scores, n, k)
				if len(got) != len(want) {
					t.Fatalf("n=%d k=%d: %d candidates, wanted %d", n, k, len(got), len(want))
				}
				for i := range got {
					what := fmt.Sprintf("n=%d scale=%g k=%d: %d", n, scale, k, i)
					near.Equal(t, what, got[i].LogProb, want[i].LogProb, 1e-9)
					near.Equal(t, what+": LogProb", got[i].LogProb, GeneralizedPlackettLuce{}.LogProb(scores, got[i].Order), 1e-10)
					if !slices.Equal(got[i].Order, want[i].Order) {
						t.Errorf("%s: order %v, wanted %v", what, got[i].Order, want[i].Order)
					}
				}
			}
		}
	}
}

// Whatever the scores: permutations, no order twice, never below greedy.
func TestBeamProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 7).Draw(t, "n"), rapid.IntRange(1, 40).Draw(t, "k")
		score := rapid.OneOf(rapid.Float64Range(-5, 5), rapid.SampledFrom([]float64{0, 0, negInf, 1e4, -1e4, math.NaN(), math.Inf(1)}))
		scores := rapid.SliceOfN(score, n*n, n*n).Draw(t, "scores")
		law, mode := GeneralizedPlackettLuce{}, make(perm.Order, n)
		floor := law.Mode(scores, mode)
		got, seen := law.TopK(scores, k), map[string]bool{}
		if len(got) < 1 || len(got) > k {
			t.Fatalf("%d candidates for k=%d", len(got), k)
		}
		for _, c := range got {
			if err := c.Order.Validate(); err != nil {
				t.Fatal(err)
			}
			if math.IsNaN(c.LogProb) || c.LogProb == negInf && len(got) > 1 {
				t.Fatalf("log-probability %g", c.LogProb)
			}
			if want := law.LogProb(scores, c.Order); c.LogProb != want && !(math.Abs(c.LogProb-want) <= 1e-9*(1+math.Abs(want))) {
				t.Fatalf("log-probability %g, wanted %g", c.LogProb, want)
			}
			seen[fmt.Sprint(c.Order)] = true
		}
		if len(seen) != len(got) {
			t.Fatal("an order comes twice")
		}
		if got[0].LogProb < floor-1e-9*(1+math.Abs(floor)) {
			t.Fatalf("best %g is below greedy %g", got[0].LogProb, floor)
		}
		if k == 1 && !slices.Equal(got[0].Order, mode) {
			t.Fatalf("k=1 gave %v, wanted %v", got[0].Order, mode)
		}
		if floor > negInf && !seen[fmt.Sprint(mode)] {
			t.Fatalf("greedy order %v is not there", mode)
		}
	})
}

// The exact searches against every order of a set too large for the suite.
func TestTopKExactOfEight(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	const n = 8
	for range 3 {
		scores := randomScores(rng, n, 1)
		var want []Candidate
		for set := range 1 << n { // one order a set of left objects, identities together
			o := make(perm.Order, n)
			piles(o, func(i int) bool { return set>>i&1 == 1 })
			if !slices.IsSorted(o) || set == 0 {
				want = append(want, Candidate{o, InverseRiffle{}.LogProb(scores, o)})
			}
		}
		want = sortCandidates(want, len(want))
		for _, k := range []int{1, 5, 100, 1000} {
			got := InverseRiffle{}.TopK(scores, k)
			if len(got) != min(k, len(want)) {
				t.Fatalf("k=%d: %d candidates", k, len(got))
			}
			for i := range got {
				if !slices.Equal(got[i].Order, want[i].Order) {
					t.Errorf("k=%d: %d is %v, wanted %v", k, i, got[i].Order, want[i].Order)
				}
			}
		}
	}
}

func TestBeamDoesNotAllocate(t *testing.T) {
	const n, k = 20, 30
	scores := randomScores(rand.New(rand.NewPCG(9, 9)), n*n, 2)
	var beam Beam
	search := func() { beam.Search(n, k, func(i int) []float64 { return scores[i*n : (i+1)*n] }) }
	search()
	search()
	if got := testing.AllocsPerRun(20, search); got > 0 {
		t.Errorf("%g allocations a search", got)
	}
}
