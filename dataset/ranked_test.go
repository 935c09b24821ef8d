package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
)

// Drawn orders are uniform over the linear extensions, which are listed by filtering S_4.
func TestLevelsDraw(t *testing.T) {
	for _, l := range []BucketOrder{nil, {{2}, {0, 3}}, {{1}, {0}, {3}, {2}}, {{0, 1, 2, 3}}, {{3}}, {{1, 2}, {0}}} {
		var allowed []string
		for o := range perm.All(4) {
			if l.Allows(o) != consistent(l, o) {
				t.Fatalf("%v allows %v: %v", l, o, l.Allows(o))
			}
			if consistent(l, o) {
				allowed = append(allowed, fmt.Sprint(o))
			}
		}
		const draws = 12_000
		count := map[string]int{}
		rng := rand.New(rand.NewPCG(1, 2))
		for range draws {
			o := l.Draw(rng, 4)
			if err := o.Validate(); err != nil {
				t.Fatalf("%v: %v", l, err)
			}
			count[fmt.Sprint(o)]++
		}
		chi, expected := 0.0, float64(draws)/float64(len(allowed))
		for _, key := range allowed {
			d := float64(count[key]) - expected
			chi += d * d / expected
			delete(count, key)
		}
		if len(count) > 0 {
			t.Errorf("%v: drew inconsistent orders %v", l, count)
		}
		if df := float64(len(allowed) - 1); chi > df+5*math.Sqrt(2*df)+5 { // far out of its spread
			t.Errorf("%v: chi-square %.1f with %d degrees of freedom", l, chi, len(allowed)-1)
		}
	}
}

func consistent(l BucketOrder, o perm.Order) bool {
	rank := o.Rank()
	for i, better := range l {
		for _, worse := range l[i+1:] {
			for _, a := range better {
				for _, b := range worse {
					if rank[a] > rank[b] {
						return false
					}
				}
			}
		}
	}
	return true
}

func TestSVMLight(t *testing.T) {
	sets, err := ParseSVMLight(strings.NewReader(`2 qid:10 1:0.5 3:1.797e308 # docA
0 qid:2 1:1 2:2
-1 qid:10 2:-3 # docB

1 qid:10 # docA
2 qid:10 1:1e-3
`), "x")
	if err != nil {
		t.Fatal(err)
	}
	numbered := &Columns{Sparse: true, First: 1}
	want := []*Set{
		{ID: "10", Kind: KindFeatures, Line: 1, Columns: numbered, Items: []Item{
			{ID: "docA", Features: []float64{.5, 0, 1.797e308}},
			{ID: "docB", Features: []float64{0, -3, 0}},
			{ID: "docA (line 5)", Features: []float64{0, 0, 0}}, // a number could be the name of another
			{Features: []float64{1e-3, 0, 0}},
		}, Levels: BucketOrder{{0, 3}, {2}}, Relevance: []float64{2, -1, 1, 2}},
		{ID: "2", Kind: KindFeatures, Line: 2, Columns: numbered, Items: []Item{{Features: []float64{1, 2, 0}}}, Levels: BucketOrder{{0}}, Relevance: []float64{0}, Order: perm.Order{0}, OrderGiven: "order"},
	}
	if d := cmp.Diff(want, sets); d != "" {
		t.Error(d)
	}
	zero, err := ParseSVMLight(strings.NewReader("1 qid:a 0:7 1:8\n"), "x") // numbered from 0
	if err != nil || !reflect.DeepEqual(zero[0].Items[0].Features, []float64{7, 8}) {
		t.Errorf("from 0: %v, %v", zero, err)
	}
	for text, message := range map[string]string{
		"1 1:2":                      `x:1: wanted qid:QUERY after the relevance (got "1:2")`,
		"1":                          `x:1: wanted qid:QUERY after the relevance (got "")`,
		"a qid:1 1:2":                `x:1: relevance: wanted a finite number (got "a")`,
		"1 qid:1 1:2\n1 qid:1 1:NaN": `x:2: feature "1:NaN": wanted a finite number (got "NaN")`,
		"1 qid:1 1:1e999":            `x:1: feature "1:1e999": wanted a finite number (got "1e999")`,
		"1 qid:1 2:1 2:1":            `x:1: feature 2 is there twice`,
		"1 qid:1 3:1 1:1 3:1":        `x:1: feature 3 is there twice`,
		"1 qid:1 1:0x10":             `x:1: feature "1:0x10": wanted a finite number (got "0x10")`,
		"1_0 qid:1 1:1":              `x:1: relevance: wanted a finite number (got "1_0")`,
		"1 qid:1 9999999999:1":       `x:1: feature "9999999999:1": wanted a number of 0 to 1048576`,
		"1 qid:1 x":                  `x:1: feature "x": wanted number:value`,
		"1 qid:1":                    `x: no line has a feature`,
		"1 qid:\xff 1:2":             `x:1: is not UTF-8`,
	} {
		if _, err := ParseSVMLight(strings.NewReader(text), "x"); err == nil || hint.Text(err) != message {
			t.Errorf("%q: got %v, want %s", text, err, message)
		}
	}
}

func TestCSV(t *testing.T) {
	sets, err := parseCSV("\xef\xbb\xbfrank;Item;set;speed;weight\n2;a;r1;1;2\n1;b;r1;3;4\n1;a;r2;5;6\n;c;r1;7;8\n", "x")
	if err != nil {
		t.Fatal(err)
	}
	named := &Columns{Names: []string{"speed", "weight"}}
	want := []*Set{
		{ID: "r1", Kind: KindFeatures, Line: 2, Columns: named, Items: []Item{{ID: "a", Features: []float64{1, 2}}, {ID: "b", Features: []float64{3, 4}}, {ID: "c", Features: []float64{7, 8}}}, Levels: BucketOrder{{1}, {0}}},
		{ID: "r2", Kind: KindFeatures, Line: 4, Columns: named, Items: []Item{{ID: "a", Features: []float64{5, 6}}}, Levels: BucketOrder{{0}}, Order: perm.Order{0}, OrderGiven: "order"},
	}
	if d := cmp.Diff(want, sets); d != "" {
		t.Error(d)
	}
	// Without features items are known by their id, the same in every set; a set has those that it names.
	sets, err = parseCSV("set,item,rank\nx,a,1\nx,b,1\ny,c,2\ny,a,5\n", "x")
	if err != nil {
		t.Fatal(err)
	}
	want = []*Set{
		{ID: "x", Line: 2, Items: []Item{{ID: "a"}, {ID: "b"}}, Levels: BucketOrder{{0, 1}}},
		{ID: "y", Line: 4, Items: []Item{{ID: "c"}, {ID: "a"}}, Levels: BucketOrder{{0}, {1}}, Order: perm.Order{0, 1}, OrderGiven: "order"},
	}
	if d := cmp.Diff(want, sets); d != "" {
		t.Error(d)
	}
	for text, message := range map[string]string{
		"":                                "x: is empty, wanted a header such as set,item,rank",
		"a,b\n":                           "x:1: column \"set\" is missing (got a, b)\nhint: the nearest format is set,item,rank,FEATURE,…; the formats are " + tableFormats,
		"sets,item,rank\n":                "x:1: column \"set\" is missing (got sets, item, rank)\nhint: the nearest format is set,item,rank,FEATURE,… with \"set\" for \"sets\"; the formats are " + tableFormats,
		"name,rank1,rank2\n":              "x:1: column \"name\": is none of a table of ballots (got name, rank1, rank2)\nhint: the nearest format is rank1,rank2,…,count; the formats are " + tableFormats,
		"rank1,rank3\n":                   "x:1: columns of places: wanted 1, 2 and so on, each once (got rank1, rank3)\nhint: the nearest format is rank1,rank2,…,count; the formats are " + tableFormats,
		"set,item,rank,f,f\n":             `x:1: column "f" is there twice`,
		"set,item,rank,,f\n":              "x:1: column 4: wanted a name in UTF-8 (got \"\")",
		"set,item,set\n":                  `x:1: column "set" is there twice`,
		"set,item,rank\na,b,x\n":          `x:2: rank: wanted a finite number (got "x")`,
		"set,item,rank,f\na,b,1,\n":       "x:2: f: is empty, wanted a finite number\nhint: fill in a number, or leave the column out",
		"set,item,rank\na,b,1\nc,,1\n":    `x:3: item: wanted a name in UTF-8 (got "")`,
		"set,item,rank\na,b,1\n\na,b,2\n": `x:4: item: "b" is in set a on line 2 already`,
		"set,item,rank\na,b,1700000000000000200\n": "x:2: rank: is beyond 2^53, where whole numbers are no longer told apart (got 1700000000000000200)\nhint: number the ranks, such as 1, 2, 3",
		"set,item,rank\na,b\n":                     "x:2: has 2 fields, wanted 3 as the header has",
		"set,item,rank\na,\"b\xff\",1\n":           `x:2: item: wanted a name in UTF-8 (got "b\xff")` + "\nhint: save the table as UTF-8; the bytes may be those of Windows-1252",
	} {
		if _, err := parseCSV(text, "x"); err == nil || hint.Text(err) != message {
			t.Errorf("%q: got %v, want %s", text, err, message)
		}
	}
}

func TestPrefLib(t *testing.T) {
	const now = `# FILE NAME: x.toi
# TITLE: A vote
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 4
# ALTERNATIVE NAME 2: Bo: the second
# NUMBER UNIQUE ORDERS: 3
3: 3,1,{2,4}
2: 2
1: 3,1,{4,2}
`
	p, err := ParsePrefLib(strings.NewReader(now), "votes.txt")
	if err != nil {
		t.Fatal(err)
	}
	if p.Type != "toi" || p.Title != "A vote" || !reflect.DeepEqual(p.Alternatives, []string{"1", "Bo: the second", "3", "4"}) {
		t.Errorf("%+v", p)
	}
	items := []Item{{ID: "1"}, {ID: "Bo: the second"}, {ID: "3"}, {ID: "4"}}
	want := []*Set{
		{ID: "1", Line: 7, Count: 4, Items: items, Levels: BucketOrder{{2}, {0}, {1, 3}}}, // lines 7 and 9 are one order
		{ID: "2", Line: 8, Count: 2, Items: items, Levels: BucketOrder{{1}}},
	}
	if d := cmp.Diff(want, p.Orders); d != "" {
		t.Error(d)
	}
	const before = "3\n1,Ann\n2,Bo\n3,Cy\n7,7,2\n5,2,1,3\n2,{1,3},2\n"
	p, err = ParsePrefLib(strings.NewReader(before), "x.toc")
	if err != nil || p.Type != "toc" || p.Alternatives[2] != "Cy" {
		t.Fatalf("%+v, %v", p, err)
	}
	if s := p.Orders[0]; !reflect.DeepEqual(s.Order, perm.Order{1, 0, 2}) || s.Count != 5 {
		t.Errorf("%+v", s)
	}
	if s := p.Orders[1]; s.Order != nil || !reflect.DeepEqual(s.Levels, BucketOrder{{0, 2}, {1}}) {
		t.Errorf("%+v", s)
	}
	if p, err := ParsePrefLib(strings.NewReader(before), "x"); err != nil || p.Type != "toc" { // as the orders show
		t.Errorf("%+v, %v", p, err)
	}
	for text, message := range map[string]string{
		before + "1,2":               `x.soc:7: has ties, which type soc has not`,
		"2\n1,a\n2,b\n1,1,1\n1,2":    `x.soc:5: orders 1 of 2 alternatives, type soc orders all`,
		"2\n1,a\n2,b\n1,1,1\n1,2,2":  `x.soc:5: alternative 2 (b) is there twice`,
		"2\n1,a\n2,b\n1,1,1\n1,2,3":  `x.soc:5: alternative "3": wanted 1 to 2`,
		"2\n1,a\n2,b\n1,1,1\n1,{2,1": `x.soc:5: a brace is not closed (in "{2,1")`,
		"2\n1,a\n2,b\n1,1,1\n0,2,1":  `x.soc:5: wanted a count of 1 or more and an order (got "0,2,1")`,
		"99999999\n":                 `x.soc:1: number of alternatives: wanted 1 to 65536 (got 99999999)`,
		"1: 2,1\n":                   `x.soc:1: wanted "# NUMBER ALTERNATIVES: n", or the number of alternatives, before the first order`,
		"# DATA TYPE: dat":           `x.soc:1: data type "dat": wanted one of soc, soi, toc, toi`,
		"":                           "x.soc: ends before the first order",
	} {
		if _, err := ParsePrefLib(strings.NewReader(text), "x.soc"); err == nil || hint.Text(err) != message {
			t.Errorf("%q: got %v, want %s", text, err, message)
		}
	}
}

func TestSushi(t *testing.T) {
	sets, err := ParseSushi(strings.NewReader("10 1\n0 3 2 0 1\n0 2 1 2\n"), "x.order")
	if err != nil || len(sets) != 2 {
		t.Fatal(sets, err)
	}
	if !reflect.DeepEqual(sets[0].Order, perm.Order{2, 0, 1}) || sets[1].Order != nil || !reflect.DeepEqual(sets[1].Levels, BucketOrder{{1}, {2}}) {
		t.Errorf("%+v %+v", sets[0], sets[1])
	}
	for text, message := range map[string]string{
		"h\n0 2":         "x.order:2: wanted two fields and the ids of items",
		"h\n0 2 1 1":     "x.order:2: item 1 is there twice",
		"h\n0 2 0 -1":    `x.order:2: item "-1": wanted 0 to 65535`,
		"h\n0 2 0 99999": `x.order:2: item "99999": wanted 0 to 65535`,
	} {
		if _, err := ParseSushi(strings.NewReader(text), "x.order"); err == nil || hint.Text(err) != message {
			t.Errorf("%q: got %v, want %s", text, err, message)
		}
	}
}

// Relevance makes levels: what a reader says of two items agrees with their numbers.
func TestLevelsOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.IntRange(-2, 4), 0, 12).Draw(t, "values")
		l := levelsOf(values, func(v int) bool { return v >= 0 })
		if err := l.Validate(len(values)); err != nil {
			t.Fatal(err)
		}
		level := map[int]int{}
		for i, group := range l {
			for _, k := range group {
				level[k] = i
			}
		}
		for a, va := range values {
			if _, known := level[a]; known != (va >= 0) {
				t.Fatalf("item %d of value %d: known %v", a, va, known)
			}
			for b, vb := range values {
				if va >= 0 && vb >= 0 && (va > vb) != (level[a] < level[b]) {
					t.Fatalf("%v: levels %v", values, l)
				}
			}
		}
	})
}

// No input makes a reader panic, hang or allocate beyond the bound of within, and what it
// returns is valid.
func fuzzReader(f *testing.F, read func(text string) ([]*Set, error), seeds ...string) {
	for _, s := range seeds {
		f.Add(s)
		f.Add(string(gzipped(f, []byte(s))))
	}
	f.Fuzz(func(t *testing.T, text string) {
		var sets []*Set
		var err error
		within(t, text, func() { sets, err = read(text) })
		if err != nil {
			return
		}
		for _, s := range sets {
			if err := s.Validate(); err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
	})
}

func FuzzSVMLight(f *testing.F) {
	fuzzReader(f, func(s string) ([]*Set, error) { return ParseSVMLight(strings.NewReader(s), "x") },
		"2 qid:1 3:0.5 1:1\n1 qid:1 2:1 2:1\n", "1 1:2\n", "2 qid:1 1:0.5 2:1 # a\n-1 qid:2 0:1\n", "1 qid:1 1048576:1\n1 qid:1 1:1e308\n", "inf qid:1 1:1\n", "1 qid:1 1:NaN\n", "0 qid:1 1:1 # a\n0 qid:1 1:1 # a\n")
}

func FuzzCSV(f *testing.F) {
	fuzzReader(f, func(s string) ([]*Set, error) { return parseCSV(s, "x") },
		"rank1,rank2,count\na,b,2\nb,,1\n", "a,b\nb,a\n,\n", "sep=;\nset;item;f\na;b;2,5\n", "\"sep=,\"\nset,item\na,b\n", utf16Text("set,item\na,b\n"), bigEndian(utf16Text("rank1\na\n")),
		"set,item,rank,f,,\na,b,1,1e5,,\na,b,x,0x1,\n", "set,item,rank\na,b,0\na,c,1\na,d,0\n",
		"set,item,rank\na,b,1\n", "set;item;rank;f\na;b;;2\n", "set\titem\na\tb\nc\tb\n", "set,item,rank\na,b,NaN\n", "set,item\n\"a\n", "set,item,set\n", "set,item\n\xff,b\n")
}

func FuzzPrefLib(f *testing.F) {
	fuzzReader(f, func(s string) ([]*Set, error) {
		p, err := ParsePrefLib(strings.NewReader(s), "x")
		if err != nil {
			return nil, err
		}
		return p.Orders, nil
	}, "# NUMBER ALTERNATIVES: 3\n1: 3,{1,2}\n", "2\n1,a\n2,b\n1,1,1\n1,2,1\n", "# NUMBER ALTERNATIVES: 65536\n1: 1\n1: {2,3}\n",
		"# DATA TYPE: soc\n# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: a\n1: 1,2\n", "2\n1,a\n2,b\n1,1,1\n9223372036854775807,1,2\n1,1,2\n", "# NUMBER ALTERNATIVES: 1099511627776\n",
		"# DATA TYPE: toi\n# ALTERNATIVE NAME 1: a\n# ALTERNATIVE NAME 2: b\n3: {}\n2: \n1: 2\n", "# ALTERNATIVE NAME 65536: a\n1: 1\n", "# NUMBER VOTERS: x\n# NUMBER ALTERNATIVES: 2\n68719476736: 1,2\n1: 2,1\n")
}

func FuzzSushi(f *testing.F) {
	fuzzReader(f, func(s string) ([]*Set, error) { return ParseSushi(strings.NewReader(s), "x") }, "10 1\n0 3 2 0 1\n", "1 1\n0 1 65535\n0 1 0\n", "1 1\n0 2 1 1\n", "2 1\n0 0\n0 9 1\n")
}

// A table or search results with the sizes of the sets beside it, and empty features.
func FuzzQueryFile(f *testing.F) {
	f.Add("2 1:0.5 2:1\n0 1:1\n1 2:3\n", "2\n1\n", false)
	f.Add("2,0.5,1\n0,,0\n1,0,3\n", "2\n1\n", true)
	f.Add("2;0,5;1\n0;1\n", "\n3", true)
	f.Add("1 qid:1 1:2\n", "x", false)
	f.Add(" ", "4", true)
	f.Fuzz(func(t *testing.T, text, sizes string, table bool) {
		dir := t.TempDir()
		path := filepath.Join(dir, "x")
		if err := os.WriteFile(path+".query", []byte(sizes), 0o666); err != nil {
			t.Fatal(err)
		}
		file := &File{Format: FormatSVMLight, Options: Options{Empty: table}, query: path + ".query"}
		if table {
			file.Format = FormatCSV
		}
		var err error
		within(t, text+sizes, func() {
			file.Sets = nil
			if err = file.parse(strings.NewReader(text), path); err == nil {
				_, err = FillMean.In(file.Sets)
			}
		})
		if err != nil {
			if len(hint.Text(err)) > 20*longest {
				t.Fatalf("an error of %d bytes", len(hint.Text(err)))
			}
			return
		}
		for _, s := range file.Sets {
			if err := s.Validate(); err != nil {
				t.Fatalf("%q, %q: %v", text, sizes, err)
			}
		}
	})
}
