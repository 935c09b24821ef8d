package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/question"
)

// status posts JSON and returns the status and the reason of a refusal.
func status(t *testing.T, s *Server, path, body string) (int, string) {
	t.Helper()
	code, f := direct(s, path, body)
	return code, f.Error.Reason
}

// Every integer of a request may be anything. It is refused, by its range or as too much, and is never
// an error of the server's own. Products of them do not wrap round.
func TestIntegers(t *testing.T) {
	s, _ := start(t, func(o *Options) { o.Limits.Work = 2000 }, "delta", "jigsaw")
	const set = `{"items": [{},{},{}], "order": [0,1,2]}`
	picture := base64.StdEncoding.EncodeToString(scene(32, 32))
	for path, fields := range map[string][]string{
		"/v1/order":  {"top", "beam", "inner"},
		"/v1/sample": {"count", "seed"},
		"/v1/score":  {"draws", "seed"},
		"/v1/puzzle": {"rows", "columns", "top", "beam", "inner", "shuffle"},
	} {
		for _, field := range fields {
			for _, value := range []string{"-9223372036854775808", "-1", "65537", "4611686018427387904", "9223372036854775807", "18446744073709551615", "1e300", "0.5"} {
				body := fmt.Sprintf(`{"model": "delta", "sets": [%s], %q: %s}`, set, field, value)
				if path == "/v1/puzzle" {
					body = fmt.Sprintf(`{"model": "jigsaw", "picture": %q, "rows": 2, "columns": 2, %q: %s}`, picture, field, value)
					if field == "rows" || field == "columns" {
						body = fmt.Sprintf(`{"model": "jigsaw", "picture": %q, "%s": %s, "%s": 2}`, picture, field, value, map[string]string{"rows": "columns", "columns": "rows"}[field])
					}
				}
				code, reason := status(t, s, path, body)
				anything := (field == "seed" || field == "shuffle") && !strings.ContainsAny(value, "-e.")
				if anything && code != 200 || !anything && code != 413 && code != 422 {
					t.Errorf("%s with %s %s: status %d %s", path, field, value, code, reason)
				}
			}
		}
	}
}

// The work of a puzzle is counted as that of any other request, its rules among it. One rule made a
// beam of 1,024 states a search of minutes.
func TestPuzzleIsWork(t *testing.T) {
	s, _ := start(t, nil, "jigsaw")
	picture := base64.StdEncoding.EncodeToString(scene(256, 256))
	for more, want := range map[string]int{
		`"decode": "beam", "beam": 1024, "inner": 1024, "constraints": {"before": ["1,2"]}`: 413,
		`"decode": "beam", "beam": 1024, "inner": 1024`:                                     413,
		`"decode": "greedy", "constraints": {"before": ["1,2"]}`:                            200,
	} {
		code, reason := status(t, s, "/v1/puzzle", fmt.Sprintf(`{"picture": %q, "rows": 16, "columns": 16, %s}`, picture, more))
		if code != want || want == 413 && reason != "work" {
			t.Errorf("%s: status %d %s, wanted %d", more, code, reason, want)
		}
	}
	// With a limit between the two, it is the rule that makes the difference.
	info := s.models[0].info.Load()
	set := &dataset.Set{Kind: dataset.KindImage, Items: make([]dataset.Item, 4)}
	q := learn.Query{Kind: learn.KindOrder, Top: 1, Decode: learn.DecodeOptions{Method: "beam", Beam: 64, Inner: 512}}
	free, err := info.about.Admit(q, []*dataset.Set{set}, question.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	s.limits.Work = int(free.Seconds/question.WorkUnit) + 1
	picture = base64.StdEncoding.EncodeToString(scene(32, 32))
	for rule, want := range map[string]int{"": 200, `, "constraints": {"before": ["1,2"]}`: 413} {
		code, reason := status(t, s, "/v1/puzzle", fmt.Sprintf(`{"picture": %q, "rows": 2, "columns": 2, "beam": 64, "inner": 512%s}`, picture, rule))
		if code != want {
			t.Errorf("rule %q: status %d %s, wanted %d", rule, code, reason, want)
		}
	}
}

// A batch has no more work than one request may have: what would be too much waits for the next.
func TestBatchIsBounded(t *testing.T) {
	s, _ := start(t, nil, "delta")
	h := s.models[0]
	made := func(work learn.Work) *job {
		return &job{ctx: t.Context(), sets: []*dataset.Set{bare(5)}, ask: learn.Query{Kind: learn.KindOrder, Top: 1, Decode: learn.DecodeOptions{Method: "greedy"}}, work: work, done: make(chan struct{})}
	}
	for name, work := range map[string]learn.Work{
		"time":   {Seconds: float64(s.limits.Work) * question.WorkUnit / 3},
		"memory": {Bytes: float64(s.limits.WorkBytes) / 3},
	} {
		first := counts(t, h)
		open := gate(h)
		var jobs []*job
		for range 8 {
			j := made(work)
			jobs = append(jobs, j)
			if err := h.put(j); err != nil {
				t.Fatal(err)
			}
		}
		open()
		for _, j := range jobs {
			<-j.done
			if j.err != nil {
				t.Error(j.err)
			}
		}
		// Three are as much as may be: 3 + 3 + 2.
		if n := counts(t, h) - first; n != 3 {
			t.Errorf("%s: %d batches for eight requests of a third each, wanted 3", name, n)
		}
	}
}

// Short questions do not wait behind long ones that came just before, and long ones not for ever. Whose asker
// has gone is dropped at once.
func TestShortFirst(t *testing.T) {
	s, _ := start(t, nil, "delta")
	h := s.models[0]
	open := gate(h) // what is the goroutine's is ours until it opens
	gone, leave := context.WithCancel(t.Context())
	leave()
	now := time.Now()
	var dropped *job
	for _, x := range []struct {
		id   string
		ctx  context.Context
		came time.Duration
		work float64 // s
	}{{"long", t.Context(), 0, 15}, {"short", t.Context(), time.Second, 0}, {"of old", t.Context(), -time.Minute, 19}, {"gone", gone, 0, 10}, {"short too", t.Context(), 2 * time.Second, 0.1}} {
		j := &job{ctx: x.ctx, sets: []*dataset.Set{{ID: x.id}}, work: learn.Work{Seconds: x.work, Bytes: float64(s.limits.WorkBytes)}, done: make(chan struct{})}
		j.due = now.Add(x.came + time.Duration(x.work*float64(time.Second)))
		h.waiting.Add(1)
		h.waits = append(h.waits, j)
		if x.id == "gone" {
			dropped = j
		}
	}
	var order []string
	for len(h.waits) > 0 {
		for _, j := range h.gather() { // each takes all the memory, so one at a time
			order = append(order, j.sets[0].ID)
			h.finish(j, nil)
		}
	}
	if want := "of old, short, short too, long"; strings.Join(order, ", ") != want {
		t.Errorf("answered %v, wanted %s", order, want)
	}
	if <-dropped.done; !errors.Is(dropped.err, context.Canceled) {
		t.Errorf("one whose asker has gone: %v", dropped.err)
	}
	open()
}

// A batch ends when the last of its askers has left, and not before.
func TestBatchEndsWithItsAskers(t *testing.T) {
	s, _ := start(t, nil, "delta")
	h := s.models[0]
	ask := func(ends ...int64) (looks int64, errs []error) {
		open := gate(h)
		var jobs []*job
		var contexts []*countdown
		for _, end := range ends {
			ctx := &countdown{Context: t.Context()}
			ctx.ends.Store(end)
			j := &job{ctx: ctx, sets: []*dataset.Set{bare(5)}, ask: learn.Query{Kind: learn.KindOrder, Top: 1, Decode: learn.DecodeOptions{Method: "beam", Beam: 20, Inner: 20}}, done: make(chan struct{})}
			jobs, contexts = append(jobs, j), append(contexts, ctx)
			if err := h.put(j); err != nil {
				t.Fatal(err)
			}
		}
		open()
		for i, j := range jobs {
			<-j.done
			looks += contexts[i].looks.Load()
			errs = append(errs, j.err)
		}
		return looks, errs
	}
	const never = 1 << 60
	whole, errs := ask(never)
	if errs[0] != nil || whole < 20 {
		t.Fatalf("%v after %d looks at the context: the case is too tame", errs, whole)
	}
	if looks, errs := ask(3, 5); !errors.Is(errs[0], context.Canceled) || !errors.Is(errs[1], context.Canceled) || looks > whole {
		t.Errorf("%v after %d looks, wanted the end when both have left", errs, looks)
	}
	if _, errs := ask(3, never); errs[1] != nil {
		t.Errorf("%v, wanted an answer for the one who stayed", errs[1])
	}
}

// Work that would go on for hours is ended by a server that stops, and by its time.
func TestWorkEnds(t *testing.T) {
	endless := func(o *Options) { o.Limits.Work, o.Limits.WorkBytes = math.MaxInt, math.MaxInt64 }
	const body = `{"sets": [{"items": [{},{},{},{},{}]}], "count": 100000000}`
	t.Run("busy", func(t *testing.T) {
		s, _ := start(t, func(o *Options) { endless(o); o.Limits.Busy = 50 * time.Millisecond }, "delta")
		if code, reason := status(t, s, "/v1/sample", body); code != 503 || reason != "time" {
			t.Errorf("status %d %s, wanted 503", code, reason)
		}
	})
	t.Run("stop", func(t *testing.T) {
		s, _ := start(t, endless, "delta")
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- s.Serve(ctx, l, time.Second) }()
		asked := make(chan int, 1)
		go func() {
			r, err := http.Post("http://"+l.Addr().String()+"/v1/sample", "application/json", strings.NewReader(body))
			if err != nil {
				asked <- 0 // cut off
				return
			}
			r.Body.Close()
			asked <- r.StatusCode
		}()
		for s.models[0].waiting.Load() == 0 {
			time.Sleep(time.Millisecond)
		}
		stop()
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("Serve: %v, wanted that it says what was cut off", err)
		}
		if code := <-asked; code != 503 && code != 0 {
			t.Errorf("status %d, wanted 503 or none", code)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// What does not fit into the shared memory waits, and what waits for ever ends with its context.
func TestRoom(t *testing.T) {
	r := newRoom(10)
	if err := r.take(t.Context(), 7); err != nil {
		t.Fatal(err)
	}
	second := make(chan error)
	go func() { second <- r.take(t.Context(), 7) }()
	ctx, cancel := context.WithCancel(t.Context())
	third := make(chan error)
	go func() { third <- r.take(ctx, 11) }()
	cancel()
	if err := <-third; !errors.Is(err, context.Canceled) {
		t.Errorf("more than there is: %v", err)
	}
	r.give(7)
	if err := <-second; err != nil || r.left != 3 {
		t.Errorf("%v, %d left, wanted 3", err, r.left)
	}
}

// A body takes memory as it arrives: many that are promised and do not come leave room for others, and end
// by themselves.
func TestPromisedBodies(t *testing.T) {
	s, web := start(t, func(o *Options) { o.Limits.Memory = o.Limits.Body + 1<<20 }, "delta")
	const promised = 32
	for range promised {
		c, err := net.Dial("tcp", web.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := fmt.Fprintf(c, "POST /v1/order HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n{", s.limits.Body); err != nil {
			t.Fatal(err)
		}
	}
	for s.memory.Load() < promised*4<<10 { // all are being read
		time.Sleep(time.Millisecond)
	}
	if code, reason := status(t, s, "/v1/order", `{"sets": [{"items": [{},{}]}]}`); code != 200 {
		t.Errorf("beside %d promised bodies: status %d %s", promised, code, reason)
	}
	s, web = start(t, nil, "delta")
	s.bodyPause = 20 * time.Millisecond
	r, w := io.Pipe()
	defer w.Close()
	req, err := http.NewRequest(http.MethodPost, web.URL+"/v1/order", r)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	answer, err := web.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusRequestTimeout {
		t.Errorf("a body that does not come: status %d, wanted 408", answer.StatusCode)
	}
}

// Too many sets, items, fields or values are refused before they are made.
func TestCountWhileParsing(t *testing.T) {
	s, _ := start(t, func(o *Options) { o.Limits.Sets, o.Limits.Items, o.Limits.Memory = 3, 9, o.Limits.Body }, "delta")
	many := strings.Repeat(`{},`, 1_000_000)
	fields := &strings.Builder{}
	for i := range 100 {
		fmt.Fprintf(fields, `"a%d": 1, `, i)
	}
	for body, want := range map[string]struct {
		code   int
		reason string
	}{
		`{"sets": [{"items": [{}]}, {"items": [` + many + `{}]}]}`:                      {413, "items"},
		`{"sets": [` + many + `{}]}`:                                                    {413, "sets"},
		`{"sets": [{"items": [], "levels": [` + strings.Repeat(`[],`, 1<<20) + `[]]}]}`: {429, "memory"},
		`{"sets": [{"items": [{` + fields.String() + `"b": 1}]}]}`:                      {422, "field"},
		`{"sets": [{"items": [{},{},{}]},{"items": []},{}` + "\x00":                     {400, "body"},
	} {
		code, reason := status(t, s, "/v1/order", body)
		if code != want.code || reason != want.reason {
			t.Errorf("%.60s…: status %d %s, wanted %v", body, code, reason, want)
		}
	}
	if left := s.memory.Load(); left != 0 {
		t.Errorf("%d bytes are still taken", left)
	}
}

// direct asks without a connection.
func direct(s *Server, path, body string) (code int, f faultBody) {
	req := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	req.Host = "localhost"
	req.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.ServeHTTP(w, req)
	_ = json.Unmarshal(w.Body.Bytes(), &f)
	return w.Code, f
}
