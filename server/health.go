package server

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// healthTime is how long a server may take to say that it is well.
const healthTime = 5 * time.Second

// AskHealth asks the server at an address, host:port, whether it takes requests. An error says why not.
func AskHealth(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/healthz", nil)
	if err != nil {
		return err
	}
	r, err := (&http.Client{Transport: &http.Transport{}}).Do(req) // without the proxies of the environment
	if err != nil {
		return err
	}
	defer func() { _ = r.Body.Close() }() // only read from
	if r.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: answers %s", addr, r.Status)
	}
	return nil
}
