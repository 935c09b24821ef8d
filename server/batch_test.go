package server

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// cities is a set of points, as the library and as a request has it.
func cities(rng *rand.Rand, id string, n int) (*dataset.Set, string) {
	s := &dataset.Set{ID: id, Kind: dataset.KindPoint}
	var items []string
	for range n {
		p := [2]float64{rng.Float64(), rng.Float64()}
		s.Items = append(s.Items, dataset.Item{Point: p})
		items = append(items, fmt.Sprintf(`{"point": [%v, %v]}`, p[0], p[1]))
	}
	return s, fmt.Sprintf(`{"id": %q, "items": [%s]}`, id, strings.Join(items, ","))
}

// Requests that wait go through the network together; each gets what it would get alone, and
// one whose asker has gone is not asked.
func TestBatch(t *testing.T) {
	s, web := start(t, nil, "tsp")
	h := s.models[0]
	rng := rand.New(rand.NewPCG(1, 1))
	bodies := make([]string, 11)
	alone := make([]answers[learn.Ordered], len(bodies))
	for i := range bodies {
		var sets []string
		for range 1 + i%2 {
			_, text := cities(rng, fmt.Sprintf("client %d set %d", i, len(sets)), 5+i%3)
			sets = append(sets, text)
		}
		bodies[i] = fmt.Sprintf(`{"sets": [%s], "top": %d}`, strings.Join(sets, ","), 1+i%2)
		ask(t, web, "/v1/order", bodies[i], &alone[i])
	}
	first := counts(t, h)
	open := gate(h)
	var wait sync.WaitGroup
	for i := range bodies {
		wait.Go(func() {
			var got answers[learn.Ordered]
			ask(t, web, "/v1/order", bodies[i], &got)
			for k, a := range alone[i].Answers {
				b := got.Answers[k]
				if a.ID != b.ID || len(a.Orders) != len(b.Orders) || !slices.Equal(a.Orders[0].Order, b.Orders[0].Order) || !slices.Equal(a.Warnings, b.Warnings) {
					t.Errorf("alone %+v, among others %+v", a, b)
				}
			}
		})
	}
	for h.waiting.Load() < int64(len(bodies)) {
		time.Sleep(time.Millisecond)
	}
	open()
	wait.Wait()
	// 11 requests, 16 sets: of three sizes, with two tops, at most 8 sets a batch and a little
	// more. Were they asked one by one there would be 16 batches.
	if n := counts(t, h) - first; n > 12 {
		t.Errorf("%d batches for 11 requests that waited together, wanted at most 12", n)
	}
}

// counts is how many batches a model has ordered.
func counts(t testing.TB, h *hosted) uint64 {
	t.Helper()
	families, err := h.metrics.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == "riffle_batch_sets" {
			return f.GetMetric()[0].GetHistogram().GetSampleCount()
		}
	}
	return 0
}

// A set that the model fails on does not spoil the answers of others in its batch.
func TestBatchFault(t *testing.T) {
	s, web := start(t, nil, "delta")
	h := s.models[0]
	good := &job{ctx: t.Context(), sets: []*dataset.Set{bare(5)}, ask: learn.Query{Kind: learn.KindOrder, Top: 1, Decode: learn.DecodeOptions{Method: "greedy"}}, done: make(chan struct{})}
	bad := &job{ctx: t.Context(), sets: []*dataset.Set{{ID: "p", Kind: dataset.KindPoint, Items: make([]dataset.Item, 5)}}, ask: good.ask, done: make(chan struct{})}
	open := gate(h)
	for _, j := range []*job{bad, good} { // past the checks of requests
		if err := h.put(j); err != nil {
			t.Fatal(err)
		}
	}
	open()
	<-good.done
	<-bad.done
	if good.err != nil || len(good.answer.Ordered) != 1 || good.answer.Ordered[0].Orders[0].Order.Validate() != nil {
		t.Errorf("the good one: %v, %+v", good.err, good.answer.Ordered)
	}
	if bad.err == nil || asFault(bad.err).status != 422 {
		t.Errorf("the bad one: %v", bad.err)
	}
	var out any
	ask(t, web, "/v1/order", `{"sets": [{"items": [{},{}]}]}`, &out) // it goes on
}

// A full queue refuses at once: the model does nothing meanwhile. Who waits too long is told.
func TestQueue(t *testing.T) {
	s, web := start(t, func(o *Options) { o.Limits.Queue, o.Limits.Time = 2, 200*time.Millisecond }, "delta")
	h := s.models[0]
	open := gate(h)
	statuses := make(chan int, 2)
	for range 2 {
		go func() {
			status, data := post(t, web, "/v1/order", "application/json", `{"sets": [{"items": [{},{},{}]}]}`)
			if status == 503 && !strings.Contains(string(data), `"reason":"time"`) {
				t.Errorf("reason: %s", data)
			}
			statuses <- status
		}()
	}
	for h.waiting.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	r, err := web.Client().Post(web.URL+"/v1/order", "application/json", strings.NewReader(`{"sets": [{"items": [{},{}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || r.StatusCode != http.StatusTooManyRequests || r.Header.Get("Retry-After") == "" || !strings.Contains(string(data), `"reason":"queue"`) {
		t.Errorf("status %d, %v: %s", r.StatusCode, r.Header, data)
	}
	for range 2 {
		if status := <-statuses; status != 503 {
			t.Errorf("status %d after the time was over, wanted 503", status)
		}
	}
	open()
	for h.waiting.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
	for status := 0; status != 200; { // a busy machine may take more than the limit
		var data []byte
		if status, data = post(t, web, "/v1/order", "application/json", `{"sets": [{"items": [{},{}]}]}`); status != 200 && status != 503 {
			t.Fatalf("status %d, wanted 200: %s", status, data)
		}
	}
}

// Requests of ever other shapes do not add up to ever more compiled graphs, and are answered.
func TestShapes(t *testing.T) {
	s, web := start(t, nil, "delta")
	for beam := 1; beam <= 30; beam++ {
		var got answers[learn.Ordered]
		ask(t, web, "/v1/order", fmt.Sprintf(`{"sets": [{"items": [{},{},{},{},{}]}, {"items": [{},{},{}]}], "beam": %d}`, beam), &got)
		if got.Answers[0].Orders[0].Order.Validate() != nil {
			t.Errorf("beam %d: %+v", beam, got)
		}
	}
	if err := s.Close(); err != nil { // its goroutine's fields are at rest
		t.Fatal(err)
	}
	if n := len(s.models[0].shapes); n > maxShapes {
		t.Errorf("graphs of %d shapes, wanted at most %d", n, maxShapes)
	}
}

// swapped is a run directory of the name tsp that is one of two runs, by a link.
type swapped struct {
	link string
	to   [2]string
}

func newSwapped(t testing.TB) *swapped {
	s := &swapped{link: filepath.Join(t.TempDir(), "tsp"), to: [2]string{runDir(t, "tsp"), runDir(t, "tsp-longer")}}
	s.set(t, 0)
	return s
}

func (s *swapped) set(t testing.TB, i int) {
	t.Helper()
	if err := os.Symlink(s.to[i], s.link+".new"); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(s.link+".new", s.link); err != nil {
		t.Fatal(err)
	}
}

// Reload takes the run's newest checkpoint, and keeps the model where there is none.
func TestReload(t *testing.T) {
	link := newSwapped(t)
	s, web := start(t, func(o *Options) { o.Runs = []string{link.link} })
	step := func() int {
		var got answers[learn.Ordered]
		ask(t, web, "/v1/order", `{"sets": [{"items": [{"point": [0, 0]}, {"point": [1, 0]}, {"point": [0, 1]}]}]}`, &got)
		return got.Step
	}
	if got := step(); got != 2 {
		t.Fatalf("step %d, wanted 2", got)
	}
	link.set(t, 1)
	if got := step(); got != 2 {
		t.Errorf("step %d before the reload, wanted 2", got)
	}
	if err := s.Reload(); err != nil {
		t.Fatal(err)
	}
	if got := step(); got != 4 {
		t.Errorf("step %d after the reload, wanted 4", got)
	}
	if err := os.Remove(link.link); err != nil {
		t.Fatal(err)
	}
	if err := s.Reload(); err == nil || !strings.Contains(err.Error(), "model tsp stays at step 4") {
		t.Errorf("reload of nothing: %v", err)
	}
	if got := step(); got != 4 {
		t.Errorf("step %d after a reload that failed, wanted 4", got)
	}
}

// Clients ask while the model is swapped all the time. Every answer is that of the client's own cities by
// the model whose step it names; else the server says that it is busy. Nothing is lost, and when they have
// gone the memory is what it was.
func TestSwapUnderRequests(t *testing.T) {
	const clients, pool, enough = 32, 64, 50
	link := newSwapped(t)
	s, web := start(t, func(o *Options) { o.Runs, o.Limits.Queue = []string{link.link}, 16 })
	steps := map[int]int{2: 0, 4: 1}
	rng := rand.New(rand.NewPCG(3, 3))
	sets, bodies := make([]*dataset.Set, pool), make([]string, pool)
	var wanted [2][]perm.Order
	for i := range sets {
		var text string
		sets[i], text = cities(rng, fmt.Sprint(i), 4+i%4)
		bodies[i] = `{"sets": [` + text + `]}`
	}
	for k := range wanted {
		m, _, err := learn.Load(link.to[k], goEngine(t))
		if err != nil {
			t.Fatal(err)
		}
		for i := range sets {
			a, _, err := m.Order(t.Context(), sets[i:i+1], 1, learn.DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			wanted[k] = append(wanted[k], a[0].Orders[0].Order)
		}
		m.Close()
	}
	if slices.EqualFunc(wanted[0], wanted[1], func(a, b perm.Order) bool { return slices.Equal(a, b) }) {
		t.Fatal("the two models agree in everything: this test could not tell them apart")
	}
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	client := &http.Client{Transport: transport}
	var mu sync.Mutex
	answered := map[int]int{}
	going := func() bool { // until both models have answered often enough
		mu.Lock()
		defer mu.Unlock()
		return (answered[2] < enough || answered[4] < enough) && !t.Failed()
	}
	var wait sync.WaitGroup
	for c := range clients {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(c)))
			for going() {
				i := rng.IntN(pool)
				r, err := client.Post(web.URL+"/v1/order", "application/json", strings.NewReader(bodies[i]))
				if err != nil {
					t.Errorf("client %d: lost: %v", c, err)
					return
				}
				var got answers[learn.Ordered]
				err = json.NewDecoder(r.Body).Decode(&got)
				_, _ = io.Copy(io.Discard, r.Body)
				r.Body.Close()
				if r.StatusCode == http.StatusTooManyRequests {
					time.Sleep(time.Millisecond)
					continue
				}
				if err != nil || r.StatusCode != http.StatusOK {
					t.Errorf("client %d: status %d, %v", c, r.StatusCode, err)
					return
				}
				a := got.Answers[0]
				o := a.Orders[0]
				if k, known := steps[got.Step]; !known || a.ID != sets[i].ID || !slices.Equal(o.Order, wanted[k][i]) {
					t.Errorf("client %d, set %d: step %d, %+v", c, i, got.Step, a)
					return
				}
				points := make([][2]float64, len(sets[i].Items))
				for k, it := range sets[i].Items {
					points[k] = it.Point
				}
				if d := *o.Cost - tsp.Length(points, o.Order); d > 1e-9 || d < -1e-9 {
					t.Errorf("client %d: the length is not that of its cities", c)
				}
				mu.Lock()
				answered[got.Step]++
				mu.Unlock()
			}
		})
	}
	for swaps := 1; going(); swaps++ {
		link.set(t, swaps%2)
		if err := s.Reload(); err != nil {
			t.Error(err)
		}
	}
	wait.Wait()
	if n := s.models[0].waiting.Load(); n != 0 || s.memory.Load() != 0 {
		t.Errorf("%d requests and %d bytes are still taken", n, s.memory.Load())
	}
	transport.CloseIdleConnections()
	if after := live(); after > 256<<20 { // a model of 8 dimensions is a few kilobytes
		t.Errorf("%d MB are alive after all", after>>20)
	}
}

// live is how much memory is reachable, in bytes.
func live() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkOrder is a request from HTTP to HTTP; -cpu says how many clients there are.
func BenchmarkOrder(b *testing.B) {
	s, _ := start(b, func(o *Options) { o.Limits.Queue = 1000 }, "tsp")
	_, text := cities(rand.New(rand.NewPCG(1, 1)), "1", 5)
	b.SetParallelism(64)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			req := httptest.NewRequest(http.MethodPost, "/v1/order", strings.NewReader(`{"sets": [`+text+`]}`))
			req.Host = "localhost"
			req.Header.Set("Content-Type", "application/json")
			w := httptest.NewRecorder()
			s.ServeHTTP(w, req)
			if w.Code != 200 {
				b.Fatal(w.Code, w.Body)
			}
		}
	})
}
