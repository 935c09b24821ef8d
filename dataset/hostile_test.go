package dataset

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/fuzztest"
	"github.com/riffle-ml/riffle/internal/hint"
)

// What a reader may allocate, freed memory counted too: 40 MiB, and 128 bytes for each byte of the
// file, unpacked. 32 of the MiB are the zeros that svmlight may leave out whatever the file's size.
// The greediest are tables whose every line is a set: "abc,d" is 330 bytes of a set, and as many
// again while lists grow. Readers that keep more say so where they are fuzzed.
const (
	baseBytes   = 40 << 20
	bytesFactor = 128
)

// within holds the reading of a file to the bound.
func within(t testing.TB, file string, read func()) {
	t.Helper()
	fuzztest.Within(t, baseBytes, bytesFactor, unpackedSize(file), read)
}

// unpackedSize is that of a file, or of what is whole in its gzip.
func unpackedSize(file string) int {
	r, err := unpack(strings.NewReader(file))
	if err != nil {
		return len(file)
	}
	n, _ := io.Copy(io.Discard, r)
	return max(len(file), int(n))
}

// bomb is a gzip of count bytes that are all one.
func bomb(t testing.TB, count int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	part := bytes.Repeat([]byte("["), 1<<20)
	for left := count; left > 0; left -= len(part) {
		if _, err := w.Write(part[:min(left, len(part))]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A file that unpacks to a thousand times its size is given up after 64 MiB, whatever reads it.
func TestZipBomb(t *testing.T) {
	file := bomb(t, 70<<20)
	if len(file) > 1<<20 {
		t.Fatalf("the bomb has %d bytes", len(file))
	}
	r, err := unpack(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	n, err := io.Copy(io.Discard, r)
	if err == nil || !strings.HasSuffix(hint.Text(err), "bytes unpack to more than 100 times as many") || n > freeOfRatio+1<<20 {
		t.Errorf("unpacked %d bytes, %v", n, err)
	}
	for _, name := range []string{"csv", "jsonl", "tsplib"} { // their three ways to read lines
		fuzztest.Within(t, 512<<20, 0, 0, func() { // a line of 64 MiB that grew to it
			if err := textReaders[name](string(file)); err == nil {
				t.Errorf("%s: no error", name)
			}
		})
	}
	// What a file of pixels that are all black may well do is none.
	white := bytes.NewBuffer(nil)
	if err := writeImages(white, &Images{N: 1000, Rows: 100, Cols: 100, Pix: make([]uint8, 10_000_000)}); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadImages(bytes.NewReader(gzipped(t, white.Bytes())), "f"); err != nil {
		t.Error(err)
	}
}

// textReaders are the readers of texts, without what they return.
var textReaders = map[string]func(text string) error{
	"csv":      func(s string) error { _, err := parseCSV(s, "x"); return err },
	"jsonl":    readAllJSONL,
	"preflib":  func(s string) error { _, err := ParsePrefLib(strings.NewReader(s), "x"); return err },
	"sushi":    func(s string) error { _, err := ParseSushi(strings.NewReader(s), "x"); return err },
	"svmlight": func(s string) error { _, err := ParseSVMLight(strings.NewReader(s), "x"); return err },
	"tourtext": func(s string) error { _, err := ParseTourText(strings.NewReader(s), "x"); return err },
	"tsplib":   func(s string) error { _, err := ParseTSPLIB(strings.NewReader(s), "x"); return err },
}

func readAllJSONL(s string) error {
	r, err := NewJSONLReader(strings.NewReader(s), "x")
	if err != nil {
		return err
	}
	for _, err := range r.All() {
		if err != nil {
			return err
		}
	}
	return nil
}

// Files that promise more than they hold, or that a slip in a reader makes quadratic: each is
// refused or read within the bound on memory.
func TestHostileFiles(t *testing.T) {
	many := func(line string, count int) string { return strings.Repeat(line, count) }
	var lists strings.Builder // a set and an item of their own on each line
	lists.WriteString("set,item,rank\n")
	for i := range 20_000 {
		name := strings.Repeat("x", i%7) + string(rune('a'+i%26)) + string(rune('0'+i/26%10)) + string(rune('A'+i/260%26)) + string(rune('A'+i/6760))
		lists.WriteString(name + "," + name + ",1\n")
	}
	numbered := func(head string, count int, line func(id string) string) string {
		const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
		var b strings.Builder
		b.WriteString(head)
		for i := range count {
			id := string(digits[i%64])
			for i /= 64; i > 0; i /= 64 {
				id += string(digits[i%64])
			}
			b.WriteString(line(id))
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		reader, text string
		good         bool
	}{
		"csv: sets and items":        {"csv", lists.String(), true},
		"csv: a set a line":          {"csv", numbered("set,item\n", 100_000, func(id string) string { return id + ",a\n" }), true},
		"csv: a set and an item":     {"csv", numbered("set,item,rank\n", 100_000, func(id string) string { return id + "," + id + ",1\n" }), true},
		"csv: a set, a feature":      {"csv", numbered("set,item,rank,f\n", 100_000, func(id string) string { return id + ",a,1,1\n" }), true},
		"csv: different ballots":     {"csv", numbered("rank1,rank2\n", 100_000, func(id string) string { return id[:1] + "!," + id[1:] + "\n" }), true},
		"csv: a ballot's items":      {"csv", numbered("rank1\n", MaxItems+1, func(id string) string { return id + "\n" }), false},
		"csv: a large set":           {"csv", numbered("set,item\n", MaxItems+1, func(id string) string { return "a," + id + "\n" }), false},
		"csv: faults":                {"csv", "set,item,rank\n" + many("a,,x\n", 100_000), false},
		"csv: long names":            {"csv", "set,item\n" + many("x", 1<<20) + "," + many("y", 1<<20) + "\nz," + many("y", 1<<20) + "\n", true},
		"csv: long columns":          {"csv", many("x", 1<<20) + "," + many("y", 1<<20) + "\na,b\n", false},
		"csv: a quote without end":   {"csv", "set,item\n\"" + many("a\n", 50_000), false},
		"csv: infinity":              {"csv", "set,item,rank\na,b,inf\n", false},
		"csv: not UTF-8":             {"csv", "set,item,rank\n\xff,b,1\n", false},
		"csv: an item twice":         {"csv", "set,item,rank\na,b,1\na,b,2\n", false},
		"jsonl: deep":                {"jsonl", `{"items":` + many("[", 100_000), false},
		"jsonl: deep objects":        {"jsonl", many(`{"items":[`, 50_000), false},
		"jsonl: bare items":          {"jsonl", many(`{"items":[{}`+many(",{}", MaxItems-1)+"]}\n", 20), true},
		"jsonl: an empty set a line": {"jsonl", many("{\"items\":[]}\n", 100_000), true},
		"jsonl: ids":                 {"jsonl", numbered("", 100_000, func(id string) string { return `{"id":"` + id + `","items":[]}` + "\n" }), true},
		"jsonl: points":              {"jsonl", many(`{"items":[{"point":[0,0]}`+many(`,{"point":[0,0]}`, MaxItems-1)+"]}\n", 4), true},
		"jsonl: features":            {"jsonl", many(`{"items":[{"features":[0]}`+many(`,{"features":[0]}`, MaxItems-1)+"]}\n", 4), true},
		"jsonl: levels":              {"jsonl", many(`{"items":[{},{}],"levels":[[0],[1]]}`+"\n", 100_000), true},
		"jsonl: an unknown field":    {"jsonl", `{"` + many("x", 1<<20) + `":1}`, false},
		"jsonl: a long field twice":  {"jsonl", `{"` + many("x", 1<<20) + `":1,"` + many("x", 1<<20) + `":1}`, false},
		"jsonl: long names":          {"jsonl", `{"items":[{"id":"` + many("x", 150_000) + `"}],"constraints":{"pin":["` + many("y", 150_000) + `=0"]}}`, false},
		"jsonl: named features":      {"jsonl", many(`{"items":[{"features":{"a":0}}`+many(`,{"features":{"a":0}}`, 20_000)+"]}\n", 4), true},
		"jsonl: names in any order":  {"jsonl", `{"items":[{"features":{"a":0,"b":0}}` + many(`,{"features":{"b":0,"a":0}}`, 60_000) + "]}\n", true},
		"jsonl: a long text":         {"jsonl", `{"items":"` + many("x", 1<<20) + `"}`, false},
		"jsonl: too many items":      {"jsonl", `{"items":[{}` + many(",{}", MaxItems) + "]}", false},
		"jsonl: too many features":   {"jsonl", `{"items":[{"features":[0` + many(",0", MaxFeatures) + `]}]}`, false},
		"jsonl: too many places":     {"jsonl", `{"items":[{}],"order":[0` + many(",0", MaxItems) + `]}`, false},
		"jsonl: too many levels":     {"jsonl", `{"items":[{}],"levels":[[0]` + many(",[0]", MaxItems) + `]}`, false},
		"jsonl: an id twice":         {"jsonl", `{"items":[{"id":"a"},{"id":"a"}]}`, false},
		"jsonl: a long number":       {"jsonl", `{"items":[{"features":[1` + many("0", 400) + `]}]}`, false},
		"jsonl: NaN":                 {"jsonl", `{"items":[{"features":[NaN]}]}`, false},
		"jsonl: not UTF-8":           {"jsonl", "{\"id\":\"\xff\",\"items\":[]}", false},
		"preflib: few of many":       {"preflib", "# NUMBER ALTERNATIVES: 65536\n" + many("1: 1\n", 20_000), true},
		"preflib: different orders":  {"preflib", "# NUMBER ALTERNATIVES: 65536\n" + many("1: 1,2\n1: 2\n2: 3\n", 5_000), true},
		"preflib: promises":          {"preflib", "# NUMBER ALTERNATIVES: 1099511627776\n", false},
		"preflib: old, promises":     {"preflib", "1099511627776\n", false},
		"sushi: few of many":         {"sushi", "65536 1\n0 1 65535\n" + many("0 1 3\n", 20_000), true},
		"svmlight: sparse":           {"svmlight", many("1 qid:1 1048576:1\n", 5_000), false},
		"svmlight: a query a line":   {"svmlight", numbered("", 100_000, func(id string) string { return "0 qid:" + id + " 1:1\n" }), true},
		"svmlight: comments":         {"svmlight", numbered("1 qid:a 1:1\n", 60_000, func(id string) string { return "0 qid:a#" + id + "\n" }), true},
		"svmlight: sparse, but read": {"svmlight", many(many("0 qid:a 1:1 33:1\n", 50_000)+many("0 qid:b 1:1 33:1\n", 50_000), 1), true},
		"svmlight: promises":         {"svmlight", "1 qid:1 1099511627776:1\n", false},
		"svmlight: NaN":              {"svmlight", "NaN qid:1 1:1\n", false},
		"tourtext: promises":         {"tourtext", "0 0 output 1099511627776\n", false},
		"tourtext: infinity":         {"tourtext", "0 inf output 1\n", false},
		"tourtext: a city twice":     {"tourtext", "0 0 1 1 output 1 1\n", false},
		"tsplib: comments":           {"tsplib", many("COMMENT: a\n", 50_000) + "DIMENSION: 0\nEDGE_WEIGHT_TYPE: EUC_2D\n", true},
		"tsplib: promises":           {"tsplib", "DIMENSION: 1099511627776\n", false},
		"tsplib: promises a little":  {"tsplib", "DIMENSION: 5000\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 0 0\n", false},
		"tsplib: promises distances": {"tsplib", "DIMENSION: 5000\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_SECTION\n1\n", false},
		"tsplib: not UTF-8":          {"tsplib", "NAME: \xff\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			within(t, c.text, func() {
				err := textReaders[c.reader](c.text)
				if (err == nil) != c.good {
					t.Errorf("error %v", err)
				}
				if err != nil && len(hint.Text(err)) > 2000 {
					t.Errorf("an error of %d bytes", len(hint.Text(err)))
				}
			})
		})
	}
}

// What is refused is refused before it is kept: 24 MB of items in 24 kB, and of features.
func TestSmallBombs(t *testing.T) {
	for name, text := range map[string]string{
		"jsonl":    `{"items":[{}` + strings.Repeat(",{}", 24<<20/3) + "]}",
		"svmlight": strings.Repeat("0 qid:1 1:1\n", 24<<20/12),
		"csv":      "set,item\n" + strings.Repeat("a,b\n", 24<<20/4),
	} {
		file := string(gzipped(t, []byte(text)))
		if len(file) > 1<<20 {
			t.Fatalf("%s: the bomb has %d bytes", name, len(file))
		}
		fuzztest.Within(t, baseBytes, bytesFactor, freeOfRatio, func() {
			if err := textReaders[name](file); err == nil {
				t.Errorf("%s: no error", name)
			}
		})
	}
}
