// Package reversetest is the suite that every reverse law passes. A law of your own can be put
// through it too:
//
//	func TestMyLaw(t *testing.T) { reversetest.Law(t, MyLaw{}) }
//
// Probabilities over S_n are summed and compared one by one up to n = 6. Samples are held to them by
// chi-square, the mode and the most probable orders by enumeration. The graph side is held to the
// host's values, and its gradient to central differences. Random numbers are from one seed, so that a
// failure comes again.
package reversetest

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// Law runs the whole suite: [Host], and [Graph] on the embedded engine.
func Law(t *testing.T, law reverse.Law) {
	t.Helper()
	t.Run("host", func(t *testing.T) { Host(t, law) })
	t.Run("graph", func(t *testing.T) {
		e, err := engine.Open("go")
		if err != nil {
			t.Fatal(err)
		}
		Graph(t, law, e)
	})
}

// most is how many objects the suite enumerates the orders of.
const most = 6

// Host checks what a law computes without an engine.
func Host(t *testing.T, law reverse.Law) {
	t.Helper()
	for n := range most + 1 {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		t.Run(fmt.Sprintf("n=%d", n), func(t *testing.T) {
			if got, want := law.NumScores(n), law.Layout().Size(n); got != want {
				t.Fatalf("%d scores, the layout has %d", got, want)
			}
			for i, scores := range Scores(rng, law, n) {
				all := Enumerate(law, scores, n)
				checkSum(t, law, all, n)
				checkMode(t, law, scores, n)
				checkTopK(t, law, scores, all, n)
				if n <= 4 && i < 4 {
					checkSamples(t, rng, law, scores, all, n)
				}
			}
			checkOddScores(t, rng, law, n)
		})
	}
}

// Scores are a few score lists of different kinds, all of them finite.
func Scores(rng *rand.Rand, law reverse.Law, n int) [][]float64 {
	normal := func(scale float64) []float64 {
		s := make([]float64, law.NumScores(n))
		for i := range s {
			s[i] = scale * rng.NormFloat64()
		}
		return s
	}
	coarse := normal(1) // with ties
	for i := range coarse {
		coarse[i] = math.Round(coarse[i])
	}
	return [][]float64{make([]float64, law.NumScores(n)), coarse, normal(1), normal(3), normal(30)}
}

// Enumerate returns the orders that law thinks possible, as [reverse.Law] TopK sorts them.
func Enumerate(law reverse.Law, scores []float64, n int) []reverse.Candidate {
	var all []reverse.Candidate
	for _, o := range reverse.States(n) {
		if logp := law.LogProb(scores, o); logp > math.Inf(-1) {
			all = append(all, reverse.Candidate{Order: o, LogProb: logp})
		}
	}
	slices.SortFunc(all, func(a, b reverse.Candidate) int {
		return cmp.Or(cmp.Compare(b.LogProb, a.LogProb), slices.Compare(a.Order, b.Order))
	})
	return all
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if got != want && !(math.Abs(got-want) <= tolerance*(1+math.Abs(want))) {
		t.Errorf("%s: got %.15g, wanted %.15g", what, got, want)
	}
}

// checkSum checks that probabilities sum to one and that FullSupport is true.
func checkSum(t *testing.T, law reverse.Law, all []reverse.Candidate, n int) {
	t.Helper()
	sum := 0.0
	for _, c := range all {
		sum += math.Exp(c.LogProb)
	}
	near(t, "sum of the probabilities", sum, 1, 1e-12)
	if whole := len(all) == len(reverse.States(n)); law.FullSupport() && !whole || n > 3 && whole && !law.FullSupport() {
		t.Errorf("FullSupport is %v, %d of %d orders are possible", law.FullSupport(), len(all), len(reverse.States(n)))
	}
}

// checkMode checks that Mode gives an order with its log-probability.
func checkMode(t *testing.T, law reverse.Law, scores []float64, n int) {
	t.Helper()
	o := make(perm.Order, n)
	logp := law.Mode(scores, o)
	if err := o.Validate(); err != nil {
		t.Fatalf("mode: %v", err)
	}
	near(t, "log p of the mode", logp, law.LogProb(scores, o), 1e-13)
}

// checkTopK checks that TopK gives different possible orders, sorted, never worse than the mode.
func checkTopK(t *testing.T, law reverse.Law, scores []float64, all []reverse.Candidate, n int) {
	t.Helper()
	mode := make(perm.Order, n)
	best := law.Mode(scores, mode)
	if got := law.TopK(scores, 0); len(got) != 0 {
		t.Errorf("k = 0 gave %v", got)
	}
	for _, k := range []int{1, 2, 3, 7, 50, 1000} {
		got := law.TopK(scores, k)
		if len(got) != min(k, len(all)) {
			t.Fatalf("k = %d gave %d orders, wanted %d", k, len(got), min(k, len(all)))
		}
		seen := map[string]bool{}
		for i, c := range got {
			if err := c.Order.Validate(); err != nil {
				t.Fatalf("k = %d: %v", k, err)
			}
			near(t, "log p of a candidate", c.LogProb, law.LogProb(scores, c.Order), 1e-12)
			if i > 0 && (c.LogProb > got[i-1].LogProb || c.LogProb == got[i-1].LogProb && slices.Compare(c.Order, got[i-1].Order) < 0) {
				t.Errorf("k = %d: candidate %d is out of order", k, i)
			}
			seen[fmt.Sprint(c.Order)] = true
			if k >= len(all) { // all there are
				near(t, fmt.Sprintf("candidate %d of all", i), c.LogProb, all[i].LogProb, 1e-12)
			}
		}
		if len(seen) != len(got) {
			t.Errorf("k = %d: an order comes twice", k)
		}
		if got[0].LogProb < best-1e-12*(1+math.Abs(best)) {
			t.Errorf("k = %d: the best has log p %g, the mode %g", k, got[0].LogProb, best)
		}
		if k == 1 && !slices.Equal(got[0].Order, mode) {
			t.Errorf("k = 1 gave %v, the mode is %v", got[0].Order, mode)
		}
	}
}

// checkSamples holds samples to their probabilities by chi-square; orders expected fewer than 5
// times share a cell.
func checkSamples(t *testing.T, rng *rand.Rand, law reverse.Law, scores []float64, all []reverse.Candidate, n int) {
	t.Helper()
	const draws = 20000
	counts, o := map[string]int{}, make(perm.Order, n)
	for range draws {
		law.Sample(rng, scores, o)
		counts[fmt.Sprint(o)]++
	}
	chi, cells, seen, rare, rareSeen := 0.0, 0, 0, 0.0, 0
	for _, c := range all {
		want, got := draws*math.Exp(c.LogProb), counts[fmt.Sprint(c.Order)]
		seen += got
		if want < 5 {
			rare, rareSeen = rare+want, rareSeen+got
			continue
		}
		chi += (float64(got) - want) * (float64(got) - want) / want
		cells++
	}
	if rare > 0 {
		chi += (float64(rareSeen) - rare) * (float64(rareSeen) - rare) / max(rare, 1)
	}
	if seen != draws {
		t.Errorf("%d of %d draws are impossible orders", draws-seen, draws)
	}
	if df := float64(cells); chi > df+5*math.Sqrt(2*df)+5 { // its mean and 5 standard deviations
		t.Errorf("scores %.3g: chi-square %.1f with %d cells", scores, chi, cells)
	}
}

// checkOddScores checks that scores that are not finite give bijections, and no probability that is
// none.
func checkOddScores(t *testing.T, rng *rand.Rand, law reverse.Law, n int) {
	t.Helper()
	if n > 4 {
		return
	}
	values := []float64{math.NaN(), math.Inf(-1), math.Inf(1), 0, 1, -1e4, 1e4}
	for range 40 {
		scores := make([]float64, law.NumScores(n))
		for i := range scores {
			scores[i] = values[rng.IntN(len(values))]
		}
		sum := 0.0
		for _, o := range reverse.States(n) {
			logp := law.LogProb(scores, o)
			if math.IsNaN(logp) || logp > 0 {
				t.Fatalf("scores %v: log p of %v is %g", scores, o, logp)
			}
			sum += math.Exp(logp)
		}
		if sum > 1+1e-9 {
			t.Errorf("scores %v: probabilities sum to %g", scores, sum)
		}
		o := make(perm.Order, n)
		law.Sample(rng, scores, o)
		if err := o.Validate(); err != nil {
			t.Fatalf("scores %v: sample: %v", scores, err)
		}
		if logp := law.Mode(scores, o); o.Validate() != nil || math.IsNaN(logp) {
			t.Fatalf("scores %v: mode %v, %g", scores, o, logp)
		}
		for _, c := range law.TopK(scores, 5) {
			if err := c.Order.Validate(); err != nil || math.IsNaN(c.LogProb) {
				t.Fatalf("scores %v: candidate %v, %g", scores, c.Order, c.LogProb)
			}
		}
	}
}

// Graph checks a law's graph side on an engine: its value is the host's, and its gradient the host's
// by central differences. Impossible orders are −Inf, with gradient zero.
func Graph(t *testing.T, law reverse.Law, e *engine.Engine) {
	t.Helper()
	for _, n := range []int{1, 2, 4} {
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		var rows [][]float64
		var orders []perm.Order
		for _, o := range reverse.States(n) {
			for _, scale := range []float64{0, 1, 4} {
				s := make([]float64, law.NumScores(n))
				for i := range s {
					s[i] = float64(float32(scale * rng.NormFloat64()))
				}
				rows, orders = append(rows, s), append(orders, o)
			}
		}
		logp, grad := run(t, e, law, rows, orders)
		for b, o := range orders {
			what := fmt.Sprintf("scores %.3g, order %v", rows[b], o)
			want := law.LogProb(rows[b], o)
			near(t, what, float64(logp[b]), want, 3e-6)
			for i := range rows[b] {
				slope := 0.0
				if want > math.Inf(-1) {
					slope = difference(law, rows[b], o, i)
				}
				near(t, fmt.Sprintf("%s: slope %d", what, i), float64(grad[b*len(rows[b])+i]), slope, 2e-5)
			}
		}
	}
}

// difference is the slope of log p in score i, by central differences.
func difference(law reverse.Law, scores []float64, o perm.Order, i int) float64 {
	const h = 1e-5
	s := slices.Clone(scores)
	s[i] += h
	up := law.LogProb(s, o)
	s[i] -= 2 * h
	return (up - law.LogProb(s, o)) / (2 * h)
}

// run gives log p of each row's order, and the gradient of their sum in the scores.
func run(t *testing.T, e *engine.Engine, law reverse.Law, rows [][]float64, orders []perm.Order) (logp, grad []float32) {
	t.Helper()
	n := len(orders[0])
	var scores []float32
	var ranks []int32
	for b, row := range rows {
		for _, s := range row {
			scores = append(scores, float32(s))
		}
		for _, r := range orders[b].Rank() {
			ranks = append(ranks, int32(r))
		}
	}
	dims := append([]int{len(rows)}, law.Layout().Dims(n)...)
	out, err := graph.CallOnceN(e.Backend, func(s, r *graph.Node) []*graph.Node {
		p := law.LogProbGraph(s, r)
		return []*graph.Node{p, graph.Gradient(graph.ReduceAllSum(p), s)[0]}
	}, tensors.FromFlatDataAndDimensions(scores, dims...), tensors.FromFlatDataAndDimensions(ranks, len(rows), n))
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
}
