// Package presets holds ready configurations: those under paper/ are the paper's
// experiments with its hyperparameters, the others are quick ones for a laptop.
package presets

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"sort"
	"strings"

	"github.com/riffle-ml/riffle/internal/nearest"
)

//go:embed *.toml paper/*.toml
var files embed.FS

// Names lists the presets, such as "sort-3-quick" and "paper/sort-mnist-9".
func Names() []string {
	var names []string
	_ = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name := strings.TrimSuffix(path, ".toml")
			names = append(names, name)
			if _, ok := Get(name + dummies); ok {
				names = append(names, name+dummies)
			}
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

// dummies ends the names of variants of the paper's experiments. They take the rows of GPL's scores
// from dummy tokens, as the paper's main text has it. The preset itself takes them from the items,
// as its appendix has it.
const dummies = "-dummies"

// Get returns the TOML of a preset, false where there is none of that name.
func Get(name string) ([]byte, bool) {
	if data, err := files.ReadFile(name + ".toml"); err == nil {
		return data, true
	}
	of, ok := strings.CutSuffix(name, dummies)
	if !ok || strings.HasPrefix(of, "paper/ablation-") { // what these compare is something else
		return nil, false
	}
	data, err := files.ReadFile(of + ".toml")
	items := []byte(`gpl_rows = "items"`)
	if err != nil || bytes.Count(data, items) != 1 {
		return nil, false
	}
	data = bytes.Replace(data, items, []byte(`gpl_rows = "dummies"`), 1)
	title, rest, _ := bytes.Cut(data, []byte("\n"))
	title = append(bytes.TrimSuffix(bytes.Clone(title), []byte(`"`)), `, GPL rows from dummies"`...)
	return bytes.Join([][]byte{title, rest}, []byte("\n")), true
}

// UnknownError says that there is no preset of a name.
type UnknownError struct {
	Name, Nearest string // Nearest is "" where none is near
}

func (e *UnknownError) Error() string {
	if e.Nearest == "" {
		return fmt.Sprintf("preset %q: unknown", e.Name)
	}
	return fmt.Sprintf("preset %q: unknown, the nearest is %q", e.Name, e.Nearest)
}

// Help says where names and files are from.
func (*UnknownError) Help() string {
	return "riffle presets lists them; a file of yours ends in .toml"
}

// Find is [Get] of a name that may end in .toml, with an [UnknownError] where there is none.
func Find(name string) ([]byte, error) {
	name = strings.TrimSuffix(name, ".toml")
	data, ok := Get(name)
	if !ok {
		return nil, &UnknownError{name, nearest.Near(name, Names())}
	}
	return data, nil
}
