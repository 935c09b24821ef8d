package server

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// CheckAddress finds what is wrong with an address to listen on.
func CheckAddress(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("wanted host:port (got %q)", addr)
	}
	if _, err := net.LookupPort("tcp", port); err != nil || port == "" {
		return fmt.Errorf("wanted a port of 0 to 65535 or a service's name after the host (got %q)", addr)
	}
	return nil
}

// mostToken is the longest file of a token, in bytes.
const mostToken = 4096

// ReadToken reads a token from a file. It waits until ctx ends for somebody to write to a pipe.
func ReadToken(ctx context.Context, path string) (string, error) {
	type result struct {
		token string
		err   error
	}
	done := make(chan result, 1)
	go func() {
		token, err := readTokenFile(path)
		done <- result{token, err}
	}()
	select {
	case r := <-done:
		return r.token, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

func readTokenFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostToken+1))
	if err != nil {
		return "", err
	}
	if len(data) > mostToken {
		return "", fmt.Errorf("%s: has more than %d bytes, wanted a token", path, mostToken)
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", fmt.Errorf("%s: is empty, wanted a token", path)
	}
	return token, CheckToken(path, token)
}

// CheckToken refuses a text that cannot be a token. "" stands for no token and is allowed.
func CheckToken(where, token string) error {
	const help = "openssl rand -hex 16 makes one"
	switch {
	case strings.ContainsFunc(token, func(r rune) bool { return r < ' ' || r > '~' }):
		return hint.Errorf(help, "%s: wanted a token of one line of printable ASCII, as it is sent in a header", where)
	case token != "" && len(token) < MinToken:
		return hint.Errorf(help, "%s: wanted a token of %d bytes or more (got %d)", where, MinToken, len(token))
	}
	return nil
}
