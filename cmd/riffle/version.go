package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/build"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "the version of this program, and what it was built with",
		Long: `version prints the version of the module, and the commit where the build knows it. It prints the Go
toolchain with its experiments, the platform, and the engines that are inside. It also says what
SIMD the go engine's products use on this processor.`,
		Args: exactly(),
		RunE: func(*cobra.Command, []string) error { return a.printVersion() },
	}
}

func (a *app) printVersion() error {
	parts := engine.Built()
	return a.print(struct {
		build.Info
		engine.Parts
	}{build.Read(), parts}, func() {
		fmt.Fprintf(a.out, "%s, engines %s, SIMD: %s\n", build.Read(), strings.Join(parts.Engines, " "), cmp.Or(parts.SIMD, "none"))
	})
}

func (a *app) citeCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cite",
		Short: "the BibTeX entry of the paper behind this program",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			return a.print(map[string]string{"bibtex": riffle.Citation}, func() { fmt.Fprint(a.out, riffle.Citation) })
		},
	}
}
