package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
)

// trained are runs on the go engine that all tests share, each a second's work:
//
//	delta            one permutation of 5
//	tsp, tsp-longer  tours of 5 cities, after 2 and 4 steps
//	jigsaw           pieces of a picture in four tiles
//	sorter           three numbers of one digit; with its starting weights, as training needs MNIST
var trained = sync.OnceValues(func() (string, error) {
	base, err := os.MkdirTemp("", "riffle-server")
	if err != nil {
		return "", err
	}
	e, err := engine.Open("go")
	if err != nil {
		return base, err
	}
	photos := filepath.Join(base, "photos")
	if err := errors.Join(os.Mkdir(photos, 0o777), os.WriteFile(filepath.Join(photos, "scene.png"), scene(260, 320), 0o666)); err != nil {
		return base, err
	}
	for name, c := range map[string]config.Config{
		"delta":      {Task: config.Task{Name: "delta", N: 5, Target: "random"}, Model: config.Model{Encoder: "table"}, Train: config.Train{Steps: 40}},
		"tsp":        {Task: config.Task{Name: "tsp", N: 5}, Model: config.Model{Encoder: "points"}, Train: config.Train{Steps: 2}},
		"tsp-longer": {Task: config.Task{Name: "tsp", N: 5}, Model: config.Model{Encoder: "points"}, Train: config.Train{Steps: 4}},
		"jigsaw":     {Task: config.Task{Name: "jigsaw", Source: "photos", Rows: 2, Columns: 2, Data: photos}, Model: config.Model{Encoder: "window", Hidden: []int{16}}, Train: config.Train{Steps: 2}},
		"sorter":     {Task: config.Task{Name: "sort", N: 3, Digits: 1}, Model: config.Model{Encoder: "window", Hidden: []int{16}}, Train: config.Train{Steps: 1}},
	} {
		full := config.Default()
		full.Title, full.Task = "for tests: "+name, c.Task
		full.Model = config.Model{Encoder: c.Model.Encoder, Hidden: c.Model.Hidden, Dim: 8, Layers: 1, Heads: 2, FeedForward: 16, Positions: "sinusoid", GPLRows: "dummies"}
		full.Process.Schedule = []int{0, 2, 5}
		full.Train.Steps, full.Train.Batch, full.Train.LR, full.Train.Warmup, full.Train.Validate = c.Train.Steps, 8, 2e-2, 1, 0
		full.Eval = config.Eval{Examples: 8, Batch: 8}
		m, _, err := learn.New(full, e)
		if err != nil {
			return base, fmt.Errorf("%s: %w", name, err)
		}
		dir, err := run.Create(filepath.Join(base, name), &m.Config)
		if err != nil {
			return base, err
		}
		if name == "sorter" {
			var c run.Checkpoint
			if c.Model, _, _, err = run.FromStore(m.Store, m.Denoiser); err == nil {
				err = dir.SaveCheckpoint(&c)
			}
		} else {
			err = m.Train(context.Background(), dir, false, learn.TrainOptions{})
		}
		if err := errors.Join(err, dir.Close()); err != nil {
			return base, fmt.Errorf("%s: %w", name, err)
		}
	}
	return base, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if base, err := trained(); err == nil {
		_ = os.RemoveAll(base)
	}
	os.Exit(code)
}

func runDir(t testing.TB, name string) string {
	t.Helper()
	base, err := trained()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(base, name)
}

func goEngine(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// start serves the runs; change may alter the options.
func start(t testing.TB, change func(*Options), names ...string) (*Server, *httptest.Server) {
	t.Helper()
	o := Options{Engine: goEngine(t), Limits: DefaultLimits()}
	for _, name := range names {
		o.Runs = append(o.Runs, runDir(t, name))
	}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
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
	return s, web
}

// scene is a PNG without two equal tiles.
func scene(rows, columns int) []byte {
	m := image.NewRGBA(image.Rect(0, 0, columns, rows))
	for y := range rows {
		for x := range columns {
			m.Set(x, y, color.RGBA{uint8(x * 255 / columns), uint8(y * 255 / rows), uint8(x * y), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// post sends a body and returns status and answer.
func post(t testing.TB, web *httptest.Server, path, kind, body string) (int, []byte) {
	t.Helper()
	r, err := web.Client().Post(web.URL+path, kind, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, data
}

// ask posts JSON that must be answered, into out.
func ask(t testing.TB, web *httptest.Server, path, body string, out any) {
	t.Helper()
	status, data := post(t, web, path, "application/json", body)
	if status != 200 {
		t.Fatalf("%s: status %d\n%s", path, status, data)
	}
	if err := json.Unmarshal(data, out); err != nil {
		t.Fatalf("%s: %v\n%s", path, err, data)
	}
}

func bare(n int) *dataset.Set {
	return &dataset.Set{ID: "1", Items: make([]dataset.Item, n)}
}

var approximate = cmpopts.EquateApprox(0, 1e-4)

// The server answers what the library does, in the same JSON.
func TestSameAsLibrary(t *testing.T) {
	_, web := start(t, nil, "delta")
	m, _, err := learn.Load(runDir(t, "delta"), goEngine(t))
	if err != nil {
		t.Fatal(err)
	}
	scored := bare(5)
	scored.Order, scored.OrderGiven = perm.Order{1, 2, 0, 4, 3}, "rank"
	for _, c := range []struct {
		path, body string
		want       func() (any, error)
	}{
		{"/v1/order", `{"sets": [{"items": [{},{},{},{},{}]}], "top": 3}`, func() (any, error) {
			a, _, err := m.Order(t.Context(), []*dataset.Set{bare(5)}, 3, learn.DecodeOptions{})
			return a, err
		}},
		{"/v1/order", `{"sets": [{"items": [{},{},{}]}], "decode": "greedy"}`, func() (any, error) {
			a, _, err := m.Order(t.Context(), []*dataset.Set{bare(3)}, 1, learn.DecodeOptions{Method: "greedy"})
			return a, err
		}},
		{"/v1/sample", `{"sets": [{"items": [{},{},{},{},{}]}, {"id": "1", "items": [{}]}], "count": 7, "seed": 3}`, func() (any, error) {
			a, _, err := m.Sample(t.Context(), []*dataset.Set{bare(5), bare(1)}, 7, 3)
			return a, err
		}},
		{"/v1/score", `{"sets": [{"items": [{},{},{},{},{}], "rank": [2,0,1,4,3]}], "draws": 5}`, func() (any, error) {
			a, _, err := m.Score(t.Context(), []*dataset.Set{scored}, 5, 1)
			return a, err
		}},
	} {
		want, err := c.want()
		if err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var wanted []any
		if err := json.Unmarshal(data, &wanted); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Model   string
			Step    int
			Answers []any
		}
		ask(t, web, c.path, c.body, &got)
		if diff := cmp.Diff(wanted, got.Answers, approximate); diff != "" || got.Model != "delta" || got.Step != 40 {
			t.Errorf("%s %s: model %s, step %d, library to server:\n%s", c.path, c.body, got.Model, got.Step, diff)
		}
	}
}

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
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": [{"id": "a"},{"id": "b"},{"id": "c"}], "constraints": {"pin": ["a=1", "b=1"]}}]}`, 422, "constraints", "set 1: constraints: items a and b are both pinned at position 1"},
		{"/v1/sample", js, `{"model": "delta", "sets": [{"items": [{},{}]}, {"id": "q", "items": [{},{}], "constraints": {"before": ["0,1", "1,0"]}}]}`, 422, "constraints", "set q: constraints: a cycle: item "},
		{"/v1/order", js, `{"model": "delta", "sets": [{"items": [{},{}], "constraints": {"pin": ["x=0"]}}]}`, 422, "set", `no item "x"`},
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

// A puzzle's steps begin anywhere, end in its order, and say which tile was which.
func TestPuzzle(t *testing.T) {
	_, web := start(t, nil, "jigsaw")
	picture := "data:image/png;base64," + base64.StdEncoding.EncodeToString(scene(65, 64))
	var plain, shuffled puzzleAnswer
	ask(t, web, "/v1/puzzle", `{"picture": "`+picture+`", "rows": 2, "columns": 2, "crop": true, "top": 4}`, &plain)
	ask(t, web, "/v1/puzzle", `{"picture": "`+picture+`", "rows": 2, "columns": 2, "crop": true, "shuffle": 5}`, &shuffled)
	for _, a := range []puzzleAnswer{plain, shuffled} {
		if len(a.Steps) != 3 || !slices.Equal(a.Steps[2], a.Order) || a.Order.Validate() != nil || len(a.Order) != 4 {
			t.Errorf("order %v, steps %v, wanted 3 that end in it", a.Order, a.Steps)
		}
	}
	if len(plain.Orders) != 4 || plain.Shuffled != nil || plain.Right != nil {
		t.Errorf("wanted 4 orders of tiles as they are (got %+v)", plain)
	}
	if shuffled.Shuffled.Validate() != nil || shuffled.Right == nil {
		t.Fatalf("wanted a shuffle (got %+v)", shuffled)
	}
	right := 0
	for i, tile := range shuffled.Order {
		if shuffled.Shuffled[tile] == i {
			right++
		}
	}
	if *shuffled.Right != right {
		t.Errorf("%d tiles are said to be right, wanted %d", *shuffled.Right, right)
	}
	// Rules go by the tiles' numbers: 24 orders have two with 0 last, 2 before 1 and 3 not first.
	var ruled puzzleAnswer
	ask(t, web, "/v1/puzzle", `{"picture": "`+picture+`", "rows": 2, "columns": 2, "crop": true, "shuffle": 5, "top": 4,
		"constraints": {"pin": ["0=3"], "before": ["2,1"], "forbid": ["3=0"]}}`, &ruled)
	want := []perm.Order{{2, 1, 3, 0}, {2, 3, 1, 0}}
	if len(ruled.Orders) != len(want) || !slices.Equal(ruled.Steps[2], ruled.Order) {
		t.Fatalf("orders under rules %+v, wanted %v", ruled.Orders, want)
	}
	for _, o := range ruled.Orders {
		if !slices.ContainsFunc(want, func(w perm.Order) bool { return slices.Equal(w, o.Order) }) {
			t.Errorf("order %v, wanted one of %v", o.Order, want)
		}
	}
	var other puzzleAnswer
	ask(t, web, "/v1/puzzle", `{"picture": "`+picture+`", "rows": 1, "columns": 4, "crop": true}`, &other)
	if n := len(other.Warnings); n == 0 || !strings.Contains(other.Warnings[n-1], "the grid is of 1×4 tiles") {
		t.Errorf("warnings %q of another grid", other.Warnings)
	}
}

// A table's sets go back in as they come out.
func TestTable(t *testing.T) {
	_, web := start(t, nil, "delta", "tsp")
	status, data := post(t, web, "/v1/sets", "text/csv; charset=utf-8", "set,item,rank\nq,a,3\nq,b,1\nq,c,2\n")
	var got struct{ Sets []json.RawMessage }
	if err := json.Unmarshal(data, &got); err != nil || status != 200 || len(got.Sets) != 1 {
		t.Fatalf("status %d: %s", status, data)
	}
	// The greatest of ranks 3, 1, 2 is last: b, c, a.
	if want := `{"id":"q","items":[{"id":"a"},{"id":"b"},{"id":"c"}],"order":[1,2,0]}`; string(got.Sets[0]) != want {
		t.Errorf("got %s, wanted %s", got.Sets[0], want)
	}
	// Levels are scored too: here of two items of three, half of all orders.
	var some answers[learn.Scored]
	ask(t, web, "/v1/score", `{"model": "delta", "sets": [{"items": [{},{},{}], "levels": [[2],[0]]}]}`, &some)
	if a := some.Answers[0]; a.OrderGiven != "levels" || math.Abs(float64(a.Uniform)+math.Ln2) > 1e-12 {
		t.Errorf("scored %+v", a)
	}
	var scored answers[learn.Scored]
	ask(t, web, "/v1/score", `{"model": "delta", "sets": [`+string(got.Sets[0])+`]}`, &scored)
	if a := scored.Answers[0]; a.ID != "q" || a.OrderGiven != "order" {
		t.Errorf("scored %+v", a)
	}
}

func TestModels(t *testing.T) {
	_, web := start(t, nil, "delta", "jigsaw")
	r, err := web.Client().Get(web.URL + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var got struct {
		Models []Info
		Limits map[string]int
	}
	if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	d, j := got.Models[0], got.Models[1]
	if d.Name != "delta" || d.Task != "delta" || d.Items != "bare" || d.N != 5 || d.Step != 40 || !slices.Equal(d.Schedule, []int{0, 2, 5}) {
		t.Errorf("delta: %+v", d)
	}
	// A photo's pieces are of 32 × 32 pixels.
	if j.Items != "image" || j.N != 4 || j.Rows != 2 || j.Columns != 2 || j.ImageRows != 16 || j.ImageColumns != 16 || j.Channels != 3 {
		t.Errorf("jigsaw: %+v", j)
	}
	if got.Limits["items"] != DefaultLimits().Items {
		t.Errorf("limits: %v", got.Limits)
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

// A server that stops answers what it has begun and takes nothing new.
func TestStop(t *testing.T) {
	s, _ := start(t, nil, "delta")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l, time.Minute) }()
	open := gate(s.models[0])
	web := &httptest.Server{URL: "http://" + l.Addr().String(), Config: &http.Server{}}
	begun := make(chan int, 1)
	go func() {
		r, err := http.Post(web.URL+"/v1/order", "application/json", strings.NewReader(`{"sets": [{"items": [{},{},{},{},{}]}]}`))
		if err != nil {
			t.Error(err)
			begun <- 0
			return
		}
		r.Body.Close()
		begun <- r.StatusCode
	}()
	for s.models[0].waiting.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	stop()
	for !s.stopping.Load() {
		time.Sleep(time.Millisecond)
	}
	for path, method := range map[string]string{"/healthz": "GET", "/v1/order": "POST"} { // as on a connection that is still open
		w := httptest.NewRecorder()
		req := httptest.NewRequest(method, path, strings.NewReader(`{}`))
		req.Host = "localhost"
		s.ServeHTTP(w, req)
		if w.Code != 503 || !strings.Contains(w.Body.String(), `"reason":"stopping"`) {
			t.Errorf("%s while stopping: %d %s", path, w.Code, w.Body)
		}
	}
	open()
	if status := <-begun; status != 200 {
		t.Errorf("a request begun before: status %d, wanted 200", status)
	}
	if err := <-ended; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// A server that drains says that it wants no requests, and answers those that come all the same.
func TestDrain(t *testing.T) {
	s, _ := start(t, nil, "delta")
	s.drain = time.Hour
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	go func() { _ = s.Serve(ctx, l, time.Minute) }()
	status := func(method, path string) int {
		t.Helper()
		req, err := http.NewRequest(method, "http://"+l.Addr().String()+path, strings.NewReader(`{"sets": [{"items": [{},{},{},{},{}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if method == "POST" {
			req.Header.Set("Content-Type", "application/json")
		}
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		return r.StatusCode
	}
	if got := status("GET", "/readyz"); got != 200 {
		t.Errorf("/readyz: %d before the end, wanted 200", got)
	}
	stop()
	for !s.draining.Load() {
		time.Sleep(time.Millisecond)
	}
	for _, c := range []struct {
		method, path string
		want         int
	}{{"GET", "/readyz", 503}, {"GET", "/healthz", 200}, {"POST", "/v1/order", 200}} {
		if got := status(c.method, c.path); got != c.want {
			t.Errorf("%s: %d while draining, wanted %d", c.path, got, c.want)
		}
	}
	_ = l.Close()
}

// gate holds a model's goroutine, by a reload whose end nobody hears of, until open is called.
func gate(h *hosted) (open func()) {
	done := make(chan error)
	h.reload <- done
	return func() { <-done }
}

// What is counted is what was answered.
func TestMetrics(t *testing.T) {
	_, web := start(t, nil, "delta")
	var out any
	ask(t, web, "/v1/order", `{"sets": [{"items": [{},{},{},{},{}]}]}`, &out)
	post(t, web, "/v1/order", "application/json", `{`)
	r, err := web.Client().Get(web.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	data, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`riffle_requests_total{route="POST /v1/order",status="200"} 1`,
		`riffle_requests_total{route="POST /v1/order",status="400"} 1`,
		`riffle_batch_sets_count{model="delta"} 1`,
		`riffle_queue_requests{model="delta"} 0`,
		`riffle_model_step{model="delta"} 40`,
	} {
		if !strings.Contains(string(data), want+"\n") {
			t.Errorf("no %s in\n%s", want, data)
		}
	}
}
