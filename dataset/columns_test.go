package dataset

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/internal/hint"
)

func TestColumnsMatch(t *testing.T) {
	names := func(s string) *Columns { return &Columns{Names: strings.Fields(s)} }
	sparse := func(first int) *Columns { return &Columns{Sparse: true, First: first} }
	for name, c := range map[string]struct {
		have, want *Columns
		features   int
		at         []int
		byPlace    bool
		err        string
	}{
		"the same":                 {names("a b c"), names("a b c"), 3, []int{0, 1, 2}, false, ""},
		"exchanged":                {names("c a b"), names("a b c"), 3, []int{1, 2, 0}, false, ""},
		"mistyped":                 {names("speed weigth cost"), names("cost speed weight"), 3, nil, false, `unknown column "weigth", the nearest is "weight"`},
		"renamed":                  {names("a b seats"), names("a b errors"), 3, nil, false, `unknown column "seats", and column "errors" is missing`},
		"one more":                 {names("a b c d"), names("a b c"), 4, nil, false, `unknown column "d", wanted a, b, c`},
		"one less":                 {names("a c"), names("a b c"), 2, nil, false, `column "b" is missing, has a, c`},
		"a list for names":         {nil, names("a b c"), 3, []int{0, 1, 2}, true, ""},
		"a short list":             {nil, names("a b c"), 2, nil, false, "has 2 features, wanted 3"},
		"names for none":           {names("a b c"), nil, 3, []int{0, 1, 2}, true, ""},
		"numbers":                  {sparse(1), sparse(1), 3, []int{0, 1, 2}, false, ""},
		"numbers without the last": {sparse(1), sparse(1), 2, []int{0, 1, -1}, false, ""},
		"numbers without the 0":    {sparse(1), sparse(0), 2, []int{-1, 0, 1}, false, ""},
		"numbers with a 0 more":    {sparse(0), sparse(1), 4, []int{1, 2, 3}, false, ""},
		"numbers for names":        {sparse(1), names("a b c"), 3, []int{0, 1, 2}, true, ""},
		"numbers for a list":       {sparse(1), nil, 2, []int{0, 1, -1}, false, ""},
	} {
		at, byPlace, err := c.have.Match(c.want, 3, c.features)
		if c.err != "" {
			if err == nil || hint.Text(err) != c.err {
				t.Errorf("%s: error %v, wanted %q", name, err, c.err)
			}
			continue
		}
		if err != nil || !slices.Equal(at, c.at) || byPlace != c.byPlace {
			t.Errorf("%s: %v, by place %v, %v; wanted %v, %v", name, at, byPlace, err, c.at, c.byPlace)
		}
	}
}

// Features with names may stand in another order in each item and line; all end as in the first.
func TestNamedFeatures(t *testing.T) {
	const text = `{"items": [{"features": {"runs": 1, "<hits>": 2}}, {"features": {"<hits>": 4, "runs": 3}}], "order": [1, 0]}
{"id": "b", "items": [{"features": {"<hits>": 6, "runs": 5}}]}
`
	read := func(text string) ([]*Set, error) {
		r, err := NewJSONLReader(strings.NewReader(text), "x.jsonl")
		if err != nil {
			return nil, err
		}
		var sets []*Set
		for s, err := range r.All() {
			if err != nil {
				return nil, err
			}
			sets = append(sets, s)
		}
		return sets, nil
	}
	sets, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	want := &Columns{Names: []string{"runs", "<hits>"}}
	for i, rows := range [][][]float64{{{1, 2}, {3, 4}}, {{5, 6}}} {
		if diff := cmp.Diff(want, sets[i].Columns); diff != "" {
			t.Errorf("set %d: columns (-want +got):\n%s", i, diff)
		}
		for k, row := range rows {
			if !slices.Equal(sets[i].Items[k].Features, row) {
				t.Errorf("set %d: item %d: %v, wanted %v", i, k, sets[i].Items[k].Features, row)
			}
		}
	}
	var b bytes.Buffer
	w := NewJSONLWriter(&b)
	for _, s := range sets {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if again, err := read(b.String()); err != nil || cmp.Diff(sets, again) != "" {
		t.Errorf("written %s and read again: %v\n%s", &b, err, cmp.Diff(sets, again))
	}
	for line, wanted := range map[string]string{
		`{"items": [{"features": {"a": 1}}, {"features": {"b": 1}}]}`:                                `1: item 1: features: unknown column "b", and column "a" is missing`,
		`{"items": [{"features": {"a": 1}}, {"features": [1]}]}`:                                     `1: item 1: features: is a list, wanted names and numbers as item 0 has`,
		`{"items": [{"features": [1]}, {"features": {"a": 1}}]}`:                                     `1: item 1: features: has names, wanted a list as item 0 has`,
		`{"items": [{"features": {"a": "x"}}]}`:                                                      `1: item 0: features: "a": is "x", wanted a finite number`,
		`{"items": [{"features": {"a": 1, "a": 2}}]}`:                                                `1: item 0: features: field "a" is there twice`,
		`{"items": [{"features": {}}]}`:                                                              `1: item 0: features: has no numbers, wanted 1 or more`,
		`{"items": [{"features": {"a": 1, "b": 2}}]}` + "\n" + `{"items": [{"features": {"a": 1}}]}`: `2: item 0: features: column "b" is missing, has a`,
		`{"items": [{"features": {"a": 1}}]}` + "\n" + `{"items": [{"features": [1]}]}`:              `2: item 0: features: is a list, wanted names and numbers as line 1 has`,
		`{"items": [{"features": {"cost": 1, "age": 1}}, {"features": {"cots": 1, "age": 1}}]}`:      `unknown column "cots", the nearest is "cost"`,
		`{"items": [{"features": {"a": 1e999}}]}`:                                                    `1e999 is beyond the largest float64`,
		`{"items": [{"features": {"a": 1}}, {"features": {"a": 1, "c": 2}}]}`:                        `unknown column "c", wanted a`,
	} {
		if _, err := read(line); err == nil || !strings.Contains(hint.Text(err), wanted) {
			t.Errorf("%s: error %v, wanted %q", line, err, wanted)
		}
	}
	if _, err := parseCSV("set,item,f,g,f\na,x,1,2,3\n", "x.csv"); err == nil || hint.Text(err) != `x.csv:1: column "f" is there twice` {
		t.Errorf("a column twice: %v", err)
	}
}
