package evaluate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/task"
)

// These tests hold figures that a model reports to their definitions, computed here another way.

// concordance is the share of concordant less that of discordant pairs of two lists of numbers.
func concordance(a, b []int) float64 {
	sum, pairs := 0.0, 0.0
	for i := range a {
		for j := range i {
			pairs++
			if (a[i] < a[j]) == (b[i] < b[j]) {
				sum++
			} else {
				sum--
			}
		}
	}
	return sum / pairs
}

// Kendall's tau is that of ranks, and the other that of lists, as the paper's figures are.
func TestTauIsOfRanks(t *testing.T) {
	m := newModel(t, tiny(), openEngine(t, "go"))
	const count = 20
	r, err := Run(t.Context(), m, task.Test, count, learn.DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	find, _, err := m.Finder(learn.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ex, err := m.Task.Examples(task.Test, 0, count)
	if err != nil {
		t.Fatal(err)
	}
	orders, err := find(t.Context(), ex, 0)
	if err != nil {
		t.Fatal(err)
	}
	ranks, lists := 0.0, 0.0
	for i, o := range orders {
		ranks += concordance(o.Rank(), ex.Clean[i].Rank()) / count
		lists += concordance(o, ex.Clean[i]) / count
	}
	if math.Abs(ranks-lists) < 0.02 {
		t.Fatalf("tau is %.4f and %.4f: these sets do not tell the two apart", ranks, lists)
	}
	if math.Abs(r.Mean("kendall_tau")-ranks) > 1e-9 || math.Abs(r.Mean("kendall_tau_lists")-lists) > 1e-9 {
		t.Errorf("tau %.6f of ranks and %.6f of lists, wanted %.6f and %.6f", r.Mean("kendall_tau"), r.Mean("kendall_tau_lists"), ranks, lists)
	}
}

// voted is a model of bare items, trained on one file of votes and judged by another.
func voted(t *testing.T, n int, train, test string) *learn.Model {
	t.Helper()
	dir := t.TempDir()
	head := fmt.Sprintf("# NUMBER ALTERNATIVES: %d\n", n)
	for k := range n {
		head += fmt.Sprintf("# ALTERNATIVE NAME %d: item%d\n", k+1, k+1)
	}
	for name, votes := range map[string]string{"train.toi": train, "test.toi": test} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(head+votes), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cfg := tiny()
	cfg.Task = config.Task{Name: "ranking", Data: filepath.Join(dir, "train.toi"), Test: filepath.Join(dir, "test.toi")}
	cfg.Model.Encoder = ""
	return newModel(t, cfg, openEngine(t, "go"))
}

// The classical models are fitted to the training votes: to the test votes, which are the other
// way round here, they would fit better than any model can know.
func TestPopulationsFitTrainingVotes(t *testing.T) {
	m := voted(t, 2, "80: 1,2\n20: 2,1\n", "10: 1,2\n90: 2,1\n")
	sets, weights, err := m.Task.(task.Lister).Sets(task.Train, 0)
	if err != nil {
		t.Fatal(err)
	}
	first, all := 0.0, 0.0
	for i, s := range sets {
		all += float64(weights[i])
		if s.Order[0] == 0 {
			first += float64(weights[i])
		}
	}
	share := first / all // the greatest likelihood of either law, for two items
	if share < 0.6 {
		t.Fatalf("%.2f of the training votes put item 1 first, wanted about 0.8", share)
	}
	want := (0.1*math.Log(share) + 0.9*math.Log(1-share)) / 2
	r, err := Run(t.Context(), m, task.Test, 10, learn.DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(classical(r)) != 2 {
		t.Fatalf("%d classical models, wanted 2", len(classical(r)))
	}
	for _, p := range classical(r) {
		if p.LogProb == nil || math.Abs(float64(*p.LogProb)-want) > 1e-6 {
			t.Errorf("%s: log p %v an item, wanted %.6f", p.Name, p.LogProb, want)
		}
	}
}

// The bound on log p of lists of which not all is known is on the probability of all the orders
// that agree with them. uniform is the log of their share of all orders.
func TestListsBoundCountsOrders(t *testing.T) {
	const n = 5
	m := voted(t, n, "30: 1,2,3,4,5\n30: 2,1,3,5,4\n", "1: 3,{1,2,4,5}\n") // 4! orders begin with item 3
	r, err := Run(t.Context(), m, task.Test, 10, learn.DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	sets, _, err := m.Task.(task.Lister).Sets(task.Test, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := math.Log(1.0/n) / n; math.Abs(r.Mean("ranking.uniform")-want) > 1e-9 {
		t.Errorf("uniform %.6f nats an item, wanted %.6f: one order in %d begins so", r.Mean("ranking.uniform"), want, n)
	}
	// One order stands for the list, which so many times as many agree with.
	stands := *sets[0]
	stands.Order, stands.OrderGiven = sets[0].Known().Draw(rand.New(rand.NewPCG(m.Config.Seed^boundStream, 0)), n), "order"
	scored, _, err := m.Score(t.Context(), []*dataset.Set{&stands}, boundDraws, m.Config.Seed)
	if err != nil {
		t.Fatal(err)
	}
	one := float64(scored[0].Bound)
	if want := math.Min(0, one+math.Log(24)) / n; math.Abs(r.Mean("ranking.bound")-want) > 1e-9 {
		t.Errorf("bound %.6f nats an item, wanted %.6f: that of one order is %.3f, and 24 agree", r.Mean("ranking.bound"), want, one)
	}
}

// A vote that many gave counts as often: 30 and 10 of 40 are three quarters and one, not a half each.
func TestVotesCountAsOften(t *testing.T) {
	m := voted(t, 2, "20: 1,2\n20: 2,1\n", "30: 1,2\n10: 2,1\n")
	r, err := Run(t.Context(), m, task.Test, 10, learn.DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if exact := r.Mean("ranking.exact"); r.Sets != 2 || r.Lists != 40 || exact != 75 && exact != 25 || r.Mean("exact") != exact {
		t.Errorf("%d votes of %d people, %g %% exact, wanted 2 of 40, and 75 or 25", r.Sets, r.Lists, exact)
	}
}
