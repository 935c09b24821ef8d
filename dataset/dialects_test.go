package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
)

// utf16Text is a text in UTF-16, little-endian, with its mark.
func utf16Text(text string) string {
	b := []byte("\xff\xfe")
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func bigEndian(text string) string {
	b := []byte(text)
	for i := 0; i+1 < len(b); i += 2 {
		b[i], b[i+1] = b[i+1], b[i]
	}
	return string(b)
}

// One table as programs save it.
func TestTableDialects(t *testing.T) {
	const table = "set;item;rank;weight;price\r\nq1;Käse;1;2.5;10.25\r\nq1;Öl;2;1.5;7.5\r\nq2;Käse;2;2.25;11\r\nq2;Brötchen 😀;1;0.5;0.35\r\n"
	columns := &Columns{Names: []string{"weight", "price"}}
	want := []*Set{
		{ID: "q1", Kind: KindFeatures, Line: 2, Columns: columns, Items: []Item{{ID: "Käse", Features: []float64{2.5, 10.25}}, {ID: "Öl", Features: []float64{1.5, 7.5}}}, Levels: BucketOrder{{0}, {1}}, Order: perm.Order{0, 1}, OrderGiven: "order"},
		{ID: "q2", Kind: KindFeatures, Line: 4, Columns: columns, Items: []Item{{ID: "Käse", Features: []float64{2.25, 11}}, {ID: "Brötchen 😀", Features: []float64{.5, .35}}}, Levels: BucketOrder{{1}, {0}}, Order: perm.Order{1, 0}, OrderGiven: "order"},
	}
	tabs := strings.ReplaceAll(table, ";", "\t")
	for name, c := range map[string]struct {
		text string
		line int // by which the lines are later
	}{
		"semicolons":            {table, 0},
		"commas":                {strings.ReplaceAll(table, ";", ","), 0},
		"tabs":                  {tabs, 0},
		"blanks around":         {strings.ReplaceAll(table, ";", " ; "), 0},
		"no-break spaces":       {strings.ReplaceAll(table, ";", "\u00a0;\u00a0"), 0},
		"columns without names": {strings.ReplaceAll(table, "\r\n", ";;\r\n"), 0},
		"lines that end in \\n": {strings.ReplaceAll(table, "\r", ""), 0},
		"quotation marks":       {strings.ReplaceAll(strings.ReplaceAll(table, "q1;", "\"q1\";"), "weight", "\"weight\""), 0},
		"a blank line":          {"  \r\n" + table, 1},
		"a mark":                {"\xef\xbb\xbf" + table, 0},
		"sep=;":                 {"\xef\xbb\xbfsep=;\r\n" + table, 1},
		"\"sep=;\"":             {"\"sep=;\"\n" + table, 1},
		"SEP=tab":               {"SEP=\t\n" + tabs, 1},
		"UTF-16":                {utf16Text(tabs), 0},
		"UTF-16, big-endian":    {bigEndian(utf16Text(table)), 0},
		"decimal commas":        {strings.ReplaceAll(table, ".", ","), 0},
		"and tabs":              {strings.ReplaceAll(tabs, ".", ","), 0},
		"gzipped UTF-16":        {string(gzipped(t, []byte(utf16Text(table)))), 0},
	} {
		path := filepath.Join(t.TempDir(), "table.csv")
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Read(path, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, s := range f.Sets {
			s.Line -= c.line
		}
		if d := cmp.Diff(want, f.Sets); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if warns := strings.Contains(c.text, "2,5"); (len(f.Warnings) > 0) != warns {
			t.Errorf("%s: warnings %q", name, f.Warnings)
		}
	}
}

// What cannot be read for sure is refused, with its line.
func TestTableRefuses(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"Windows-1252":                 {"set;item;rank\r\nq1;K\xe4se;1\r\n", "x:2: item: wanted a name in UTF-8 (got \"K\\xe4se\")\nhint: save the table as UTF-8"},
		"a column in Windows-1252":     {"set;item;rank;gr\xf6sse\r\nq1;a;1;2\r\n", "x:1: column 4: wanted a name in UTF-8"},
		"UTF-16 cut off":               {utf16Text("set,item\nabc,defg\n") + "a", "x: begins as UTF-16 does, but is none"},
		"UTF-16 of half a character":   {utf16Text("set,item\na,") + "\x3d\xd8", "x: begins as UTF-16 does, but is none"},
		"both points and commas":       {"set;item;rank;f\na;b;1;2,5\na;c;2;2.5\n", `x:3: f: has a decimal point (got "2.5"), line 2 has a decimal comma`},
		"commas after points":          {"set;item;rank;f\na;b;1;2.5\na;c;2;2,5\n", `x:3: f: has a decimal comma (got "2,5"), line 2 has a decimal point`},
		"thousands":                    {"set;item;rank;f\na;b;1;1.234,5\n", `x:2: f: wanted a finite number (got "1.234,5")`},
		"thousands by commas":          {"set;item;rank;f\na;b;1;1,234,567\n", `x:2: f: wanted a finite number (got "1,234,567")`},
		"a quoted comma beside commas": {"set,item,rank,f\na,b,1,\"2,5\"\n", "x:2: f: wanted a finite number (got \"2,5\")\nhint: decimal commas are read where semicolons or tabs separate values"},
		"underscores":                  {"set,item,rank,f1\nq,a,1,1_000\nq,b,2,0.7\n", `x:2: f1: wanted a finite number (got "1_000")`},
		"hexadecimal":                  {"set,item,rank,f1\nq,a,1,0x1p4\n", `x:2: f1: wanted a finite number (got "0x1p4")`},
		"infinity":                     {"set,item,rank,f1\nq,a,1,Inf\n", `x:2: f1: wanted a finite number (got "Inf")`},
		"an infinite rank":             {"set,item,rank\nq,a,+infinity\n", `x:2: rank: wanted a finite number (got "+infinity")`},
		"not a number":                 {"set,item,rank,f1\nq,a,1,nan\n", `x:2: f1: wanted a finite number (got "nan")`},
		"a field too many":             {"set\titem\trank\tf1\nq\ta\t1\t1\nq\tb\t\t0.7\t9\n", "x:3: has 5 fields, wanted 4 as the header has"},
		"a name with a blank":          {"set,item,rank\nq,a,1\nq,\"a \",2\n", `x:3: item: "a" is in set q on line 2 already`},
		"another separator":            {"sep=|\nset|item\n", `x: separates values by "|", wanted a comma, a semicolon or a tab`},
	} {
		_, err := parseCSV(c.text, "x")
		if err == nil || !strings.HasPrefix(hint.Text(err), c.want) {
			t.Errorf("%s: %v, wanted %s", name, err, c.want)
		}
	}
}

// An empty rank between tabs is an unknown one, and shifts nothing.
func TestTabsAroundNothing(t *testing.T) {
	sets, err := parseCSV("set\titem\trank\tf1\nq\ta\t1\t1\nq\tb\t\t0.7\n", "x")
	if err != nil {
		t.Fatal(err)
	}
	want := []Item{{ID: "a", Features: []float64{1}}, {ID: "b", Features: []float64{.7}}}
	if d := cmp.Diff(want, sets[0].Items); d != "" || !cmp.Equal(sets[0].Known(), BucketOrder{{0}}) {
		t.Errorf("%s, levels %v", d, sets[0].Known())
	}
}

// All faults of a file are told, ten of them in words.
func TestFaults(t *testing.T) {
	text := "set,item,rank,weight,price\n"
	for i := range 12 {
		text += "q," + string(rune('a'+i)) + ",1,heavy,1\n" // lines 2 to 13
	}
	text += "q,z,1,,dear\nq,y,1\nr,y,1,1,1\nr,y,2,1,1\n"
	_, err := parseCSV(text, "x")
	f, ok := err.(*Faults)
	if !ok {
		t.Fatal(err)
	}
	if f.Count != 16 || len(f.First) != 10 || f.First[9].Line != 11 || !cmp.Equal(f.Columns, map[string]int{"weight": 13, "price": 1, "item": 1}) {
		t.Errorf("%+v", f)
	}
	lines := strings.Split(hint.Text(err), "\n")
	if lines[0] != `x:2: weight: wanted a finite number (got "heavy")` || lines[10] != "and 6 more, of all in column weight 13, item 1, price 1" || len(lines) != 11 {
		t.Errorf("%q", lines)
	}
	for name, c := range map[string]struct {
		read func() error
		want string
	}{
		"two of one line, one hint": {
			func() error { _, err := parseCSV("set,item,a,b\nq,i,,\n", "x"); return err },
			"x:2: a: is empty, wanted a finite number\nx:2: b: is empty, wanted a finite number\nhint: fill in a number, or leave the column out",
		},
		"search results": {
			func() error {
				_, err := ParseSVMLight(strings.NewReader("1 qid:1 1:a 2:b\nx qid:1 1:1\n1 1:1\n1 qid:1 1:1\n"), "x")
				return err
			},
			"x:1: feature \"1:a\": wanted a finite number (got \"a\")\nx:1: feature \"2:b\": wanted a finite number (got \"b\")\nx:2: relevance: wanted a finite number (got \"x\")\nx:3: wanted qid:QUERY after the relevance (got \"1:1\")",
		},
		"sets of JSON": {
			func() error {
				_, err := readJSONL("{\"items\":3}\n{\"items\":[]}\n{\"items\":[],\"x\":1}\n", "x")
				return err
			},
			"x:1: items: is 3, wanted a list\nx:3: unknown field \"x\", the nearest known is \"id\"",
		},
	} {
		if err := c.read(); err == nil || hint.Text(err) != c.want {
			t.Errorf("%s: %v\nwanted %s", name, err, c.want)
		}
	}
}

// The numbers of features say where values belong, in whatever order they stand.
func TestSVMLightAnyOrder(t *testing.T) {
	sets, err := ParseSVMLight(strings.NewReader("2 qid:1 3:0.5 1:7 2:0.1\n0 qid:1 1:2 2:0.4 3:0.2\n1 qid:1 2:0.3 3:0.9\n"), "x")
	if err != nil {
		t.Fatal(err)
	}
	want := []Item{{Features: []float64{7, .1, .5}}, {Features: []float64{2, .4, .2}}, {Features: []float64{0, .3, .9}}}
	if d := cmp.Diff(want, sets[0].Items); d != "" {
		t.Error(d)
	}
}

// LightGBM keeps the sizes of sets in a file of their own.
func TestQueryFile(t *testing.T) {
	write := func(dir, name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ids := func(sets []*Set) (out []string) {
		for _, s := range sets {
			out = append(out, s.ID)
		}
		return out
	}
	for name, text := range map[string]string{
		"rank.train":    "2 1:0.5 2:1\n0 1:1\n1 2:3\n",
		"rank.csv":      "2,0.5,1\n0,1,0\n1,0,3\n",
		"rank.tsv":      "2\t0,5\t1\n0\t1\t0\n1\t0\t3\n",
		"packed.txt.gz": string(gzipped(t, []byte("2 1:0.5 2:1\n0 1:1\n1 2:3\n"))),
		"blank.csv":     " \n,,\n2,0.5,1\n0,1,0\n1,0,3\n",
	} {
		dir := t.TempDir()
		path := write(dir, name, text)
		write(dir, strings.TrimSuffix(name, ".gz")+".query", "2\n1\n")
		f, err := Read(path, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(ids(f.Sets), []string{"1", "2"}) || len(f.Sets[0].Items) != 2 || !slices.Equal(f.Sets[0].Order, perm.Order{0, 1}) ||
			!slices.Equal(f.Sets[0].Items[0].Features, []float64{.5, 1}) || !slices.Equal(f.Sets[1].Items[0].Features, []float64{0, 3}) || !slices.Equal(f.Sets[1].Relevance, []float64{1}) {
			t.Errorf("%s: %+v", name, f.Sets[0])
		}
		for query, want := range map[string]string{"2\n": ".query: its sets have 2 items in all, wanted 3, one a line", "2\n0\n": ".query:2: wanted the size of a set, 1 to 65536 (got \"0\")", "": ".query: its sets have 0 items"} {
			write(dir, strings.TrimSuffix(name, ".gz")+".query", query)
			if _, err := Read(path, Options{}); err == nil || !strings.Contains(hint.Text(err), want) {
				t.Errorf("%s, sizes %q: %v, wanted %s", name, query, err, want)
			}
		}
		if err := os.Remove(filepath.Join(dir, strings.TrimSuffix(name, ".gz")+".query")); err != nil {
			t.Fatal(err)
		}
		if f, err := Read(path, Options{}); err == nil {
			t.Errorf("%s without sizes: %+v", name, f)
		}
	}
}

// Ballots are a line a voter and a column a place.
func TestBallots(t *testing.T) {
	items := []Item{{ID: "Ann"}, {ID: "Bo"}, {ID: "Cy"}}
	for name, text := range map[string]string{
		"a header":       "rank1,rank2,rank3\nAnn,Bo,Cy\nBo,Cy,\nAnn,Bo,Cy\n",
		"counts":         "count;Choice 1;Choice 2;Choice 3\n2;Ann;Bo;Cy\n1;Bo;Cy;\n",
		"voters":         "Voter,rank1,rank2,rank3\nv1,Ann,Bo,Cy\nv2,Bo,Cy,\nv3,Ann,Bo,Cy\n",
		"no header":      "Ann,Bo,Cy\nBo,Cy,\nAnn, Bo ,Cy\n",
		"tabs, a gap":    "place_1\tplace_2\tplace_3\nAnn\tBo\tCy\n\tBo\tCy\nAnn\tBo\tCy\n",
		"and an empty":   "rank1,rank2,rank3\nAnn,Bo,Cy\nBo,Cy,\n,,\nAnn,Bo,Cy\n",
		"an empty after": "Ann,Bo,Cy\nBo,Cy,\nAnn,Bo,Cy\n,,\n",
	} {
		path := filepath.Join(t.TempDir(), "votes.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		f, err := Read(path, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, s := range f.Sets {
			s.Line = 0
		}
		want := []*Set{ // Ann before Bo before Cy, Bo before Cy, and nothing
			{ID: "1", Items: items, Count: 2, Levels: BucketOrder{{0}, {1}, {2}}, Order: perm.Order{0, 1, 2}, OrderGiven: "order"},
			{ID: "2", Items: items, Count: 1, Levels: BucketOrder{{1}, {2}}},
		}
		if strings.Contains(name, "empty") {
			want = append(want, &Set{ID: "3", Items: items, Count: 1})
		}
		if d := cmp.Diff(want, f.Sets); d != "" || f.Format != FormatBallots {
			t.Errorf("%s: %s, %s", name, f.Format, d)
		}
	}
	for text, want := range map[string]string{
		"id,rank1\nv,a\nw,b\nv,a\n":            `x:4: id: "v" is on line 2 already`,
		"rank1,rank2\na,a\n":                   "x:2: \"a\" is there twice\nhint: a place that was not filled is an empty cell",
		"rank1,rank2,count\na,b,0\n":           `x:2: count: wanted a number of 1 to 68719476736 (got "0")`,
		"rank1,rank2,count\na,b,\n":            `x:2: count: wanted a number of 1 to 68719476736 (got "")`,
		"rank1,rank2\na,b,c\n":                 "x:2: has 3 fields, wanted 2 as the header has",
		"rank1,rank2\na,\xff\n":                "x:2: place 2: wanted a name in UTF-8",
		"a,b\n1,2\n":                           `x:1: column "set" is missing`, // a header of no format, not a ballot
		"a,b\nb,a\n" + "c,a\n":                 `x:1: column "set" is missing`,
		"a,b\n":                                `x:1: column "set" is missing`,
		"count,votes,rank1\n1,1,a\n":           `x:1: column "votes" is there twice`,
		strings.Repeat("a,b\n", 100) + "c,d\n": "x: has 4 names and no header, wanted at most 2",
	} {
		if _, err := parseCSV(text, "x"); err == nil || !strings.HasPrefix(hint.Text(err), want) {
			t.Errorf("%q: %v, wanted %s", text, err, want)
		}
	}
}

// A 0 that may stand for "not ranked" is told; ranks from 0 on are not.
func TestZeroRanks(t *testing.T) {
	const zeros = "set,item,rank\njudge 1,apple,1\njudge 1,pear,2\njudge 1,plum,0\njudge 1,fig,0\njudge 2,apple,2\njudge 2,pear,1\njudge 2,plum,3\njudge 2,fig,0\njudge 3,apple,1\njudge 3,pear,2\njudge 3,plum,3\njudge 3,fig,0\n"
	for name, c := range map[string]struct{ text, want string }{
		"zeros":      {zeros, `3 sets have a rank of 0 beside ranks from 1 on, more than once in set judge 1: 0 is read as the best rank; where it stands for "not ranked", leave the cell empty`},
		"blanks":     {strings.ReplaceAll(zeros, ",0\n", ",\n"), ""},
		"from 0 on":  {"set,item,rank\nj,a,0\nj,b,1\nj,c,2\nk,a,1\nk,b,0\nk,c,2\n", ""},
		"in one set": {"set,item,rank\nj,a,0\nj,b,1\nj,c,2\nk,a,1\nk,b,2\n", "1 set has a rank of 0 beside ranks from 1 on, such as j, and others have none: 0 is read"},
		"negative":   {"set,item,rank\nj,a,-1\nj,b,0\nj,c,0\nj,d,1\n", ""},
	} {
		f := &File{Format: FormatCSV}
		if err := f.readCSV(strings.NewReader(c.text), "x"); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(f.Warnings, "\n"); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, wanted %q", name, got, c.want)
		}
	}
}
