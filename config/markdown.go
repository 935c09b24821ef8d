package config

import (
	"fmt"
	"io"
	"strings"
)

// WriteReference writes the reference of the configuration in Markdown.
func WriteReference(w io.Writer) error {
	var b strings.Builder
	b.WriteString(`# The configuration

<!-- Made by make docs from config/config.go: change that. -->

A configuration is a TOML file of at most 64 KiB: a preset (` + "`riffle presets NAME`" + `), a file of yours, or a run's config.toml,
which is complete. ` + "`--set key=value`" + ` changes a key for one training. An unknown key is an error that names the
nearest key. A key that has no effect beside the other values is an error too. The last column says which values of other keys
a key needs; all its lines must hold. Where no default is given, it is 0, false or empty.

`)
	keys := Keys()
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
