package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/internal/build"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "the version of this program, and what it was built with",
		Long: `version prints the version of the module, the commit where the build knows it, the Go
toolchain with its experiments ("X:simd" has the go engine's fast products) and the platform.`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	if a.json {
		return a.printJSON(build.Read())
	}
	fmt.Fprintln(a.out, build.Read())
	return nil
}
