package learn

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/task"
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

// uniform is the log of the share of orders that a list allows, counted by hand; what all orders
// obey is certain; one of two is before the other.
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
	if e := math.Hypot(p*float64(scored[4].LogProbStdErr), q*float64(scored[5].LogProbStdErr)); math.Abs(p+q-1) > 4*e || e > 0.05 {
		t.Errorf("p(1 before 3) = %.3f, p(3 before 1) = %.3f, together 1 ± %.3f", p, q, e)
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

// Where all who train agree, Mallows' model holds other orders impossible: log p is minus infinity,
// in the figures and in their JSON, and no error.
func TestImpossibleVote(t *testing.T) {
	cfg := tiny()
	cfg.Task = config.Task{Name: "ranking", Data: inFile(t, "train.soc", soc("a b c", "9: 1,2,3")), Test: inFile(t, "test.soc", soc("a b c", "2: 3,2,1", "1: 1,2,3"))}
	cfg.Model.Encoder = ""
	m := newModel(t, cfg, openEngine(t, "go"))
	r, err := m.Evaluate(t.Context(), task.Test, 10, DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Ranking.Populations[1]
	if p.Name != "Mallows" || p.LogProb == nil || !math.IsInf(float64(*p.LogProb), -1) {
		t.Errorf("%+v, wanted Mallows with -Inf", p)
	}
	data, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(data), `"name":"Mallows","log_prob":"-Infinity"`) {
		t.Errorf("%s, %v", data, err)
	}
	var again Result
	if err := json.Unmarshal(data, &again); err != nil || !math.IsInf(float64(*again.Ranking.Populations[1].LogProb), -1) {
		t.Errorf("read again: %v, %v", again.Ranking, err)
	}
	// A set that gives no order counts for nothing.
	path := filepath.Join(t.TempDir(), "q.txt")
	text := "1 qid:1 1:0.3 2:0.1\n0 qid:2 1:0.2 2:0.5\n0 qid:2 1:0.9 2:0.1\n0 qid:2 1:0.4 2:0.4\n2 qid:3 1:0.9 2:0.3\n0 qid:3 1:0.1 2:0.2\n3 qid:4 1:0.7 2:0.7\n1 qid:5 1:0.8 2:0.2\n0 qid:5 1:0.2 2:0.9\n0 qid:5 1:0.3 2:0.3\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	cfg.Task = config.Task{Name: "ranking", Data: path, Test: path}
	r, err = newModel(t, cfg, openEngine(t, "go")).Evaluate(t.Context(), task.Test, 10, DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Query 3 has 1 or 1/log2(3), query 5 1, 1/log2(3) or 1/2; the others have no order.
	third := 1 / math.Log2(3)
	possible := false
	for _, a := range []float64{1, third} {
		for _, b := range []float64{1, third, 0.5} {
			possible = possible || math.Abs(r.Ranking.NDCG.Mean-(a+b)/2) < 1e-12
		}
	}
	if r.Sets != 2 || !possible || !strings.Contains(strings.Join(r.Ranking.Dropped, "\n"), "3 of 5 sets left out, they put no item before another") {
		t.Errorf("%d sets, NDCG %g, %q", r.Sets, r.Ranking.NDCG.Mean, r.Ranking.Dropped)
	}
}
