package run

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// Data are found from any folder: first here, then from the run's folder upwards.
func TestLocated(t *testing.T) {
	root := t.TempDir()
	put := func(path string) string {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	far, near := put("here/data/lists.csv"), put("here/runs/data/near.csv")
	put("here/data/near.csv")
	put("elsewhere/data/own.csv")
	put("here/data/own.csv")
	t.Chdir(filepath.Join(root, "elsewhere"))
	d := &Dir{Path: filepath.Join("..", "here", "runs", "first")}
	for path, want := range map[string]string{
		"data/lists.csv": far,
		"data/near.csv":  near,
		"data/own.csv":   "data/own.csv",
		"data/none.csv":  "data/none.csv",
		"":               "",
		far:              far,
	} {
		d.Config.Task.Data, d.Config.Task.Test = path, path
		c, elsewhere := d.Located()
		if c.Task.Data != want || c.Task.Test != want {
			t.Errorf("%q: %q and %q, wanted %q", path, c.Task.Data, c.Task.Test, want)
		}
		var said []string
		if want != path {
			said = []string{"task.data: " + path + " is not here, " + want + " was taken", "task.test: " + path + " is not here, " + want + " was taken"}
		}
		if !slices.Equal(elsewhere, said) {
			t.Errorf("%q: said %q, wanted %q", path, elsewhere, said)
		}
		if d.Config.Task.Data != path {
			t.Errorf("%q: the run's own configuration was changed", path)
		}
	}
}
