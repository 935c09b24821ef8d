package server

import (
	"encoding/json"
	"strings"
	"testing"
)

// A hint is a field of a refusal, whoever found what is wrong. That may be the reader of a table or
// of sets, the rules of a question, or the server.
func TestHints(t *testing.T) {
	_, web := start(t, nil, "delta", "jigsaw")
	const js = "application/json"
	for _, c := range []struct{ path, kind, body, hint string }{
		{"/v1/sets", "text/csv", "sets,item,rank\na,b,1\n", "the nearest format is set,item,rank"},
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": [{},{}], "order": [1,2]}]}`, "order counts from 0"},
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": [{},{}]}], "decode": "greedy", "top": 2}`, "decode with the beam"},
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": [{"point": [0, 1]}]}]}`, "a bare item is {}"},
		{"/v1/score", js, `{"model": "delta", "sets": [{"items": [{},{}]}]}`, "every set needs"},
		{"/v1/order", js, `{"model": "jigsaw", "sets": [{"items": [{"image": "a.png"}]}]}`, "the file itself, in base64"},
	} {
		_, body := post(t, web, c.path, c.kind, c.body)
		var f faultBody
		if err := json.Unmarshal(body, &f); err != nil || !strings.HasPrefix(f.Error.Hint, c.hint) || strings.Contains(f.Error.Message, "hint") {
			t.Errorf("%s %s: %s, wanted the hint %q", c.path, c.body, body, c.hint)
		}
	}
}
