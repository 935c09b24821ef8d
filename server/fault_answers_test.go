package server

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// Every refusal has its status and its reason; none is an error of the server.
func TestFaults(t *testing.T) {
	_, web := start(t, func(o *Options) {
		o.Limits.Body, o.Limits.Memory, o.Limits.Sets, o.Limits.Items, o.Limits.Pixels, o.Limits.Work = 40_000, 80_000_000, 3, 9, 5000, 2000
	}, "delta", "tsp", "jigsaw")
	five := `{"items": [{},{},{},{},{}]}`
	b64 := base64.StdEncoding.EncodeToString
	bomb := scene(1, 1)
	copy(bomb[16:], []byte{0, 1, 0, 0, 0, 1, 0, 0}) // 65,536 squared, says the header; its checksum is wrong too
	truncated := scene(32, 32)[:200]
	const js = "application/json"
	for _, c := range []struct {
		path, kind, body string
		status           int
		reason, message  string
	}{
		{"/v1/order", js, ``, 400, "body", "ends early"},
		{"/v1/order", js, `{"sets": [`, 400, "body", ""},
		{"/v1/order", js, `[]`, 422, "field", "is a list, wanted an object"},
		{"/v1/order", js, "{\"sets\": \"\xff\"}", 400, "body", "not UTF-8"},
		{"/v1/order", js, `{"model": "tsp", "sets": [{"items": [{"point": [NaN, 0]}]}]}`, 400, "body", "is NaN, wanted a finite number"},
		{"/v1/order", js, `{"model": "tsp", "sets": [{"items": [{"point": [1e999, 0]}]}]}`, 422, "set", "sets[0]: item 0: point[0]: 1e999 is beyond the largest float64"},
		{"/v1/order", js, `{"model": "tsp", "sets": [{"items": [{"point": [0, 0]}, {"point": [0, -1.5e308]}, {"point": [0, 1.5e308]}]}]}`, 422, "items", "sets[0]: item 1: point: [0 -1.5e+308] is beyond ±1e+300"},
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": ` + strings.Repeat("[", 15_000) + `]}]}`, 400, "body", "depth"},
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": ` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}]}`, 422, "set", "item 0: is a list, wanted an item in braces"},
		{"/v1/order", js, `{"model": "delta", "sest": []}`, 422, "field", `unknown field "sest", the nearest known is "sets"`},
		{"/v1/order", js, `{"model": "delta", "model": "delta"}`, 400, "body", "duplicate"},
		{"/v1/order", js, `{"model": "delta", "sets": [` + five + `], "top": "3"}`, 422, "field", "top: is text, wanted an integer"},
		{"/v1/order", js, `{"model": "delta", "sets": [` + five + `], "top": 0}`, 422, "field", "top: must be 1 to 65536 (got 0)"},
		{"/v1/order", js, `{"model": "delta", "sets": [` + five + `], "top": 1.5}`, 422, "field", "top: is"},
		{"/v1/order", js, `{"model": "delta", "sets": [` + five + `], "decode": "best"}`, 422, "field", `unknown method "best", wanted greedy or beam`},
		{"/v1/order", js, `{"model": "delta", "sets": [` + five + `], "decode": "greedy", "top": 2}`, 422, "field", "greedy gives one order"},
		{"/v1/order", js, `{"model": "delta", "sets": [` + five + `], "beam": -1}`, 422, "field", "beam and inner"},
		{"/v1/order", js, `{"model": "delta", "sets": [` + five + `], "beam": 2001}`, 413, "work", "wanted at most 2000"},
		{"/v1/order", js, `{"model": "delta", "sets": [` + five + `], "beam": 9223372036854775807}`, 422, "field", "beam: must be 1 to 65536"},
		{"/v1/sample", js, `{"model": "delta", "sets": [` + five + `], "count": 0}`, 422, "field", "count: must be 1 to"},
		{"/v1/sample", js, `{"model": "delta", "sets": [` + five + `], "seed": -1}`, 422, "field", "seed: is"},
		{"/v1/sample", js, `{"model": "delta", "sets": [` + five + `,` + five + `], "count": 10100}`, 413, "work", ""},
		{"/v1/score", js, `{"model": "delta", "sets": [` + five + `]}`, 422, "order", "sets[0]: no order to score"},
		{"/v1/score", js, `{"model": "tsp", "sets": [{"items": [{"point": [0, 0]}, {"point": [0, 1]}], "levels": [[0, 1]]}]}`, 422, "order", "sets[0]: ties, or items without a place"},
		{"/v1/score", js, `{"model": "delta", "sets": [{"items": [{},{}], "order": [1,2]}]}`, 422, "set", "order: entry 1 is 2, wanted 0 to 1"},
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": [{"id": "a"},{"id": "b"},{"id": "c"}], "constraints": {"pin": ["a=1", "b=1"]}}]}`, 422, "constraints", "sets[0]: set 1: constraints: items a and b are both pinned at position 1"},
		{"/v1/sample", js, `{"model": "delta", "sets": [{"items": [{},{}]}, {"id": "q", "items": [{},{}], "constraints": {"before": ["0,1", "1,0"]}}]}`, 422, "constraints", "sets[1]: set q: constraints: a cycle: item "},
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": [{},{}], "constraints": {"pin": ["x=0"]}}]}`, 422, "set", `no item "x"`},
		{"/v1/sample", js, `{"model": "delta", "sets": [{"items": [{},{}]}, {"id": "1", "items": [{},{}], "constraints": {"before": ["0,1", "1,0"]}}]}`, 422, "constraints", "set 1: constraints: a cycle: item "},
		{"/v1/order", js, `{"model": 5, "sets": [` + five + `]}`, 422, "field", "model: is a number, wanted text"},
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": [{},{}], "constraints": {"pin": ["` + strings.Repeat("x", 20_000) + `=0"]}}]}`, 422, "set", "xxx …"},
		// Names of many commas, which took minutes.
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": [{"id": "` + strings.Repeat("a,", 2_000) + `z"},{"id": "b"}], "constraints": {"before": ["` + strings.Repeat("a,", 12_000) + `b"]}}]}`, 422, "set", "too many names of items have commas"},
		{"/v1/tour", js, `{"points": [[null, 5], [3, 4], [3, 0]]}`, 422, "points", "points.0: wanted two finite numbers"},
		{"/v1/tour", js, `{"points": [[0, 5], null, [3, 0]]}`, 422, "points", "points.1: wanted two finite numbers"},
		{"/v1/tour", js, `{"points": [[0, 5], [3], [3, 0]]}`, 422, "points", "points.1: wanted two finite numbers"},
		{"/v1/tour", js, `{"points": [[0, 5], [3, 4, 5], [3, 0]]}`, 422, "points", "points.1: wanted two finite numbers"},
		{"/v1/tour", js, `{"points": [[0, 5], [1e400, 4], [3, 0]]}`, 422, "field", "points.1.0: is a number out of range, wanted a finite number"},
		{"/v1/tour", js, `{"points": [["0", 5], [3, 4], [3, 0]]}`, 422, "field", "points.0.0: is text, wanted a finite number"},
		{"/v1/tour", js, `{"points": []}`, 422, "points", "wanted 1 or more"},
		{"/v1/order", js, `{"sets": [` + five + `]}`, 422, "model", "model: is missing, wanted one of delta, tsp, jigsaw"},
		{"/v1/order", js, `{"model": "../delta", "sets": [` + five + `]}`, 422, "model", `there is no "../delta", the nearest known is "delta"`},
		{"/v1/order", js, `{"model": "delta", "sets": []}`, 422, "sets", "one or more"},
		{"/v1/order", js, `{"model": "delta", "sets": [{},{},{},{}]}`, 413, "sets", "at most 3"},
		{"/v1/order", js, `{"model": "tsp", "sets": [{"items": [` + strings.Repeat(`{"point":[0,1]},`, 9) + `{"point":[1,0]}]}]}`, 413, "items", "at most 9 items"},
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": [{},{},{},{},{},{}]}]}`, 422, "items", "has 6 items, model delta takes 5 at most"},
		{"/v1/order", js, `{"model": "tsp", "sets": [` + five + `]}`, 422, "items", "items are bare, model tsp takes point"},
		{"/v1/order", js, `{"model": "jigsaw", "sets": [{"items": [{"image": "/etc/passwd"},{"image": "a.png"}]}]}`, 422, "picture", "sets[0]: item 0: image: is no base64"},
		{"/v1/order", js, `{"model": "jigsaw", "sets": [{"items": [{"image": "abcd"}]}]}`, 422, "picture", "is no PNG or JPEG"},
		{"/v1/order", js, `{"model": "jigsaw", "sets": [{"items": [{"image": "http://127.0.0.1/a.png"}]}]}`, 422, "picture", "is no base64"},
		{"/v1/order", js, `{"model": "jigsaw", "sets": [{"items": [{"image": "data:text/html,hello"}]}]}`, 422, "picture", "wanted data:image/png;base64"},
		{"/v1/order", js, `{"model": "jigsaw", "sets": [{"items": [{"image": "` + b64([]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;")) + `"}]}]}`, 422, "picture", "is no PNG or JPEG"},
		{"/v1/order", js, `{"model": "jigsaw", "sets": [{"items": [{"image": "` + b64(truncated) + `"}]}]}`, 422, "picture", "not enough pixel data"},
		{"/v1/puzzle", js, `{"model": "jigsaw", "picture": "` + b64(bomb) + `", "rows": 2, "columns": 2}`, 422, "picture", ""},
		{"/v1/puzzle", js, `{"model": "jigsaw", "picture": "` + b64(scene(71, 71)) + `", "rows": 2, "columns": 2}`, 413, "pixels", "71×71 pixels"},
		{"/v1/puzzle", js, `{"model": "jigsaw", "picture": "` + b64(scene(33, 32)) + `", "rows": 2, "columns": 2}`, 422, "picture", "do not divide into 2×2 tiles, 32×32 would"},
		{"/v1/puzzle", js, `{"model": "jigsaw", "picture": "` + b64(scene(32, 32)) + `", "rows": 1, "columns": 1}`, 422, "field", "2 tiles or more"},
		{"/v1/puzzle", js, `{"model": "jigsaw", "picture": "` + b64(scene(32, 32)) + `", "rows": 9223372036854775807, "columns": 2}`, 413, "items", "at most 9 tiles"},
		{"/v1/puzzle", js, `{"model": "jigsaw", "picture": "` + b64(scene(32, 32)) + `", "rows": 2, "columns": 2, "constraints": {"pin": ["0=1", "1=1"]}}`, 422, "constraints", "constraints: items 0 and 1 are both pinned at position 1"},
		{"/v1/puzzle", js, `{"model": "jigsaw", "picture": "` + b64(scene(32, 32)) + `", "rows": 2, "columns": 2, "constraints": {"forbid": ["4=1"]}}`, 422, "constraints", "no item 4 in a set of 4"},
		{"/v1/puzzle", js, `{"model": "jigsaw", "picture": "", "rows": 2, "columns": 2, "constraints": {"pins": ["0=1"]}}`, 422, "field", `unknown field "pins", the nearest known is "pin"`},
		{"/v1/puzzle", js, `{"model": "tsp", "picture": "", "rows": 2, "columns": 2}`, 422, "model", "wanted one of jigsaw"},
		{"/v1/order", "text/plain", `{}`, 415, "type", "wanted application/json"},
		{"/v1/sets", js, `set,item`, 415, "type", "wanted text/csv"},
		{"/v1/sets", "text/csv", "\x1f\x8b\x08", 400, "body", "UTF-8"}, // gzip, which readers of files unpack
		{"/v1/sets", "text/csv", "set,rank\nq,1\n", 422, "set", `column "item" is missing`},
		{"/v1/sets", "text/csv", "set,item\n", 422, "sets", "no items"},
		{"/v1/sets", "text/csv", "set,item,x\nq,a,1\nq,b,inf\n", 422, "set", "table:3"},
		{"/v1/sets", "text/csv", "set,item\n" + strings.Repeat("a,b\n", 30), 413, "sets", "the table has 31 lines"},
		{"/v1/order", js, strings.Repeat(" ", 40_001), 413, "body", "larger than 40000 bytes"},
		{"/v1/nothing", js, `{}`, 404, "path", "there is no /v1/nothing"},
		{"/v1/models", js, `{}`, 405, "method", "wanted GET"},
	} {
		status, data := post(t, web, c.path, c.kind, c.body)
		var got faultBody
		if err := json.Unmarshal(data, &got); err != nil {
			t.Errorf("%s %.80s: %v\n%s", c.path, c.body, err, data)
			continue
		}
		if e := got.Error; status != c.status || e.Status != c.status || e.Reason != c.reason || !strings.Contains(e.Message, c.message) {
			t.Errorf("%s %.80s: %d %s, wanted %d %s %q", c.path, c.body, status, data, c.status, c.reason, c.message)
		}
	}
	// A body without an end that claims no length.
	endless, err := http.NewRequest(http.MethodPost, web.URL+"/v1/order", io.LimitReader(zeros{}, 1<<40))
	if err != nil {
		t.Fatal(err)
	}
	endless.Header.Set("Content-Type", "application/json")
	if r, err := web.Client().Do(endless); err == nil { // or the connection is closed on it
		if r.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("an endless body: status %d, wanted 413", r.StatusCode)
		}
		r.Body.Close()
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// What a request takes of the memory is given back, whatever became of it.
func TestMemory(t *testing.T) {
	s, web := start(t, func(o *Options) { o.Limits.Body, o.Limits.Memory = 100_000, 150_000 }, "jigsaw")
	big := base64.StdEncoding.EncodeToString(scene(100, 100)) // 160,000 bytes while it is decoded
	body := `{"picture": "` + big + `", "rows": 2, "columns": 2}`
	if status, data := post(t, web, "/v1/puzzle", "application/json", body); status != 429 || !bytes.Contains(data, []byte(`"reason":"memory"`)) {
		t.Errorf("status %d, wanted 429\n%s", status, data)
	}
	small := base64.StdEncoding.EncodeToString(scene(40, 40))
	var got puzzleAnswer
	ask(t, web, "/v1/puzzle", `{"picture": "`+small+`", "rows": 2, "columns": 2}`, &got)
	if left := s.memory.Load(); left != 0 {
		t.Errorf("%d bytes are still taken", left)
	}
}

func TestNewFaults(t *testing.T) {
	e := goEngine(t)
	delta := runDir(t, "delta")
	for _, c := range []struct {
		change func(*Options)
		want   string
	}{
		{func(o *Options) { o.Runs = nil }, "one or more"},
		{func(o *Options) { o.Token = "short" }, "token: wanted 16 bytes or more (got 5)"},
		{func(o *Options) { o.Limits.Queue = 0 }, "limit of queue: must be more than 0 (got 0)"},
		{func(o *Options) { o.Limits.Memory = 1 }, "limit of memory: must be at least limit of body, 16777216 bytes (got 1)"},
		{func(o *Options) { o.Runs = append(o.Runs, delta) }, `are both called "delta"`},
		{func(o *Options) { o.Runs = append(o.Runs, filepath.Join(delta, "nowhere")) }, "nowhere"},
	} {
		o := Options{Runs: []string{delta}, Engine: e, Limits: DefaultLimits()}
		c.change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, wanted %q", err, c.want)
		}
	}
}
