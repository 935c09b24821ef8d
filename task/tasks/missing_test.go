package tasks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/task"
)

// Data that are gone or no data are told from other errors, whatever the task.
func TestDataError(t *testing.T) {
	dir := t.TempDir()
	none := filepath.Join(dir, "none")
	torn := filepath.Join(dir, "torn.png")
	if err := os.WriteFile(torn, []byte("no picture"), 0o666); err != nil {
		t.Fatal(err)
	}
	puzzle := func(source, data string) config.Task {
		return config.Task{Name: "jigsaw", Source: source, Rows: 2, Columns: 2, Data: data}
	}
	for name, c := range map[string]struct {
		encoder string
		task    config.Task
	}{
		"sort":    {"cnn", config.Task{Name: "sort", N: 3, Digits: 1, Data: none}},
		"digits":  {"cnn", puzzle("mnist", none)},
		"colours": {"cnn", puzzle("cifar10", none)},
		"photos":  {"cnn", puzzle("photos", none)},
		"torn":    {"cnn", puzzle("photos", dir)},
		"tours":   {"points", config.Task{Name: "tsp", N: 5, Test: none}},
		"lists":   {"table", config.Task{Name: "ranking", N: 5, Items: "bare", Data: none}},
	} {
		c := config.Config{Task: c.task, Model: config.Model{Encoder: c.encoder}}
		work, err := New(&c)
		if err == nil {
			_, err = work.Examples(task.Test, 0, 1)
		}
		if _, ok := errors.AsType[*task.DataError](err); !ok {
			t.Errorf("%s: %v (%T), wanted a DataError", name, err, err)
		}
		if gone := name != "torn"; gone != errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v: is of a file that does not exist: %v, wanted %v", name, err, !gone, gone)
		}
	}
}
