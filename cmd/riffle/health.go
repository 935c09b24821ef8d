package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/server"
)

func (a *app) healthCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "health [ADDRESS]",
		Short: "ask a server whether it takes requests",
		Long: `health asks the /healthz of the server at ADDRESS, host:port. Without one it is 127.0.0.1:8080. It
exits with 1 unless the server takes requests. Containers that hold nothing but this program check
themselves by it.`,
		Example: `  riffle health
  riffle health 127.0.0.1:9000`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			addr := append(args, "127.0.0.1:8080")[0]
			if err := server.CheckAddress(addr); err != nil {
				return usagef("health: %w", err)
			}
			if err := server.AskHealth(cmd.Context(), addr); err != nil {
				return fmt.Errorf("health: %w", err)
			}
			return a.print(map[string]string{"address": addr, "status": "ok"}, func() { fmt.Fprintf(a.out, "%s: ok\n", addr) })
		},
	}
}
