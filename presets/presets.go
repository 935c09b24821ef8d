// Package presets holds ready configurations: those under paper/ are the paper's
// experiments with its hyperparameters, the others are quick ones for a laptop.
package presets

import (
	"embed"
	"fmt"
	"io/fs"
	"sort"
	"strings"
)

//go:embed *.toml paper/*.toml
var files embed.FS

// Names lists the presets, such as "sort-3-quick" and "paper/sort-mnist-9".
func Names() []string {
	var names []string
	_ = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimSuffix(path, ".toml"))
		}
		return err
	})
	sort.Slice(names, func(i, j int) bool {
		if a, b := strings.Contains(names[i], "/"), strings.Contains(names[j], "/"); a != b {
			return b
		}
		return natural(names[i]) < natural(names[j])
	})
	return names
}

// natural pads numbers so that they sort by value.
func natural(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] >= '0' && s[j] <= '9' {
			j++
		}
		if j > i {
			fmt.Fprintf(&b, "%08s", s[i:j])
			i = j
			continue
		}
		b.WriteByte(s[i])
		i++
	}
	return b.String()
}

// Get returns the TOML of a preset, false where there is none of that name.
func Get(name string) ([]byte, bool) {
	data, err := files.ReadFile(name + ".toml")
	return data, err == nil
}
