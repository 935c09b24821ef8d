package diffusion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// rules are some about four objects, of every kind.
var rules = []constraint.Rules{
	{Pins: []constraint.Place{{Item: 3, Position: 1}}},
	{Pins: []constraint.Place{{Item: 2, Position: 3}}, Befores: []constraint.Before{{A: 3, B: 1}}},
	{Befores: []constraint.Before{{A: 3, B: 2}, {A: 2, B: 1}}},
	{Firsts: []constraint.Among{{Items: []int{3, 1}, Count: 3}}, Forbids: []constraint.Place{{Item: 3, Position: 1}, {Item: 2, Position: 2}}},
	{Forbids: []constraint.Place{{Item: 1, Position: 2}, {Item: 2, Position: 2}}, Befores: []constraint.Before{{A: 2, B: 3}}},
}

func compile(t *testing.T, s constraint.Rules, n int) *constraint.Plan {
	t.Helper()
	p, err := s.Compile(n)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Whatever the law, the rules and the way of decoding, what comes out of a network that has learned
// nothing obeys. A beam of 1 is greedy decoding and a wider one ends no lower.
func TestAllObey(t *testing.T) {
	const n = 4
	for _, p := range processes() {
		for _, p.FixFirst = range []bool{false, true} {
			e, store, d := tiny(t, p, n)
			dec, err := NewDecoder(e, store, d, p)
			if err != nil {
				t.Fatal(err)
			}
			batch := len(rules) + 1
			plans := make([]*constraint.Plan, batch) // the last set is free
			for i, s := range rules {
				if p.FixFirst {
					s = s.And(constraint.Rules{Pins: []constraint.Place{{}}})
				}
				plans[i] = compile(t, s, n)
			}
			free := dec
			if dec, err = dec.WithConstraints(plans); err != nil {
				t.Fatal(err)
			}
			enc, err := dec.Encode(t.Context(), features(rand.New(rand.NewPCG(1, 1)), batch, n))
			if err != nil {
				t.Fatal(err)
			}
			check := func(how string, set int, path *Path) {
				t.Helper()
				if err := path.Order().Validate(); err != nil {
					t.Fatalf("%s: %v", how, err)
				}
				if p.FixFirst && path.Order()[0] != 0 {
					t.Errorf("%s, %s: the first object is %d", p.Reverse.Name(), how, path.Order()[0])
				}
				if plans[set] == nil {
					return
				}
				if err := plans[set].Check(path.Order()); err != nil {
					t.Errorf("%s, %s, set %d: %v: %v", p.Reverse.Name(), how, set, path.Order(), err)
				}
			}
			start := p.Noise(5, 0, batch, n)
			greedy, err := dec.Greedy(t.Context(), enc, start)
			if err != nil {
				t.Fatal(err)
			}
			for i := range greedy {
				check("greedy", i, &greedy[i])
			}
			for _, width := range []int{1, 3, 30} {
				beams, err := dec.Beam(t.Context(), enc, start, width, 30)
				if err != nil {
					t.Fatal(err)
				}
				for i, beam := range beams {
					for j := range beam {
						check("beam", i, &beam[j])
					}
					if width == 1 && !slices.Equal(beam[0].Order(), greedy[i].Order()) {
						t.Errorf("%s, set %d: beam 1 is %v, greedy %v", p.Reverse.Name(), i, beam[0].Order(), greedy[i].Order())
					}
					if beam[0].LogProb < greedy[i].LogProb-1e-9 {
						t.Errorf("%s, set %d: beam %d ends at %g, greedy at %g", p.Reverse.Name(), i, width, beam[0].LogProb, greedy[i].LogProb)
					}
				}
			}
			const draws = 10
			starts, rngs := make([]perm.Order, batch*draws), make([]*rand.Rand, batch*draws)
			for i := range starts {
				starts[i], rngs[i] = start[i/draws], rand.New(rand.NewPCG(4, uint64(i)))
			}
			paths, err := dec.Sample(t.Context(), enc, starts, rngs)
			if err != nil {
				t.Fatal(err)
			}
			for i := range paths {
				check("sample", i/draws, &paths[i])
			}
			// The free set, and a decoder that is not restricted, are as they were.
			before, err := free.Greedy(t.Context(), enc, start)
			if err != nil {
				t.Fatal(err)
			}
			if a, b := before[batch-1].Order(), greedy[batch-1].Order(); !slices.Equal(a, b) {
				t.Errorf("%s: the set without rules goes to %v, freely to %v", p.Reverse.Name(), b, a)
			}
		}
	}
}

// Where the first object is fixed, rules that move it are refused.
func TestFixedFirstContradicts(t *testing.T) {
	p := &Process{Forward: processes()[0].Forward, Reverse: reverse.PlackettLuce{}, Steps: []int{0, 7}, FixFirst: true}
	dec := &Decoder{Process: p}
	if _, err := dec.WithConstraints([]*constraint.Plan{compile(t, constraint.Rules{Pins: []constraint.Place{{Item: 0, Position: 2}}}, 4)}); err == nil {
		t.Error("object 0 was pinned elsewhere: no error")
	}
}

// lastSteps are restricted last steps of all laws from one state, with scores that are far
// from equal.
func lastSteps(t *testing.T) (steps []lastStep) {
	const n = 4
	rng := rand.New(rand.NewPCG(6, 6))
	for _, law := range reverse.Laws() {
		for _, s := range rules {
			scores := make([]float64, law.NumScores(n))
			for i := range scores {
				scores[i] = 1.5 * rng.NormFloat64()
			}
			steps = append(steps, lastStep{&Process{Reverse: law}, compile(t, s, n), scores, perm.Order{2, 0, 3, 1}})
		}
	}
	return steps
}

// conditional is p(σ' | obeys) by enumeration, and p(obeys).
func (s lastStep) conditional() (all []perm.Order, p []float64, obeying float64) {
	for sigma := range perm.All(len(s.state)) {
		if !s.obeys(sigma) {
			continue
		}
		all = append(all, slices.Clone(sigma))
		p = append(p, math.Exp(s.logProb(sigma)))
		obeying += p[len(p)-1]
	}
	for i := range p {
		p[i] /= obeying
	}
	return all, p, obeying
}

// must is for what fails only where its context has ended.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// farFrom is the TV between what f draws and probabilities of orders.
func farFrom(t *testing.T, f func(*rand.Rand, perm.Order), all []perm.Order, want []float64, count int) (tv float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	got := make([]float64, len(all))
	dst := make(perm.Order, len(all[0]))
	for range count {
		f(rng, dst)
		i := slices.IndexFunc(all, func(o perm.Order) bool { return slices.Equal(o, dst) })
		if i < 0 {
			t.Fatalf("%v does not obey", dst)
		}
		got[i] += 1 / float64(count)
	}
	for i := range got {
		tv += math.Abs(got[i]-want[i]) / 2
	}
	return tv
}

// Samples follow the last step conditioned on the rules. The expected TV of 4,000 draws from
// at most 12 orders is below Σ √(2p/(π·4000))/2 ≤ √(12·2/(4000π))/2 = 0.022.
func TestSamplesAreConditional(t *testing.T) {
	for _, s := range lastSteps(t) {
		all, want, obeying := s.conditional()
		if obeying < 0.02 {
			continue // most of 256 draws fail together: see TestResampled and TestMended
		}
		tv := farFrom(t, func(rng *rand.Rand, dst perm.Order) { must(s.sample(t.Context(), rng, dst)) }, all, want, 4000)
		if tv > 0.04 {
			t.Errorf("%s, p(obeys) = %.3g: TV %.3f to the enumerated law", s.process.Reverse.Name(), obeying, tv)
		}
	}
}

// Orders that are built and drawn by weight come to follow the same law as their number
// grows, which those drawn without weights do not.
func TestResampled(t *testing.T) {
	for _, s := range lastSteps(t) {
		all, want, _ := s.conditional()
		if !s.byRows() || len(all) != 4 { // one set of rules for each of both laws
			continue
		}
		of := func(count, draws int) float64 {
			return farFrom(t, func(rng *rand.Rand, dst perm.Order) { copy(dst, must(s.resample(t.Context(), rng, count))) }, all, want, draws)
		}
		one, many := of(1, 4000), of(200, 500)
		if many > 0.08 || many > one/2 { // 500 draws from 4 orders: 0.036 expected at most
			t.Errorf("%s: TV %.3f of built orders, %.3f of one of 200 by weight", s.process.Reverse.Name(), one, many)
		}
	}
}

// The weight of a built order is p/q: its mean is the probability that the law obeys.
func TestBuiltWeights(t *testing.T) {
	for _, s := range lastSteps(t) {
		if !s.byRows() {
			continue
		}
		_, _, want := s.conditional()
		const count = 4000
		rng := rand.New(rand.NewPCG(8, 8))
		sum, square := 0.0, 0.0
		walker, dst := s.walker(), make(perm.Order, len(s.state))
		for range count {
			w := must(walker.build(t.Context(), rng, dst))
			sum += math.Exp(w)
			square += math.Exp(2 * w)
		}
		mean := sum / count
		stderr := math.Sqrt((square/count - mean*mean) / count)
		if math.Abs(mean-want) > 4*stderr+1e-12 {
			t.Errorf("%s: mean weight %.5f ± %.5f, p(obeys) %.5f", s.process.Reverse.Name(), mean, stderr, want)
		}
	}
}

// A wide search finds all orders that obey, with the law's probabilities.
func TestRestrictedTopK(t *testing.T) {
	for _, s := range lastSteps(t) {
		all, _, obeying := s.conditional()
		if obeying < 1e-12 {
			continue
		}
		top := must(s.topK(t.Context(), 24))
		possible := 0
		for _, o := range all {
			if !math.IsInf(s.logProb(o), -1) {
				possible++
			}
		}
		if len(top) != possible {
			t.Errorf("%s: %d orders, wanted %d", s.process.Reverse.Name(), len(top), possible)
		}
		best := math.Inf(-1)
		for _, o := range all {
			best = max(best, s.logProb(o))
		}
		for i, c := range top {
			if math.Abs(c.LogProb-s.logProb(c.Order)) > 1e-9 || i > 0 && c.LogProb > top[i-1].LogProb || !s.obeys(c.Order) {
				t.Errorf("%s: %v at place %d with log p %g, by the law %g", s.process.Reverse.Name(), c.Order, i, c.LogProb, s.logProb(c.Order))
			}
		}
		if math.Abs(top[0].LogProb-best) > 1e-9 {
			t.Errorf("%s: the best order has log p %g, wanted %g", s.process.Reverse.Name(), top[0].LogProb, best)
		}
	}
}

// Rules that greedy decoding obeys anyway change nothing of it: of the laws whose greedy step is not the most probable
// order too (IT, IRS). A beam of any width keeps that step, in its place by log p.
func TestRulesThatAreObeyedAnyway(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	differ := map[string]bool{}
	for range 50 {
		for _, s := range lastSteps(t) {
			for i := range s.scores {
				s.scores[i] = 1.5 * rng.NormFloat64()
			}
			law := s.process.Reverse
			step, best, got := make(perm.Order, 4), make(perm.Order, 4), make(perm.Order, 4)
			logp := reverse.GreedyStep(law, s.scores, step)
			if !s.obeys(step) || math.IsInf(logp, -1) {
				continue
			}
			law.Mode(s.scores, best)
			if !slices.Equal(best, step) {
				differ[law.Name()] = true
			}
			if gotLog := must(s.mode(t.Context(), got)); !slices.Equal(got, step) || math.Abs(gotLog-logp) > 1e-9 {
				t.Fatalf("%s: %v with log p %g, without rules %v with %g", law.Name(), got, gotLog, step, logp)
			}
			for k := 1; k <= 4; k++ {
				top, kept := must(s.topK(t.Context(), k)), false
				for i, c := range top {
					kept = kept || slices.Equal(c.Order, step)
					if i > 0 && c.LogProb > top[i-1].LogProb || !s.obeys(c.Order) {
						t.Fatalf("%s: order %d of the best %d is %v", law.Name(), i, k, c.Order)
					}
				}
				if !kept || len(top) > k {
					t.Fatalf("%s: of the best %d, %d were found, the greedy step %v", law.Name(), k, len(top), kept)
				}
			}
		}
	}
	if !differ["irs"] || !differ["it"] {
		t.Errorf("laws whose greedy step differed from their mode: %v", differ)
	}
}

// Where a law reaches no order that obeys, its mode is mended: items wait until they may come.
func TestMended(t *testing.T) {
	// Inverse insertion moves one object to the end: from 0 1 2 3 it never makes 3 2 1 0.
	s := lastStep{&Process{Reverse: reverse.InverseInsertion{}}, compile(t, constraint.Rules{Befores: []constraint.Before{{A: 3, B: 2}, {A: 2, B: 1}}}, 4), []float64{0, 0, 5, 0}, perm.Identity(4)}
	dst := make(perm.Order, 4)
	// The mode is 0 1 3 2; 1 waits for 3 and 2.
	if logp := must(s.mode(t.Context(), dst)); !math.IsInf(logp, -1) || !slices.Equal(dst, perm.Order{0, 3, 2, 1}) {
		t.Errorf("mended to %v with log p %g, wanted 0 3 2 1 and -Inf", dst, logp)
	}
	if logp := must(s.sample(t.Context(), rand.New(rand.NewPCG(1, 1)), dst)); !math.IsInf(logp, -1) || !s.obeys(dst) {
		t.Errorf("drew %v with log p %g", dst, logp)
	}
}

// Scores that are not finite still give orders that obey.
func TestWithConstraintsWithoutFiniteScores(t *testing.T) {
	for _, law := range reverse.Laws() {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for _, r := range rules {
				s := lastStep{&Process{Reverse: law}, compile(t, r, 4), slices.Repeat([]float64{v}, law.NumScores(4)), perm.Order{2, 0, 3, 1}}
				dst := make(perm.Order, 4)
				must(s.mode(t.Context(), dst))
				ok := s.obeys(dst)
				must(s.sample(t.Context(), rand.New(rand.NewPCG(1, 1)), dst))
				ok = ok && s.obeys(dst)
				for _, c := range must(s.topK(t.Context(), 5)) {
					ok = ok && s.obeys(c.Order) && !math.IsNaN(c.LogProb)
				}
				if !ok {
					t.Errorf("%s with scores of %v: an order does not obey", law.Name(), v)
				}
			}
		}
	}
}
