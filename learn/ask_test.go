package learn

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
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
	m := newScalars(t, scalars{N: 4}, nil)
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
	m := newScalars(t, scalars{N: 6}, nil)
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

// Marginals are doubly stochastic; the seed decides on the samples, their number does not.
func TestSample(t *testing.T) {
	m := newScalars(t, scalars{N: 5}, nil)
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
