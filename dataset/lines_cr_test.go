package dataset

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// Lines end with LF, with CRLF, or with CR alone, also in UTF-16 and however the text comes. A table
// of the last kind would otherwise be a header without a set.
func TestLineEnds(t *testing.T) {
	const text = "set,item,rank,size\nq,a,1,5\nq,b,2,6\nr,c,1,7\nr,d,2,8\n"
	want, err := parseCSV(text, "x.csv")
	if err != nil || len(want) != 2 {
		t.Fatal(want, err)
	}
	wide := []byte("\xff\xfe")
	for _, u := range utf16.Encode([]rune(strings.ReplaceAll(text, "\n", "\r"))) {
		wide = append(wide, byte(u), byte(u>>8))
	}
	for name, in := range map[string]string{
		"CRLF": strings.ReplaceAll(text, "\n", "\r\n"), "CR": strings.ReplaceAll(text, "\n", "\r"), "CR, UTF-16": string(wide),
		"CR, with a mark": "\xef\xbb\xbf" + strings.ReplaceAll(text, "\n", "\r"),
	} {
		got, err := parseCSV(in, "x.csv")
		if d := cmp.Diff(want, got); err != nil || d != "" {
			t.Errorf("%s: %v %s", name, err, d)
		}
		if got, err = parseCSVFrom(iotest.OneByteReader(strings.NewReader(in)), "x.csv"); err != nil || cmp.Diff(want, got) != "" {
			t.Errorf("%s, a byte at a time: %v %v", name, err, got)
		}
	}
}

// A comment behind the first line's features, and sizes in a file beside it, hide no svmlight.
func TestCommentedFeatures(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "d.txt")
	for file, text := range map[string]string{path: "2 1:0.5 2:1 # doc 7\n0 2:3\n1 1:1\n", path + ".query": "3\n"} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f, err := Read(path, Options{})
	if err != nil || f.Format != FormatSVMLight || len(f.Sets) != 1 || len(f.Sets[0].Items) != 3 {
		t.Errorf("%v %+v", err, f)
	}
}
