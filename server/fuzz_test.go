package server

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/fuzztest"
)

// What answering may allocate. A picture of 1,048,576 pixels is the most that FuzzBody lets through, and
// a few thousand bytes of PNG. It took 23.5 MiB in all its forms. With 16 bits a channel it takes 4 MiB
// more to decode. The scores, states and answers of a request may be 4 MiB as estimated. 1,000 units of
// work are enough to compile for four sizes of sets on the go engine, at up to 0.8 MiB. That is 35 MiB;
// the bound is the next power of two. Of a body's bytes it is 1,024 times as many: a set's item may have
// two bytes and a comma.
const (
	answerBase   = 64 << 20
	answerFactor = 1 << 10
)

// Whatever a body is, the answer is JSON and no error of the server's own.
func FuzzBody(f *testing.F) {
	s, _ := start(f, func(o *Options) { o.Limits.Work, o.Limits.WorkBytes = 1000, 4<<20 }, "tsp", "jigsaw", "delta")
	paths := []string{"/v1/order", "/v1/puzzle", "/v1/sample", "/v1/score", "/v1/sets", "/v1/tour"}
	f.Add(uint8(0), []byte(`{"model": "tsp", "sets": [{"items": [{"point": [0.5, 1e300]}, {"point": [-1e300, 0]}, {"point": [1e-320, 0]}]}], "top": 2}`))
	f.Add(uint8(0), []byte(`{"model": "tsp", "sets": [{"items": `+strings.Repeat("[", 20_000)))
	f.Add(uint8(0), []byte("{\"model\": \"\xff\"}"))
	f.Add(uint8(1), []byte(`{"model": "jigsaw", "picture": "`+base64.StdEncoding.EncodeToString(scene(4, 4))+`", "rows": 2, "columns": 2, "shuffle": 0}`))
	f.Add(uint8(2), []byte(`{"model": "delta", "sets": [{"items": []}, {"id": "x", "items": [{"id": "a"}, {}]}], "count": 2}`))
	f.Add(uint8(3), []byte(`{"model": "delta", "sets": [{"items": [{}, {}, {}], "rank": [2, 1, 0]}]}`))
	f.Add(uint8(3), []byte(`{"model": "delta", "sets": [{"items": [{}, {}, {}], "order": [0, 0, 1e400]}]}`))
	f.Add(uint8(4), []byte("set;item;rank\nq;a;1\n\nq;b;\n"))
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		path := paths[int(which)%len(paths)]
		if path == "/v1/puzzle" && largePicture(body) {
			t.Skip("allowed, but slow to fuzz")
		}
		kind := "application/json"
		if path == "/v1/sets" {
			kind = "text/csv"
		}
		req := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
		req.Host = "localhost"
		req.Header.Set("Content-Type", kind)
		var w *httptest.ResponseRecorder
		fuzztest.Within(t, answerBase, answerFactor, len(body), func() {
			w, req.Body = httptest.NewRecorder(), io.NopCloser(bytes.NewReader(body))
			s.ServeHTTP(w, req)
		})
		if w.Code >= 500 || !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%s: status %d\n%s", path, w.Code, w.Body)
		}
	})
}

// largePicture tells whether a body has a picture of more than a million pixels.
func largePicture(body []byte) bool {
	var r struct {
		Picture []byte `json:"picture"`
	}
	if json.Unmarshal(body, &r) != nil {
		return false
	}
	head, _, err := image.DecodeConfig(bytes.NewReader(r.Picture))
	return err == nil && (head.Width > 1<<20 || head.Height > 1<<20 || head.Width*head.Height > 1<<20)
}

// Whatever the line and the headers of a request are, it is no error of the server's own. What is
// not a file of the page is JSON (but for /metrics). Without the token nothing of the API is told.
func FuzzRequest(f *testing.F) {
	const token = "0123456789abcdef"
	open, _ := start(f, nil, "delta")
	closed, _ := start(f, func(o *Options) { o.Token = token }, "delta")
	f.Add("GET", "/v1/models", "localhost", "", "", "")
	f.Add("POST", "/v1/order", "127.0.0.1:1", "http://evil.example", "application/json", "Bearer "+token)
	f.Add("POST", "/v1/../metrics", "evil.example", "null", "application/json; charset=\xff", "bearer  "+token)
	f.Add("DELETE", "/page.js?a=%zz", "[::1", "", "a/b;;;", "Basic x")
	f.Add("HEAD", "//v1//order#x", "LOCALHOST:99999", "\x00", "multipart/form-data; boundary=x", "Bearer")
	f.Fuzz(func(t *testing.T, method, target, host, origin, kind, authorization string) {
		if strings.HasPrefix(strings.TrimPrefix(authorization, "Bearer "), token[:8]) {
			t.Skip("may be let in")
		}
		for _, s := range []*Server{open, closed} {
			req := &http.Request{Method: method, Host: host, Header: http.Header{}, Body: http.NoBody, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}
			var err error
			if req.URL, err = url.ParseRequestURI(target); err != nil {
				t.Skip("no target of a request: net/http refuses it")
			}
			for name, v := range map[string]string{"Origin": origin, "Content-Type": kind, "Authorization": authorization} {
				if v != "" {
					req.Header.Set(name, v)
				}
			}
			var w *httptest.ResponseRecorder
			fuzztest.Within(t, 16<<20, answerFactor, len(target)+len(host)+len(origin)+len(kind)+len(authorization), func() {
				w = httptest.NewRecorder()
				s.ServeHTTP(w, req)
			})
			if w.Code >= 500 {
				t.Fatalf("%q %q: status %d\n%s", method, target, w.Code, w.Body)
			}
			if is := w.Header().Get("Content-Type"); strings.HasPrefix(is, "application/json") && !json.Valid(w.Body.Bytes()) {
				t.Fatalf("%q %q: no JSON\n%s", method, target, w.Body)
			}
			if s == closed && w.Code == http.StatusOK && (strings.HasPrefix(req.URL.Path, "/v1/") || req.URL.Path == "/metrics") {
				t.Fatalf("%q %q: answered without the token\n%s", method, target, w.Body)
			}
		}
	})
}
