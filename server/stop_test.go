package server

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

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
