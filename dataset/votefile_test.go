package dataset

import (
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/hint"
)

// header is one of PrefLib's format, with names.
func header(kind, voters, orders string, names ...string) string {
	b := "# DATA TYPE: " + kind + "\n# NUMBER ALTERNATIVES: " + string(rune('0'+len(names))) + "\n# NUMBER VOTERS: " + voters + "\n# NUMBER UNIQUE ORDERS: " + orders + "\n"
	for i, name := range names {
		b += "# ALTERNATIVE NAME " + string(rune('1'+i)) + ": " + name + "\n"
	}
	return b
}

// A header's voters and orders are held against the file's.
func TestPrefLibHeader(t *testing.T) {
	for name, c := range map[string]struct{ text, warning string }{
		"as it says":             {header("soi", "9", "3", "Red", "Green", "Blue") + "5: 1,2,3\n3: 2\n1: 3,1\n", ""},
		"cut off":                {header("soi", "12", "4", "Red", "Green", "Blue") + "5: 1,2,3\n3: 2\n1: 3,1\n", "the header says 12 voters and 4 different orders, the file has 9 voters and 3 orders: was it cut off, or changed?"},
		"changed":                {header("soc", "99", "2", "A", "B", "C") + "2: 1,2,3\n1: 3,2,1\n", "the header says 99 voters and 2 different orders, the file has 3 voters and 2 orders: was it cut off, or changed?"},
		"one order on two lines": {header("soc", "3", "2", "A", "B") + "2: 1,2\n1: 1,2\n", ""},
		"no numbers":             {header("soc", "few", "1", "A", "B") + "2: 1,2\n", `the header's numbers of voters and of orders are no numbers ("few" and "1")`},
		"before":                 {"2\n1,A\n2,B\n3,3,2\n2,1,2\n1,2,1\n", ""},
		"before, cut off":        {"2\n1,A\n2,B\n3,3,2\n2,1,2\n", "the header says 3 voters and 2 different orders, the file has 2 voters and 1 orders: was it cut off, or changed?"},
	} {
		p, err := ParsePrefLib(strings.NewReader(c.text), "x")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.Join(p.Warnings, "\n"); got != c.warning {
			t.Errorf("%s: %q, wanted %q", name, got, c.warning)
		}
	}
}

// Blank ballots are voters who say nothing, in whatever way the file has them.
func TestBlankBallots(t *testing.T) {
	for _, blank := range []string{"3: ", "3:", "3: {}", "2: {}\n1:"} {
		p, err := ParsePrefLib(strings.NewReader(header("toi", "12", "4", "Red", "Green", "Blue")+"5: 1,2,3\n3: 2\n1: 3,1\n"+blank), "x")
		if err != nil || len(p.Warnings) > 0 || len(p.Orders) != 4 || p.Orders[3].Count != 3 || p.Orders[3].Levels != nil {
			t.Fatalf("%q: %v, %+v", blank, err, p)
		}
		r := Inspect(p.Orders)
		if r.Voters != 12 || r.Blank != 3 || !slices.Equal(r.Warnings, []string{"3 of 12 voters say nothing", "3 of 12 voters put no item before another: they name one item, or all are tied"}) {
			t.Errorf("%q: %d voters, %d blank, %q", blank, r.Voters, r.Blank, r.Warnings)
		}
	}
	// Each voter of SUSHI's has a line.
	sets, warnings, err := newSushi(strings.NewReader("2 1\n0 2 1 0\n0 0\n"), "x")
	if err != nil || warnings != nil || len(sets) != 2 || sets[1].Levels != nil {
		t.Errorf("%v, %q, %+v", err, warnings, sets)
	}
	if r := Inspect(sets); r.Unknown != 1 {
		t.Errorf("%+v", r)
	}
}

// Names without their number are enough; faults go by the file's numbers and names.
func TestAlternatives(t *testing.T) {
	council := "# DATA TYPE: toi\n# ALTERNATIVE NAME 1: Ona\n# ALTERNATIVE NAME 2: Pim\n# ALTERNATIVE NAME 3: Quy\n"
	p, err := ParsePrefLib(strings.NewReader(council+"3: {1,2},3\n2: 3,2\n"), "x")
	if err != nil || !slices.Equal(p.Alternatives, []string{"Ona", "Pim", "Quy"}) {
		t.Fatalf("%+v, %v", p, err)
	}
	if r := Inspect(p.Orders); r.Items != 3 || r.Voters != 5 || r.Tied != 1 {
		t.Errorf("%+v", r)
	}
	if format := sniffLines([]byte(council[len("# DATA TYPE: toi\n"):]), true, ""); format != FormatPrefLib {
		t.Errorf("names alone are taken for %q", format)
	}
	soi := header("soi", "5", "2", "North", "East", "South", "West")
	for text, want := range map[string]string{
		soi + "4: 1,2\n1: 3,1,3\n":                    "x.soi:10: alternative 3 (South) is there twice",
		"# NUMBER ALTERNATIVES: 2\n1: 2,2":            "x.soi:2: alternative 2 is there twice",
		"3\n1,A\n1,B\n3,C\n3,3,2\n2,1,2,3\n1,3,2,1\n": "x.soi:3: alternative 1 is there twice",

		"# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 1: b\n1: 1,2": "x.soi:3: alternative 1 is there twice",
		"# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 3: c\n1: 1,3":                           "x.soi:3: alternative 2 has no name and NUMBER ALTERNATIVES is missing: how many there are is not known",
		"# ALTERNATIVE NAME 3: c\n# NUMBER ALTERNATIVES: 2\n1: 1,2":                          "x.soi:2: number of alternatives: alternative 3 has a name (got 2)",
		"# ALTERNATIVE NAME 1: a\n1: 1\n# NUMBER ALTERNATIVES: 2\n1: 1,2":                    `x.soi:3: number alternatives: wanted one number, once (got "2")`,
		"# NUMBER ALTERNATIVES: 2\n68719476736: 1,2\n1: 2,1":                                 "x.soi:3: count 1: more than 68719476736 voters in all",
	} {
		if _, err := ParsePrefLib(strings.NewReader(text), "x.soi"); err == nil || hint.Text(err) != want {
			t.Errorf("%q: got %v, wanted %s", text, err, want)
		}
	}
	p, err = ParsePrefLib(strings.NewReader(soi+"4: 1,2\n1: 3,1\n"), "x.soi")
	if err != nil {
		t.Fatal(err)
	}
	if r := Inspect(p.Orders); !slices.Contains(r.Warnings, "1 item is in no order: West") {
		t.Errorf("%q", r.Warnings)
	}
}

// SUSHI's lines say how many items they have.
func TestSushiCounts(t *testing.T) {
	_, warnings, err := newSushi(strings.NewReader("4 1\n0 3 2 0 1\n0 3 1 2\n0 9 1 2\n"), "x")
	if want := []string{"2 lines have not as many items as the second field says, first line 3: was the file cut off, or changed?", "the first line says 4 items, the lists name 0 to 2"}; err != nil || !slices.Equal(warnings, want) {
		t.Errorf("%q, %v", warnings, err)
	}
}
