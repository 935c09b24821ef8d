package evaluate

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/task"
)

// What a classical model cannot be fitted to is said, without hints about the packages.
func TestPopulations(t *testing.T) {
	vote := func(count int, levels ...[]int) dataset.Vote { return dataset.Vote{Levels: levels, Count: count} }
	fitted := []dataset.Vote{vote(2, []int{0}, []int{1}), vote(1, []int{1}, []int{0})}
	// Two of three put 0 first: of either law that is the maximum, (2 log 2/3 + log 1/3)/3 a list
	// and half of it an item.
	want := (2*math.Log(2.0/3) + math.Log(1.0/3)) / 6
	for _, p := range populations(fitted, fitted, 2, nil) {
		if p.LogProb == nil || math.Abs(float64(*p.LogProb)-want) > 1e-6 || p.Note != "" {
			t.Errorf("%+v: wanted %g", p, want)
		}
	}
	alike := []dataset.Vote{vote(3, []int{0}, []int{1})}
	if p := populations(alike, alike, 2, []string{"Ann", "St. John"})[0]; p.Name != "Plackett–Luce, prior ½" || p.LogProb == nil || !strings.HasSuffix(p.Note, "2 strongly connected parts: {Ann} {\"St. John\"}") {
		t.Errorf("%+v: wanted a note that there is no maximum, and a fit with a prior", p)
	}
	// A tie that is not the last, and an item that is left out.
	tied := []dataset.Vote{vote(1, []int{0, 1}, []int{2})}
	for _, p := range populations(tied, tied, 4, nil) {
		if p.LogProb != nil || p.Note == "" || strings.Contains(p.Note, "hint") {
			t.Errorf("%+v: wanted a note alone", p)
		}
	}
}

// Where all who train agree, Mallows' model holds other orders impossible: log p is minus infinity,
// in the figures and in their JSON, and no error.
func TestImpossibleVote(t *testing.T) {
	cfg := tiny()
	cfg.Task = config.Task{Name: "ranking", Data: inFile(t, "train.soc", soc("a b c", "9: 1,2,3")), Test: inFile(t, "test.soc", soc("a b c", "2: 3,2,1", "1: 1,2,3"))}
	cfg.Model.Encoder = ""
	m := newModel(t, cfg, openEngine(t, "go"))
	r, err := Run(t.Context(), m, task.Test, 10, learn.DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := classical(r)[1]
	if p.Name != "Mallows" || p.LogProb == nil || !math.IsInf(float64(*p.LogProb), -1) {
		t.Errorf("%+v, wanted Mallows with -Inf", p)
	}
	data, err := json.Marshal(r)
	if err != nil || !strings.Contains(string(data), `"name":"Mallows","log_prob":"-Infinity"`) {
		t.Errorf("%s, %v", data, err)
	}
	var again struct {
		Ranking struct{ Populations []Population }
	}
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
	r, err = Run(t.Context(), newModel(t, cfg, openEngine(t, "go")), task.Test, 10, learn.DecodeOptions{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	// Query 3 has 1 or 1/log2(3), query 5 1, 1/log2(3) or 1/2; the others have no order.
	third := 1 / math.Log2(3)
	possible := false
	for _, a := range []float64{1, third} {
		for _, b := range []float64{1, third, 0.5} {
			possible = possible || math.Abs(r.Mean("ranking.ndcg")-(a+b)/2) < 1e-12
		}
	}
	if r.Sets != 2 || !possible || !strings.Contains(strings.Join(detail[[]string](r, "ranking.dropped"), "\n"), "3 of 5 sets left out, they put no item before another") {
		t.Errorf("%d sets, NDCG %g, %q", r.Sets, r.Mean("ranking.ndcg"), detail[[]string](r, "ranking.dropped"))
	}
}

// classical are the classical models of a result.
func classical(r *Result) []Population { return detail[[]Population](r, "ranking.populations") }
