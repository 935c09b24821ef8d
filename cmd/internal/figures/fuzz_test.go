package figures

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/fuzztest"
	"github.com/riffle-ml/riffle/plot"
)

// What drawing may allocate. The smallest heat map as PNG took 3.5 MiB (its canvas, the encoder and
// the fonts), and a file of 20 bytes a map may be mostFigures of them, 346 MiB. A log's two
// pictures took 23.5 MiB, calibration 8.8 MiB. Maps grow with their cells: one of 100 × 100 took
// 40.5 MiB, which is 1.9 KiB for each of the two bytes that a cell has at least. Measured once by
// runtime.MemStats on amd64; the bounds are the next powers of two.
const (
	pictureBase  = 4 << 20
	figureBase   = mostFigures * pictureBase
	figureFactor = 4 << 10
)

// Whatever is in a file of results, riffle plot draws it or says why not, naming the file.
func FuzzPlotFile(f *testing.F) {
	for _, s := range []string{
		"{\"step\":1,\"loss\":0.1,\"grad_norm\":2,\"lr\":0.001}\n{\"event\":\"validation\",\"step\":1,\"exact\":5,\"correct\":50,\"kendall_tau\":-1,\"gap\":3}\n",
		"{\"step\":1,\"loss\":1.7e308,\"grad_norm\":5e-324,\"lr\":-1.7e308}\n{\"step\":9223372036854775807,\"loss\":-1.7e308,\"grad_norm\":1.7e308,\"lr\":1e-320}\n",
		"{\"step\":1,\"loss\":null}\n", "{\"event\":\"validation\",\"step\":-5,\"exact\":1e300}\n", "{\"step\":1,\"loss\":1}\n{\"step\":1,\"loss\":1}\n{\"step\":",
		`{"pairs":{"bins":[{"count":3,"mean":0.5,"frequency":0.4}]},"places":{"bins":[{"count":9223372036854775807,"mean":1e308,"frequency":-1e308}]}}`,
		`{"pairs":{}}`, `{"pairs":[]}`, "null", "[]", "{}", "", "\xff", strings.Repeat("[", 20_000), `{"marginals":` + strings.Repeat("[", 20_000),
		`{"marginals":[[1,0],[0,1]]}` + "\n" + `{"id":"../../x","marginals":[[0.5,0.5],[1e-300,1]]}`, `{"marginals":[[1e999]]}`, `{"marginals":[[-1]]}`, `{"marginals":[[0.1],[0.2,0.3]]}`, `{"marginals":[]}`,
	} {
		f.Add([]byte(s), false)
	}
	f.Add([]byte("{\"step\":1,\"loss\":1e-310}\n{\"step\":2,\"loss\":1.0000000000000002e-310}\n"), true)
	f.Fuzz(func(t *testing.T, data []byte, svg bool) {
		path := filepath.Join(t.TempDir(), "results.jsonl")
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		w := Writer{Format: "png"}
		if svg {
			w.Format = "svg"
		}
		var err error
		fuzztest.Within(t, figureBase, figureFactor, len(data), func() {
			_, err = w.File(path)
		})
		if err == nil && len(w.Files) == 0 {
			t.Fatal("neither an error nor a picture")
		}
		if err != nil && !strings.Contains(err.Error(), filepath.Dir(path)) {
			t.Fatalf("%v: names no file", err)
		}
	})
}

// Whatever names a picture, it is written as the name says or there is an error.
func FuzzSave(f *testing.F) {
	f.Add("a.png")
	f.Add("a.SVG")
	f.Add(".png")
	f.Add("no/a.png")
	f.Add("a.jpg")
	f.Add(strings.Repeat("x", 300) + ".png")
	f.Add("a\x00.png")
	figure := plot.HeatMap{Values: [][]float64{{1}}}
	f.Fuzz(func(t *testing.T, name string) {
		if strings.Contains(name, "..") {
			t.Skip("would leave the folder of this test")
		}
		path := filepath.Join(t.TempDir(), name)
		var err error
		fuzztest.Within(t, 2*pictureBase, 64, len(name), func() { err = plot.Save(path, figure) })
		if err != nil {
			return
		}
		if info, err := os.Stat(path); err != nil || info.Size() == 0 {
			t.Fatalf("%q: %v", name, err)
		}
	})
}
