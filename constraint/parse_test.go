package constraint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/internal/fuzztest"
	"github.com/riffle-ml/riffle/internal/hint"
)

func TestParse(t *testing.T) {
	names := []string{"a", "b=c", "2", "z"}
	got, err := Text{
		Pin:    []string{"a=3", "b=c = 0"},
		Forbid: []string{"3=2"}, // the number of z
		Before: []string{" a, 2 ,z"},
		First:  []string{"2:0,b=c"},
	}.Parse(names)
	want := Rules{
		Pins:    []Place{{0, 3}, {1, 0}},
		Forbids: []Place{{3, 2}},
		Befores: []Before{{0, 2}, {2, 3}},
		Firsts:  []Among{{[]int{0, 1}, 2}},
		Names:   names,
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	for _, c := range []struct {
		text Text
		want string
	}{
		{Text{Pin: []string{"a"}}, `pin "a": wanted ITEM=POSITION`},
		{Text{Pin: []string{"a=4"}}, `pin "a=4": position: wanted 0 to 3 (got "4")`},
		{Text{Pin: []string{"a=x"}}, `pin "a=x": position: wanted 0 to 3 (got "x")`},
		{Text{Forbid: []string{"9=0"}}, `forbid "9=0": no item 9 in a set of 4, wanted 0 to 3`},
		{Text{Before: []string{"a"}}, `before "a": wanted two items or more, such as A,B`},
		{Text{Before: []string{"a,a"}}, `before "a,a": item a is there twice`},
		{Text{Before: []string{"a,b"}}, `before "a,b": no item "b": items are a, b=c, 2, z`},
		{Text{Before: []string{"b=d,a"}}, `before "b=d,a": no item "b=d", the nearest is "b=c"`},
		{Text{First: []string{"2:"}}, `first "2:": the name of an item is missing`},
		{Text{First: []string{"a,b"}}, `first "a,b": wanted COUNT:ITEM,ITEM`},
		{Text{First: []string{"0:a"}}, `first "0:a": count: wanted 1 to 4 (got "0")`},
		{Text{First: []string{"5:a"}}, `first "5:a": count: wanted 1 to 4 (got "5")`},
	} {
		if _, err := c.text.Parse(names); err == nil || hint.Text(err) != c.want {
			t.Errorf("%+v: %v, wanted %q", c.text, err, c.want)
		}
	}
}

// Where the names are numbers, a number is a name: that of no item is an error, never another item.
// Names that are their own number, and those of none, leave the numbers as they are.
func TestNumbersForNames(t *testing.T) {
	pin := func(rule string, names ...string) (int, string) {
		s, err := Text{Pin: []string{rule}}.Parse(names)
		if err != nil {
			return -1, hint.Text(err)
		}
		return s.Pins[0].Item, ""
	}
	for _, c := range []struct {
		rule  string
		names []string
		item  int
		err   string
	}{
		{"1=3", []string{"1", "2", "3", "4"}, 0, ""},
		{"4=0", []string{"1", "2", "3", "4"}, 3, ""},
		{"0=3", []string{"1", "2", "3", "4"}, -1, `pin "0=3": no item is called "0": numbers are names here, items are 1, 2, 3, 4`},
		{"0=3", []string{"0", "1", "2", "3"}, 0, ""},
		{"0=3", []string{"a", "b", "2", "c"}, 0, ""}, // 2 is without a name
		{"0=3", []string{"a", "b", "c", "2"}, -1, `pin "0=3": no item is called "0": numbers are names here, items are a, b, c, 2`},
		{"0=1", []string{"7.png", "5.png"}, 0, ""},
		{`"0"=1`, []string{"a", "b"}, -1, `pin "\"0\"=1": no item "0": items are a, b`},
		{"a=1", []string{"a", "b", "a"}, -1, "pin \"a=1\": items 0 and 2 are both called \"a\"\nhint: give the number"},
		{"2=1", []string{"a", "b", "a"}, 2, ""},
	} {
		if item, err := pin(c.rule, c.names...); item != c.item || err != c.err {
			t.Errorf("%s of %q: %d, %q; wanted %d, %q", c.rule, c.names, item, err, c.item, c.err)
		}
	}
}

// Names with commas, quotation marks, blanks and equals signs can be said, and are never read as
// several names, or parts of them as one.
func TestNamesWithCommas(t *testing.T) {
	people := []string{"Okafor, Ngozi", `Lund, Per = "PL"`, "Lund, Eva", "St. John, Ann"}
	more := append(people[:4:4], "Ann", "St. John", "Ngozi", "Okafor", ` wide `, `"quoted"`)
	const comma = "a comma separates items, and %q is the name of one\nhint: write it as '%s', and items beside it in quotation marks too"
	for _, names := range [][]string{people, more} {
		for rule, want := range map[string][]int{
			`"St. John, Ann","Okafor, Ngozi"`:             {3, 0},
			` "St. John, Ann" , "Lund, Per = ""PL""" `:    {3, 1},
			`"Lund, Eva","St. John, Ann","Okafor, Ngozi"`: {2, 3, 0},
			`3,0`: {3, 0},
		} {
			s, err := Text{Before: []string{rule}}.Parse(names)
			if err != nil {
				t.Errorf("%s: %v", rule, err)
				continue
			}
			var got []int
			for i, b := range s.Befores {
				if i == 0 {
					got = append(got, b.A)
				}
				got = append(got, b.B)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: items %v, wanted %v", rule, got, want)
			}
		}
		for rule, wanted := range map[string]string{
			"St. John, Ann,Okafor, Ngozi": fmt.Sprintf(comma, "St. John, Ann", `"St. John, Ann"`),
			"Okafor,Ngozi,3":              fmt.Sprintf(comma, "Okafor, Ngozi", `"Okafor, Ngozi"`),
			`"Okafor, Ngozi,3`:            "a quotation mark is missing",
			`"Okafor, Ngozi" x,3`:         "wanted a comma behind a quotation mark that closes; one within a name is written twice",
			`3,`:                          "the name of an item is missing",
		} {
			if _, err := (Text{Before: []string{rule}}).Parse(names); err == nil || hint.Text(err) != fmt.Sprintf("before %q: %s", rule, wanted) {
				t.Errorf("%s: %v, wanted %q", rule, err, wanted)
			}
		}
		if _, err := (Text{First: []string{"1:Lund, Eva"}}).Parse(names); err == nil || !strings.HasSuffix(hint.Text(err), fmt.Sprintf(comma, "Lund, Eva", `"Lund, Eva"`)) {
			t.Errorf("first: %v", err)
		}
		for rule, item := range map[string]int{`Lund, Eva=0`: 2, `Lund, Per = "PL"=0`: 1, `"Lund, Per = ""PL"""=0`: 1, `"Okafor, Ngozi" = 0`: 0, `3=0`: 3} {
			if s, err := (Text{Pin: []string{rule}}).Parse(names); err != nil || s.Pins[0].Item != item {
				t.Errorf("pin %s: %v, %v, wanted item %d", rule, s.Pins, err, item)
			}
		}
	}
	// In quotation marks each is one for certain; so are blanks around a name.
	s, err := Text{Before: []string{`"Ann","St. John","Ngozi","Okafor"," wide "`}, Pin: []string{`"quoted"=0`}}.Parse(more)
	if err != nil || len(s.Befores) != 4 || s.Befores[3] != (Before{7, 8}) || s.Pins[0].Item != 9 {
		t.Errorf("%+v, %v", s, err)
	}
	// What Quote writes is read as the name, whatever it is.
	for k, name := range more {
		if s, err := (Text{First: []string{"1:" + Quote(name)}}).Parse(more); err != nil || s.Firsts[0].Items[0] != k {
			t.Errorf("%s: %+v, %v, wanted item %d", Quote(name), s.Firsts, err, k)
		}
	}
	for name, want := range map[string]string{"Ann": "Ann", "": `""`, "St. John, Ann": `"St. John, Ann"`, `a"b`: `"a""b"`, "a=b": "a=b", "a\tb": "\"a\tb\""} {
		if got := Quote(name); got != want {
			t.Errorf("%q is written %s, wanted %s", name, got, want)
		}
	}
}

func TestCheckForm(t *testing.T) {
	if err := (Text{Pin: []string{"a=3", "b=c = 0"}, Forbid: []string{"1=2"}, Before: []string{" a, 2 ,1"}, First: []string{"2:0,b=c"}}).CheckForm(); err != nil {
		t.Error(err)
	}
	for want, text := range map[string]Text{
		`pin "": wanted ITEM=POSITION`:                                         {Pin: []string{""}},
		`pin "=0": the name of an item is missing`:                             {Pin: []string{"=0"}},
		`pin "a=": position: wanted a whole number, 0 or more (got "")`:        {Pin: []string{"a=0", "a="}},
		`forbid "a=-1": position: wanted a whole number, 0 or more (got "-1")`: {Forbid: []string{"a=-1"}},
		`before "": the name of an item is missing`:                            {Before: []string{""}},
		`before "a": wanted two items or more, such as A,B`:                    {Before: []string{"a"}},
		`before "a,,b": the name of an item is missing`:                        {Before: []string{"a,,b"}},
		`first "a": wanted COUNT:ITEM,ITEM`:                                    {First: []string{"a"}},
		`first "0:a": count: wanted a whole number, 1 or more (got "0")`:       {First: []string{"0:a"}},
		`before "\"a,b": a quotation mark is missing`:                          {Before: []string{`"a,b`}},
		`first "2:a,": the name of an item is missing`:                         {First: []string{"2:a,"}},
	} {
		if err := text.CheckForm(); err == nil || hint.Text(err) != want {
			t.Errorf("%+v: %v, wanted %s", text, err, want)
		}
		// What no set could take, no set takes.
		if _, err := text.Parse([]string{"a", "b", "c"}); err == nil {
			t.Errorf("%+v is read", text)
		}
	}
}

// Whatever is written gives rules about the items or an error.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"", "a=0", "a,b", "1:a", "=", ":", ",", "9999999999999999999999=1", "-1=0", "1:0,1,0", `"a","b"`, `"a""`, `1:"a"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Rules
		fuzztest.Within(t, 1<<20, 1<<10, len(text), func() {
			for _, x := range []Text{{Pin: []string{text}}, {Before: []string{text}}, {First: []string{text}}, {Forbid: []string{text}}} {
				if more, err := x.Parse([]string{"a", "b"}); err == nil {
					s = s.And(more)
				}
			}
		})
		if err := s.validate(2); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
