package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/server"
)

// healthTime is how long a server may take to say that it is well.
const healthTime = 5 * time.Second

func (a *app) healthCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "health [ADDRESS]",
		Short: "ask a server whether it takes requests",
		Long: `health asks the /healthz of the server at ADDRESS, host:port, which is 127.0.0.1:8080
where it is not given. It exits with 1 unless the server takes requests. Containers that hold
nothing but this program check themselves by it.`,
		Example: `  riffle health
  riffle health 127.0.0.1:9000`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			addr := "127.0.0.1:8080"
			if len(args) > 0 {
				addr = args[0]
			}
			if err := server.CheckAddress(addr); err != nil {
				return usagef("health: %w", err)
			}
			if err := askHealth(cmd.Context(), addr); err != nil {
				return fmt.Errorf("health: %w", err)
			}
			if a.json {
				return a.printJSON(map[string]string{"address": addr, "status": "ok"})
			}
			_, err := fmt.Fprintf(a.out, "%s: ok\n", addr)
			return err
		},
	}
}

func askHealth(ctx context.Context, addr string) error {
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
