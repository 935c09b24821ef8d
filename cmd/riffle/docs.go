package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/riffle-ml/riffle/config"
)

// docsCommand writes the parts of docs/ that follow from the code, see `make docs`.
func (a *app) docsCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "docs", Short: "write parts of the documentation", Hidden: true, Args: known, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(&cobra.Command{
		Use:   "config",
		Short: "write docs/configuration.md",
		Args:  exactly(),
		RunE:  func(*cobra.Command, []string) error { return config.WriteReference(a.out) },
	}, &cobra.Command{
		Use:   "man DIR",
		Short: "write the manual pages into a folder, made where it is missing",
		Args:  exactly("DIR"),
		RunE:  func(cmd *cobra.Command, args []string) error { return writeManual(cmd.Root(), args[0]) },
	})
	return cmd
}

// writeManual writes a manual page for each command. $SOURCE_DATE_EPOCH, where set, is their date.
func writeManual(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root.DisableAutoGenTag = true
	return doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "riffle", Manual: "Riffle"}, dir)
}
