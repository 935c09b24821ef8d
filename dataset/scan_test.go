package dataset

import (
	"io"
	"slices"
	"strings"
	"testing"
)

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
	for s, err := range Scan(in, "-") {
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

// Scan yields what Open reads, of any format.
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
		for s, err := range Scan(strings.NewReader(c.text), "-") {
			if err != nil {
				message = err.Error()
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
