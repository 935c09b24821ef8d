package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// IsLoopback tells whether only this machine can reach an address such as "127.0.0.1:8080".
func IsLoopback(addr string) bool {
	name, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	return loopbackName(name)
}

func loopbackName(name string) bool {
	if strings.EqualFold(name, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	return err == nil && ip.IsLoopback()
}

// policy is what a browser may do with the page: run its one script and talk to this server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard is around every route: headers, the log, the count, and who may come in.
func (s *Server) guard(next http.Handler) http.Handler {
	origin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		rec := &recorder{ResponseWriter: w, status: http.StatusOK}
		h := rec.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if strings.HasPrefix(r.URL.Path, "/v1/") || r.URL.Path == "/metrics" {
			h.Set("Cache-Control", "no-store")
		}
		switch err := s.admit(r, origin); {
		case err != nil:
			refuse(rec, err)
		default:
			next.ServeHTTP(rec, r)
		}
		route := r.Pattern // "" where a request was refused before it had one
		if route == "" {
			route = "none"
		}
		took := time.Since(began)
		s.metrics.requests.WithLabelValues(route, strconv.Itoa(rec.status)).Inc()
		s.metrics.seconds.WithLabelValues(route).Observe(took.Seconds())
		s.log.Info("request", "method", r.Method, "path", r.URL.Path, "status", rec.status,
			"ms", took.Milliseconds(), "bytes", rec.bytes, "from", r.RemoteAddr)
	})
}

// admit tells why a request may not come in.
func (s *Server) admit(r *http.Request, origin *http.CrossOriginProtection) error {
	// A page of another site can make a browser send requests here. If it gives its own name this
	// address, it can read the answers too. Such requests bear the wrong name.
	if s.token == "" {
		name := r.Host
		if n, _, err := net.SplitHostPort(name); err == nil {
			name = n
		}
		if !loopbackName(name) {
			return faultf(http.StatusMisdirectedRequest, "host", "host %q is not this machine", r.Host).help("without a token the server answers to localhost and 127.0.0.1")
		}
	}
	if err := origin.Check(r); err != nil {
		return faultf(http.StatusForbidden, "origin", "requests from pages of other sites are refused")
	}
	if s.token == "" || !strings.HasPrefix(r.URL.Path, "/v1/") && r.URL.Path != "/metrics" {
		return nil
	}
	kind, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(s.token))
	if !strings.EqualFold(kind, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
		return faultf(http.StatusUnauthorized, "token", "wanted the server's token").help("Authorization: Bearer TOKEN")
	}
	return nil
}

// recorder remembers what was answered.
type recorder struct {
	http.ResponseWriter
	status int
	bytes  int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	n, err := r.ResponseWriter.Write(p)
	r.bytes += n
	return n, err
}

// Unwrap is for [http.ResponseController].
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
