package learn

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
)

// Whatever the law, orders and samples of a model that has learned nothing obey the
// constraints of their set, among sets that have others or none.
func TestConstraintsAreObeyed(t *testing.T) {
	e := openEngine(t, "go")
	rules := []constraint.Text{
		{},
		{Pin: []string{"3=0"}},
		{Before: []string{"4,2,0"}, Forbid: []string{"1=1", "1=2"}},
		{First: []string{"2:4,3"}, Pin: []string{"0=4"}},
	}
	for _, law := range [][3]string{{"riffle", "gpl", "dummies"}, {"riffle", "path", ""}, {"riffle", "pl", ""}, {"riffle", "irs", ""}, {"insertion", "ii", ""}, {"transposition", "it", ""}} {
		cfg := tiny()
		cfg.Process.Forward, cfg.Process.Reverse, cfg.Model.GPLRows = law[0], law[1], law[2]
		cfg.Eval.Batch = 3 // the second batch is padded
		m := newModel(t, cfg, e)
		var all, free []*dataset.Set
		for _, r := range rules {
			s := bare(5)
			s.Constraints = r
			all, free = append(all, s), append(free, bare(5))
		}
		check := func(how string, i int, o perm.Order) {
			t.Helper()
			s, err := rules[i].Parse(all[i].ItemNames())
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Validate(); err != nil {
				t.Fatal(err)
			}
			if err := s.Check(o); err != nil {
				t.Errorf("%s, %s, set %d: %v: %v", law[1], how, i, o, err)
			}
		}
		for _, opt := range []DecodeOptions{{Method: "greedy"}, {Method: "beam", Beam: 6, Inner: 6}} {
			top := 1
			if opt.Method == "beam" {
				top = 6
			}
			out, _, err := m.Order(t.Context(), all, top, opt)
			if err != nil {
				t.Fatal(err)
			}
			for i, o := range out {
				for _, r := range o.Orders {
					check(opt.Method, i, r.Order)
				}
			}
			before, _, err := m.Order(t.Context(), free, top, opt)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before[0].Orders[0].Order, out[0].Orders[0].Order); diff != "" {
				t.Errorf("%s: the set without constraints: %s", law[1], diff)
			}
		}
		drawn, _, err := m.Sample(t.Context(), all, 20, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range drawn {
			for _, o := range s.Samples {
				check("sample", i, o)
			}
		}
		if p := drawn[1].Marginals[3][0]; p != 1 {
			t.Errorf("%s: the marginal of the pinned item is %g", law[1], p)
		}
	}
}

// Contradictions name the set and the rules.
func TestContradictions(t *testing.T) {
	m := newModel(t, tiny(), openEngine(t, "go"))
	for want, text := range map[string]constraint.Text{
		"set q: constraints: items 0 and 1 are both pinned at position 2": {Pin: []string{"0=2", "1=2"}},
		"set q: constraints: a cycle: item ":                              {Before: []string{"0,1,2", "2,0"}},
		"set q: constraints: pin \"9=0\": no item 9 in a set of 5":        {Pin: []string{"9=0"}},
	} {
		s := bare(5)
		s.ID, s.Constraints = "q", text
		_, _, err1 := m.Order(t.Context(), sets(bare(5), s), 1, DecodeOptions{})
		_, _, err2 := m.Sample(t.Context(), sets(bare(5), s), 3, 1)
		for _, err := range []error{err1, err2} {
			if err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, wanted %q", err, want)
			}
		}
	}
	// One object has one place; a rule against it contradicts.
	s := bare(1)
	s.Constraints = constraint.Text{Forbid: []string{"0=0"}}
	if _, _, err := m.Order(t.Context(), sets(s), 1, DecodeOptions{}); err == nil {
		t.Error("one object, forbidden at its only position: no error")
	}
}

// Inverse insertion moves one object a step: it cannot turn four round in the last, which is
// said, and the order has probability 0.
func TestMendedOrdersAreSaid(t *testing.T) {
	cfg := tiny()
	cfg.Process.Forward, cfg.Process.Reverse, cfg.Process.Schedule, cfg.Model.GPLRows = "insertion", "ii", []int{0, 1}, ""
	m := newModel(t, cfg, openEngine(t, "go"))
	start := m.Process.Noise(cfg.Seed, 0, 1, 5)[0]
	reversed := slices.Clone(start)
	slices.Reverse(reversed)
	s := bare(5)
	s.Constraints.Before = []string{strings.ReplaceAll(reversed.Text(perm.ZeroBased), " ", ",")}
	out, warnings, err := m.Order(t.Context(), sets(s), 1, DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if r := out[0].Orders[0]; !slices.Equal(r.Order, reversed) || !math.IsInf(float64(r.LogPath), -1) {
		t.Errorf("%v with log p %g, wanted %v and -Inf", r.Order, r.LogPath, reversed)
	}
	for _, w := range [][]string{dataset.Texts(warnings), out[0].Warnings} {
		if !slices.ContainsFunc(w, func(text string) bool {
			return strings.Contains(text, "1 of 1 orders are out of reach of the last reverse step (inverse insertion)")
		}) {
			t.Errorf("warnings %q", w)
		}
	}
}

func TestMostFrequent(t *testing.T) {
	a, b, c := perm.Order{0, 1, 2}, perm.Order{2, 1, 0}, perm.Order{1, 0, 2}
	samples := []perm.Order{b, a, c, b}
	want := []Frequent{{Order: b, Share: 0.5}, {Order: a, Share: 0.25}, {Order: c, Share: 0.25}}
	for k := range 5 {
		if diff := cmp.Diff(want[:min(k, 3)], MostFrequent(samples, k)); k > 0 && diff != "" || len(MostFrequent(samples, k)) != min(k, 3) {
			t.Errorf("of %d: %s", k, diff)
		}
	}
}

// Condorcet's paradox: 0 before 1 before 2 before 0 in two of three each. An order that keeps
// two of the three majorities has 1 + 1 + 2 of 9 pairs the other way round, 4/3 a sample.
func TestConsensusOf(t *testing.T) {
	c, err := ConsensusOf([]perm.Order{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}, constraint.Rules{})
	if err != nil || !c.Exact || math.Abs(c.Distance-4.0/3) > 1e-12 || c.Order.Validate() != nil {
		t.Errorf("%+v, %v: wanted a distance of 4/3", c, err)
	}
	for n := range 2 {
		if c, err := ConsensusOf([]perm.Order{perm.Identity(n)}, constraint.Rules{}); err != nil || len(c.Order) != n || c.Distance != 0 {
			t.Errorf("of %d items: %+v, %v", n, c, err)
		}
	}
	last := constraint.Rules{Forbids: []constraint.Place{{Item: 0, Position: 0}}}
	if c, err := ConsensusOf([]perm.Order{{1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 0, 1}, {2, 0, 1}}, last); err != nil || !c.Exact || !slices.Equal(c.Order, perm.Order{2, 0, 1}) {
		t.Errorf("%+v, %v: wanted 2 0 1, the nearest that does not begin with 0", c, err)
	}
	if _, err := ConsensusOf(nil, constraint.Rules{}); err == nil {
		t.Error("of no samples: no error")
	}
}

// The estimates of p of all orders sum to 1, and the entropy of samples is that of the
// probabilities.
func TestEntropyOfAllOrders(t *testing.T) {
	// Two riffles make all orders of three, so that no way is missing from the estimates.
	m := newScalars(t, scalars{N: 3}, func(c *config.Config) { c.Process.Schedule = []int{0, 2, 5} })
	set := randomSets(1, 3)[0]
	var all []*dataset.Set
	for o := range perm.All(3) {
		s := *set
		s.ID = fmt.Sprint(o)
		s.Order, s.OrderGiven = slices.Clone(o), "order"
		all = append(all, &s)
	}
	scored, _, err := m.Score(t.Context(), all, 3000, 1)
	if err != nil {
		t.Fatal(err)
	}
	sum, entropy, variance := 0.0, 0.0, 0.0
	for _, s := range scored {
		p := math.Exp(float64(s.LogProb))
		sum += p
		entropy -= p * float64(s.LogProb)
		variance += math.Pow(p*float64(s.LogProbStdErr), 2)
		if s.LogProb < s.Bound || s.Effective < 100 {
			t.Errorf("set %s: log p %g, bound %g, %g effective draws", s.ID, s.LogProb, s.Bound, s.Effective)
		}
	}
	if math.Abs(sum-1) > 4*math.Sqrt(variance) {
		t.Errorf("the probabilities of all orders sum to %g ± %g", sum, math.Sqrt(variance))
	}
	drawn, _, err := m.Sample(t.Context(), sets(set), 500, 1)
	if err != nil {
		t.Fatal(err)
	}
	top := MostFrequent(drawn[0].Samples, 2)
	e, err := m.Entropy(t.Context(), set, drawn[0].Samples, 1000, 1, top)
	if err != nil {
		t.Fatal(err)
	}
	// What is known of the set's order does not matter to what its samples are worth.
	ranked := *set
	ranked.Levels = dataset.BucketOrder{{2}, {0}, {1}}
	ranked.Order, ranked.OrderGiven = ranked.Levels.Order(3), "order"
	again, err := m.Entropy(t.Context(), &ranked, drawn[0].Samples, 1000, 1, nil)
	if err != nil || again.Mean != e.Mean || again.StdErr != e.StdErr {
		t.Errorf("entropy of the same set with ranks: %+v, %v, wanted %+v", again, err, e)
	}
	one, err := m.Entropy(t.Context(), set, drawn[0].Samples[:1], 1000, 1, nil)
	if err != nil || !math.IsNaN(float64(one.StdErr)) {
		t.Errorf("of one sample: ± %v, %v, wanted NaN", one, err)
	}
	// The samples' error, and that of estimating log p, which the sum above bounds.
	if math.Abs(float64(e.Mean)-entropy) > 4*float64(e.StdErr)+0.1 {
		t.Errorf("entropy %g ± %g, of the probabilities %g", e.Mean, e.StdErr, entropy)
	}
	if math.Abs(float64(e.Uniform)-math.Log(6)) > 1e-12 || e.Draws != 1000 {
		t.Errorf("%+v: wanted a uniform entropy of log 6", e)
	}
	for _, f := range top {
		if f.LogProb == nil || math.Abs(math.Exp(float64(*f.LogProb))-f.Share) > 0.1 {
			t.Errorf("%+v: wanted a log p near the share", f)
		}
	}
	set.Constraints.Pin = []string{"0=0"}
	if _, err := m.Entropy(t.Context(), set, drawn[0].Samples, 4, 1, nil); err == nil {
		t.Error("a set with constraints: no error")
	}
}

// Rows of a picture go by the mean position, equal ones by number.
func TestByMeanPosition(t *testing.T) {
	got := ByMeanPosition([][]float64{{0, 0.5, 0.5}, {1, 0, 0}, {0, 0.5, 0.5}})
	if !slices.Equal(got, []int{1, 0, 2}) {
		t.Errorf("%v, wanted [1 0 2]", got)
	}
}
