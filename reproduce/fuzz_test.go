package reproduce

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/fuzztest"
	"github.com/riffle-ml/riffle/run"
)

// Whatever a row's files hold, the report has a line of it or there is an error that names the
// file.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"sets":10,"exact":{"mean":1e308,"low":-1e308,"high":0},"train_seconds":1e300}`), []byte(`{"machine":"m","preset":"p","set":["a=b"]}`))
	f.Add([]byte(`{"tour":{"length":{},"gap":null},"puzzle":null}`), []byte(`{}`))
	f.Add([]byte(`{"tour":`+strings.Repeat("[", 20_000)), []byte("null"))
	f.Add([]byte("\xff"), []byte(`{"machine":"| a | b\n"}`))
	table := Tables()[0]
	f.Fuzz(func(t *testing.T, eval, about []byte) {
		base := t.TempDir()
		dir := Folder(base, table, table.Rows[0])
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		for name, data := range map[string][]byte{run.EvalFile: eval, AboutFile: about} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		fuzztest.Within(t, 4<<20, 1<<10, len(eval)+len(about), func() { err = Write(io.Discard, base, []Table{table}, nil) })
		if err != nil && !strings.HasPrefix(err.Error(), dir) {
			t.Fatalf("%v: does not name the file", err)
		}
	})
}
