package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
)

// three is a file of votes for Ada, Ben and Cy.
func three(votes ...string) string { return votesFor("Ada Ben Cy", votes...) }

func votesFor(names string, votes ...string) string {
	list := strings.Fields(names)
	text := fmt.Sprintf("# NUMBER ALTERNATIVES: %d\n", len(list))
	for k, name := range list {
		text += fmt.Sprintf("# ALTERNATIVE NAME %d: %s\n", k+1, name)
	}
	return text + strings.Join(votes, "\n") + "\n"
}

// votedRun trains a model of votes in a second.
func votedRun(t *testing.T, votes string, more ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "voted")
	answered(t, slices.Concat(small(writing(t)("train.soc", votes)), []string{"--out", dir, "--quiet", "--steps", "120"}, more)...)
	return dir
}

// scores are those of each set by its id.
func scores(t *testing.T, text string) map[string]learn.Scored {
	t.Helper()
	all := map[string]learn.Scored{}
	if err := eachLine(text, func(s learn.Scored) { all[s.ID] = s }); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return all
}

// servedLines are the server's answers as the command prints them.
func servedLines(t *testing.T, text string) (lines string) {
	t.Helper()
	var r struct{ Answers []json.RawMessage }
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	for _, a := range r.Answers {
		lines += string(a) + "\n"
	}
	return lines
}

// log p of an order has one meaning wherever it is named. The probabilities of all orders sum to one,
// and what ranks the orders of a search has a name of its own.
func TestLogPHasOneMeaning(t *testing.T) {
	const draws = 2048
	model := votedRun(t, three("6: 1,2,3", "3: 2,1,3", "2: 3,1,2", "1: 3,2,1"))
	all := []perm.Order{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	var sets []string
	for i, o := range all {
		order, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		sets = append(sets, fmt.Sprintf(`{"id": "%d", "items": [{"id": "Ada"}, {"id": "Ben"}, {"id": "Cy"}], "order": %s}`, i, order))
	}
	file := writing(t)("all.jsonl", strings.Join(sets, "\n")+"\n")
	d := openDoors(t, model)
	sum, square := 0.0, 0.0
	command := scores(t, answered(t, "score", model, file, "--draws", fmt.Sprint(draws), "--json"))
	for id, s := range command {
		p := math.Exp(float64(s.LogProb))
		sum, square = sum+p, square+math.Pow(p*float64(s.LogProbStdErr), 2)
		if s.LogProb > 0 || s.Bound > s.LogProb || math.Abs(float64(s.Uniform)+math.Log(6)) > 1e-12 {
			t.Errorf("order %s: %+v", id, s)
		}
	}
	if e := math.Sqrt(square); len(command) != 6 || math.Abs(sum-1) > 1e-5 || e != 0 { // of so few orders it is no estimate
		t.Errorf("the %d orders have p %.3f ± %.3f together", len(command), sum, math.Sqrt(square))
	}
	server := scores(t, servedLines(t, d.answer(t, "/v1/score", fmt.Sprintf(`{"sets": [%s], "draws": %d}`, strings.Join(sets, ","), draws))))
	for id, s := range command {
		if server[id].LogProb != s.LogProb || server[id].Bound != s.Bound {
			t.Errorf("the server has log p %v of order %s, the command %v", server[id].LogProb, id, s.LogProb)
		}
	}
	// That of the most frequent draws is the same estimate, by the same draws and seed.
	var drawn struct{ Top []learn.Frequent }
	one := writing(t)("one.jsonl", sets[0]+"\n")
	if err := json.Unmarshal([]byte(answered(t, "sample", model, one, "--count", "200", "--top", "6", "--entropy", "--draws", fmt.Sprint(draws), "--json")), &drawn); err != nil {
		t.Fatal(err)
	}
	if len(drawn.Top) < 3 {
		t.Fatalf("%d different draws", len(drawn.Top))
	}
	for _, f := range drawn.Top {
		i := slices.IndexFunc(all, func(o perm.Order) bool { return slices.Equal(o, f.Order) })
		if want := command[fmt.Sprint(i)].LogProb; f.LogProb == nil || math.Abs(float64(*f.LogProb-want)) > 1e-9 {
			t.Errorf("%v: log p of the draws %v, of score %v", f.Order, f.LogProb, want)
		}
	}
	// What a search knows is of one start, so it is no log p: it is called so nowhere.
	for door, text := range map[string]string{
		"order":       answered(t, "order", model, one, "--top", "6", "--json"),
		"serve order": servedLines(t, d.answer(t, "/v1/order", `{"sets": [`+sets[0]+`], "top": 6}`)),
	} {
		var r learn.Ordered
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		sum, apart := 0.0, false
		for _, o := range r.Orders {
			sum += math.Exp(float64(o.LogPath))
			i := slices.IndexFunc(all, func(a perm.Order) bool { return slices.Equal(a, o.Order) })
			apart = apart || math.Abs(float64(o.LogPath-command[fmt.Sprint(i)].LogProb)) > 1e-3
		}
		if strings.Contains(text, "log_prob") || len(r.Orders) != 6 || sum > 1+1e-6 || !apart {
			t.Errorf("%s: ways of %.4f together in %s", door, sum, text)
		}
	}
	if text := answered(t, "order", model, one, "--top", "6"); strings.Count(text, "\tlog path -") != 6 || strings.Contains(text, "log p ") {
		t.Errorf("order prints %q", text)
	}
	// The description of the API has log_prob where score has it, and nowhere else.
	r, err := http.Get(d.url + "/v1/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]struct{ Description string }
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	for name, s := range doc.Components.Schemas {
		if p, has := s.Properties["log_prob"]; has != (name == "Scored") || has && !strings.Contains(p.Description, "estimate of log p(order | items)") {
			t.Errorf("%s: log_prob: %v, %q", name, has, p.Description)
		}
		if p, has := s.Properties["log_path"]; has && !strings.Contains(p.Description, "from steps[0]") && p.Description != "" {
			t.Errorf("%s: log_path: %q", name, p.Description)
		}
	}
}

// Lists in part, in every door. uniform is the log of the share of the 24 orders that a list allows, by hand. What
// all orders obey is certain, and one of two is before the other.
func TestPartialListsInDoors(t *testing.T) {
	model := votedRun(t, ballots("ABCE", "20 ABCE", "10 BACE", "10 ECBA", "5 CAEB"))
	lists := []struct {
		id, levels string
		orders     float64
	}{
		{"full", "[[2],[0],[3],[1]]", 1},
		{"one missing", "[[2],[0],[3]]", 4}, // unknown, not last
		{"top one", "[[2],[0,1,3]]", 6},
		{"two pairs", "[[0,2],[1,3]]", 4},
		{"1 before 3", "[[1],[3]]", 12},
		{"3 before 1", "[[3],[1]]", 12},
		{"all tied", "[[0,1,2,3]]", 24},
	}
	var sets []string
	for _, l := range lists {
		sets = append(sets, fmt.Sprintf(`{"id": %q, "items": [{"id": "Ada"}, {"id": "Ben"}, {"id": "Cy"}, {"id": "Eve"}], "levels": %s}`, l.id, l.levels))
	}
	file := writing(t)("lists.jsonl", strings.Join(sets, "\n")+"\n")
	doors := map[string]map[string]learn.Scored{
		"score":       scores(t, answered(t, "score", model, file, "--draws", "1024", "--json")),
		"serve score": scores(t, servedLines(t, openDoors(t, model).answer(t, "/v1/score", `{"draws": 1024, "sets": [`+strings.Join(sets, ",")+`]}`))),
	}
	for door, got := range doors {
		for _, l := range lists {
			s := got[l.id]
			if want := math.Log(l.orders / 24); math.Abs(float64(s.Uniform)-want) > 1e-9 || s.OrderGiven != "levels" && l.orders > 1 {
				t.Errorf("%s, %s: %+v, wanted uniform %.4f", door, l.id, s, want)
			}
			if certain := l.orders == 24; certain != (s.LogProb == 0 && s.Bound == 0 && s.LogProbStdErr == 0 && s.StdErr == 0 && !s.Capped) {
				t.Errorf("%s, %s: %+v", door, l.id, s)
			}
		}
		a, b := got["1 before 3"], got["3 before 1"]
		p, q := math.Exp(float64(a.LogProb)), math.Exp(float64(b.LogProb))
		if math.Abs(p+q-1) > 1e-5 {
			t.Errorf("%s: p(1 before 3) = %.5f, p(3 before 1) = %.5f, together 1", door, p, q)
		}
	}
	text := answered(t, "score", model, file, "--draws", "64")
	for _, want := range []string{"-3.1781", "-1.7918", "-1.3863", "-1.7918", "-0.6931", "-0.6931"} {
		_, after, ok := strings.Cut(text, want+"\n")
		if !ok {
			t.Fatalf("uniform %s is not in\n%s", want, text)
		}
		text = after
	}
	if cells := strings.Fields(text); strings.Join(cells, " ") != "all tied 0.0000 0.0000 0.0000 0.0000 64.0 0.0000" {
		t.Errorf("of all tied: %q", text)
	}
}

// No estimate of log p and no bound is above 0 in any door. One that is by chance is made 0, and that is said.
func TestNothingAboveZero(t *testing.T) {
	const names = "Ada Ben Cy Dan Eve Fay" // of five log p is no estimate
	model := votedRun(t, votesFor(names, "9: 1,2,3,4,5,6"))
	write := writing(t)
	file := write("sure.soc", votesFor(names, "1: 1,2,3,4,5,6"))
	lines := write("sure.jsonl", `{"id": "1", "items": [{"id": "Ada"}, {"id": "Ben"}, {"id": "Cy"}, {"id": "Dan"}, {"id": "Eve"}, {"id": "Fay"}], "order": [0, 1, 2, 3, 4, 5]}`+"\n")
	d := openDoors(t, model)
	const above = "above 0, where"
	capped := map[string]int{}
	check := func(door string, s learn.Scored, said string) {
		t.Helper()
		// A bound above 0 is one of log p, which is above 0 too then.
		if s.LogProb > 0 || s.Bound > 0 || s.Capped != strings.Contains(said, above) || s.Capped && s.LogProb != 0 {
			t.Errorf("%s: %+v, said %q", door, s, said)
		}
		if s.Capped {
			capped[door]++
		}
	}
	for seed := range 12 {
		var out, notes strings.Builder
		if code := run([]string{"score", model, file, "--draws", "2", "--seed", fmt.Sprint(seed), "--json", "--engine", "go"}, &out, &notes); code != 0 {
			t.Fatal(notes.String())
		}
		one := scores(t, out.String())["1"]
		check("score", one, notes.String())
		check("score's JSON", one, strings.Join(one.Warnings, " "))
		two := scores(t, servedLines(t, d.answer(t, "/v1/score", fmt.Sprintf(`{"draws": 2, "seed": %d, "sets": [{"items": [{"id": "Ada"}, {"id": "Ben"}, {"id": "Cy"}, {"id": "Dan"}, {"id": "Eve"}, {"id": "Fay"}], "order": [0, 1, 2, 3, 4, 5]}]}`, seed))))["1"]
		check("serve score", two, strings.Join(two.Warnings, " "))
		var drawn struct {
			Top      []learn.Frequent
			Entropy  learn.Entropy
			Warnings []string
		}
		text := answered(t, "sample", model, lines, "--count", "8", "--top", "1", "--entropy", "--draws", "2", "--seed", fmt.Sprint(seed), "--json")
		if err := json.Unmarshal([]byte(text), &drawn); err != nil {
			t.Fatal(err)
		}
		check("sample", learn.Scored{LogProb: *drawn.Top[0].LogProb, Capped: drawn.Top[0].Capped}, strings.Join(drawn.Warnings, " "))
		if e := drawn.Entropy; e.Mean < 0 || (e.Capped > 0) != drawn.Top[0].Capped {
			t.Errorf("entropy %+v, %+v", e, drawn.Top)
		}
	}
	for _, door := range []string{"score", "score's JSON", "serve score", "sample"} {
		if c := capped[door]; c == 0 || c == 12 {
			t.Errorf("%s: %d of 12 estimates were above 0: the case is too tame", door, c)
		}
	}
	// The bound of eval is a mean of such estimates.
	var r struct {
		Ranking  struct{ Bound struct{ Mean, High float64 } }
		Warnings []string
	}
	text := answered(t, "eval", model, "--test", file, "--json")
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	if b := r.Ranking.Bound; b.Mean > 0 || b.High > 0 || (b.Mean == 0) != strings.Contains(strings.Join(r.Warnings, " "), above) {
		t.Errorf("eval: %s", text)
	}
}

// Where all voters of the training agree and one of the test does not, a classical model holds that
// vote impossible. train and eval say -Inf and end well. What a rule makes impossible is said so too.
func TestImpossible(t *testing.T) {
	write := writing(t)
	test := write("test.soc", three("2: 3,2,1", "1: 1,2,3"))
	training := small(write("train.soc", three("9: 1,2,3")), "--set", "task.test="+test, "--quiet", "--out")
	model := filepath.Join(t.TempDir(), "agreed")
	line := func(text string) string {
		for l := range strings.Lines(text) {
			if strings.HasPrefix(l, "Mallows ") {
				return strings.Join(strings.Fields(l), " ")
			}
		}
		return text
	}
	const inJSON = `"name":"Mallows","log_prob":"-Infinity"`
	compact := func(text string) string { return strings.NewReplacer(" ", "", "\n", "").Replace(text) }
	for door, text := range map[string]string{
		"train":       answered(t, append(slices.Clone(training), model)...),
		"eval":        answered(t, "eval", model),
		"eval --test": answered(t, "eval", model, "--test", test),
	} {
		if got := line(text); got != "Mallows -Inf" {
			t.Errorf("%s: %q", door, got)
		}
	}
	for door, text := range map[string]string{
		"train":       answered(t, append(slices.Clone(training), filepath.Join(t.TempDir(), "again"), "--json")...),
		"eval":        answered(t, "eval", model, "--json"),
		"eval --test": answered(t, "eval", model, "--test", test, "--json"),
	} {
		if !strings.Contains(compact(text), inJSON) {
			t.Errorf("%s --json: %s", door, text)
		}
	}
	if kept, err := os.ReadFile(filepath.Join(model, "eval.json")); err != nil || !strings.Contains(compact(string(kept)), inJSON) {
		t.Errorf("eval.json: %s, %v", kept, err)
	}
	// The network holds nothing impossible: what it scores is a number in every door.
	for _, s := range scores(t, answered(t, "score", model, test, "--draws", "64", "--json")) {
		if v := float64(s.LogProb); math.IsInf(v, 0) || math.IsNaN(v) || v > 0 {
			t.Errorf("score: %+v", s)
		}
	}

	// Inverse insertion moves one object a step: two rules that ask for more have an order of probability 0.
	moved := votedRun(t, three("9: 1,2,3"), "--set", "process.forward=insertion", "--set", "process.reverse=ii", "--set", "process.schedule=[0,1]")
	set := `{"id": "q", "items": [{"id": "Ada"}, {"id": "Ben"}, {"id": "Cy"}], "constraints": {"before": [%q]}}`
	d := openDoors(t, moved)
	impossible := 0
	for _, before := range []string{"Ada,Ben,Cy", "Ada,Cy,Ben", "Ben,Ada,Cy", "Ben,Cy,Ada", "Cy,Ada,Ben", "Cy,Ben,Ada"} { // of one start, one is out of reach
		file := write("ruled.jsonl", fmt.Sprintf(set, before)+"\n")
		command, server := answered(t, "order", moved, file, "--json"), servedLines(t, d.answer(t, "/v1/order", `{"sets": [`+fmt.Sprintf(set, before)+`]}`))
		if infinite := strings.Contains(command, `"log_path":"-Infinity"`); infinite {
			impossible++
			if !strings.Contains(server, `"log_path":"-Infinity"`) || !strings.Contains(command, "out of reach") {
				t.Errorf("%s: the command says %s, the server %s", before, command, server)
			}
			if text := answered(t, "order", moved, file, "--top", "2"); !strings.Contains(text, "log path -Inf") {
				t.Errorf("%s: printed %q", before, text)
			}
		}
	}
	if impossible == 0 {
		t.Error("no order is out of reach: the case is too tame")
	}
}
