package learn

import (
	"encoding/json"
	"errors"
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

func sets(s ...*dataset.Set) []*dataset.Set { return s }

// checkPermutations asks a model for orders and samples and fails the test unless all are
// permutations.
func checkPermutations(t *testing.T, m *Model) {
	t.Helper()
	set := sets(bare(m.Config.Task.N))
	for _, opt := range []DecodeOptions{{Method: "greedy"}, {Method: "beam", Beam: 4, Inner: 6}} {
		out, _, err := m.Order(t.Context(), set, 1, opt)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range out[0].Orders {
			if err := r.Order.Validate(); err != nil {
				t.Errorf("%s: %v", opt.Method, err)
			}
		}
	}
	drawn, _, err := m.Sample(t.Context(), set, 30, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range drawn[0].Samples {
		if err := o.Validate(); err != nil {
			t.Errorf("sample: %v", err)
		}
	}
}

// Whatever the law and however bad the model, what comes out is a permutation.
func TestUntrainedModelsGivePermutations(t *testing.T) {
	e := openEngine(t, "go")
	for _, law := range [][3]string{
		{"riffle", "gpl", "dummies"},
		{"riffle", "gpl", "items"},
		{"riffle", "path", ""},
		{"riffle", "pl", ""},
		{"riffle", "irs", ""},
		{"insertion", "ii", ""},
		{"transposition", "it", ""},
		{"transposition", "gpl", ""},
	} {
		for _, n := range []int{2, 3, 7} {
			t.Run(fmt.Sprint(law[0], " ", law[1], law[2], " ", n), func(t *testing.T) {
				cfg := tiny()
				cfg.Process.Forward, cfg.Process.Reverse, cfg.Model.GPLRows = law[0], law[1], law[2]
				cfg.Task.N = n
				checkPermutations(t, newModel(t, cfg, e))
			})
		}
	}
}

// The orders of --top are sorted and each is there once; all of S_4 fit.
func TestTopOrders(t *testing.T) {
	m := newScalars(t, scalars{n: 4}, nil)
	for _, top := range []int{1, 2, 10, 24, 50} {
		out, _, err := m.Order(t.Context(), randomSets(3, 4), top, DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range out {
			if len(o.Orders) != min(top, 24) {
				t.Errorf("top %d: %d orders", top, len(o.Orders))
			}
			seen := map[string]bool{}
			for i, r := range o.Orders {
				if i > 0 && r.LogPath > o.Orders[i-1].LogPath {
					t.Errorf("top %d: not sorted at %d", top, i)
				}
				if err := r.Order.Validate(); err != nil {
					t.Error(err)
				}
				seen[fmt.Sprint(r.Order)] = true
			}
			if len(seen) != len(o.Orders) {
				t.Errorf("top %d: %d orders, %d different", top, len(o.Orders), len(seen))
			}
			if !slices.Equal(o.Steps[len(o.Steps)-1], o.Orders[0].Order) || len(o.Steps) != m.Process.NumSteps()+1 {
				t.Errorf("top %d: the way %v does not lead to %v", top, o.Steps, o.Orders[0].Order)
			}
		}
	}
	for _, bad := range []struct {
		top int
		opt DecodeOptions
	}{{0, DecodeOptions{}}, {2, DecodeOptions{Method: "greedy"}}, {1, DecodeOptions{Method: "best"}}, {1, DecodeOptions{Method: "beam", Beam: -1}}, {1, DecodeOptions{Method: "greedy", Beam: 2}}} {
		if _, _, err := m.Order(t.Context(), randomSets(1, 4), bad.top, bad.opt); err == nil {
			t.Errorf("%+v: no error", bad)
		}
	}
}

// A beam of 1 is greedy decoding, and a wider beam never ends below it.
func TestBeamAndGreedy(t *testing.T) {
	m := newScalars(t, scalars{n: 6}, nil)
	order := func(opt DecodeOptions) []Ordered {
		t.Helper()
		out, _, err := m.Order(t.Context(), randomSets(10, 6), 1, opt)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	greedy := order(DecodeOptions{})
	for i, o := range order(DecodeOptions{Beam: 1}) {
		if !slices.Equal(o.Orders[0].Order, greedy[i].Orders[0].Order) {
			t.Errorf("set %d: beam 1 gives %v, greedy %v", i, o.Orders[0].Order, greedy[i].Orders[0].Order)
		}
	}
	for _, beam := range []int{2, 5, 20} {
		for i, o := range order(DecodeOptions{Beam: beam}) {
			if o.Orders[0].LogPath < greedy[i].Orders[0].LogPath-1e-6 {
				t.Errorf("set %d: beam %d scores %g, greedy %g", i, beam, o.Orders[0].LogPath, greedy[i].Orders[0].LogPath)
			}
		}
	}
}

// The order and score of a set are the same alone, among others, in batches of any size,
// and among sets of other sizes.
func TestAloneOrInABatch(t *testing.T) {
	many := append(randomSets(10, 4), randomSets(3, 6)...)
	many = append(many, numbers(0.5), bare(0), randomSets(1, 4)[0], randomSets(1, 2)[0])
	for _, opt := range []DecodeOptions{{Method: "greedy"}, {Method: "beam", Beam: 3, Inner: 5}} {
		for _, size := range []int{1, 7, 257} {
			m := newScalars(t, scalars{n: 4}, func(c *config.Config) { c.Eval.Batch = size })
			out, _, err := m.Order(t.Context(), many, 1, opt)
			if err != nil {
				t.Fatal(err)
			}
			for i, set := range many {
				alone, _, err := m.Order(t.Context(), sets(set), 1, opt)
				if err != nil {
					t.Fatal(err)
				}
				a, b := alone[0].Orders[0], out[i].Orders[0]
				if !slices.Equal(a.Order, b.Order) || math.Abs(float64(a.LogPath-b.LogPath)) > 1e-5 {
					t.Errorf("%s, batch %d, set %d: alone %v, among others %v", opt.Method, size, i, a, b)
				}
			}
		}
	}
}

// Sets whose sizes alternate give, each in its place, what they give alone,
// with one warning a size.
func TestAlternatingSizes(t *testing.T) {
	a, b := randomSets(9, 4), randomSets(9, 6)
	var mixed []*dataset.Set
	for i := range a {
		a[i].Order, b[i].Order, b[i].ID = perm.Order{3, 1, 0, 2}, perm.Order{5, 0, 3, 1, 2, 4}, fmt.Sprintf("b%d", i)
		mixed = append(mixed, a[i], b[i])
	}
	m := newScalars(t, scalars{n: 4}, func(c *config.Config) { c.Eval.Batch = 4 })
	want := "9 sets have 6 objects, the model was trained on sets of 4: the answers may be worse"
	batches := 0
	m.Task = counted{scalars{n: 4}, &batches}
	ordered, warnings, err := m.Order(t.Context(), mixed, 1, DecodeOptions{})
	if err != nil || len(warnings) != 1 || warnings[0] != want {
		t.Fatalf("warnings %q, %v", warnings, err)
	}
	if batches != 2 { // all of a size
		t.Errorf("%d sets of two sizes went through the network in %d batches, wanted 2", len(mixed), batches)
	}
	if _, _, err := m.Order(t.Context(), mixed, 1, DecodeOptions{Method: "beam", Beam: 2, Inner: 2}); err != nil {
		t.Fatal(err)
	}
	if batches -= 2; batches != 6 { // for each size 9 sets, 4 at a time
		t.Errorf("%d sets of two sizes went through the network for a beam in %d batches, wanted 6", len(mixed), batches)
	}
	scored, warnings, err := m.Score(t.Context(), mixed, 3, 5)
	if err != nil || len(warnings) != 1 || warnings[0] != want {
		t.Fatalf("warnings %q, %v", warnings, err)
	}
	drawn, warnings, err := m.Sample(t.Context(), mixed, 5, 5)
	if err != nil || len(warnings) != 1 || warnings[0] != want {
		t.Fatalf("warnings %q, %v", warnings, err)
	}
	for i, set := range mixed {
		if ordered[i].ID != set.ID || scored[i].ID != set.ID || drawn[i].ID != set.ID {
			t.Errorf("set %s is called %s, %s and %s", set.ID, ordered[i].ID, scored[i].ID, drawn[i].ID)
		}
		alone, _, err := m.Order(t.Context(), sets(set), 1, DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		x, y := alone[0].Orders[0], ordered[i].Orders[0]
		if !slices.Equal(x.Order, y.Order) || math.Abs(float64(x.LogPath-y.LogPath)) > 1e-5 {
			t.Errorf("set %s: alone %v, among others %v", set.ID, x, y)
		}
		// With sets of one object around it, it has the same.
		single := make([]*dataset.Set, len(mixed))
		for j := range single {
			single[j] = numbers(0.5)
			single[j].Order = perm.Identity(1)
		}
		single[i] = set
		s, _, err := m.Score(t.Context(), single, 3, 5)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(s[i].Bound-scored[i].Bound)) > 1e-5 {
			t.Errorf("set %s: bound %g alone, %g among others", set.ID, s[i].Bound, scored[i].Bound)
		}
		d, _, err := m.Sample(t.Context(), single, 5, 5)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(d[i].Samples) != fmt.Sprint(drawn[i].Samples) {
			t.Errorf("set %s: other samples among others", set.ID)
		}
	}
}

// A warning stands with the sets that it concerns, that of a model with all, and is returned once.
func TestWarningsAreWithTheirSets(t *testing.T) {
	many := sets(numbers(0.1, 0.2), numbers(3, 0.1), numbers(0.1, 0.2, 0.3), numbers(3, 0.2), numbers(0.5), numbers(0.2, 0.1))
	for i, s := range many {
		s.Order = perm.Identity(len(s.Items))
		s.OrderGiven = []string{"order", "rank"}[i%2]
	}
	for _, size := range []int{1, 3, 257} {
		m := newScalars(t, scalars{n: 2}, func(c *config.Config) { c.Eval.Batch = size })
		m.Task, m.schedule = warned{scalars{n: 2}}, []string{"short"}
		three := "1 set has 3 objects, the model was trained on sets of 2: the answers may be worse"
		want := [][]string{{"short"}, {"short", "3 is large"}, {"short", three}, {"short", "3 is large"}, {"short"}, {"short"}}
		all := []string{three, "3 is large"}
		ordered, w1, err1 := m.Order(t.Context(), many, 1, DecodeOptions{})
		drawn, w2, err2 := m.Sample(t.Context(), many, 2, 1)
		scored, w3, err3 := m.Score(t.Context(), many, 2, 1)
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		for _, w := range [][]string{w1, w2, w3} {
			if !slices.Equal(w, all) {
				t.Errorf("batch %d: warnings %q, wanted %q", size, w, all)
			}
		}
		for i, set := range many {
			for _, w := range [][]string{ordered[i].Warnings, drawn[i].Warnings, scored[i].Warnings} {
				if !slices.Equal(w, want[i]) {
					t.Errorf("batch %d, set %d: warnings %q, wanted %q", size, i, w, want[i])
				}
			}
			if ordered[i].OrderGiven != set.OrderGiven || scored[i].OrderGiven != set.OrderGiven {
				t.Errorf("set %d: given by %q and %q, wanted %q", i, ordered[i].OrderGiven, scored[i].OrderGiven, set.OrderGiven)
			}
		}
	}
}

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
		m := newScalars(t, scalars{n: 4}, func(c *config.Config) { c.Eval.Batch = size })
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

// Marginals are doubly stochastic; the seed decides on the samples, their number does not.
func TestSample(t *testing.T) {
	m := newScalars(t, scalars{n: 5}, nil)
	sample := func(count int, seed uint64) []Sampled {
		t.Helper()
		out, _, err := m.Sample(t.Context(), randomSets(2, 5), count, seed)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, count := range []int{1, 7, 100} {
		for _, s := range sample(count, 1) {
			if len(s.Samples) != count {
				t.Errorf("%d samples, wanted %d", len(s.Samples), count)
			}
			for k := range 5 {
				row, column := 0.0, 0.0
				for i := range 5 {
					row += s.Marginals[k][i]
					column += s.Marginals[i][k]
				}
				if math.Abs(row-1) > 1e-9 || math.Abs(column-1) > 1e-9 {
					t.Errorf("count %d: row %d sums to %g, column to %g", count, k, row, column)
				}
			}
		}
	}
	a, b, c, few := sample(100, 1), sample(100, 1), sample(100, 2), sample(10, 1)
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("the same seed gave other samples")
	}
	if fmt.Sprint(a[0].Samples) == fmt.Sprint(c[0].Samples) {
		t.Error("another seed gave the same samples")
	}
	if fmt.Sprint(a[0].Samples[:10]) != fmt.Sprint(few[0].Samples) {
		t.Error("the first samples depend on how many are drawn")
	}
	if _, _, err := m.Sample(t.Context(), randomSets(1, 5), 0, 1); err == nil {
		t.Error("0 samples: no error")
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
	m := newScalars(t, scalars{n: 4}, nil)
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
	m := newScalars(t, scalars{n: n}, nil)
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
	m := newScalars(t, scalars{n: 4}, nil)
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
	m = newScalars(t, scalars{n: 4}, func(c *config.Config) { c.Process.Forward, c.Process.Schedule = "transposition", []int{0, 3} })
	if _, _, err := m.Score(t.Context(), some, 3, 1); err == nil || err.Error() != "set s0: bound: the probability of 3 shuffles by transposition has no closed form" {
		t.Errorf("error %v", err)
	}
}

// Identical objects are well-defined: the answer is repeatable, and every order of them has
// the same score.
func TestIdenticalObjects(t *testing.T) {
	m := newScalars(t, scalars{n: 5}, nil)
	same := numbers(0.3, 0.3, 0.3, 0.3, 0.3)
	var first []Ordered
	for range 3 {
		out, _, err := m.Order(t.Context(), sets(same, same), 3, DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = out
		}
		if fmt.Sprint(out) != fmt.Sprint(first) {
			t.Errorf("orders %v, before %v", out, first)
		}
		for i, a := range out[0].Orders {
			if b := out[1].Orders[i]; !slices.Equal(a.Order, b.Order) || math.Abs(float64(a.LogPath-b.LogPath)) > 1e-5 {
				t.Errorf("equal sets have the orders %v and %v", a, b)
			}
		}
	}
	var bound float64
	for i, order := range []perm.Order{{0, 1, 2, 3, 4}, {4, 3, 2, 1, 0}, {2, 0, 4, 1, 3}} {
		set := numbers(0.3, 0.3, 0.3, 0.3, 0.3)
		set.Order = order
		s, _, err := m.Score(t.Context(), sets(set), 4, 9)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			bound = float64(s[0].Bound)
		}
		if math.Abs(float64(s[0].Bound)-bound) > 1e-5 {
			t.Errorf("%v scores %g, the first order %g", order, s[0].Bound, bound)
		}
	}
	// Exactly: no order of equals is likelier than another.
	three := newScalars(t, scalars{n: 3}, nil)
	for o := range perm.All(3) {
		if got := logLikelihood(t, three, numbers(0.3, 0.3, 0.3), o); math.Abs(got+math.Log(6)) > 1e-5 {
			t.Errorf("%v: log-likelihood %g, wanted -log 3!", o, got)
		}
	}
}

// Sets of 0 and 1 objects have one order, which is certain.
func TestSmallSets(t *testing.T) {
	m := newModel(t, tiny(), openEngine(t, "go"))
	for n := range 2 {
		set := bare(n)
		set.Order = perm.Identity(n)
		ordered, w1, err1 := m.Order(t.Context(), sets(set), 3, DecodeOptions{})
		drawn, w2, err2 := m.Sample(t.Context(), sets(set), 3, 1)
		scored, w3, err3 := m.Score(t.Context(), sets(set), 3, 1)
		for _, err := range []error{err1, err2, err3} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if len(w1)+len(w2)+len(w3) > 0 {
			t.Errorf("n = %d: warnings %v %v %v", n, w1, w2, w3)
		}
		if len(ordered[0].Orders) != 1 || len(ordered[0].Orders[0].Order) != n || ordered[0].Orders[0].LogPath != 0 {
			t.Errorf("n = %d: %+v", n, ordered[0])
		}
		if len(drawn[0].Samples) != 3 || len(drawn[0].Marginals) != n || scored[0].Bound != 0 || scored[0].Uniform != 0 {
			t.Errorf("n = %d: %+v %+v", n, drawn[0], scored[0])
		}
	}
}

// JSON has no infinities: what is not finite is its name, and is read again.
func TestNatsJSON(t *testing.T) {
	for v, want := range map[Nats]string{-1.5: "-1.5", Nats(math.Inf(-1)): `"-Infinity"`, Nats(math.Inf(1)): `"Infinity"`} {
		got, err := json.Marshal(v)
		if err != nil || string(got) != want {
			t.Errorf("%g: %s, %v, want %s", float64(v), got, err, want)
		}
		var back Nats
		if err := json.Unmarshal(got, &back); err != nil || back != v {
			t.Errorf("%s: read as %g, %v", got, float64(back), err)
		}
	}
	if got, err := json.Marshal(Nats(math.NaN())); err != nil || string(got) != `"NaN"` {
		t.Errorf("NaN: %s, %v, want \"NaN\"", got, err)
	}
}
