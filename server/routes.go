package server

import (
	"embed"
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/riffle-ml/riffle/internal/build"
)

//go:embed openapi.json
var openAPI []byte

//go:embed page
var page embed.FS

// routes puts the handlers together.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	post := func(path string, f func(http.ResponseWriter, *http.Request, *reserved) (any, error)) {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			room := &reserved{s: s}
			defer room.free()
			v, err := f(w, r, room)
			var data []byte
			if err == nil { // an answer that cannot be written is to be found in the log
				data, err = json.Marshal(v)
			}
			if err != nil {
				if asFault(err).status == http.StatusInternalServerError {
					s.log.Error("request", "path", path, "error", err)
				}
				refuse(w, err)
				return
			}
			reply(w, http.StatusOK, json.RawMessage(data))
		})
	}
	post("/v1/order", s.order)
	post("/v1/sample", s.sample)
	post("/v1/score", s.score)
	post("/v1/puzzle", s.puzzle)
	post("/v1/sets", s.table)
	post("/v1/tour", s.tour)
	mux.HandleFunc("GET /v1/models", s.listModels)
	mux.HandleFunc("GET /v1/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(openAPI)
	})
	for path, ends := range map[string]*atomic.Bool{"/healthz": &s.stopping, "/readyz": &s.draining} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			if ends.Load() || s.stopping.Load() {
				refuse(w, errStopping)
				return
			}
			reply(w, http.StatusOK, map[string]string{"status": "ok"})
		})
	}
	mux.Handle("GET /metrics", s.metrics.handler())
	for path, file := range map[string][2]string{
		"/{$}":      {"page.html", "text/html; charset=utf-8"},
		"/page.css": {"page.css", "text/css; charset=utf-8"},
		"/page.js":  {"page.js", "text/javascript; charset=utf-8"},
	} {
		data, err := page.ReadFile("page/" + file[0])
		if err != nil {
			panic(err) // it is embedded
		}
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", file[1])
			w.Header().Set("Cache-Control", "no-cache")
			_, _ = w.Write(data)
		})
	}
	// What is left has no route, or not with this method.
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			other := r.Clone(r.Context())
			other.Method = method
			if _, pattern := mux.Handler(other); pattern != "/" && method != r.Method {
				w.Header().Set("Allow", method)
				refuse(w, faultf(http.StatusMethodNotAllowed, "method", "%s: wanted %s", r.URL.Path, method))
				return
			}
		}
		refuse(w, faultf(http.StatusNotFound, "path", "there is no %s", strings.ToValidUTF8(r.URL.Path, "?")).help("GET /v1/openapi.json says what there is"))
	})
	return s.guard(mux)
}

func (s *Server) listModels(w http.ResponseWriter, _ *http.Request) {
	out := struct {
		Version string  `json:"version"`
		Models  []*Info `json:"models"`
		Limits  Limits  `json:"limits"`
	}{Version: build.Read().Version, Limits: s.limits}
	for _, h := range s.models {
		out.Models = append(out.Models, h.info.Load())
	}
	reply(w, http.StatusOK, out)
}
