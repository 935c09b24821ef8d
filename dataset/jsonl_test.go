package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/perm"
)

// readAll reads text as the file in/sets.jsonl.
func readAll(text string) (sets []*Set, err error) {
	r, err := NewJSONLReader(strings.NewReader(text), filepath.Join("in", "sets.jsonl"))
	if err != nil {
		return nil, err
	}
	for s, err := range r.All() {
		if err != nil {
			return sets, err
		}
		sets = append(sets, s)
	}
	return sets, nil
}

func TestReadJSONL(t *testing.T) {
	got, err := readAll("\xef\xbb\xbf" + `{"id": "q7", "items": [{"features": [1, -2.5e3]}, {"id": "b", "features": [0, 4]}], "order": [1, 0]}` + "\r\n\n" +
		`{"items":[{"image":"a.png"},{"image":"sub/b.png"},{"image":"c.png"}],"rank":[2,0,1]}` + "\n" +
		`{"order":[0,1,2],"items":[{"point":[0,0]},{"point":[1,0.5]},{"point":[0,0]}]}` + "\n" +
		`{"constraints":{"pin":["x=1"],"before":["y,x"],"first":[]},"items":[{"id":"x"},{"id":"y"}]}`)
	if err != nil {
		t.Fatal(err)
	}
	want := []*Set{
		{ID: "q7", Kind: KindFeatures, Items: []Item{{Features: []float64{1, -2500}}, {ID: "b", Features: []float64{0, 4}}}, Order: perm.Order{1, 0}, OrderGiven: "order", Dir: "in", Line: 1},
		// rank 2,0,1: item 1 is first, item 2 second, item 0 last
		{Kind: KindImage, Items: []Item{{Image: "a.png"}, {Image: "sub/b.png"}, {Image: "c.png"}}, Order: perm.Order{1, 2, 0}, OrderGiven: "rank", Dir: "in", Line: 3},
		{Kind: KindPoint, Items: []Item{{}, {Point: [2]float64{1, 0.5}}, {}}, Order: perm.Order{0, 1, 2}, OrderGiven: "order", Dir: "in", Line: 4},
		{Kind: KindBare, Items: []Item{{ID: "x"}, {ID: "y"}}, Constraints: constraint.Text{Pin: []string{"x=1"}, Before: []string{"y,x"}}, Dir: "in", Line: 5},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got, want := got[1].ImagePath(1), filepath.Join("in", "sub", "b.png"); got != want {
		t.Errorf("image path %q, wanted %q", got, want)
	}
}

func TestReadJSONLSmallSets(t *testing.T) {
	for n := range 4 {
		items, order := make([]string, n), make([]string, n)
		for i := range n {
			items[i], order[i] = fmt.Sprintf(`{"features":[%d]}`, i), fmt.Sprint(i)
		}
		sets, err := readAll(fmt.Sprintf(`{"items":[%s],"order":[%s]}`, strings.Join(items, ","), strings.Join(order, ",")))
		if err != nil {
			t.Fatalf("n = %d: %v", n, err)
		}
		if len(sets) != 1 || len(sets[0].Items) != n || sets[0].OrderGiven != "order" || len(sets[0].Order) != n {
			t.Errorf("n = %d: got %+v", n, sets)
		}
	}
	if sets, err := readAll(""); err != nil || len(sets) != 0 {
		t.Errorf("empty file: %v, %v", sets, err)
	}
}

// Levels are what is known of an order; where they are all of it they are the order.
func TestReadJSONLLevels(t *testing.T) {
	sets, err := readAll(`{"items":[{},{},{},{}],"levels":[[3],[0,2]]}
{"items":[{},{},{}],"levels":[[2],[0],[1]]}
{"items":[{},{}],"levels":[]}
`)
	if err != nil || len(sets) != 3 {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	if d := cmp.Diff(BucketOrder{{3}, {0, 2}}, sets[0].Known()); d != "" || sets[0].Order != nil {
		t.Errorf("%s, order %v", d, sets[0].Order)
	}
	if d := cmp.Diff(perm.Order{2, 0, 1}, sets[1].Order); d != "" || sets[1].OrderGiven != "order" {
		t.Errorf("%s, given as %q", d, sets[1].OrderGiven)
	}
	if sets[2].Known() != nil {
		t.Errorf("%v is known, wanted nothing", sets[2].Known())
	}
}

func TestReadJSONLErrors(t *testing.T) {
	const two = `{"items":[{"features":[1,2]},{"features":[3,4]}],`
	for name, c := range map[string]struct {
		text string
		want string // all of the error after "in/sets.jsonl:"
	}{
		"unknown set field":    {`{"items":[],"ordr":[]}`, `1: unknown field "ordr", the nearest known is "order"`},
		"unknown rule":         {`{"items":[],"constraints":{"pins":[]}}`, `1: constraints: unknown field "pins", the nearest known is "pin"`},
		"rule without items":   {`{"items":[{},{}],"constraints":{"pin":["2=0"]}}`, `1: constraints: pin "2=0": no item 2 in a set of 2, wanted 0 to 1`},
		"rule of a number":     {`{"items":[{},{}],"constraints":{"pin":["0=0", 1]}}`, `1: constraints: pin[1]: is 1, wanted text in quotes`},
		"rules in a list":      {`{"items":[{},{}],"constraints":["0=0"]}`, `1: constraints: is a list, wanted constraints in braces`},
		"capitals":             {`{"Items":[]}`, `1: unknown field "Items", the nearest known is "items"`},
		"unknown item field":   {"\n" + `{"items":[{},{"feature":[1]}]}`, `2: item 1: unknown field "feature", the nearest known is "features"`},
		"mixed":                {`{"items":[{"features":[1]},{"image":"a.png"}]}`, `1: item 1: is an image, wanted one of features as item 0 is`},
		"mixed with bare":      {`{"items":[{},{"point":[1,2]}]}`, `1: item 1: is a point, wanted bare as item 0 is`},
		"two kinds":            {`{"items":[{"features":[1],"image":"a.png"}]}`, `1: item 0: image: is there beside "features", wanted one of them`},
		"lengths":              {`{"items":[{"features":[1]},{"features":[1,2]}]}`, `1: item 1: features: has 2 numbers, wanted 1 as item 0 has`},
		"lengths across":       {two + `"order":[0,1]}` + "\n" + `{"items":[{"features":[1]}]}`, `2: item 0: features: has 1 numbers, wanted 2 as in line 1`},
		"no features":          {`{"items":[{"features":[]}]}`, `1: item 0: features: has no numbers, wanted 1 or more`},
		"NaN":                  {`{"items":[{"features":[1]},{"features":[NaN]}]}`, `1: item 1: features[0]: is NaN, wanted a finite number`},
		"minus infinity":       {`{"items":[{"features":[0,-Infinity]}]}`, `1: item 0: features[1]: is Infinity, wanted a finite number`},
		"NaN in quotes":        {`{"items":[{"features":["NaN"]}]}`, `1: item 0: features[0]: is "NaN", wanted a finite number`},
		"overflow":             {`{"items":[{"features":[1,1e999]}]}`, `1: item 0: features[1]: 1e999 is beyond the largest float64, wanted a finite number`},
		"null feature":         {`{"items":[{"features":[null]}]}`, `1: item 0: features[0]: is null, wanted a finite number`},
		"point of three":       {`{"items":[{"point":[1,2,3]}]}`, `1: item 0: point: has 3 numbers, wanted 2, x and y`},
		"no image":             {`{"items":[{"image":""}]}`, `1: item 0: image: path is "", wanted the name of a file`},
		"id a number":          {`{"id":7,"items":[]}`, `1: id: is 7, wanted text in quotes`},
		"an id and a blank":    {`{"items":[{"id":"a"},{"id":" a\t"}]}`, `1: item 1: id: "a" is item 0's already`},
		"field twice inside":   {`{"items":[{"features":[1],"features":[2]}]}`, `1: item 0: field "features" is there twice`},
		"feature twice":        {`{"items":[{"features":{"a":1,"a":2}}]}`, `1: item 0: features: field "a" is there twice`},
		"a name with a blank":  {`{"items":[{"features":{"a":1,"a ":2}}]}`, `1: item 0: features: name "a " has white space around it`},
		"a long name":          {`{"items":[{}],"constraints":{"pin":["` + strings.Repeat("y", 5000) + `=0"]}}`, `1: constraints: pin "yyyy`},
		"number of an unnamed": {`{"id":"2","items":[]}` + "\n" + `{"items":[]}`, `2: id: is missing, and its number 2 is the id of line 1`},
		"number before":        {`{"items":[]}` + "\n" + `{"id":"1","items":[]}`, `2: id: "1" is what set 1 is called, which has none`},
		"duplicate set id":     {`{"id":"a","items":[]}` + "\n" + `{"id":"a","items":[]}`, `2: id: "a" is line 1's already`},
		"duplicate item id":    {`{"items":[{"id":"a"},{"id":"b"},{"id":"a"}]}`, `1: item 2: id: "a" is item 0's already`},
		"no items":             {`{"order":[0]}`, `1: items: is missing`},
		"items no list":        {`{"items":{}}`, `1: items: is an object, wanted a list`},
		"item no object":       {`{"items":[3]}`, `1: item 0: is 3, wanted an item in braces`},
		"order and rank":       {two + `"order":[0,1],"rank":[0,1]}`, `1: rank: is there beside "order", wanted one of them`},
		"order short":          {two + `"order":[0]}`, `1: order: has 1 entries, wanted 2, one an item` + "\nhint: \"levels\""},
		"levels and order":     {two + `"levels":[[0]],"order":[0,1]}`, `1: order: is there beside "levels", wanted one of them`},
		"a long list":          {two + `"rank":[0` + strings.Repeat(",0", MaxItems) + `]}`, `1: rank: wanted at most 65536 (there are more)`},
		"many features":        {`{"items":[{"features":[0` + strings.Repeat(",0", MaxFeatures) + `]}]}`, `1: item 0: features: wanted at most 1048576 (there are more)`},
		"levels repeat":        {two + `"levels":[[0],[1,0]]}`, `1: levels: level 1: item 0 is there twice`},
		"level beyond":         {two + `"levels":[[2]]}`, `1: levels: level 0: item 2, wanted 0 to 1`},
		"level empty":          {two + `"levels":[[0],[]]}`, `1: levels[1]: is empty, wanted one item or more`},
		"level no list":        {two + `"levels":[0,1]}`, `1: levels[0]: is 0, wanted a list`},
		"level of text":        {two + `"levels":[["0"]]}`, `1: levels[0]: [0]: is "0", wanted an integer`},
		"order repeats":        {two + `"order":[1,1]}`, `1: order: entry 1 repeats 1`},
		"rank out of range":    {two + `"rank":[0,7]}`, `1: rank: entry 1 is 7, wanted 0 to 1`},
		"order 1-based":        {two + `"order":[2,1]}`, "1: order: entry 0 is 2, wanted 0 to 1\nhint: order counts from 0 in this format; take 1 from each entry"},
		"order fraction":       {two + `"order":[0,0.5]}`, `1: order[1]: is 0.5, wanted an integer`},
		"order text":           {two + `"order":["0",1]}`, `1: order[0]: is "0", wanted an integer`},
		"several lines":        {"{\n\"items\": []\n}", `1: ends inside the set, wanted a whole set in one line`},
		"an array":             {`[{"items":[]}]`, `1: is a JSON array, wanted one set a line: {"items": […], "order": […]}`},
		"two on a line":        {`{"items":[]}{"items":[]}`, `1: more follows the set, wanted one set a line`},
		"a number":             {"\n\n5", `3: is 5, wanted a set in braces`},
		"syntax":               {`{"items":[}`, `1: item 0: column 11: `},
		"field twice":          {`{"id":"a","items":[],"id":"b"}`, `1: field "id" is there twice`},
		"comma at the end":     {`{"items":[{"features":[1,]}]}`, `1: item 0: features[1]: column 25: invalid character`},
		"not UTF-8":            {"{\"id\":\"\xff\",\"items\":[]}", `1: id: column `},
		"ends inside a value":  {`{"items":[{"features":[1`, `1: item 0: features[1]: ends inside the set`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readAll(c.text)
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.TrimPrefix(hint.Text(err), filepath.Join("in", "sets.jsonl")+":")
			if !strings.HasPrefix(got, c.want) || len(got) > longest+100 {
				t.Errorf("error is\n%s\nwanted\n%s", got, c.want)
			}
		})
	}
}

func TestJSONLReaderGoesOnAfterABadLine(t *testing.T) {
	r, err := NewJSONLReader(strings.NewReader("{\"items\":[]}\nbad\n{\"items\":[{}]}\n"), "f")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := r.Next(); err != nil || s.Line != 1 {
		t.Fatal(s, err)
	}
	if _, err := r.Next(); err == nil {
		t.Fatal("no error in line 2")
	}
	if s, err := r.Next(); err != nil || s.Line != 3 || len(s.Items) != 1 {
		t.Fatal(s, err)
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
}

// spaces is an endless line.
type spaces struct{}

func (spaces) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

func TestJSONLLineLimit(t *testing.T) {
	r, err := NewJSONLReader(spaces{}, "f")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the error stays
		_, err = r.Next()
		wantError(t, err, "f:1: line is longer than 67108864 bytes")
		if t.Failed() {
			break
		}
	}
}

func TestReadJSONLGzipped(t *testing.T) {
	path := write(t, t.TempDir(), "sets.jsonl", gzipped(t, []byte(`{"items":[{}]}`)))
	f, err := Read(path, Options{})
	if err != nil || len(f.Sets) != 1 || len(f.Sets[0].Items) != 1 {
		t.Fatal(f, err)
	}
	_, err = Read(path+"x", Options{})
	wantError(t, err, path+"x")
}

func genSet(t *rapid.T, width int, id string) *Set {
	s := &Set{ID: id, Kind: Kind(rapid.IntRange(0, 3).Draw(t, "kind"))}
	n := rapid.IntRange(0, 5).Draw(t, "n")
	if n == 0 {
		s.Kind = KindBare // a set of nothing has no kind to write down
	}
	number := rapid.Float64Range(-1e300, 1e300)
	for i := range n {
		it := Item{}
		if rapid.Bool().Draw(t, "named") {
			it.ID = fmt.Sprint("<&\u2028", i)
		}
		switch s.Kind {
		case KindFeatures:
			it.Features = rapid.SliceOfN(number, width, width).Draw(t, "features")
		case KindImage:
			it.Image = rapid.StringMatching(`[a-z é"\\]{1,5}\.png`).Draw(t, "image")
		case KindPoint:
			it.Point = [2]float64{number.Draw(t, "x"), number.Draw(t, "y")}
		}
		s.Items = append(s.Items, it)
	}
	if s.OrderGiven = rapid.SampledFrom([]string{"", "order", "rank"}).Draw(t, "given"); s.OrderGiven != "" {
		s.Order = append(perm.Order{}, rapid.Permutation([]int(perm.Identity(n))).Draw(t, "order")...)
	}
	return s
}

func TestJSONLRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(1, 4).Draw(t, "width")
		var buf bytes.Buffer
		w := NewJSONLWriter(&buf)
		var want []*Set
		for i := range rapid.IntRange(0, 3).Draw(t, "sets") {
			s := genSet(t, width, fmt.Sprint("s", i))
			if err := w.Write(s); err != nil {
				t.Fatal(err)
			}
			s.Dir, s.Line = "in", i+1
			want = append(want, s)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		text := buf.String()
		got, err := readAll(text)
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%s in %s", d, text)
		}
	})
}

func TestJSONLWriterRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		set  *Set
		want string
	}{
		"NaN":        {&Set{Kind: KindFeatures, Items: []Item{{Features: []float64{math.NaN()}}}}, "set 0: item 0: features[0]: is NaN"},
		"mixed":      {&Set{Kind: KindPoint, Items: []Item{{Image: "a.png"}}}, "item 0: has an image in a set of point items"},
		"a blank":    {&Set{ID: "a "}, `set 0: id: "a " has white space around it`},
		"two blanks": {&Set{Items: []Item{{ID: "\u00a0a"}}}, "item 0: id: \"\\u00a0a\" has white space around it"},
		"no order":   {&Set{Items: []Item{{}}, OrderGiven: "order"}, "order: has 0 entries, wanted 1"},
		"bad order":  {&Set{Items: []Item{{}}, OrderGiven: "rank", Order: perm.Order{1}}, "entry 0 is 1"},
		"unnamed":    {&Set{Items: []Item{{}}, Order: perm.Order{0}}, "OrderGiven is empty"},
		"other name": {&Set{OrderGiven: "perm"}, `OrderGiven is "perm"`},
	} {
		t.Run(name, func(t *testing.T) {
			var buf bytes.Buffer
			w := NewJSONLWriter(&buf)
			wantError(t, w.Write(c.set), c.want)
			if err := w.Flush(); err != nil || buf.Len() > 0 {
				t.Errorf("wrote %q (%v)", buf.String(), err)
			}
		})
	}
}

// What the reader refuses between lines, the writer refuses too.
func TestJSONLWriterComparesSets(t *testing.T) {
	w := NewJSONLWriter(io.Discard)
	if err := w.Write(&Set{ID: "a", Kind: KindFeatures, Items: []Item{{Features: []float64{1, 2}}}}); err != nil {
		t.Fatal(err)
	}
	wantError(t, w.Write(&Set{ID: "a"}), `set 1: id: "a" is line 1's already`)
	wantError(t, w.Write(&Set{Kind: KindFeatures, Items: []Item{{Features: []float64{1}}}}), "set 1: item 0: features: has 1 numbers, wanted 2 as in line 1")
	if err := w.Write(&Set{Kind: KindFeatures}); err != nil { // no items, no length
		t.Fatal(err)
	}
}

func FuzzJSONL(f *testing.F) {
	f.Add([]byte(`{"id":"q7","items":[{"features":[1,-2.5e3]},{"features":[0,4]}],"order":[1,0]}`))
	f.Add([]byte(`{"items":[{"image":"a.png"},{"image":"b.png","id":"x"}],"rank":[1,0]}` + "\n\n{\"items\":[]}"))
	f.Add([]byte(`{"items":[{"point":[0,1e-9]}],"order":[0]}`))
	f.Add([]byte(`{"items":[{},{"id":"x"}],"constraints":{"pin":["x=0"],"first":["1:x"],"forbid":["0=0"],"before":["x,0"]}}`))
	f.Add([]byte(`{"items":[{},{},{},{"id":"x"}],"levels":[[3],[0,2]]}`))
	f.Add([]byte(`{"items":[{},{}],"levels":[[1],[0]]}` + "\n" + `{"items":[{}],"levels":[]}`))
	f.Add([]byte(`{"items":[],"levels":[` + strings.Repeat("[0],", 5000) + `[0]]}`))
	f.Add([]byte(`{"items":[{},{"feature":NaN}]}`))
	f.Add([]byte("\xef\xbb\xbf{"))
	f.Add([]byte(`{"id":" a ","items":[{},{"id":"b"},{}]}` + "\n" + `{"items":[{"features":{"a":1,"b":2}},{"features":{"b":1,"a":2}}]}`))
	f.Add([]byte(utf16Text(`{"items":[{}]}`)))
	f.Add(gzipped(f, []byte(`{"items":[{}]}`)))
	f.Add([]byte(`{"items":[{"id":"a"},{"id":"a"}],"order":[1e0,0]}`))
	f.Add([]byte(`{"items":` + strings.Repeat("[", 20_000)))
	f.Add([]byte("{\"items\":[{\"features\":[1e999]}]}\n{\"id\":\"\xff\",\"items\":[]}"))
	f.Fuzz(func(t *testing.T, file []byte) {
		within(t, string(file), func() { _ = readAllJSONL(string(file)) })
		r, err := NewJSONLReader(bytes.NewReader(file), "f")
		if err != nil {
			return
		}
		for {
			s, err := r.Next()
			if err == io.EOF {
				return
			}
			if err != nil {
				if r.line.err != nil && errors.Is(err, r.line.err) {
					return
				}
				continue
			}
			var buf bytes.Buffer
			w := NewJSONLWriter(&buf)
			if err := w.Write(s); err != nil {
				t.Fatal(err)
			}
			w.Flush()
			again, err := NewJSONLReader(&buf, "f")
			if err != nil {
				t.Fatal(err)
			}
			got, err := again.Next()
			if err != nil {
				t.Fatal(err)
			}
			got.Line = s.Line
			if d := cmp.Diff(s, got); d != "" {
				t.Fatal(d)
			}
		}
	})
}
