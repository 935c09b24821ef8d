package diffusion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// tiny is a small network over features on the go engine, with weights made large so that
// its laws are far from uniform.
func tiny(t *testing.T, p *Process, n int) (*engine.Engine, *model.Store, *denoiser.Denoiser) {
	t.Helper()
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	d, err := denoiser.New(denoiser.Config{
		N: n, Law: p.Reverse, Encoder: denoiser.EncoderConfig{Kind: "features", Features: 2, Hidden: []int{8}},
		Dim: 8, Layers: 1, Heads: 2, FeedForward: 16,
	})
	if err != nil {
		t.Fatal(err)
	}
	store := model.NewStore()
	if err := d.Init(store, 7); err != nil {
		t.Fatal(err)
	}
	return e, store, d
}

func features(rng *rand.Rand, batch, n int) *tensors.Tensor {
	flat := make([]float32, batch*n*2)
	for i := range flat {
		flat[i] = float32(rng.NormFloat64())
	}
	return tensors.FromFlatDataAndDimensions(flat, batch, n, 2)
}

func processes() []*Process {
	return []*Process{
		riffleGPL(0, 2, 7),
		{Forward: shuffle.Riffle{}, Reverse: reverse.PlackettLuce{}, Steps: []int{0, 2, 7}},
		{Forward: shuffle.Riffle{}, Reverse: reverse.TransitionPlackettLuce{}, Steps: []int{0, 2, 7}},
		{Forward: shuffle.Riffle{}, Reverse: reverse.InverseRiffle{}, Steps: Every(4)},
		{Forward: shuffle.Insertion{}, Reverse: reverse.InverseInsertion{}, Steps: Every(4)},
		{Forward: shuffle.Transposition{}, Reverse: reverse.InverseTransposition{}, Steps: Every(4)},
	}
}

// push sends a distribution over X_T through all reverse steps by enumeration and returns
// that of X_0; entries are in the order of perm.All.
func push(t *testing.T, dec *Decoder, enc *Encoded, n int, start []float64) []float64 {
	t.Helper()
	all, index := enumerate(n)
	flat := make([]int32, len(all)*n)
	for i, o := range all {
		putOrder(flat[i*n:], o)
	}
	law := dec.Process.Reverse
	width := law.NumScores(n)
	p := start
	for k := dec.Process.NumSteps(); k > 0; k-- {
		scores, err := dec.Scores(t.Context(), enc, flat, len(all), dec.Process.Steps[k])
		if err != nil {
			t.Fatal(err)
		}
		next := make([]float64, len(all))
		for from, o := range all {
			if p[from] == 0 {
				continue
			}
			for _, sigma := range all {
				next[index[orderKey(perm.Compose(sigma, o))]] += p[from] * math.Exp(law.LogProb(scores[from*width:(from+1)*width], sigma))
			}
		}
		p = next
	}
	return p
}

// enumerate lists S_n and where each order is in the list.
func enumerate(n int) (all []perm.Order, index map[string]int) {
	index = map[string]int{}
	for o := range perm.All(n) {
		index[orderKey(o)] = len(all)
		all = append(all, o)
	}
	return all, index
}

// at is the distribution that is all on one order.
func at(o perm.Order) []float64 {
	all, index := enumerate(len(o))
	p := make([]float64, len(all))
	p[index[orderKey(o)]] = 1
	return p
}

func TestDecoding(t *testing.T) {
	const n, batch = 4, 3
	for _, p := range processes() {
		t.Run(p.Reverse.Name(), func(t *testing.T) {
			e, store, d := tiny(t, p, n)
			dec, err := NewDecoder(e, store, d, p)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 1))
			enc, err := dec.Encode(t.Context(), features(rng, batch, n))
			if err != nil {
				t.Fatal(err)
			}
			start := p.Noise(5, 0, batch, n)
			greedy, err := dec.Greedy(t.Context(), enc, start)
			if err != nil {
				t.Fatal(err)
			}
			one, err := dec.Beam(t.Context(), enc, start, 1, 200)
			if err != nil {
				t.Fatal(err)
			}
			for _, width := range []int{2, 5, 30} {
				wide, err := dec.Beam(t.Context(), enc, start, width, 200)
				if err != nil {
					t.Fatal(err)
				}
				for i := range batch {
					if !slices.Equal(one[i][0].Order(), greedy[i].Order()) {
						t.Errorf("set %d: beam 1 is %v, greedy %v", i, one[i][0].Order(), greedy[i].Order())
					}
					if wide[i][0].LogProb < greedy[i].LogProb-1e-9 {
						t.Errorf("set %d: beam %d scores %g, below greedy's %g", i, width, wide[i][0].LogProb, greedy[i].LogProb)
					}
					for j, path := range wide[i] {
						if err := path.Order().Validate(); err != nil {
							t.Errorf("set %d: %v", i, err)
						}
						if j > 0 && path.LogProb > wide[i][j-1].LogProb {
							t.Errorf("set %d: beam %d is not sorted", i, width)
						}
					}
				}
			}
			// A beam that holds all of S_4 has every order with its exact probability.
			full, err := dec.Beam(t.Context(), enc, start, 24, 24)
			if err != nil {
				t.Fatal(err)
			}
			first, err := dec.Encode(t.Context(), firstSet(n))
			if err != nil {
				t.Fatal(err)
			}
			exact := push(t, dec, first, n, at(start[0]))
			_, index := enumerate(n)
			sum := 0.0
			for _, path := range full[0] {
				want := exact[index[orderKey(path.Order())]]
				sum += want
				if got := math.Exp(path.LogProb); math.Abs(got-want) > 1e-4 {
					t.Errorf("%v: beam gives probability %.6f, enumeration %.6f", path.Order(), got, want)
				}
			}
			if math.Abs(sum-1) > 1e-4 {
				t.Errorf("the beam's orders have probability %g together", sum)
			}
		})
	}
}

// firstSet makes the first set of TestDecoding's batch alone.
func firstSet(n int) *tensors.Tensor { return features(rand.New(rand.NewPCG(1, 1)), 1, n) }

// Samples must follow the chain of transition matrices.
func TestSampleMatchesEnumeration(t *testing.T) {
	const n, draws = 3, 3000
	for _, p := range processes() {
		e, store, d := tiny(t, p, n)
		dec, err := NewDecoder(e, store, d, p)
		if err != nil {
			t.Fatal(err)
		}
		enc, err := dec.Encode(t.Context(), firstSet(n))
		if err != nil {
			t.Fatal(err)
		}
		start := make([]perm.Order, draws)
		rngs := make([]*rand.Rand, draws)
		for i := range start {
			start[i], rngs[i] = perm.Order{2, 0, 1}, rand.New(rand.NewPCG(9, uint64(i)))
		}
		paths, err := dec.Sample(t.Context(), enc, start, rngs)
		if err != nil {
			t.Fatal(err)
		}
		count := make([]float64, 6)
		_, index := enumerate(n)
		for _, path := range paths {
			count[index[orderKey(path.Order())]]++
		}
		want := push(t, dec, enc, n, at(start[0]))
		chi := 0.0
		for i, c := range count {
			expected := want[i] * draws
			if expected < 1e-9 {
				if c > 0 {
					t.Errorf("%s: an impossible order was drawn", p.Reverse.Name())
				}
				continue
			}
			chi += (c - expected) * (c - expected) / expected
		}
		if chi > 25.7 { // chi-square, 5 degrees of freedom, p = 1e-4
			t.Errorf("%s: chi-square %.1f: drew %v, want %v of %d", p.Reverse.Name(), chi, count, want, draws)
		}
	}
}

// The bound must lie below the log-likelihood that enumerating S_n gives.
func TestBoundBelowLikelihood(t *testing.T) {
	for _, n := range []int{3, 4, 6} {
		for _, p := range processes() {
			switch p.Reverse.Name() {
			case "ii", "it":
				if n > 3 {
					continue // eight single shuffles do not reach all of S_4 from everywhere
				}
				p.Steps = Every(8)
			case "pl", "irs":
				if n == 6 {
					continue // 720² probabilities a step are enough for one law
				}
			}
			dec, enc, _, index, likelihood := likelihoods(t, p, n)
			for _, clean := range []perm.Order{perm.Identity(n), perm.Random(rand.New(rand.NewPCG(2, 2)), n)} {
				estimates, err := dec.Likelihood(t.Context(), enc, []perm.Order{clean}, 2000, []*rand.Rand{rand.New(rand.NewPCG(3, 3))})
				if err != nil {
					t.Fatal(err)
				}
				x := estimates[0]
				exact := math.Log(likelihood[index[orderKey(clean)]])
				if !(x.Bound <= exact+3*x.BoundStdErr) {
					t.Errorf("%s n=%d: bound %.4f ± %.4f above the log-likelihood %.4f", p.Reverse.Name(), n, x.Bound, x.BoundStdErr, exact)
				}
				if x.Bound < exact-20 {
					t.Errorf("%s n=%d: bound %.4f is far below the log-likelihood %.4f", p.Reverse.Name(), n, x.Bound, exact)
				}
				if x.LogProb < x.Bound || x.Effective < 1 || x.Effective > 2000 {
					t.Errorf("%s n=%d: %+v", p.Reverse.Name(), n, x)
				}
				// Where many draws count their mean weight is nearly normal.
				if x.Effective > 50 && math.Abs(x.LogProb-exact) > 4*x.StdErr+1e-6 {
					t.Errorf("%s n=%d: importance estimate %.4f ± %.4f of the log-likelihood %.4f", p.Reverse.Name(), n, x.LogProb, x.StdErr, exact)
				}
				if n < 6 && x.Effective <= 50 {
					t.Errorf("%s n=%d: %.1f of 2,000 draws count: nothing was tested", p.Reverse.Name(), n, x.Effective)
				}
				if n == 3 {
					mean, stderr, err := dec.Bound(t.Context(), enc, []perm.Order{clean}, 2000, []*rand.Rand{rand.New(rand.NewPCG(3, 3))})
					if err != nil || mean[0] != x.Bound || stderr[0] != x.BoundStdErr {
						t.Errorf("%s: bound %g ± %g, %v, of the same draws %g ± %g", p.Reverse.Name(), mean[0], stderr[0], err, x.Bound, x.BoundStdErr)
					}
				}
				t.Logf("%s n=%d: estimate %.4f ± %.4f, %.0f effective", p.Reverse.Name(), n, x.LogProb, x.StdErr, x.Effective)
				t.Logf("%s n=%d: bound %.4f ± %.4f, log-likelihood %.4f", p.Reverse.Name(), n, x.Bound, x.BoundStdErr, exact)
			}
		}
	}
}

// Of all orders that put item 0 before item 1, half of S_4, the estimate is the log of the sum that
// enumeration gives, and the bound below it. Of all of S_4 that is 0.
func TestLikelihoodAmong(t *testing.T) {
	const n, draws = 4, 4000
	for _, p := range processes() {
		if name := p.Reverse.Name(); name == "ii" || name == "it" {
			continue // eight single shuffles do not reach all of S_4 from everywhere
		}
		floor := 100.0
		if p.Reverse.Name() == "path" {
			floor = 50 // an untrained network's scores of who follows whom are sharper, so fewer draws count
		}
		dec, enc, all, index, likelihood := likelihoods(t, p, n)
		var half []perm.Order
		sum := 0.0
		for _, o := range all {
			if rank := o.Rank(); rank[0] < rank[1] {
				half = append(half, o)
				sum += likelihood[index[orderKey(o)]]
			}
		}
		for _, c := range []struct {
			among []perm.Order
			exact float64
		}{{half, math.Log(sum)}, {all, 0}} {
			rng := rand.New(rand.NewPCG(5, 5))
			estimates, err := dec.LikelihoodAmong(t.Context(), enc, func(int) perm.Order { return c.among[rng.IntN(len(c.among))] },
				[]float64{math.Log(float64(len(c.among)))}, draws, []*rand.Rand{rng})
			if err != nil {
				t.Fatal(err)
			}
			x := estimates[0]
			if x.Effective < floor || math.Abs(x.LogProb-c.exact) > 4*x.StdErr {
				t.Errorf("%s: estimate %.4f ± %.4f of log %d orders' probability %.4f, %.0f of %d draws count", p.Reverse.Name(), x.LogProb, x.StdErr, len(c.among), c.exact, x.Effective, draws)
			}
			if !(x.Bound <= c.exact+3*x.BoundStdErr) {
				t.Errorf("%s: bound %.4f ± %.4f above %.4f", p.Reverse.Name(), x.Bound, x.BoundStdErr, c.exact)
			}
		}
	}
}

// likelihoods are those of all orders of one set by a tiny network, every way counted.
func likelihoods(t *testing.T, p *Process, n int) (dec *Decoder, enc *Encoded, all []perm.Order, index map[string]int, likelihood []float64) {
	t.Helper()
	e, store, d := tiny(t, p, n)
	dec, err := NewDecoder(e, store, d, p)
	if err != nil {
		t.Fatal(err)
	}
	if enc, err = dec.Encode(t.Context(), firstSet(n)); err != nil {
		t.Fatal(err)
	}
	all, index = enumerate(n)
	uniform := make([]float64, len(all))
	for i := range uniform {
		uniform[i] = 1 / float64(len(all))
	}
	return dec, enc, all, index, push(t, dec, enc, n, uniform)
}
