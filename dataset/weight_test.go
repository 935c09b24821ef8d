package dataset

import (
	"fmt"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/hint"
)

// A set counts as often as it says, in JSONL and in tables.
func TestWeights(t *testing.T) {
	sets, err := readAll(`{"items":[{},{}],"order":[0,1],"count":3}` + "\n" + `{"weight":2e3,"items":[{},{}]}` + "\n" + `{"items":[{}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{3, 2000, 0} {
		if sets[i].Count != want {
			t.Errorf("set %d counts %d times, wanted %d", i, sets[i].Count, want)
		}
	}
	var text strings.Builder
	w := NewJSONLWriter(&text)
	if err := w.Write(sets[0]); err != nil || w.Flush() != nil || !strings.Contains(text.String(), `"count":3`) {
		t.Errorf("written as %q, %v", text.String(), err)
	}
	for line, want := range map[string]string{
		`{"items":[{}],"count":0}`:            "count: is 0, wanted a whole number of 1 to ",
		`{"items":[{}],"count":1.5}`:          "count: is 1.5, wanted a whole number of 1 to 68719476736: a set counts as so many people who gave it, who are dealt out and resampled one by one\nhint: multiply all weights by what makes them whole",
		`{"items":[{}],"weight":"2"}`:         `weight: is "2", wanted a whole number`,
		`{"items":[{}],"weight":1e300}`:       "weight: is 1e300, wanted a whole number",
		`{"count":1,"items":[{}],"weight":1}`: `weight: is there beside "count" or "weight"`,
	} {
		if _, err := ParseSet([]byte(line), Options{}); err == nil || !strings.HasPrefix(hint.Text(err), want) {
			t.Errorf("%s: error %v, wanted %q", line, err, want)
		}
	}
	table := "set,item,rank,size,Count\na,x,1,4,7\na,y,2,5,7\nb,x,1,4,1\nb,y,2,5,1\n"
	sets, err = parseCSV(table, "t.csv")
	if err != nil || sets[0].Count != 7 || sets[1].Count != 1 || len(sets[0].Items[0].Features) != 1 {
		t.Errorf("of a table: %+v, %v", sets, err)
	}
	for text, want := range map[string]string{
		"set,item,rank,count\na,x,1,7\na,y,2,5\n": "t.csv:3: count: is 5, wanted 7 as line 2 of set a has\nhint: count is how often the set counts; a feature needs another name",
		"set,item,rank,count\na,x,1,0.5\n":        "t.csv:2: count: is 0.5, wanted a whole number",
	} {
		if _, err := parseCSV(text, "t.csv"); err == nil || !strings.HasPrefix(hint.Text(err), want) {
			t.Errorf("%q: error %v, wanted %q", text, err, want)
		}
	}
}

// Features of a set are those of each of its items too, by name where there are names, and
// wherever in the line they stand.
func TestFeaturesOfASet(t *testing.T) {
	for line, want := range map[string]string{
		`{"features":[7,8],"items":[{"features":[1]},{"features":[2]}]}`:           "[1 7 8] [2 7 8]",
		`{"items":[{"features":{"a":1}},{"features":{"a":2}}],"features":{"q":7}}`: "[1 7] [2 7] [a q]",
		`{"items":[],"features":[1]}`:                                              "",
	} {
		s, err := ParseSet([]byte(line), Options{})
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		var got []string
		for _, it := range s.Items {
			got = append(got, fmt.Sprint(it.Features))
		}
		if s.Columns != nil {
			got = append(got, fmt.Sprint(s.Columns.Names))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("%s: %s, wanted %s", line, text, want)
		}
	}
	for line, want := range map[string]string{
		`{"features":[7],"items":[{},{}]}`:                           "features: belong to the set, whose items have none of their own: items are bare",
		`{"features":{"q":7},"items":[{"features":[1]}]}`:            "features: has names, wanted a list as item 0 has",
		`{"features":[7],"items":[{"features":{"a":1}}]}`:            "features: is a list, wanted names",
		`{"features":{"a":7},"items":[{"features":{"a":1}}]}`:        `features: "a" is a feature of the items already`,
		`{"features":[],"items":[{"features":[1]}]}`:                 "features: has no numbers",
		`{"features":[1],"features":[2],"items":[{"features":[1]}]}`: "field \"features\" is there twice",
	} {
		if _, err := ParseSet([]byte(line), Options{}); err == nil || !strings.Contains(hint.Text(err), want) {
			t.Errorf("%s: error %v, wanted %q", line, err, want)
		}
	}
	sets, err := readAll(`{"features":{"q":7},"items":[{"features":{"a":1}}]}` + "\n" + `{"features":{"q":8},"items":[{"features":{"a":2}}]}`)
	if err != nil || fmt.Sprint(sets[1].Items[0].Features) != "[2 8]" {
		t.Errorf("of a file: %v", err)
	}
}
