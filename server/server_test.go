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
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

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
