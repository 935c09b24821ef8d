package dataset

import (
	"bytes"
	"compress/gzip"
	"errors"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/riffle-ml/riffle/internal/fuzztest"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// A file is read as what it holds, whatever its name says.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		name, text string
		format     Format
		sets       int
	}{
		{"a.jsonl", `{"items": [{}, {}], "order": [1, 0]}` + "\n", FormatJSONL, 1},
		{"a.txt", "\xef\xbb\xbf\n" + `{"items": [{}, {}], "order": [1, 0]}`, FormatJSONL, 1},
		{"a.csv", "set,item,rank\nx,a,1\nx,b,2\ny,a,1\n", FormatCSV, 2},
		{"b.txt", "Rank;Item;Set\n1;a;x\n", FormatCSV, 1},
		{"c.tsv", "set\titem\trank\nx\ta\t1\n", FormatCSV, 1},
		{"train.txt", "# a comment\n2 qid:10 1:0.5 2:1 # docA\n0 qid:10 1:1\n", FormatSVMLight, 1},
		{"x.csv", "# FILE NAME: 1.soc\n# NUMBER ALTERNATIVES: 2\n3: 2,1\n1: 1,2\n", FormatPrefLib, 2},
		{"old.soc", "2\n1,Ann\n2,Bo\n1,1,1\n1,2,1\n", FormatPrefLib, 1},
		{"sushi.txt", "10 1\n0 3 2 0 1\n0 2 1 2\n", FormatSushi, 2},
		{"one.order", "10 1\n", FormatSushi, 0},
		{"a.tsp", "NAME : a\nTYPE : TSP\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nNODE_COORD_SECTION\n1 0 0\n2 3 4\nEOF\n", FormatTSPLIB, 1},
		{"a.tour", "TYPE: TOUR\nDIMENSION: 3\nTOUR_SECTION\n2 1 3 -1\n", FormatTSPLIB, 1},
		{"tsp.txt", "0 0 1 1 0 1 output 1 3 2 1\n0 0 1 1\n", FormatTourText, 2},
		{"points.txt", "10 1 3 3\n0 2\n", FormatTourText, 2},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Read(path, Options{})
		if err != nil || f.Format != c.format || len(f.Sets) != c.sets || f.Path != path {
			t.Errorf("%s %q: %+v, %v, wanted %d sets of %s", c.name, c.text, f, err, c.sets, c.format)
		}
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		if _, err := z.Write([]byte(c.text)); err != nil || z.Close() != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+".gz", packed.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		if f, err := Read(path+".gz", Options{}); err != nil || f.Format != c.format || len(f.Sets) != c.sets {
			t.Errorf("%s.gz: %+v, %v, wanted %d sets of %s", c.name, f, err, c.sets, c.format)
		}
	}
}

func TestOpenKeepsWhatTheFormatSays(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	f, err := Read(write("x", "# TITLE: A vote\n# DATA TYPE: toi\n# NUMBER ALTERNATIVES: 3\n1: {2,1}\n"), Options{})
	if err != nil || f.Type != "toi" || f.Title != "A vote" {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = Read(write("y", "NAME: t\nTYPE: TOUR\nDIMENSION: 3\nTOUR_SECTION\n2 1 3 -1\n"), Options{})
	if err != nil || f.Title != "t" || !slices.Equal(f.Sets[0].Order, perm.Order{1, 0, 2}) || f.Sets[0].Validate() != nil {
		t.Errorf("%+v, %v", f, err)
	}
	p, err := os.Create(filepath.Join(dir, "a.png"))
	if err != nil || png.Encode(p, image.NewGray(image.Rect(0, 0, 2, 2))) != nil || p.Close() != nil {
		t.Fatal(err)
	}
	if f, err = Read(dir, Options{}); err != nil || f.Format != FormatPictures || len(f.Sets[0].Items) != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestOpenErrors(t *testing.T) {
	for name, c := range map[string]struct{ text, message string }{
		"a.txt":   {"hello there\n", `a.txt: is in no format that is known, wanted JSONL, CSV with a header set,item,rank or rank1,rank2,…, svmlight, PrefLib, SUSHI, TSPLIB or tour text (begins with "hello there")`},
		"b.txt":   {" \n", "b.txt: is empty"},
		"l.txt":   {"user,item,rank\n", `l.txt:1: column "set" is missing (got user, item, rank)`},
		"m.xlsx":  {"PK\x03\x04", "m.xlsx: is a zip file, which workbooks are too, wanted JSONL, "},
		"n.csv":   {"s\x00e\x00t\x00", "n.csv: is not text, wanted JSONL, "},
		"c":       {"", "c: is empty"},
		"d.idx":   {"\x00\x00\x08\x03", "d.idx: is not text, wanted JSONL, "},
		"e.png":   {"\x89PNG", "e.png: is a picture, wanted sets\nhint: a folder of pictures is a set"},
		"f.jsonl": {"hello\n", "f.jsonl:1: "},
		"g.csv":   {"a,b\n1,2\n", `g.csv:1: column "set" is missing`},
		"h.svm":   {"1 1:2 2:3\n", "h.svm:1: wanted qid:QUERY after the relevance"},
		"i.soc":   {"1: 2,1\n", `i.soc:1: wanted "# NUMBER ALTERNATIVES: n"`},
		"j.json":  {"[1, 2]\n", "j.json:1: is a JSON array"},
		"o.txt":   {"# ballots\n3 1 4 2\n\n1 2 4 3\n", "o.txt: its lines have the same numbers in other orders: ballots, or coordinates of cities?\nhint: ballots have commas"},
		"k.gz":    {"\x1f\x8bxx", "k.gz: "},
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if f, err := Read(path, Options{}); err == nil || !strings.HasPrefix(strings.TrimPrefix(hint.Text(err), filepath.Dir(path)+string(filepath.Separator)), c.message) {
			t.Errorf("%s: %+v, %v, wanted %s", name, f, err, c.message)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "nothing"), Options{}); err == nil {
		t.Error("a file that is not there opens")
	}
}

func FuzzSniff(f *testing.F) {
	f.Add("set,item,rank\n", "a.csv")
	f.Add("#\n# NUMBER ALTERNATIVES: 2\n", "b")
	f.Add("10 1\n0 2 1 0\n", "c.order")
	f.Fuzz(func(t *testing.T, text, name string) {
		var format Format
		var err error
		within(t, text, func() { _, format, err = sniff(strings.NewReader(text), name, Options{}) })
		if (format == "") != (err != nil) {
			t.Fatalf("%q, %q: %q and %v", text, name, format, err)
		}
	})
}

// Open reads a file or, with an odd number, a folder with that file in it. It gives valid sets that
// can be inspected, or an error that names the path.
func FuzzOpen(f *testing.F) {
	extensions := []string{"", ".jsonl", ".csv", ".tsv", ".svm", ".soc", ".toi", ".order", ".tsp", ".tour", ".gz", ".png", ".jpg", ".bmp", ".txt"}
	for i, s := range []string{
		"0 0 1 1 output 1 2 1\n", `{"items":[{"features":[1]},{"features":[2]}],"order":[1,0]}`, "set,item,rank\na,b,1\na,c,2\n", "set\titem\na\tb\n",
		"1 qid:1 1:0.5\n0 qid:1 2:1\n", "# NUMBER ALTERNATIVES: 3\n2: 3,{1,2}\n", "2\n1,a\n2,b\n1,1,1\n1,2,1\n", "10 1\n0 2 1 0\n",
		"DIMENSION: 2\nEDGE_WEIGHT_TYPE: GEO\nNODE_COORD_SECTION\n1 0 0\n2 1 0\n", "DIMENSION: 3\nTOUR_SECTION\n1 3 2 -1\n", "\x1f\x8b\x08", "\x89PNG\r\n\x1a\n", "\xff\xd8\xff\xe0", "BM", "\xff\xfe",
	} {
		f.Add([]byte(s), byte(2*i))
		f.Add([]byte(s), byte(2*i+1))
	}
	f.Add(encoded(f, png.Encode, ramp()), byte(23))
	f.Add(hugePNG(f), byte(23))
	f.Add(gzipped(f, []byte("0 0 1 1\n")), byte(20))
	f.Fuzz(func(t *testing.T, data []byte, kind byte) {
		if head, _, err := image.DecodeConfig(bytes.NewReader(data)); err == nil && head.Width*head.Height > 1<<20 {
			t.Skip("allowed, but slow to fuzz")
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "x"+extensions[int(kind)/2%len(extensions)])
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		if kind%2 == 1 {
			path = dir
		}
		base := baseBytes + 64<<20 // the picture of a folder: see FuzzLoadImage
		if in, err := Open(path, Options{}); err == nil && in.Close() == nil && in.Format == FormatTSPLIB {
			base += 24 * tsp.MaxCities * tsp.MaxCities // see FuzzTSPLIB
		}
		var file *File
		var err error
		fuzztest.Within(t, base, 2*bytesFactor, unpackedSize(string(data)), func() {
			if file, err = Read(path, Options{}); err != nil {
				return
			}
			Inspect(file.Sets)
			for _, s := range file.Sets {
				if s.Kind == KindImage && file.Format == FormatPictures {
					_, _, _ = s.Pictures(t.Context(), 8, 8, 1)
				}
			}
		})
		if err != nil {
			if !strings.Contains(hint.Text(err), path) {
				t.Fatalf("%v: does not name %s", err, path)
			}
			return
		}
		for _, s := range file.Sets {
			if err := s.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Input comes by a pipe, whatever its format: it is opened once and read once.
func TestOpenOnce(t *testing.T) {
	for name, c := range map[string]struct {
		text   string
		format Format
		sets   int
	}{
		"JSONL":     {"{\"items\": [{}, {}]}\n{\"items\": [{}]}\n", FormatJSONL, 2},
		"packed":    {string(gzipped(t, []byte("{\"items\": [{}, {}]}\n"))), FormatJSONL, 1},
		"CSV":       {"set,item,rank\nx,a,1\nx,b,2\ny,a,1\n", FormatCSV, 2},
		"ballots":   {"a,b,c\nb,a,c\n", FormatBallots, 2},
		"svmlight":  {"2 qid:10 1:0.5 2:1 # docA\n0 qid:10 1:1\n", FormatSVMLight, 1},
		"PrefLib":   {"# NUMBER ALTERNATIVES: 2\n3: 2,1\n1: 1,2\n", FormatPrefLib, 2},
		"SUSHI":     {"10 1\n0 3 2 0 1\n0 2 1 2\n", FormatSushi, 2},
		"TSPLIB":    {"TYPE: TOUR\nDIMENSION: 3\nTOUR_SECTION\n2 1 3 -1\n", FormatTSPLIB, 1},
		"tour text": {"0 0 1 1 0 1 output 1 3 2 1\n0 0 1 1\n", FormatTourText, 2},
		// These could be ballots, and are not: a fraction, a number twice, other numbers, always the same line.
		"a fraction":     {"1 2 3 4.5\n4.5 1 2 3\n", FormatTourText, 2},
		"a number twice": {"1 1 2 3\n1 2 1 3\n", FormatTourText, 2},
		"other numbers":  {"1 2 3 4\n1 2 3 5\n", FormatTourText, 2},
		"one line twice": {"1 2 3 4\n1 2 3 4\n", FormatTourText, 2},
	} {
		path := filepath.Join(t.TempDir(), "pipe")
		if err := exec.Command("mkfifo", path).Run(); err != nil {
			t.Skip("there is no mkfifo")
		}
		written := make(chan error, 1)
		go func() { written <- os.WriteFile(path, []byte(c.text), 0) }()
		in, err := Open(path, Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		f, err := in.ReadAll()
		if err != nil || f.Format != c.format || len(f.Sets) != c.sets || in.Size != -1 {
			t.Errorf("%s: %+v, %v, wanted %d sets of %s", name, f, err, c.sets, c.format)
		}
		if err := errors.Join(<-written, in.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A pipe that nobody writes to is not waited for without an end.
func TestOpenWaits(t *testing.T) {
	defer func(was time.Duration) { patience = was }(patience)
	patience = time.Millisecond
	path := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := exec.Command("mkfifo", path).Run(); err != nil {
		t.Skip("there is no mkfifo")
	}
	if _, err := Open(path, Options{}); err == nil || !strings.HasPrefix(hint.Text(err), path+": is a pipe that nobody writes to") {
		t.Error(err)
	}
	// Nobody is left waiting for the test's end.
	if f, err := os.OpenFile(path, os.O_WRONLY, 0); err != nil || f.Close() != nil {
		t.Error(err)
	}
}

// What is read more than once is no pipe.
func TestOpenPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.jsonl")
	if err := exec.Command("mkfifo", path).Run(); err != nil {
		t.Skip("there is no mkfifo")
	}
	want := path + ": is a pipe, wanted a file, which can be read twice\nhint: "
	for name, open := range map[string]func() error{
		"Read":      func() error { _, err := Read(path, Options{}); return err },
		"LoadImage": func() error { _, err := LoadImage(t.Context(), path); return err },
		"readFile":  func() error { _, err := readFile(path, ParseTSPLIB); return err },
	} {
		if err := open(); err == nil || !strings.HasPrefix(hint.Text(err), want) {
			t.Errorf("%s: %v, wanted %s", name, err, want)
		}
	}
}
