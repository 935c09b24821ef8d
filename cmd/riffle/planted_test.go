package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/server"
)

// plantedColumns are those of models/rankings: from club to club each is better.
const plantedColumns = "runs,hits,homers,walks,shutouts,runs_allowed,hits_allowed,homers_allowed,walks_allowed,errors"

// plantedTable is a list of eight clubs, the best first unless rows say otherwise. Column j is multiplied by unit[j].
func plantedTable(columns string, rows []int, reversed bool, unit map[string]float64) string {
	low := map[string]float64{"runs": 3.2, "hits": 7.9, "homers": 0.55, "walks": 2.7, "shutouts": 0.03, "runs_allowed": 3.3, "hits_allowed": 7.9, "homers_allowed": 0.65, "walks_allowed": 2.7, "errors": 0.5}
	high := map[string]float64{"runs": 6, "hits": 9.8, "homers": 1.25, "walks": 3.9, "shutouts": 0.11, "runs_allowed": 5.9, "hits_allowed": 9.9, "homers_allowed": 1.25, "walks_allowed": 3.9, "errors": 1.1}
	text := "set,item,rank," + columns + "\n"
	for s := range 12 { // lists enough for an interval
		for _, k := range rows {
			rank := k + 1
			if reversed {
				rank = len(rows) - k
			}
			text += fmt.Sprintf("S%d,Club%d,%d", s, k, rank)
			for c := range strings.SplitSeq(columns, ",") {
				share := (float64(k) + float64(s)/100) / float64(len(rows))
				if !strings.HasSuffix(c, "_allowed") && c != "errors" {
					share = 1 - share
				}
				by := 1.0
				if u, ok := unit[c]; ok {
					by = u
				}
				text += fmt.Sprintf(",%.6g", by*(low[c]+share*(high[c]-low[c])))
			}
			text += "\n"
		}
	}
	return text
}

// asked is what a door says of a file: the part that must not change, warnings, and whether it answered.
type asked struct {
	answer, said string
	ok           bool
}

// askOnce runs a command; of what it prints, of makes the answer.
func askOnce(of func(stdout string) string, args ...string) asked {
	var out, notes strings.Builder
	code := run(append(args, "--engine", "go"), &out, &notes)
	a := asked{said: notes.String() + out.String(), ok: code == 0} // JSON has the warnings
	if a.ok {
		a.answer = of(out.String())
	}
	return a
}

// Faults that are planted in a file never make a model answer otherwise without a word, whatever it is asked:
// the answer is the right one, or there is a warning, or a refusal.
func TestPlantedFaults(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	model := filepath.Join("..", "..", "models", "rankings")
	rows, shuffled := []int{0, 1, 2, 3, 4, 5, 6, 7}, []int{4, 1, 6, 0, 3, 7, 2, 5}
	columns := strings.Split(plantedColumns, ",")
	exchanged := strings.Join(slices.Concat(columns[5:], columns[:5]), ",")
	training := write("train.csv", plantedTable(plantedColumns, rows, false, nil))
	type fault struct {
		name, file string
		said       string // what a door that answers otherwise says
	}
	right := write("right.csv", plantedTable(plantedColumns, rows, false, nil))
	faults := []fault{
		{"two columns exchanged", write("exchanged.csv", plantedTable(exchanged, rows, false, nil)), ""},
		{"items renumbered", write("renumbered.csv", plantedTable(plantedColumns, shuffled, false, nil)), ""},
		{"a unit of 1e-6", write("small.csv", plantedTable(plantedColumns, rows, false, map[string]float64{"runs": 1e-6, "runs_allowed": 1e-6})), "in training it was"},
		{"a unit of 1e7", write("large.csv", plantedTable(plantedColumns, rows, false, map[string]float64{"runs": 1e7, "runs_allowed": 1e7})), "in training it was"},
		{"a column renamed", write("renamed.csv", plantedTable(strings.Replace(plantedColumns, "errors", "seats", 1), rows, false, nil)), `unknown column "seats"`},
		{"the reference reversed", write("reversed.csv", plantedTable(plantedColumns, rows, true, nil)), "run against those of the lists"},
	}
	whole := func(s string) string { return s }
	tau := func(s string) string { // of eval: whether it is good
		var r struct {
			Ranking struct {
				TauB struct{ Mean float64 } `json:"tau_b"`
			}
		}
		if err := json.Unmarshal([]byte(s), &r); err != nil {
			return err.Error()
		}
		return fmt.Sprint("tau-b is high: ", r.Ranking.TauB.Mean > 0.8)
	}
	first := func(s string) string { // of sample: who is most often first, in all sets together
		var shares []float64
		var names []string
		for line := range strings.Lines(s) {
			var r struct {
				Items     []string
				Marginals [][]float64
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				return err.Error()
			}
			for k, name := range r.Items {
				at := slices.Index(names, name)
				if at < 0 {
					at, names, shares = len(names), append(names, name), append(shares, 0)
				}
				shares[at] += r.Marginals[k][0]
			}
		}
		return names[slices.Index(shares, slices.Max(shares))]
	}
	likely := func(s string) string { // of score: whether an order is above uniform
		all := ""
		for line := range strings.Lines(s) {
			var r struct {
				LogProb float64 `json:"log_prob"`
				Uniform float64
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil {
				return err.Error()
			}
			all += fmt.Sprint(r.LogProb > r.Uniform, " ")
		}
		return all
	}
	web := plantedServer(t, model)
	doors := map[string]func(file string) asked{
		"order":  func(file string) asked { return askOnce(whole, "order", model, file) },
		"sample": func(file string) asked { return askOnce(first, "sample", model, file, "--count", "40", "--json") },
		"score":  func(file string) asked { return askOnce(likely, "score", model, file, "--draws", "8", "--json") },
		"eval":   func(file string) asked { return askOnce(tau, "eval", model, "--test", file, "--json") },
		"train": func(file string) asked {
			out := filepath.Join(t.TempDir(), "run")
			return askOnce(tau, "train", "ranking", "--out", out, "--steps", "60", "--quiet", "--json", "--set", "task.data="+training, "--set", "task.test="+file,
				"--set", "model.dim=16", "--set", "model.layers=1", "--set", "model.heads=2", "--set", "train.batch=8", "--set", "train.lr=1e-2", "--set", "train.warmup=5", "--set", "train.validate=0")
		},
		"server": func(file string) asked { return web(file) },
	}
	for door, ask := range doors {
		want := ask(right)
		if !want.ok || strings.Contains(want.said, "in training it was") || strings.Contains(want.answer, "false") {
			t.Fatalf("%s: %+v", door, want)
		}
		for _, f := range faults {
			got := ask(f.file)
			same := got.ok && got.answer == want.answer
			told := f.said != "" && strings.Contains(got.said, f.said)
			// Of a reversed order the score is the answer: it is not likely.
			if door == "score" && f.name == "the reference reversed" {
				told = !strings.Contains(got.answer, "true")
			}
			if !same && !told {
				t.Errorf("%s, %s: answered %.300q (%v), wanted %.300q or to be told %q\n%.500s", door, f.name, got.answer, got.ok, want.answer, f.said, got.said)
			}
		}
	}
}

// plantedServer is the server's door: it makes sets of a table and orders them.
func plantedServer(t *testing.T, model string) func(file string) asked {
	t.Helper()
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	s, err := server.New(server.Options{Runs: []string{model}, Engine: e, Limits: server.DefaultLimits()})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(func() {
		web.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	post := func(path, kind, body string) (string, bool) {
		r, err := http.Post(web.URL+path, kind, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text), r.StatusCode == http.StatusOK
	}
	return func(file string) asked {
		table, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sets, ok := post("/v1/sets", "text/csv", string(table))
		if !ok {
			return asked{said: sets}
		}
		text, ok := post("/v1/order", "application/json", sets)
		if !ok {
			return asked{said: strings.ReplaceAll(text, `\"`, `"`)}
		}
		var r struct {
			Answers []struct {
				Items    []string
				Orders   []struct{ Order []int }
				Warnings []string
			}
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		a := asked{ok: true}
		for _, x := range r.Answers {
			for _, k := range x.Orders[0].Order {
				a.answer += x.Items[k] + " "
			}
			a.said += strings.Join(x.Warnings, "\n")
		}
		return a
	}
}
