package dataset

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/riffle-ml/riffle/internal/hint"
)

func TestFill(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("table.csv", "set,item,rank,f,g\nq,a,1,1,\nq,b,2,,-1\nr,c,1,4,\n")
	for fill, want := range map[Fill][][]float64{
		FillMean: {{1, -1}, {2.5, -1}, {4, -1}}, // (1 + 4)/2 and −1
		FillZero: {{1, 0}, {0, -1}, {4, 0}},
	} {
		f, err := Read(path, Options{Empty: true})
		if err != nil {
			t.Fatal(err)
		}
		filled, err := fill.In(f.Sets)
		if err != nil {
			t.Fatal(err)
		}
		var got [][]float64
		for _, s := range f.Sets {
			for _, it := range s.Items {
				got = append(got, it.Features)
			}
			if err := s.Validate(); err != nil {
				t.Errorf("%q: %v", fill, err)
			}
		}
		if d := cmp.Diff(want, got); d != "" || !cmp.Equal(filled, []int{1, 2}) {
			t.Errorf("%q: filled %v, %s", fill, filled, d)
		}
	}
	for _, c := range []struct {
		text string
		fill Fill
		want string
	}{
		{"set,item,rank,f,g\nq,a,1,1,\nq,b,2,3,\n", FillMean, "feature g is empty in all items: it has no mean"},
		{"set,item,rank,f,g\nq,a,1,1,\nq,b,2,3,\n", FillNone, "feature g is empty in 2 items"},
	} {
		f, err := Read(write("bad.csv", c.text), Options{Empty: true})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.fill.In(f.Sets); err == nil || !strings.HasPrefix(hint.Text(err), c.want) {
			t.Errorf("%q: %v, wanted %s", c.fill, err, c.want)
		}
	}
	// A line of LightGBM's that ends with an empty feature has it.
	table := write("label.csv", "1,2,\n0,3,4\n")
	write("label.csv.query", "2\n")
	if f, err := Read(table, Options{Empty: true}); err != nil || len(f.Sets[0].Items[0].Features) != 2 {
		t.Errorf("%v, %v", f, err)
	}
	// Numbers near the largest have a mean too.
	f, err := Read(write("large.csv", "set,item,f\nq,a,1.7e308\nq,b,1.7e308\nq,c,\n"), Options{Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := FillMean.In(f.Sets); err != nil || f.Sets[0].Items[2].Features[0] != 1.7e308 {
		t.Errorf("%v, %v", f.Sets[0].Items[2], err)
	}
	// What is no number is none with a fill either.
	if _, err := Read(write("na.csv", "set,item,f\nq,a,NA\n"), Options{Empty: true}); err == nil || !strings.Contains(hint.Text(err), `:2: f: wanted a finite number (got "NA")`) {
		t.Error(err)
	}
	for text, good := range map[string]bool{"": true, "0": true, "mean": true, "median": false, "Mean": false} {
		if _, err := ParseFill(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// null in JSONL is an empty feature, in a list and by name; elsewhere it is an error.
func TestNullFeatures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	for text, want := range map[string][][]float64{
		`{"items":[{"features":[1,null]},{"features":[null,4]}]}`:                       {{1, math.NaN()}, {math.NaN(), 4}},
		`{"items":[{"features":{"a":1,"b":null}},{"features":{"b":2,"a":3}}]}`:          {{1, math.NaN()}, {3, 2}},
		`{"features":[null],"items":[{"features":[1]},{"features":[2]}],"order":[1,0]}`: {{1, math.NaN()}, {2, math.NaN()}},
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path, Options{}); err == nil || !strings.Contains(hint.Text(err), "is null, wanted a finite number") {
			t.Errorf("%s: error %v", text, err)
		}
		f, err := Read(path, Options{Empty: true})
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		one, err := ParseSet([]byte(text), Options{Empty: true})
		if err != nil {
			t.Fatal(err)
		}
		stream, err := OpenReader(strings.NewReader(text), "-", Options{Empty: true})
		if err != nil {
			t.Fatal(err)
		}
		for s := range stream.All() {
			for _, set := range []*Set{f.Sets[0], one, s} {
				for k, it := range set.Items {
					if diff := cmp.Diff(want[k], it.Features, cmpopts.EquateNaNs()); diff != "" {
						t.Errorf("%s, item %d:\n%s", text, k, diff)
					}
				}
			}
		}
	}
	for _, text := range []string{`{"items":[{"point":[1,null]},{"point":[2,3]}]}`, `{"items":[{"features":null}]}`, `{"items":[{"features":[1]}],"order":[null]}`} {
		if _, err := ParseSet([]byte(text), Options{Empty: true}); err == nil || !strings.Contains(hint.Text(err), "null") {
			t.Errorf("%s: error %v", text, err)
		}
	}
}
