package plackettluce

import (
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

func vote(count int, levels ...[]int) dataset.Vote { return dataset.Vote{Levels: levels, Count: count} }

func strict(count int, items ...int) dataset.Vote {
	return dataset.Vote{Levels: dataset.Strict(items), Count: count}
}

func TestEstimateByHand(t *testing.T) {
	log := math.Log
	for _, c := range []struct {
		name   string
		votes  []dataset.Vote
		scores []float64 // up to a constant
		value  float64
	}{
		{"one item", []dataset.Vote{strict(2, 0)}, []float64{0}, 0},
		// Item 0 wins 3 of 4: odds of 3 to 1.
		{"two items", []dataset.Vote{strict(3, 0, 1), strict(1, 1, 0)}, []float64{log(3), 0}, 3*log(.75) + log(.25)},
		{"two items, very unlike", []dataset.Vote{strict(1<<35-1, 0, 1), strict(1, 1, 0)}, []float64{log(1<<35 - 1), 0}, (1<<35-1)*math.Log1p(-1./(1<<35)) - 35*log(2)},
		// 0 against 1 and 1 against 2, each 2 to 1, say nothing of one another.
		{"three items in pairs", []dataset.Vote{strict(2, 0, 1), strict(1, 1, 0), strict(2, 1, 2), strict(1, 2, 1)}, []float64{log(4), log(2), 0}, 4*log(2./3) + 2*log(1./3)},
		// Every rotation once: nothing tells the items apart, and each order has 1/6.
		{"a circle", []dataset.Vote{strict(1, 0, 1, 2), strict(1, 1, 2, 0), strict(1, 2, 0, 1)}, []float64{0, 0, 0}, -3 * log(6)},
		// First places alone: their shares.
		{"first of three", []dataset.Vote{vote(5, []int{0}, []int{1, 2}), vote(3, []int{1}, []int{0, 2}), vote(2, []int{2}, []int{0, 1})}, []float64{log(5), log(3), log(2)}, 5*log(.5) + 3*log(.3) + 2*log(.2)},
	} {
		f, err := Estimate(c.votes, len(c.scores), 0)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		mean := 0.0
		for _, s := range c.scores {
			mean += s / float64(len(c.scores))
		}
		for k := range c.scores {
			c.scores[k] -= mean
		}
		near.AllWithin(t, c.name, f.Scores, c.scores, 1e-12)
		near.AllWithin(t, c.name+": log-likelihood", []float64{f.LogLikelihood}, []float64{c.value}, 1e-12)
		if f.Residual > tolerance {
			t.Errorf("%s: residual %g", c.name, f.Residual)
		}
	}
	if f, err := Estimate(nil, 0, 0); err != nil || len(f.Scores) != 0 {
		t.Errorf("no items: %v, %v", f, err)
	}
}

// mixed has lists of all kinds: of all items, of some, of first places.
var mixed = []dataset.Vote{
	strict(4, 0, 2, 1, 4, 3), strict(3, 2, 0, 4), vote(2, []int{4}, []int{3}, []int{1}),
	vote(5, []int{3}, []int{1}, []int{0, 2, 4}), vote(1, []int{1}, []int{4, 2, 0, 3}),
}

// SciPy found these: the log-likelihood of the same votes written with plain sums, BFGS, and
// then a root of its gradient,
//
//	votes = [(4,[0,2,1,4,3],4),(3,[2,0,4],2),(2,[4,3,1],2),(5,[3,1,0,2,4],2),(1,[1,4,2,0,3],1)]
//	f = lambda s: -sum(c*(s[o[i]]-log(sum(exp(s[o[i:]])))) for c,o,k in votes for i in range(k))
//	x = minimize(f, zeros(5), jac=g, method="BFGS").x
//	x = root(lambda s: g(s) + s.sum(), x, tol=1e-14).x
//
// for the prior 0.5 with -0.5*sum(s - 2*log1p(exp(s))) and its gradient.
func TestEstimateAgainstSciPy(t *testing.T) {
	f, err := Estimate(mixed, 5, 0)
	if err != nil {
		t.Fatal(err)
	}
	near.AllWithin(t, "scores", f.Scores, []float64{0.22780484254798308, 0.35075289903900037, 0.37001795934415604, -0.26283398722065343, -0.685741713710486}, 1e-11)
	near.AllWithin(t, "log-likelihood", []float64{f.LogLikelihood}, []float64{-42.12836728043371}, 1e-11)
	if f, err = Estimate(mixed, 5, .5); err != nil {
		t.Fatal(err)
	}
	near.AllWithin(t, "scores with a prior", f.Scores, []float64{0.2143229032180009, 0.33964656542071003, 0.3503622495318983, -0.24780798719962255, -0.6565237309709866}, 1e-11)
	near.AllWithin(t, "log-likelihood with a prior", []float64{f.LogLikelihood}, []float64{-42.13281048231205}, 1e-11)
}

func TestEstimateNeedsOnePart(t *testing.T) {
	// 2 is above all, {0, 3} are a circle, 1 is below; 4 is in no vote.
	votes := []dataset.Vote{strict(1, 2, 0, 3, 1), strict(7, 3, 0), strict(1, 2)}
	_, err := Estimate(votes, 5, 0)
	disconnected, ok := errors.AsType[*DisconnectedError](err)
	if !ok {
		t.Fatalf("got %v, wanted a DisconnectedError", err)
	}
	if len(disconnected.Parts) != 4 {
		t.Errorf("parts %v, wanted {2}, {0, 3}, {1} and {4}", disconnected.Parts)
	}
	at := func(part ...int) int {
		return slices.IndexFunc(disconnected.Parts, func(p []int) bool { return reflect.DeepEqual(p, part) })
	}
	if at(4) < 0 || at(2) < 0 || at(2) >= at(0, 3) || at(0, 3) >= at(1) {
		t.Errorf("parts %v, wanted {2}, {0, 3}, {1} in this order", disconnected.Parts)
	}
	for _, text := range []string{"has 4 strongly connected parts: {", "{0 3}", "\nhint: "} {
		if !strings.Contains(hint.Text(err), text) {
			t.Errorf("error %q has no %q", err, text)
		}
	}
	f, err := Estimate(votes, 5, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	// 4 keeps the prior's score 0, above 1, which only lost.
	if o := f.Mode(); o[0] != 2 || !(f.Scores[4] > f.Scores[1]) {
		t.Errorf("mode %v, scores %v", o, f.Scores)
	}
	// Hunter's condition, not less: a vote from 1 up to 2 joins all but 4.
	f, err = Estimate(append(votes[:2:2], strict(1, 1, 2)), 4, 0)
	if err != nil || f.Residual > tolerance {
		t.Errorf("one part: %+v, %v", f, err)
	}
	long := &DisconnectedError{Parts: make([][]int, 1000)}
	for i := range long.Parts {
		long.Parts[i] = make([]int, 1000)
	}
	if n := len(long.Error()); n > 600 {
		t.Errorf("an error of %d bytes", n)
	}
}

func TestEstimateErrors(t *testing.T) {
	for _, c := range []struct {
		votes   []dataset.Vote
		prior   float64
		message string
	}{
		{[]dataset.Vote{vote(1, []int{0, 1}, []int{2})}, 1, "plackett-luce: vote 0: level 0 has 2 tied items, wanted ties in the last level alone\nhint: dataset.BucketOrder.Draw draws an order that a vote allows"},
		{[]dataset.Vote{strict(0, 1, 2)}, 1, "plackett-luce: vote 0: count is 0, wanted 1 or more"},
		{[]dataset.Vote{strict(1, 1, 3)}, 1, "plackett-luce: vote 0: level 1: item 3, wanted 0 to 2"},
		{nil, -1, "plackett-luce: prior must be 0 to 68719476736 (got -1)"},
		{nil, math.NaN(), "plackett-luce: prior must be 0 to 68719476736 (got NaN)"},
	} {
		if _, err := Estimate(c.votes, 3, c.prior); err == nil || hint.Text(err) != c.message {
			t.Errorf("got %v, wanted %s", err, c.message)
		}
	}
	m := Model{make([]float64, 3)}
	if _, err := m.LogProb(perm.Order{0, 1}); err == nil {
		t.Error("an order of 2 of 3 items has a probability")
	}
	if _, err := m.LogProb(perm.Order{0, 1, 1}); err == nil {
		t.Error("0 1 1 has a probability")
	}
	if _, err := m.LogLikelihood([]dataset.Vote{strict(1, 3)}); err == nil {
		t.Error("item 3 of 3 has a likelihood")
	}
}

// The last level stands for all orders of its items: a vote's probability is the sum over the
// orders that agree with it.
func TestLogLikelihoodOfFirstPlaces(t *testing.T) {
	m := Model{[]float64{0.3, -1, 2, 0.5}}
	v := vote(1, []int{1}, []int{0, 2, 3})
	for range 3 {
		sum := 0.0
		for o := range perm.All(4) {
			agrees := true
			for i, group := range v.Levels[:len(v.Levels)-1] {
				agrees = agrees && o[i] == group[0]
			}
			if agrees {
				logp, err := m.LogProb(o)
				if err != nil {
					t.Fatal(err)
				}
				sum += math.Exp(logp)
			}
		}
		got, err := m.LogLikelihood([]dataset.Vote{v})
		if err != nil || math.Abs(math.Exp(got)-sum) > 1e-14 {
			t.Errorf("%v: probability %v, %v, wanted %v", v.Levels, math.Exp(got), err, sum)
		}
		rest := v.Levels[len(v.Levels)-1]
		v.Levels = append(v.Levels[:len(v.Levels)-1:len(v.Levels)-1], rest[:1], rest[1:])
		if len(rest) == 1 {
			break
		}
	}
}

func drawVotes(t *rapid.T, n int) []dataset.Vote {
	votes := make([]dataset.Vote, rapid.IntRange(0, 6).Draw(t, "votes"))
	for i := range votes {
		items := rapid.Permutation(perm.Identity(n)).Draw(t, "items")
		known := rapid.IntRange(1, n).Draw(t, "known")
		l := dataset.Strict(items[:rapid.IntRange(0, known-1).Draw(t, "choices")])
		votes[i] = dataset.Vote{Levels: append(l, items[len(l):known]), Count: rapid.IntRange(1, 5).Draw(t, "count")}
	}
	return votes
}

// The gradient is that of the value, the curvature that of the gradient, by differences.
func TestDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		b, err := newBallots(drawVotes(t, n), n)
		if err != nil {
			t.Fatal(err)
		}
		b.prior = rapid.Float64Range(0, 2).Draw(t, "prior")
		draw := func(name string) []float64 {
			return rapid.SliceOfN(rapid.Float64Range(-3, 3), n, n).Draw(t, name)
		}
		s, v := draw("scores"), draw("direction")
		const h = 1e-5
		up, down := slices.Clone(s), slices.Clone(s)
		for k := range s {
			up[k] += h * v[k]
			down[k] -= h * v[k]
		}
		gUp, gDown, g := make([]float64, n), make([]float64, n), make([]float64, n)
		slope := (b.evaluate(up, gUp) - b.evaluate(down, gDown)) / (2 * h)
		b.evaluate(s, g)
		want := 0.0
		for k := range g {
			want += g[k] * v[k]
		}
		if math.Abs(slope-want) > 1e-6*(1+math.Abs(want)) {
			t.Fatalf("slope %v by differences, %v by the gradient", slope, want)
		}
		hit, diagonal, mean := make([]float64, n), make([]float64, n), make([]float64, len(b.items))
		b.curvature(s, v, hit, mean)
		for k := range hit {
			if want := (gDown[k] - gUp[k]) / (2 * h); math.Abs(hit[k]-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("curvature %v, item %d wanted %v", hit, k, want)
			}
		}
		b.diagonal(s, diagonal)
		for k := range diagonal {
			unit := make([]float64, n)
			unit[k] = 1
			b.curvature(s, unit, hit, mean)
			if math.Abs(hit[k]-diagonal[k]) > 1e-9 {
				t.Fatalf("diagonal %v, item %d wanted %v", diagonal, k, hit[k])
			}
		}
	})
}

// A fit exists just where there is one part, and then no step away from it is better.
func TestEstimateIsBest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(t, "n")
		votes := drawVotes(t, n)
		f, err := Estimate(votes, n, 0)
		if parts := dataset.ComparisonParts(votes, n); (len(parts) > 1) != (err != nil) {
			t.Fatalf("%v: %d parts, error %v", votes, len(parts), err)
		}
		if err != nil {
			return
		}
		for k := range n {
			for _, h := range []float64{-1e-3, 1e-3} {
				m := Model{slices.Clone(f.Scores)}
				m.Scores[k] += h
				if v, err := m.LogLikelihood(votes); err != nil || v > f.LogLikelihood+1e-12*(1+math.Abs(v)) {
					t.Fatalf("%v: %v with item %d moved, %v without", votes, v, k, f.LogLikelihood)
				}
			}
		}
	})
}

// A ladder: 200 items, each 100 times as strong as the next, which spans more than a float's
// exponents. Neighbours alone are compared, so every difference is log 100 (by hand).
func TestEstimateOfALadder(t *testing.T) {
	var votes []dataset.Vote
	const n = 200
	for k := range n - 1 {
		votes = append(votes, strict(100, k, k+1), strict(1, k+1, k))
	}
	f, err := Estimate(votes, n, 0)
	if err != nil {
		t.Fatal(err)
	}
	for k := range n - 1 {
		if d := f.Scores[k] - f.Scores[k+1]; math.Abs(d-math.Log(100)) > 1e-9 {
			t.Fatalf("items %d and %d differ by %v, wanted log 100", k, k+1, d)
		}
	}
}

// drawn draws votes of a model: orders, lists of some items, and first places.
func drawn(m Model, rng *rand.Rand, count int) []dataset.Vote {
	votes := make([]dataset.Vote, count)
	for i := range votes {
		o := m.Sample(rng)
		votes[i] = strict(1, o...)
		switch i % 3 {
		case 1: // a subset's order is that of the whole
			some := o[:0:0]
			for _, k := range o {
				if rng.IntN(2) == 0 {
					some = append(some, k)
				}
			}
			votes[i] = strict(1, some...)
		case 2:
			votes[i].Levels = dataset.Strict(o[:1]).RestLast(len(o))
		}
	}
	return votes
}

func TestEstimateFindsTheModel(t *testing.T) {
	m := Model{[]float64{1.5, 0.5, 0, -0.25, -0.75, -1}}
	f, err := Estimate(drawn(m, rand.New(rand.NewPCG(1, 2)), 6000), 6, 0)
	if err != nil {
		t.Fatal(err)
	}
	// A score's standard error is about 0.03 here: each item is in some 4,000 choices.
	near.AllWithin(t, "scores", f.Scores, m.Scores, 0.12)
	if o := f.Mode(); !slices.Equal(o, perm.Identity(6)) {
		t.Errorf("mode %v", o)
	}
}

func BenchmarkEstimate(b *testing.B) {
	for _, c := range []struct {
		name     string
		n, votes int
	}{{"n=10,votes=5000", 10, 5000}, {"n=1000,votes=1000", 1000, 1000}} {
		b.Run(c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			m := Model{make([]float64, c.n)}
			for k := range m.Scores {
				m.Scores[k] = rng.NormFloat64()
			}
			votes := drawn(m, rng, c.votes)
			for b.Loop() {
				if _, err := Estimate(votes, c.n, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
