package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

// What can be read in two ways is said, and what the names of columns say counts.
func TestReadings(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		order      perm.Order // of the first set, by the names in it
		names      []string
		warning    string
	}{
		"places in any order":   {"a.csv", "count,rank3,rank1,rank2\n2,C,A,B\n1,B,C,A\n", perm.Order{0, 1, 2}, []string{"A", "B", "C"}, ""},
		"numbers for names":     {"b.csv", "1,3,2\n2,3,1\n1,2,3\n", perm.Order{0, 1, 2}, []string{"1", "3", "2"}, "has no header and the numbers 1 to 3: they are read as items"},
		"names without header":  {"c.csv", "A,C,B\nB,C,A\n", perm.Order{0, 1, 2}, []string{"A", "C", "B"}, ""},
		"numbers with a header": {"d.csv", "rank1,rank2,rank3\n1,3,2\n2,3,1\n", perm.Order{0, 1, 2}, []string{"1", "3", "2"}, ""},
		"other numbers":         {"e.csv", "0,2,1\n2,0,1\n", perm.Order{0, 1, 2}, []string{"0", "2", "1"}, ""},
		"a document twice":      {"f.svm", "1 qid:a 1:1 # 7\n0 qid:a 1:2 # 3\n2 qid:a 1:3 # 7\n0.5 qid:a 1:4 # 2\n", perm.Order{2, 0, 3, 1}, []string{"7", "3", "7 (line 3)", "2"}, "set a: item \"7\" is there twice"},
		"a name twice":          {"h.soc", "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: Ann\n# ALTERNATIVE NAME 2: Cy\n# ALTERNATIVE NAME 3: Ann\n2: 3,1,2\n", perm.Order{2, 0, 1}, []string{"Ann", "Cy", "Ann (3)"}, `alternative 3 is called "Ann" as another is`},
		"a document in two":     {"g.svm", "1 qid:a 1:1 # 7\n0 qid:a 1:2 # 3\n2 qid:b 1:3 # 7\n", perm.Order{0, 1}, []string{"7", "3"}, ""},
	} {
		path := filepath.Join(t.TempDir(), c.file)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Read(path, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		s := f.Sets[0]
		if !slices.Equal(s.Order, c.order) || !slices.Equal(s.ItemNames(), c.names) || s.Validate() != nil {
			t.Errorf("%s: order %v of %q, wanted %v of %q (%v)", name, s.Order, s.ItemNames(), c.order, c.names, s.Validate())
		}
		if got := strings.Join(f.Warnings, "; "); (got == "") != (c.warning == "") || !strings.Contains(got, c.warning) {
			t.Errorf("%s: warned %q, wanted %q", name, got, c.warning)
		}
	}
	for text, want := range map[string]string{"0 0\n0.3 0.4\n": "each of its 2 lines is a problem of its own, and has one city", "0 0\n": "", "0 0\n1 1 2 2\n": ""} {
		if _, err := ParseTourText(strings.NewReader(text), "x"); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, wanted %q", text, err, want)
		}
	}
	for text, want := range map[string]string{"rank1,rank1\n": "", "rank1,rank3\n": "", "rank2,rank1\nA,B\n": "ok"} {
		if _, err := ParseTable(strings.NewReader(text), "x.csv", Options{}); (err == nil) != (want != "") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// An order that is not what levels say is two answers to one question.
func TestOrderAgainstLevels(t *testing.T) {
	s := &Set{Items: make([]Item, 3), Levels: BucketOrder{{2}, {0}, {1}}, Order: perm.Order{2, 0, 1}, OrderGiven: "order"}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	for _, l := range []BucketOrder{{{0}, {1}, {2}}, {{2, 0}, {1}}, {{2}, {0}}} {
		if s.Levels = l; s.Validate() == nil {
			t.Errorf("order %v beside levels %v: wanted an error", s.Order, l)
		}
	}
}

// Beside sets with a count, one without is a single voter.
func TestVotersOfSomeCounts(t *testing.T) {
	order := BucketOrder{{0}, {1}}
	sets := []*Set{{Items: make([]Item, 2), Levels: order, Count: 2}, {Items: make([]Item, 2), Levels: order}, {Items: make([]Item, 2), Levels: BucketOrder{{0, 1}}}}
	if r := Inspect(sets); r.Voters != 4 {
		t.Errorf("%d voters, wanted 4", r.Voters)
	}
	if r := Inspect(sets[1:]); r.Voters != 0 {
		t.Errorf("%d voters without counts, wanted 0", r.Voters)
	}
}
