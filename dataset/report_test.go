package dataset

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestInspect(t *testing.T) {
	read := func(sets []*Set, err error) []*Set {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return sets
	}
	prefLib := func(text string) []*Set {
		t.Helper()
		p, err := ParsePrefLib(strings.NewReader(text), "x")
		if err != nil {
			t.Fatal(err)
		}
		return p.Orders
	}
	jsonl := func(text string) []*Set {
		t.Helper()
		r, err := NewJSONLReader(strings.NewReader(text), filepath.Join(t.TempDir(), "x"))
		if err != nil {
			t.Fatal(err)
		}
		var sets []*Set
		for s, err := range r.All() {
			if err != nil {
				t.Fatal(err)
			}
			sets = append(sets, s)
		}
		return sets
	}
	csv := func(text string) []*Set { t.Helper(); return read(parseCSV(text, "x")) }
	svm := func(text string) []*Set { t.Helper(); return read(ParseSVMLight(strings.NewReader(text), "x")) }
	for _, c := range []struct {
		name     string
		sets     []*Set
		want     Report
		warnings []string // how each begins
	}{
		{"nothing", nil, Report{}, []string{"there are no sets"}},
		{
			"votes", prefLib("# NUMBER ALTERNATIVES: 3\n4: 3,{1,2}\n1: 2,3\n2: 1,3,2\n"),
			Report{Sets: 3, Voters: 7, Kind: "bare", Items: 3, SizeMin: 2, SizeMedian: 3, SizeMax: 3, Complete: 1, Partial: 2, Tied: 1, Missing: 1, Parts: 1},
			nil,
		},
		{
			// 0 before 1, 3 before 4, nobody names 2.
			"votes in parts", prefLib("# NUMBER ALTERNATIVES: 5\n1: 1,2\n1: 4,5\n1: 5,4\n"),
			Report{Sets: 3, Voters: 3, Kind: "bare", Items: 5, SizeMin: 2, SizeMedian: 2, SizeMax: 2, Partial: 3, Missing: 3, Parts: 4},
			[]string{"1 item is in no order: 3", "the comparison graph has 4 strongly connected parts, the largest of 2 of 5 items: "},
		},
		{
			"ranks for relevances", svm("1 qid:1 1:1 2:5\n2 qid:1 1:2 2:5\n3 qid:1 1:3 2:5\n1 qid:2 1:-2e30 2:5\n2 qid:2 1:5 2:5\n"),
			Report{Sets: 2, Kind: "features", Items: 5, Width: 2, SizeMin: 2, SizeMedian: 3, SizeMax: 3, Complete: 2},
			[]string{"the order is n−1, …, 1, 0 in every set: ", "1 feature is the same everywhere: 2", "1 feature is above 1e+30 in size: 1"},
		},
		{
			"ranks in any order for relevances", svm("2 qid:1 1:1\n1 qid:1 1:2\n3 qid:1 1:3\n1 qid:2 1:4\n2 qid:2 1:5\n"),
			Report{Sets: 2, Kind: "features", Items: 5, Width: 1, SizeMin: 2, SizeMedian: 3, SizeMax: 3, Complete: 2},
			[]string{"the relevances are 1, 2, …, n in every set: are these ranks?"},
		},
		{
			"grades", svm("2 qid:1 1:1\n1 qid:1 1:2\n3 qid:1 1:3\n1 qid:2 1:4\n3 qid:2 1:5\n"),
			Report{Sets: 2, Kind: "features", Items: 5, Width: 1, SizeMin: 2, SizeMedian: 3, SizeMax: 3, Complete: 2},
			nil,
		},
		{
			"numbers of lines", csv("set,item,rank,f\na,x,1,1\na,y,2,2\nb,z,1,3\nb,w,2,4\n"),
			Report{Sets: 2, Kind: "features", Items: 4, Width: 1, SizeMin: 2, SizeMedian: 2, SizeMax: 2, Complete: 2},
			[]string{"the order is 0, 1, …, n−1 in every set: "},
		},
		{
			"sets of one item", csv("set,item,rank,f\na,x,1,1\nb,z,1,3\n"),
			Report{Sets: 2, Kind: "features", Items: 2, Width: 1, SizeMin: 1, SizeMedian: 1, SizeMax: 1, Complete: 2, Silent: 2},
			[]string{"no set puts an item before another", "every set has one item or none"},
		},
		{
			"repeats", jsonl(`{"items": [{"features": [1]}, {"features": [1]}], "order": [1, 0]}
{"items": [{"features": [1]}, {"features": [1]}], "rank": [1, 0]}
{"items": [{"features": [2]}, {"features": [1]}], "order": [0, 1]}
{"items": [{"features": [2]}]}
`),
			Report{Sets: 4, Kind: "features", Items: 7, Width: 1, SizeMin: 1, SizeMedian: 2, SizeMax: 2, Complete: 3, Unknown: 1, Repeated: 1},
			[]string{"1 of 4 sets have no order", "1 set gives \"rank\", the others \"order\"", "1 set has the items and the order of an earlier one", "2 sets have equal items at different places"},
		},
		{
			"images that are not there", jsonl(`{"items": [{"image": "a.png"}, {"image": "b.png"}], "order": [1, 0]}`),
			Report{Sets: 1, Kind: "image", Items: 2, SizeMin: 2, SizeMedian: 2, SizeMax: 2, Complete: 1},
			[]string{"2 images are not there, the first is "},
		},
		{
			"of two kinds, one empty", jsonl("{\"items\": [{\"point\": [1, 2]}]}\n{\"items\": []}\n{\"items\": [{}, {}]}\n"),
			Report{Sets: 3, Kind: "mixed", Items: 3, SizeMin: 0, SizeMedian: 1, SizeMax: 2, Complete: 1, Unknown: 2, Silent: 1},
			[]string{"sets of point and of bare items in one file", "2 of 3 sets have no order", "no set puts", "1 set has no items"},
		},
		{
			// Queries 1 and 4 have one document, and 2 has three of one grade.
			"grades that say nothing", svm("1 qid:1 1:0.3 2:0.1\n0 qid:2 1:0.2 2:0.5\n0 qid:2 1:0.9 2:0.1\n0 qid:2 1:0.4 2:0.4\n2 qid:3 1:0.9 2:0.3\n0 qid:3 1:0.1 2:0.2\n3 qid:4 1:0.7 2:0.7\n1 qid:5 1:0.8 2:0.2\n0 qid:5 1:0.2 2:0.9\n0 qid:5 1:0.3 2:0.3\n"),
			Report{Sets: 5, Kind: "features", Items: 10, Width: 2, SizeMin: 1, SizeMedian: 2, SizeMax: 3, Complete: 3, Partial: 2, Tied: 2, Silent: 3},
			[]string{"3 of 5 sets put no item before another: "},
		},
		{
			"what the file calls them", csv("set,item,rank,speed,wheels\na,x,1,1,4\na,y,2,2,4\nb,z,2,3,4\nb,w,1,4,4\n"),
			Report{Sets: 2, Kind: "features", Items: 4, Width: 2, SizeMin: 2, SizeMedian: 2, SizeMax: 2, Complete: 2},
			[]string{"1 feature is the same everywhere: wheels"},
		},
		{
			"features without names", jsonl(`{"items": [{"features": [1, 2]}, {"features": [3, 2]}], "order": [1, 0]}`),
			Report{Sets: 1, Kind: "features", Items: 2, Width: 2, SizeMin: 2, SizeMedian: 2, SizeMax: 2, Complete: 1},
			[]string{"1 feature is the same everywhere, counted from 0: 1"},
		},
		{
			"features from 1 on, one left out", svm("2 qid:1 1:2.1 2:0.1 3:0.4\n1 qid:1 1:1.1 2:0.2 3:0.1 5:0.3\n0 qid:2 1:0.2 2:0.1 3:0.5\n2 qid:2 1:2.2 2:1 3:0.2 5:0.9\n"),
			Report{Sets: 2, Kind: "features", Items: 4, Width: 5, SizeMin: 2, SizeMedian: 2, SizeMax: 2, Complete: 2},
			[]string{"1 feature is the same everywhere: 4"},
		},
		{
			"voters who agree", csv("set,item,rank\na,x,2\na,y,1\nb,x,2\nb,y,1\n"),
			Report{Sets: 2, Kind: "bare", Items: 2, SizeMin: 2, SizeMedian: 2, SizeMax: 2, Complete: 2, Repeated: 1, Parts: 2},
			[]string{"the comparison graph has 2 strongly connected parts"},
		},
	} {
		got := Inspect(c.sets)
		if d := cmp.Diff(&c.want, got, cmpopts.IgnoreFields(Report{}, "Warnings")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		ok := len(got.Warnings) == len(c.warnings)
		for i, w := range c.warnings {
			ok = ok && strings.HasPrefix(got.Warnings[i], w)
		}
		if !ok {
			t.Errorf("%s: warnings %q, wanted %q", c.name, got.Warnings, c.warnings)
		}
	}
}
