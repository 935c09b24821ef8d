package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// buffer is a strings.Builder for two goroutines.
type buffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// riffle serve prints its address, answers, reads its run again at SIGHUP and ends well.
func TestServe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "five")
	var stderr buffer
	if code := run([]string{"train", filepath.Join("testdata", "delta.toml"), "--out", dir, "--engine", "go", "--quiet"}, io.Discard, &stderr); code != 0 {
		t.Fatalf("train: exit code %d\n%s", code, &stderr)
	}
	const token = "a token of tests only"
	tokenFile := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(tokenFile, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, in := io.Pipe()
	a := &app{out: in, err: &stderr}
	root := a.root()
	root.SetArgs([]string{"serve", dir, "--addr", "127.0.0.1:0", "--engine", "go", "--token-file", tokenFile})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- root.ExecuteContext(ctx) }()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url := strings.TrimSpace(line)
	var said buffer
	if code := run([]string{"health", strings.Trim(strings.TrimPrefix(url, "http:"), "/")}, &said, &stderr); code != 0 || !strings.HasSuffix(said.String(), ": ok\n") {
		t.Errorf("health: exit code %d, %q\n%s", code, said.String(), &stderr)
	}
	ask := func() int {
		req, err := http.NewRequest(http.MethodPost, url+"v1/order", strings.NewReader(`{"sets": [{"items": [{},{},{},{},{}]}]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Authorization", "Bearer "+token)
		r, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		var got struct {
			Model string
			Step  int
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil || r.StatusCode != http.StatusOK || got.Model != "five" {
			t.Fatalf("status %d, %v, %+v", r.StatusCode, err, got)
		}
		return got.Step
	}
	if step := ask(); step != 40 { // delta.toml's
		t.Errorf("step %d, wanted 40", step)
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	for i := 0; strings.Count(stderr.String(), "msg=loaded") < 2; i++ {
		if i > 10_000 {
			t.Fatalf("no second load:\n%s", &stderr)
		}
		time.Sleep(time.Millisecond)
	}
	ask()
	stop()
	if err := <-ended; err != nil {
		t.Errorf("serve: %v\n%s", err, &stderr)
	}
}
