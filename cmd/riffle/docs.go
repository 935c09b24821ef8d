package main

import (
	"fmt"
	"io"
	"os"
	"strings"

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
		RunE:  func(*cobra.Command, []string) error { return writeReference(a.out) },
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

// writeReference writes the reference of the configuration in Markdown.
func writeReference(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`# The configuration

<!-- Made by make docs from config/config.go: change that. -->

A configuration is a TOML file of at most 64 KiB: a preset (` + "`riffle presets NAME`" + `), a file of yours, or a run's config.toml,
which is complete. ` + "`--set key=value`" + ` changes a key for one training. A key that does not exist is an error that names the
nearest one, and so is a key that has no effect with the others: the last column says with which it has one, and where there
are several lines in it all must hold. Where no default is given it is 0, false or empty.

`)
	keys := config.Keys()
	rows := func(table string) { // of the keys in it, not of those in a table in it
		b.WriteString("| key | type | values | default | meaning | for |\n|---|---|---|---|---|---|\n")
		for _, k := range keys {
			at := strings.LastIndex(k.Name, ".")
			if k.Table || k.Name[:max(at, 0)] != table {
				continue
			}
			var uses []string
			for _, u := range k.Uses {
				uses = append(uses, fmt.Sprintf("`%s` %s", u.Key, strings.Join(u.Values, ", ")))
			}
			standard := ""
			if k.Default != "" {
				standard = "`" + k.Default + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", k.Name[at+1:], k.Type, k.Values, standard, k.Meaning, strings.Join(uses, "<br>"))
		}
	}
	b.WriteString("## Outside of tables\n\n")
	rows("")
	for _, k := range keys {
		if k.Table {
			fmt.Fprintf(&b, "\n## [%s]\n\n%s\n\n", k.Name, k.Meaning)
			rows(k.Name)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
