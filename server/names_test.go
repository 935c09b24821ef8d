package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/learn"
)

// Columns go by their names in every question: exchanged they give the same answer, also by way of
// a table, and a renamed one is refused. A list of numbers goes by its places.
func TestColumnsByName(t *testing.T) {
	_, web := start(t, func(o *Options) { o.Runs = []string{filepath.Join("..", "models", "rankings")} })
	named := func(order ...string) string {
		var items []string
		for _, club := range []map[string]string{ // each number of the second is better
			{"runs": "3.2", "runs_allowed": "5.9", "hits": "7.9", "hits_allowed": "9.9", "homers": "0.55", "homers_allowed": "1.25", "walks": "2.7", "walks_allowed": "3.9", "errors": "1.1", "shutouts": "0.03"},
			{"runs": "6.0", "runs_allowed": "3.3", "hits": "9.8", "hits_allowed": "7.9", "homers": "1.25", "homers_allowed": "0.65", "walks": "3.9", "walks_allowed": "2.7", "errors": "0.5", "shutouts": "0.11"},
		} {
			var fields []string
			for _, name := range order {
				value := club[name]
				if value == "" {
					value = club["errors"]
				}
				fields = append(fields, `"`+name+`": `+value)
			}
			items = append(items, `{"features": {`+strings.Join(fields, ", ")+`}}`)
		}
		return `{"sets": [{"items": [` + strings.Join(items, ", ") + `], "order": [1, 0]}]}`
	}
	columns := []string{"runs", "runs_allowed", "hits", "hits_allowed", "homers", "homers_allowed", "walks", "walks_allowed", "errors", "shutouts"}
	exchanged := slices.Clone(columns)
	for i := 0; i < 8; i += 2 {
		exchanged[i], exchanged[i+1] = columns[i+1], columns[i]
	}
	for _, path := range []string{"/v1/order", "/v1/sample", "/v1/score"} {
		status, want := post(t, web, path, "application/json", named(columns...))
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, status, want)
		}
		if path == "/v1/order" {
			var out struct{ Answers []learn.Ordered }
			if err := json.Unmarshal(want, &out); err != nil || !slices.Equal(out.Answers[0].Orders[0].Order, []int{1, 0}) {
				t.Errorf("order %s, %v: wanted 1, 0", want, err)
			}
		}
		// Draws may be others: it is another question.
		if _, got := post(t, web, path, "application/json", named(exchanged...)); path == "/v1/order" && string(got) != string(want) {
			t.Errorf("%s: columns exchanged: %s, wanted %s", path, got, want)
		}
		renamed := slices.Clone(columns)
		renamed[8] = "stadium_seats"
		if status, got := post(t, web, path, "application/json", named(renamed...)); status != http.StatusUnprocessableEntity || !strings.Contains(string(got), `unknown column \"stadium_seats\", and column \"errors\" is missing`) {
			t.Errorf("%s: a renamed column: %d %s", path, status, got)
		}
	}
	status, got := post(t, web, "/v1/sets", "text/csv", "set,item,rank,homers_allowed,runs\na,Elm,,4.7,4.4\na,Fir,,5,4\n")
	if want := `"items":[{"id":"Elm","features":{"homers_allowed":4.7,"runs":4.4}},{"id":"Fir","features":{"homers_allowed":5,"runs":4}}]`; status != http.StatusOK || !strings.Contains(string(got), want) {
		t.Errorf("a table: %d %s, wanted %s", status, got, want)
	}
}

// Items that are nothing but names go by them in every question, in whatever order they are listed.
// Strangers are refused, and so are rules that could be about another item.
func TestItemsByName(t *testing.T) {
	votes := filepath.Join(t.TempDir(), "votes.csv")
	text := "set,item,rank\n"
	for s := range 20 {
		for k, name := range []string{"Ada", "Ben", "Cy", `"Dot, of ""B"""`} {
			text += fmt.Sprintf("%d,%s,%d\n", s, name, k)
		}
	}
	if err := os.WriteFile(votes, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Task = config.Task{Name: "ranking", Data: votes}
	c.Model = config.Model{Dim: 16, Layers: 1, Heads: 2, FeedForward: 16, Positions: "sinusoid", GPLRows: "dummies"}
	c.Train.Steps, c.Train.Batch, c.Train.LR, c.Train.Warmup, c.Train.Validate = 100, 16, 1e-2, 5, 0
	dir := filepath.Join(t.TempDir(), "votes")
	if _, _, err := learn.Fit(t.Context(), c, dir, goEngine(t)); err != nil {
		t.Fatal(err)
	}
	_, web := start(t, func(o *Options) { o.Runs = []string{dir} })
	const reversed = `"items": [{"id": "Dot, of \"B\""}, {"id": "Cy"}, {"id": "Ben"}, {"id": "Ada"}]`
	var ordered struct{ Answers []learn.Ordered }
	status, body := post(t, web, "/v1/order", "application/json", `{"sets": [{`+reversed+`}]}`)
	if err := json.Unmarshal(body, &ordered); err != nil || status != http.StatusOK || !slices.Equal(ordered.Answers[0].Orders[0].Order, []int{3, 2, 1, 0}) || ordered.Answers[0].Items[0] != `Dot, of "B"` {
		t.Errorf("order: %d %s, %v: wanted 3, 2, 1, 0 and the names", status, body, err)
	}
	var sampled struct{ Answers []learn.Sampled }
	status, body = post(t, web, "/v1/sample", "application/json", `{"count": 50, "sets": [{`+reversed+`}]}`)
	if err := json.Unmarshal(body, &sampled); err != nil || status != http.StatusOK || sampled.Answers[0].Marginals[3][0] < 0.8 {
		t.Errorf("sample: %d %s, %v: wanted Ada first", status, body, err)
	}
	var scored struct{ Answers []learn.Scored }
	status, body = post(t, web, "/v1/score", "application/json", `{"sets": [{`+reversed+`, "order": [3, 2, 1, 0]}, {`+reversed+`, "order": [0, 1, 2, 3]}]}`)
	if err := json.Unmarshal(body, &scored); err != nil || status != http.StatusOK || scored.Answers[0].LogProb < -1 || scored.Answers[1].LogProb > -3 {
		t.Errorf("score: %d %s, %v: wanted Ada first to be likely, and last not", status, body, err)
	}
	for _, path := range []string{"/v1/order", "/v1/sample", "/v1/score"} {
		status, body := post(t, web, path, "application/json", `{"sets": [{"items": [{"id": "Ada"}, {"id": "Benn"}], "order": [0, 1]}]}`)
		if status != http.StatusUnprocessableEntity || !strings.Contains(string(body), `the model knows no item \"Benn\", the nearest is \"Ben\"`) {
			t.Errorf("%s of a stranger: %d %s", path, status, body)
		}
	}
	status, body = post(t, web, "/v1/order", "application/json", `{"sets": [{`+reversed+`, "constraints": {"before": ["\"Dot, of \"\"B\"\"\",Ada"]}}]}`)
	if err := json.Unmarshal(body, &ordered); err != nil || status != http.StatusOK {
		t.Errorf("a rule about a name with a comma: %d %s, %v", status, body, err)
	} else if o := ordered.Answers[0].Orders[0].Order; slices.Index(o, 0) > slices.Index(o, 3) {
		t.Errorf("order %v, wanted Dot before Ada", o)
	}
	if status, body := post(t, web, "/v1/order", "application/json", `{"sets": [{`+reversed+`, "constraints": {"before": ["Dot, of \"B\",Ada"]}}]}`); status != http.StatusUnprocessableEntity || !strings.Contains(string(body), "a comma separates items") {
		t.Errorf("a name cut at its comma: %d %s", status, body)
	}
}

// Ranked lists of points may have ties, which tours may not: it is the process that tells, not the kind
// of items.
func TestScoreTiedPoints(t *testing.T) {
	lists := filepath.Join(t.TempDir(), "points.jsonl")
	text := ""
	for s := range 20 {
		text += fmt.Sprintf(`{"items": [{"point": [%d, 0]}, {"point": [0, %d]}, {"point": [1, 1]}], "order": [2, 0, 1]}`+"\n", s+2, s+3)
	}
	if err := os.WriteFile(lists, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Task = config.Task{Name: "ranking", Data: lists}
	c.Model = config.Model{Dim: 8, Layers: 1, Heads: 2, FeedForward: 16, Positions: "sinusoid", GPLRows: "dummies"}
	c.Train.Steps, c.Train.Batch, c.Train.LR, c.Train.Warmup, c.Train.Validate = 1, 8, 1e-2, 1, 0
	dir := filepath.Join(t.TempDir(), "points")
	if _, _, err := learn.Fit(t.Context(), c, dir, goEngine(t)); err != nil {
		t.Fatal(err)
	}
	_, web := start(t, func(o *Options) { o.Runs = append(o.Runs, dir) }, "tsp")
	const set = `{"items": [{"point": [1, 0]}, {"point": [0, 2]}, {"point": [1, 1]}], "levels": [[2], [0, 1]]}`
	for model, want := range map[string]int{"points": http.StatusOK, "tsp": http.StatusUnprocessableEntity} {
		if status, body := post(t, web, "/v1/score", "application/json", `{"model": "`+model+`", "sets": [`+set+`]}`); status != want {
			t.Errorf("ties to %s: %d %s, wanted %d", model, status, body, want)
		}
	}
}

// Lists of documents have more than a hundred features, by name, of an item or of the set.
func TestManyColumns(t *testing.T) {
	const columns = 136
	table := filepath.Join(t.TempDir(), "wide.csv")
	var header strings.Builder
	for c := range columns {
		fmt.Fprintf(&header, ",c%d", c)
	}
	text := "set,item,rank" + header.String() + "\n"
	for s := range 20 {
		for k := range 3 {
			text += fmt.Sprintf("%d,%d,%d", s, k, k) + strings.Repeat(fmt.Sprintf(",%d", k+s%2), columns) + "\n"
		}
	}
	if err := os.WriteFile(table, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	c := config.Default()
	c.Task = config.Task{Name: "ranking", Data: table}
	c.Process.Reverse, c.Process.Schedule = "pl", []int{0, 4}
	c.Model = config.Model{Dim: 8, Layers: 1, Heads: 2, FeedForward: 8, Positions: "sinusoid"}
	c.Train.Steps, c.Train.Batch, c.Train.Validate = 1, 4, 0
	dir := filepath.Join(t.TempDir(), "wide")
	if _, _, err := learn.Fit(t.Context(), c, dir, goEngine(t)); err != nil {
		t.Fatal(err)
	}
	_, web := start(t, func(o *Options) { o.Runs = []string{dir} })
	features := func(from, to int) string {
		var list []string
		for c := from; c < to; c++ {
			list = append(list, fmt.Sprintf(`"c%d": %d`, c, c%3))
		}
		return `"features": {` + strings.Join(list, ", ") + `}`
	}
	all := `{"sets": [{"items": [{` + features(0, columns) + `}, {` + features(0, columns) + `}]}]}`
	ofSet := `{"sets": [{` + features(30, columns) + `, "items": [{` + features(0, 30) + `}, {` + features(0, 30) + `}]}]}`
	for _, body := range []string{all, ofSet} {
		if status, got := post(t, web, "/v1/order", "application/json", body); status != http.StatusOK {
			t.Errorf("%d %.300s", status, got)
		}
	}
	var other []string
	for c := range columns {
		other = append(other, fmt.Sprintf(`"c%d": 1`, c))
	}
	if status, got := post(t, web, "/v1/order", "application/json", `{"sets": [{"items": [{`+strings.Join(other, ", ")+`}]}]}`); status != http.StatusUnprocessableEntity || !strings.Contains(string(got), "an object has more than 64 fields") {
		t.Errorf("fields of no name: %d %.300s", status, got)
	}
}
