package learn

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
)

// votes4 is a model of four items, trained a little.
func votes4(t *testing.T) *Model {
	t.Helper()
	cfg := tiny()
	cfg.Task = config.Task{Name: "ranking", Data: inFile(t, "train.soc", soc("Ada Ben Cy Dot", "20: 1,2,3,4", "10: 2,1,3,4", "10: 4,3,2,1", "5: 3,1,4,2"))}
	cfg.Model.Encoder, cfg.Model.Dim, cfg.Model.Dropout = "", 16, 0
	cfg.Train.Steps, cfg.Train.LR = 100, 1e-2
	m, _ := train(t, cfg, openEngine(t, "go"))
	return m
}

// uniform is the log of the share of orders that a list allows, counted by hand. What all orders
// obey is certain. One of two is before the other.
func TestPartialProbability(t *testing.T) {
	m := votes4(t)
	lists := []struct {
		name   string
		levels dataset.BucketOrder
		orders float64 // of the 24
	}{
		{"full", dataset.BucketOrder{{2}, {0}, {3}, {1}}, 1},
		{"one missing", dataset.BucketOrder{{2}, {0}, {3}}, 4},
		{"top one", dataset.BucketOrder{{2}, {0, 1, 3}}, 6},
		{"two pairs", dataset.BucketOrder{{0, 2}, {1, 3}}, 4},
		{"one pair", dataset.BucketOrder{{1}, {3}}, 12},
		{"the pair reversed", dataset.BucketOrder{{3}, {1}}, 12},
		{"all tied", dataset.BucketOrder{{0, 1, 2, 3}}, 24},
		{"one alone", dataset.BucketOrder{{2}}, 24},
	}
	var sets []*dataset.Set
	for _, l := range lists {
		sets = append(sets, &dataset.Set{ID: l.name, Items: make([]dataset.Item, 4), Levels: l.levels, Order: l.levels.Order(4)})
	}
	const draws = 1024
	scored, _, err := m.Score(t.Context(), sets, draws, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range lists {
		s := scored[i]
		if want := math.Log(l.orders / 24); math.Abs(float64(s.Uniform)-want) > 1e-12 || l.orders == 24 && s.Uniform != 0 {
			t.Errorf("%s: uniform %g, wanted %g", l.name, s.Uniform, want)
		}
		if certain := l.orders == 24; certain && (s.LogProb != 0 || s.Bound != 0 || s.LogProbStdErr != 0 || s.StdErr != 0 || s.Effective != draws || s.Capped) {
			t.Errorf("%s: %+v, wanted 0 ± 0", l.name, s)
		} else if !certain && (s.LogProb >= 0 || s.Bound > s.LogProb) {
			t.Errorf("%s: bound %g, log p %g", l.name, s.Bound, s.LogProb)
		}
	}
	p, q := math.Exp(float64(scored[4].LogProb)), math.Exp(float64(scored[5].LogProb))
	if e := math.Hypot(p*float64(scored[4].LogProbStdErr), q*float64(scored[5].LogProbStdErr)); math.Abs(p+q-1) > 1e-6 || e != 0 {
		t.Errorf("p(1 before 3) = %.3f, p(3 before 1) = %.3f, together 1 exactly (± %g)", p, q, e)
	}
}

// No log p is above 0: an estimate that is by chance is made 0, and said.
func TestCapped(t *testing.T) {
	m := votes4(t)
	set := &dataset.Set{Items: make([]dataset.Item, 4)}
	got := m.scored(diffusion.Estimate{Bound: -0.1, LogProb: 0.02, StdErr: 0.1, Effective: 9}, set, math.Log(12), 16)
	if got.LogProb != 0 || got.Bound != -0.1 || !got.Capped || got.Effective != 9 {
		t.Errorf("%+v, wanted log p 0, capped", got)
	}
	if got := m.scored(diffusion.Estimate{Bound: -0.1, LogProb: -0.02}, set, math.Log(12), 16); got.LogProb != -0.02 || got.Capped {
		t.Errorf("%+v, wanted log p as it is", got)
	}
}

// soc is a PrefLib file of alternatives of the given names, which it numbers so, and votes.
func soc(names string, votes ...string) string {
	list := strings.Fields(names)
	text := fmt.Sprintf("# NUMBER ALTERNATIVES: %d\n", len(list))
	for k, name := range list {
		text += fmt.Sprintf("# ALTERNATIVE NAME %d: %s\n", k+1, name)
	}
	return text + strings.Join(votes, "\n") + "\n"
}

// inFile writes a file and returns its path.
func inFile(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}
