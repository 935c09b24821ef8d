package evaluate

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

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

// club is a model of 70 voters, 60 of whom put Ada before Ben before Cy before Dot.
func club(t *testing.T, test string) *learn.Model {
	t.Helper()
	cfg := tiny()
	cfg.Task = config.Task{Name: "ranking", Data: inFile(t, "train.soc", soc("Ada Ben Cy Dot", "60: 1,2,3,4", "6: 1,2,4,3", "4: 2,1,3,4")), Test: test}
	cfg.Model.Encoder, cfg.Model.Dim, cfg.Model.Dropout = "", 16, 0
	cfg.Train.Steps, cfg.Train.Batch, cfg.Train.LR = 150, 16, 1e-2
	m, _ := train(t, cfg, openEngine(t, "go"))
	return m
}

// The same votes, numbered otherwise in their file, are the same votes: to be judged, with the
// classical models beside, to be put in order, and to be scored.
func TestOtherNumbering(t *testing.T) {
	same, other := soc("Ada Ben Cy Dot", "20: 1,2,3,4"), soc("Dot Cy Ben Ada", "20: 4,3,2,1")
	m := club(t, inFile(t, "same.soc", same))
	want, err := Run(t.Context(), m, task.Test, 10, learn.DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tau := want.Mean("ranking.tau_b"); tau < 0.9 {
		t.Fatalf("Kendall's tau-b is %.2f on votes as were trained on, wanted about 1", tau)
	}
	if err := m.SetTest(inFile(t, "other.soc", other)); err != nil {
		t.Fatal(err)
	}
	got, err := Run(t.Context(), m, task.Test, 10, learn.DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if *got.Figure("ranking.tau_b") != *want.Figure("ranking.tau_b") || *got.Figure("ranking.bound") != *want.Figure("ranking.bound") {
		t.Errorf("numbered otherwise: tau-b %+v, bound %+v, wanted %+v, %+v", *got.Figure("ranking.tau_b"), *got.Figure("ranking.bound"), *want.Figure("ranking.tau_b"), *want.Figure("ranking.bound"))
	}
	for i, p := range classical(got) {
		if w := classical(want)[i]; p.LogProb == nil || w.LogProb == nil || *p.LogProb != *w.LogProb {
			t.Errorf("%s: log p %v, wanted %v", p.Name, p.LogProb, w.LogProb)
		}
	}
	read := func(name, text string) []*dataset.Set {
		f, err := dataset.Read(inFile(t, name, text), dataset.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return f.Sets
	}
	for name, text := range map[string]string{
		"same.soc": same, "other.soc": other,
		"other.csv": "set,item,rank\nx,Cy,3\nx,Ada,1\nx,Dot,4\nx,Ben,2\n", "no-ranks.csv": "set,item\nx,Dot\nx,Ben\nx,Ada\nx,Cy\n",
		"some.csv": "set,item\nx,Dot\nx,Ben\nx,Ada\n", "reversed.jsonl": `{"items": [{"id": "Dot"}, {"id": "Cy"}, {"id": "Ben"}, {"id": "Ada"}], "order": [3, 2, 1, 0]}`,
	} {
		sets := read(name, text)
		ordered, _, err := m.Order(t.Context(), sets, 1, learn.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wanted := "Ada Ben Cy Dot"
		if name == "some.csv" {
			wanted = "Ada Ben Dot"
		}
		if o := strings.Join(perm.Act(ordered[0].Orders[0].Order, sets[0].ItemNames()), " "); o != wanted {
			t.Errorf("%s: order %s, wanted %s", name, o, wanted)
		}
	}
	scored, _, err := m.Score(t.Context(), read("same.soc", same), 64, 1)
	if err != nil {
		t.Fatal(err)
	}
	renumbered, _, err := m.Score(t.Context(), read("other.soc", other), 64, 1)
	if err != nil {
		t.Fatal(err)
	}
	// Of four objects log p is a sum over all ways; what the network computes for another numbering differs in its last digits.
	if a, b := scored[0], renumbered[0]; math.Abs(float64(a.LogProb-b.LogProb)) > 4*float64(a.LogProbStdErr+b.LogProbStdErr)+1e-6 || b.LogProb < b.Uniform/2 {
		t.Errorf("log p %.9f ± %.3f, and %.9f ± %.3f numbered otherwise", a.LogProb, a.LogProbStdErr, b.LogProb, b.LogProbStdErr)
	}
	drawn, _, err := m.Sample(t.Context(), read("other.soc", other), 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if p := drawn[0].Marginals[3][0] + drawn[0].Marginals[2][0]; p < 0.9 { // Ada and Ben are 3 and 2 there
		t.Errorf("Ada or Ben is first in %.0f %% of the draws, wanted nearly all", 100*p)
	}
	strangers := read("strangers.soc", soc("Ada Ben Cy Dott", "20: 1,2,3,4"))
	const stranger = `the model knows no item "Dott", the nearest is "Dot"`
	if _, _, err := m.Order(t.Context(), strangers, 1, learn.DecodeOptions{}); err == nil || !strings.Contains(err.Error(), stranger) {
		t.Errorf("order of a stranger: %v", err)
	}
	if _, _, err := m.Sample(t.Context(), strangers, 1, 1); err == nil || !strings.Contains(err.Error(), stranger) {
		t.Errorf("samples of a stranger: %v", err)
	}
	if _, _, err := m.Score(t.Context(), strangers, 1, 1); err == nil || !strings.Contains(err.Error(), stranger) {
		t.Errorf("score of a stranger: %v", err)
	}
	if err := m.SetTest(inFile(t, "strangers.soc", soc("Ada Ben Cy Dott", "20: 1,2,3,4"))); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), m, task.Test, 10, learn.DecodeOptions{}, nil); err == nil || !strings.Contains(err.Error(), stranger) {
		t.Errorf("test file with a stranger: %v", err)
	}
}
