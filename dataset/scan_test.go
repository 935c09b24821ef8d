package dataset

import (
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/internal/fuzztest"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/tsp"
)

// scan yields the sets of a stream.
func scan(r io.Reader, name string) iter.Seq2[*Set, error] {
	in, err := OpenReader(r, name, Options{})
	if err != nil {
		return func(yield func(*Set, error) bool) { yield(nil, err) }
	}
	return in.All()
}

// A set of JSONL is there as soon as its line is: the next one may be written when the first has
// been answered.
func TestScanDoesNotReadAhead(t *testing.T) {
	in, out := io.Pipe()
	lines := []string{`{"id":"a","items":[{},{}]}` + "\n", "\n" + `{"id":"b","items":[]}` + "\r\n", `{"id":"c","items":[{}]}` + "\n"}
	wanted := make(chan string)
	go func() {
		for line := range wanted {
			_, _ = io.WriteString(out, line)
		}
		out.Close()
	}()
	wanted <- lines[0]
	var got []string
	for s, err := range scan(in, "-") {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, s.ID)
		if len(got) < len(lines) {
			wanted <- lines[len(got)]
		} else {
			close(wanted)
		}
	}
	if !slices.Equal(got, []string{"a", "b", "c"}) {
		t.Errorf("sets %v", got)
	}
}

// A stream yields what is read of a file, of any format.
func TestScan(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		sets  int
		wants string
	}{
		"one line":          {`{"items":[{}]}`, 1, ""},
		"a mark and packed": {string(gzipped(t, []byte("\xef\xbb\xbf\n{\"items\":[]}\n{\"items\":[]}\n"))), 2, ""},
		"a table":           {"set,item,rank\na,x,1\nb,x,1\n", 2, ""},
		"search results":    {"1 qid:1 1:2\n0 qid:2 1:3\n", 2, ""},
		"votes":             {"# NUMBER ALTERNATIVES: 2\n2: 1,2\n1: 2,1\n", 2, ""},
		"a bad second":      {"{\"items\":[]}\n{\"items\":[}\n{\"items\":[]}\n", 1, "-:2: item 0: column 11: "},
		"a bad table":       {"set,item,rank\na,x,z\n", 0, "-:2: rank: "},
		"nothing known":     {"hello there\n", 0, "-: is in no format"},
		"nothing":           {"", 0, "-: is empty"},
		"a cut off gzip":    {"\x1f\x8b\x08", 0, "-: is gzipped, and cut off"},
	} {
		sets, message := 0, ""
		for s, err := range scan(strings.NewReader(c.text), "-") {
			if err != nil {
				message = hint.Text(err)
				continue
			}
			if sets++; s.Validate() != nil {
				t.Errorf("%s: %v", name, s.Validate())
			}
		}
		if sets != c.sets || !strings.HasPrefix(message, c.wants) || (c.wants == "") != (message == "") {
			t.Errorf("%s: %d sets and %q, wanted %d and %q", name, sets, message, c.sets, c.wants)
		}
	}
}

// What is odd about a table that comes as a stream is told at its end.
func TestScanWarns(t *testing.T) {
	in, err := OpenReader(strings.NewReader("set;item;rank;f\na;b;1;2,5\na;c;2;\n"), "-", Options{Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range in.All() {
		if err != nil {
			t.Fatal(err)
		}
	}
	if told := in.Warnings; len(told) != 1 || !strings.HasPrefix(told[0], "numbers have decimal commas: ") {
		t.Errorf("warnings %q", told)
	}
}

// A set of a table of features is there with the first line of the next, and what cannot be a stream's is
// told. Bare items are those of all sets, for which the whole is read.
func TestScanTable(t *testing.T) {
	table := func(rows ...string) io.Reader {
		return strings.NewReader("set,item,rank,f\n" + strings.Join(rows, "\n") + "\n")
	}
	r, w := io.Pipe()
	go func() {
		_, _ = io.Copy(w, table("a,x,1,1", "a,y,2,2"))
		_, _ = io.WriteString(w, strings.Repeat("\n", 1<<16)) // a format is found by the first of a file
		_, _ = io.WriteString(w, "b,x,1,1\n")                 // and then the pipe is open for ever
	}()
	in, err := OpenReader(r, "-", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for s, err := range in.All() {
		if err != nil || s.ID != "a" || len(s.Items) != 2 || s.Items[1].Features[0] != 2 {
			t.Errorf("set %+v, %v", s, err)
		}
		break
	}
	for name, c := range map[string]struct {
		rows []string
		sets int
		want string
	}{
		"in two places": {[]string{"a,x,1,1", "b,x,1,1", "a,y,2,2"}, 2, "-:4: set a began on line 2 already: in a stream the lines of a set stand together"},
		"a bad cell":    {[]string{"a,x,1,1", "b,x,1,1", "c,x,1,z", "d,y,2,2"}, 1, `-:4: f: wanted a finite number (got "z")`},
		"an item twice": {[]string{"a,x,1,1", "b,x,1,2", "b,x,2,2", "c,y,2,2"}, 1, `-:4: item: "x" is in set b on line 3 already`},
	} {
		sets, message := 0, ""
		for _, err := range scan(table(c.rows...), "-") {
			if err != nil {
				message = err.Error()
			} else {
				sets++
			}
		}
		if sets != c.sets || message != c.want {
			t.Errorf("%s: %d sets and %q, wanted %d and %q", name, sets, message, c.sets, c.want)
		}
	}
	whole, err := OpenReader(table("a,x,1,1", "b,x,1,1", "a,y,2,2"), "-", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f, err := whole.ReadAll(); err != nil || len(f.Sets) != 2 || len(f.Sets[0].Items) != 2 {
		t.Errorf("all at once: %+v, %v", f, err)
	}
}

// A stream yields the sets that are read at once, or those before the first error.
func FuzzScan(f *testing.F) {
	for _, s := range []string{"{\"items\":[{},{}]}\n\n{\"items\":[}\n", "set,item\na,b\n", "rank1\na\n", "1 qid:1 1:1\n", utf16Text("{\"items\":[]}\n"), "\xef\xbb\xbf \n{", "{\"items\":[{\"features\":{\"a\":1}},{\"features\":{\"a\":2}}]}"} {
		f.Add(s)
		f.Add(string(gzipped(f, []byte(s))))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var scanned []*Set
		var failed error
		fuzztest.Within(t, baseBytes+24*tsp.MaxCities*tsp.MaxCities, bytesFactor, unpackedSize(text), func() { // see FuzzTSPLIB
			scanned, failed = nil, nil
			for s, err := range scan(strings.NewReader(text), "x") {
				if failed = err; err == nil {
					scanned = append(scanned, s)
				}
			}
		})
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		file, err := Read(path, Options{})
		if failed != nil && strings.Contains(failed.Error(), "stand together") {
			return // of a file they need not
		}
		if (err == nil) != (failed == nil) {
			t.Fatalf("scanned: %v, read: %v", failed, err)
		}
		if err != nil {
			return
		}
		if len(scanned) != len(file.Sets) {
			t.Fatalf("scanned %d sets, read %d", len(scanned), len(file.Sets))
		}
		for i, s := range file.Sets {
			scanned[i].Dir = s.Dir
			if d := cmp.Diff(s, scanned[i]); d != "" {
				t.Fatal(d)
			}
		}
	})
}
