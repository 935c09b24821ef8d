package server

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
