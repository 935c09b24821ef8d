package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Without the token there is the page and /healthz; with it, all.
func TestToken(t *testing.T) {
	const token = "0123456789abcdef"
	_, web := start(t, func(o *Options) { o.Token = token }, "delta")
	for path, open := range map[string]bool{"/": true, "/page.js": true, "/page.css": true, "/healthz": true, "/readyz": true, "/v1/models": false, "/v1/openapi.json": false, "/metrics": false} {
		for _, header := range []string{"", "Bearer 0123456789abcdeg", "Bearer ", "Basic " + token, "Bearer " + token} {
			req, err := http.NewRequest(http.MethodGet, web.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = "riffle.example" // with a token any name will do
			req.Header.Set("Authorization", header)
			r, err := web.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			r.Body.Close()
			want := 200
			if !open && header != "Bearer "+token {
				want = 401
			}
			if r.StatusCode != want || want == 401 && r.Header.Get("WWW-Authenticate") == "" {
				t.Errorf("%s with %q: status %d, wanted %d", path, header, r.StatusCode, want)
			}
		}
	}
}

// A page of another site cannot use a server that needs no token, by its own name or ours.
func TestOtherSites(t *testing.T) {
	s, _ := start(t, nil, "delta")
	for _, c := range []struct {
		host, origin string
		status       int
	}{
		{"127.0.0.1:8080", "", 200},
		{"localhost", "http://localhost", 200},
		{"[::1]:8080", "", 200},
		{"evil.example", "", 421},
		{"127.0.0.1.evil.example:8080", "", 421},
		{"127.0.0.1:8080", "http://evil.example", 403},
		{"127.0.0.1:8080", "null", 403},
	} {
		req := httptest.NewRequest(http.MethodPost, "/v1/order", strings.NewReader(`{"sets": [{"items": [{},{}]}]}`))
		req.Host = c.host
		req.Header.Set("Content-Type", "application/json")
		if c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		if w.Code != c.status {
			t.Errorf("host %s, origin %q: status %d, wanted %d\n%s", c.host, c.origin, w.Code, c.status, w.Body)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("headers %v", w.Header())
		}
	}
	for addr, want := range map[string]bool{"127.0.0.1:8080": true, "127.8.0.1:0": true, "[::1]:80": true, "localhost:80": true, ":8080": false, "0.0.0.0:80": false, "192.168.0.1:80": false, "[::]:80": false, "nonsense": false} {
		if IsLoopback(addr) != want {
			t.Errorf("IsLoopback(%q) is %v", addr, !want)
		}
	}
}
