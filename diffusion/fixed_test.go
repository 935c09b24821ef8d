package diffusion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

// fixed are the processes of all laws with the first object fixed.
func fixed() []*Process {
	all := processes()
	for _, p := range all {
		p.FixFirst = true
	}
	return all
}

// The first object never moves: not on the way to noise, and not on any way back.
func TestFixFirst(t *testing.T) {
	const n, batch = 5, 2
	for _, p := range fixed() {
		t.Run(p.Reverse.Name(), func(t *testing.T) {
			e, store, d := tiny(t, p, n)
			dec, err := NewDecoder(e, store, d, p)
			if err != nil {
				t.Fatal(err)
			}
			defer dec.Close()
			enc, err := dec.Encode(t.Context(), features(rand.New(rand.NewPCG(1, 1)), batch, n))
			if err != nil {
				t.Fatal(err)
			}
			start := p.Noise(5, 0, batch, n)
			greedy, err := dec.Greedy(t.Context(), enc, start)
			if err != nil {
				t.Fatal(err)
			}
			drawn, err := dec.Sample(t.Context(), enc, start, []*rand.Rand{rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 3))})
			if err != nil {
				t.Fatal(err)
			}
			beams, err := dec.Beam(t.Context(), enc, start, 6, 20)
			if err != nil {
				t.Fatal(err)
			}
			paths := slices.Concat(greedy, drawn, beams[0], beams[1])
			for _, path := range paths {
				for _, x := range path.States {
					if err := x.Validate(); err != nil || x[0] != 0 {
						t.Fatalf("%v: not an order that begins with 0 (%v)", x, err)
					}
				}
			}
			for i := range batch {
				if beams[i][0].LogProb < greedy[i].LogProb-1e-9 {
					t.Errorf("set %d: the beam scores %g, greedy %g", i, beams[i][0].LogProb, greedy[i].LogProb)
				}
			}
			s := NewStates(1, 3*p.NumSteps(), n)
			clean := perm.Order{3, 1, 0, 2, 4}
			Objective{Trajectories: 3}.Fill(s, p, rand.New(rand.NewPCG(2, 2)), 0, clean)
			for row := range 3 * p.NumSteps() {
				if s.Arrangement[row*n] != 3 || s.Rank[row*n] != 0 {
					t.Fatalf("row %d: object %d first, moved to %d", row, s.Arrangement[row*n], s.Rank[row*n])
				}
			}
		})
	}
}

// With the first object fixed the bound is below the log-likelihood too, which enumerating
// the orders of the others gives, and their probabilities sum to one.
func TestFixFirstLikelihood(t *testing.T) {
	const n = 4
	others, _ := enumerate(n - 1)
	for _, p := range fixed() {
		if !p.Reverse.FullSupport() {
			p.Steps = Every(8)
		}
		e, store, d := tiny(t, p, n)
		dec, err := NewDecoder(e, store, d, p)
		if err != nil {
			t.Fatal(err)
		}
		enc, err := dec.Encode(t.Context(), firstSet(n))
		if err != nil {
			t.Fatal(err)
		}
		index := map[string]int{}
		var all []perm.Order
		for i, o := range others {
			x := p.apply(o, perm.Identity(n))
			index[orderKey(x)] = i
			all = append(all, x)
		}
		flat := make([]int32, len(all)*n)
		for i, o := range all {
			putOrder(flat[i*n:], o)
		}
		width := p.Reverse.NumScores(n - 1)
		likelihood := slices.Repeat([]float64{1.0 / 6}, 6)
		for k := p.NumSteps(); k > 0; k-- {
			scores, err := dec.Scores(t.Context(), enc, flat, len(all), p.Steps[k])
			if err != nil {
				t.Fatal(err)
			}
			next := make([]float64, len(all))
			for from, x := range all {
				for _, sigma := range others {
					next[index[orderKey(p.apply(sigma, x))]] += likelihood[from] * math.Exp(p.Reverse.LogProb(scores[from*width:(from+1)*width], sigma))
				}
			}
			likelihood = next
		}
		sum := 0.0
		for _, v := range likelihood {
			sum += v
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: the likelihoods sum to %g", p.Reverse.Name(), sum)
		}
		for _, clean := range []perm.Order{{0, 1, 2, 3}, {0, 3, 1, 2}} {
			mean, stderr, err := dec.Bound(t.Context(), enc, []perm.Order{clean}, 2000, []*rand.Rand{rand.New(rand.NewPCG(3, 3))})
			if err != nil {
				t.Fatal(err)
			}
			if exact := math.Log(likelihood[index[orderKey(clean)]]); !(mean[0] <= exact+3*stderr[0]) || mean[0] < exact-20 {
				t.Errorf("%s: bound %.4f ± %.4f, log-likelihood %.4f", p.Reverse.Name(), mean[0], stderr[0], exact)
			}
		}
	}
}
