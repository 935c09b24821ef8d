package learn

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Scores and draws of the first sets do not depend on the batch they are computed in.
func TestScoreAndSampleInAnyBatch(t *testing.T) {
	many := randomSets(9, 4)
	for i, s := range many {
		s.Order = perm.Order{3, 1, 0, 2}
		s.Items[0].Features[0] = float64(i) / 10
	}
	var want []Scored
	var draws []Sampled
	for _, size := range []int{257, 7, 1} {
		m := newScalars(t, scalars{N: 4}, func(c *config.Config) { c.Eval.Batch = size })
		scored, _, err := m.Score(t.Context(), many, 3, 5)
		if err != nil {
			t.Fatal(err)
		}
		drawn, _, err := m.Sample(t.Context(), many, 70, 5) // more than go through the network at once
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want, draws = scored, drawn
		}
		for i := range many {
			if math.Abs(float64(scored[i].Bound-want[i].Bound)) > 1e-5 {
				t.Errorf("batch %d, set %d: bound %g, wanted %g", size, i, scored[i].Bound, want[i].Bound)
			}
			if fmt.Sprint(drawn[i].Samples) != fmt.Sprint(draws[i].Samples) {
				t.Errorf("batch %d, set %d: other samples", size, i)
			}
		}
	}
}

// logLikelihood is log p(clean | objects), by the products of the transition matrices of
// all reverse steps, from the uniform noise.
func logLikelihood(t *testing.T, m *Model, set *dataset.Set, clean perm.Order) float64 {
	t.Helper()
	dec, err := m.Decoder()
	if err != nil {
		t.Fatal(err)
	}
	objects, _, err := m.Task.Objects(t.Context(), sets(set))
	if err != nil {
		t.Fatal(err)
	}
	enc, err := dec.Encode(t.Context(), objects)
	if err != nil {
		t.Fatal(err)
	}
	n := len(set.Items)
	var all []perm.Order
	index := map[string]int{}
	var flat []int32
	for o := range perm.All(n) {
		index[fmt.Sprint(o)] = len(all)
		all = append(all, slices.Clone(o))
		for _, v := range o {
			flat = append(flat, int32(v))
		}
	}
	p := slices.Repeat([]float64{1 / float64(len(all))}, len(all))
	law := m.Process.Reverse
	width := law.NumScores(n)
	for k := m.Process.NumSteps(); k > 0; k-- {
		scores, err := dec.Scores(t.Context(), enc, flat, len(all), m.Process.Steps[k])
		if err != nil {
			t.Fatal(err)
		}
		next := make([]float64, len(all))
		for from, o := range all {
			for _, sigma := range all {
				next[index[fmt.Sprint(perm.Compose(sigma, o))]] += p[from] * math.Exp(law.LogProb(scores[from*width:(from+1)*width], sigma))
			}
		}
		p = next
	}
	return math.Log(p[index[fmt.Sprint(clean)]])
}

// The bound of score lies below the log-likelihood, and near it for a model that has learned.
func TestScoreBoundsLikelihood(t *testing.T) {
	e := openEngine(t, "go")
	for _, law := range []string{"gpl", "pl", "irs"} {
		for _, n := range []int{2, 3, 4} {
			cfg := tiny()
			cfg.Task.N, cfg.Process.Reverse = n, law
			cfg.Model.Dropout, cfg.Model.Dim, cfg.Train.Steps, cfg.Train.LR, cfg.Train.Batch = 0, 16, 150, 1e-2, 16
			m, _ := train(t, cfg, e)
			right := bare(n)
			ex, err := m.Task.Examples(task.Test, 0, 1)
			if err != nil {
				t.Fatal(err)
			}
			right.Order = ex.Clean[0]
			wrong := bare(n)
			wrong.Order = slices.Clone(right.Order)
			slices.Reverse(wrong.Order)
			scored, _, err := m.Score(t.Context(), sets(right, wrong), 400, 1)
			if err != nil {
				t.Fatal(err)
			}
			for i, set := range sets(right, wrong) {
				exact := logLikelihood(t, m, set, set.Order)
				s := scored[i]
				t.Logf("%s n=%d: bound %.4f ± %.4f, log-likelihood %.4f", law, n, s.Bound, s.StdErr, exact)
				if s.Bound > 0 || !(s.Bound <= Nats(exact)+4*s.StdErr+1e-6) {
					t.Errorf("%s n=%d set %d: bound %.4f ± %.4f above the log-likelihood %.4f", law, n, i, s.Bound, s.StdErr, exact)
				}
				if math.Abs(float64(s.Uniform)+diffusion.LogFactorial(n)) > 1e-12 {
					t.Errorf("uniform %g", s.Uniform)
				}
			}
			exact := logLikelihood(t, m, right, right.Order)
			if law == "gpl" && (exact < -0.5 || float64(scored[0].Bound) < exact-0.5) {
				t.Errorf("%s n=%d: bound %.4f, log-likelihood %.4f of the order that was learned", law, n, scored[0].Bound, exact)
			}
			if scored[1].Bound > scored[0].Bound {
				t.Errorf("%s n=%d: the wrong order has the higher bound: %.4f, %.4f", law, n, scored[1].Bound, scored[0].Bound)
			}
		}
	}
}

// Draws beyond those that go through the network at once are draws like the first.
func TestManyDraws(t *testing.T) {
	m := newScalars(t, scalars{N: 4}, nil)
	some := randomSets(2, 4)
	for _, s := range some {
		s.Order = perm.Order{3, 1, 0, 2}
	}
	bound := func(draws int) Scored {
		t.Helper()
		out, _, err := m.Score(t.Context(), some, draws, 5)
		if err != nil {
			t.Fatal(err)
		}
		return out[1]
	}
	// The 65th draw alone, from two means; it cannot be far from where the draws lie.
	a, b, many := bound(64), bound(65), bound(2000)
	last := 65*float64(b.Bound) - 64*float64(a.Bound)
	if spread := float64(a.StdErr) * 8; math.Abs(last-float64(a.Bound)) > 6*spread {
		t.Errorf("draw 65 is %g, the first 64 are %g ± %g", last, a.Bound, spread)
	}
	if ratio := float64(a.StdErr / many.StdErr); math.Abs(ratio-math.Sqrt(2000./64)) > 2 {
		t.Errorf("standard errors of 64 and 2000 draws: %g and %g", a.StdErr, many.StdErr)
	}
	if d := math.Abs(float64(a.Bound - many.Bound)); d > 5*float64(a.StdErr) {
		t.Errorf("bounds of 64 and 2000 draws: %g and %g", a.Bound, many.Bound)
	}
}

// Levels that allow two orders are scored as the sum of both, and one item alone, which allows all
// orders, has probability 1.
func TestScoreLevels(t *testing.T) {
	const n, draws = 3, 4000
	m := newScalars(t, scalars{N: n}, nil)
	set := func(levels dataset.BucketOrder, order perm.Order) *dataset.Set {
		s := numbers(0.1, 0.2, 0.3)
		s.Levels, s.Order = levels, order
		return s
	}
	sum := 0.0
	for _, o := range []perm.Order{{2, 0, 1}, {2, 1, 0}} {
		one, _, err := m.Score(t.Context(), sets(set(nil, o)), draws, 1)
		if err != nil {
			t.Fatal(err)
		}
		sum += math.Exp(float64(one[0].LogProb))
	}
	blank := set(nil, nil) // voters who say nothing: all orders are consistent
	blank.Count = 3
	scored, _, err := m.Score(t.Context(), sets(set(dataset.BucketOrder{{2}, {0, 1}}, nil), set(dataset.BucketOrder{{1}}, nil), set(nil, perm.Order{0, 1, 2}), blank), draws, 2)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		log, uniform float64
		given        string
	}{{math.Log(sum), math.Log(2. / 6), "levels"}, {0, 0, "levels"}, {math.NaN(), math.Log(1. / 6), ""}, {0, 0, "levels"}} {
		s := scored[i]
		if math.Abs(float64(s.LogProb)-want.log) > 5*float64(s.LogProbStdErr)+0.05 {
			t.Errorf("set %d: log p %g ± %g, wanted %g", i, s.LogProb, s.LogProbStdErr, want.log)
		}
		if math.Abs(float64(s.Uniform)-want.uniform) > 1e-12 || s.OrderGiven != want.given {
			t.Errorf("set %d: uniform %g, given %q, wanted %g, %q", i, s.Uniform, s.OrderGiven, want.uniform, want.given)
		}
		if s.Bound > s.LogProb {
			t.Errorf("set %d: bound %g above log p %g", i, s.Bound, s.LogProb)
		}
	}
}

func TestScoreErrors(t *testing.T) {
	m := newScalars(t, scalars{N: 4}, nil)
	some := randomSets(2, 4)
	some[0].Order = perm.Identity(4)
	if _, _, err := m.Score(t.Context(), some, 3, 1); err == nil || hint.Text(err) != "set s1: no order to score\nhint: every set needs \"order\", \"rank\" or \"levels\"" {
		t.Errorf("error %v", err)
	}
	some[1].Order = perm.Identity(4)
	if _, _, err := m.Score(t.Context(), some, 0, 1); err == nil {
		t.Error("0 draws: no error")
	}
	// Merged transpositions have no closed form: an error, not NaN.
	m = newScalars(t, scalars{N: 4}, func(c *config.Config) { c.Process.Forward, c.Process.Schedule = "transposition", []int{0, 3} })
	if _, _, err := m.Score(t.Context(), some, 3, 1); err == nil || err.Error() != "set s0: bound: the probability of 3 shuffles by transposition has no closed form" {
		t.Errorf("error %v", err)
	}
}

// A closed tour has one log p, wherever it is written from; the other way round it is another order of the model.
func TestScoreOfATourFromAnyCity(t *testing.T) {
	cfg := tours()
	cfg.Task.NMin = 0
	m := newModel(t, cfg, openEngine(t, "go"))
	s := &dataset.Set{Kind: dataset.KindPoint}
	for _, p := range [][2]float64{{0, 0}, {4, 1}, {1, 3}, {5, 5}, {2, 6}, {7, 2}} {
		s.Items = append(s.Items, dataset.Item{Point: p})
	}
	score := func(o perm.Order) float64 {
		asked := *s
		asked.Order, asked.Levels = o, dataset.Strict(o)
		out, _, err := m.Score(t.Context(), []*dataset.Set{&asked}, 4, 1)
		if err != nil {
			t.Fatal(err)
		}
		return float64(out[0].LogProb)
	}
	want := score(perm.Order{0, 3, 1, 5, 2, 4})
	for _, o := range []perm.Order{{4, 0, 3, 1, 5, 2}, {5, 2, 4, 0, 3, 1}} {
		if got := score(o); got != want {
			t.Errorf("%v: log p %g, from city 0 %g", o, got, want)
		}
	}
	if got := score(perm.Order{0, 4, 2, 5, 1, 3}); got == want {
		t.Errorf("the other way round: log p %g as well", got)
	}
}
