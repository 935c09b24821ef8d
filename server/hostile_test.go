package server

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
)

// hostileBodies are requests of the kinds that once took far more than they may, and what they are
// answered.
func hostileBodies() []struct {
	path, body string
	codes      []int
} {
	rng := rand.New(rand.NewPCG(5, 5))
	_, wide := cities(rng, "wide", 200)
	var sizes []string
	for n := 2; n < 66; n++ {
		_, text := cities(rng, "size", n)
		sizes = append(sizes, text)
	}
	ruled := strings.TrimSuffix(sizes[40], "}") + `, "constraints": {"before": ["3,2"], "forbid": ["4=4"]}}`
	long := strings.Repeat("ab", 100_000)
	scans := base64.StdEncoding.EncodeToString(slices.Concat([]byte{0xff, 0xd8, 0xff, 0xc2, 0, 11, 8, 8, 0, 8, 0, 1, 1, 0x11, 0},
		slices.Repeat([]byte{0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0, 0x7f}, 6000), []byte{0xff, 0xd9}))
	return []struct {
		path, body string
		codes      []int
	}{
		{"/v1/order", `{"model": "tsp", "` + long + `": 1}`, []int{422}},
		{"/v1/order", `{"model": "tsp", "sets": [{"items": [` + strings.Repeat(`{},`, 1<<20) + `{}]}]}`, []int{413, 429}},
		{"/v1/order", `{"model": "tsp", "beam": 65536, "sets": [` + wide + `]}`, []int{413}},
		{"/v1/order", `{"model": "tsp", "top": 65537, "sets": [` + wide + `]}`, []int{422}},
		{"/v1/score", `{"model": "tsp", "draws": 4611686018427387904, "sets": [` + wide + `]}`, []int{422}},
		{"/v1/order", `{"model": "tsp", "sets": [` + strings.Join(sizes, ",") + `]}`, []int{200, 413, 429, 503}},
		{"/v1/sample", `{"model": "tsp", "count": 20, "sets": [` + ruled + `]}`, []int{200, 413, 429, 503}},
		{"/v1/order", `{"model": "tsp", "beam": 64, "inner": 64, "sets": [` + wide + `]}`, []int{200, 413, 429, 503}},
		{"/v1/puzzle", `{"model": "jigsaw", "rows": 2, "columns": 2, "picture": "` + scans + `"}`, []int{422, 429}},
	}
}

// Beside hostile requests honest ones are answered as ever, or told that the server is busy. Nothing takes
// memory for good, and a server that is told to stop in the middle ends. bench/load.py asks for longer, with
// more clients, and times the answers.
func TestHostileClients(t *testing.T) {
	const honest, hostile = 6, 2
	s, _ := start(t, func(o *Options) { o.Limits.Queue, o.Limits.Work = 100, 2000 }, "tsp", "jigsaw")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	const grace = 20 * time.Second
	serving, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(serving, l, grace) }()
	url := "http://" + l.Addr().String()
	m, _, err := learn.Load(runDir(t, "tsp"), goEngine(t))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	const pool = 32
	bodies, wanted := make([]string, pool), make([]perm.Order, pool)
	for i := range pool {
		set, text := cities(rng, fmt.Sprint(i), 4+i%4)
		bodies[i] = `{"model": "tsp", "sets": [` + text + `]}`
		a, _, err := m.Order(t.Context(), []*dataset.Set{set}, 1, learn.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		wanted[i] = a[0].Orders[0].Order
	}
	m.Close()
	bad := hostileBodies()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: honest + hostile}}
	var ended atomic.Bool
	var answered atomic.Int64
	var rounds, wait sync.WaitGroup // rounds are those of hostile clients through all that they send
	rounds.Add(hostile)
	send := func(path, body string) (int, []byte) {
		r, err := client.Post(url+path, "application/json", strings.NewReader(body))
		if err != nil {
			return 0, nil // a large body that is refused, or a server that has stopped
		}
		defer r.Body.Close()
		data, err := io.ReadAll(r.Body)
		if err != nil {
			return 0, nil
		}
		return r.StatusCode, data
	}
	for c := range honest {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(7, uint64(c)))
			for !ended.Load() {
				i := rng.IntN(pool)
				code, data := send("/v1/order", bodies[i])
				var got answers[learn.Ordered]
				switch {
				case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable || code == 0:
					if code == 0 && !ended.Load() {
						t.Error("an honest request was lost")
					}
					time.Sleep(time.Millisecond)
				case code != http.StatusOK || json.Unmarshal(data, &got) != nil || !slices.Equal(got.Answers[0].Orders[0].Order, wanted[i]):
					t.Errorf("an honest request: status %d, %.200s", code, data)
					return
				default:
					answered.Add(1)
				}
			}
		})
	}
	for range hostile {
		wait.Go(func() {
			for round := 0; !ended.Load(); round++ {
				if conn, err := net.Dial("tcp", l.Addr().String()); err == nil { // a body that is promised
					fmt.Fprintf(conn, "POST /v1/order HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 16000000\r\n\r\n{")
					conn.Close()
				}
				for _, b := range bad {
					if code, data := send(b.path, b.body); code != 0 && code != 503 && !slices.Contains(b.codes, code) {
						t.Errorf("%s %.60s…: status %d, wanted %v\n%.200s", b.path, b.body, code, b.codes, data)
					}
				}
				if round == 0 {
					rounds.Done()
				}
			}
		})
	}
	rounds.Wait()
	for answered.Load() == 0 && !t.Failed() { // one at least, on however busy a machine
		time.Sleep(time.Millisecond)
	}
	ended.Store(true)
	stop()
	if err := <-served; err != nil && !strings.Contains(err.Error(), "cut off") {
		t.Error(err)
	}
	client.CloseIdleConnections()
	wait.Wait()
	if n := s.memory.Load(); n != 0 {
		t.Errorf("%d bytes are still taken", n)
	}
}
