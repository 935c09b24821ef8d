package constraint

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/internal/fuzztest"
)

func TestParse(t *testing.T) {
	names := []string{"a", "b=c", "2", "1"}
	got, err := Text{
		Pin:    []string{"a=3", "b=c = 0"},
		Forbid: []string{"1=2"}, // the name goes before the number
		Before: []string{" a, 2 ,1"},
		First:  []string{"2:0,b=c"},
	}.Parse(names)
	want := Set{
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
		{Text{Before: []string{"a,b"}}, `before "a,b": no item "b": items are a, b=c, 2, 1`},
		{Text{Before: []string{"b=d,a"}}, `before "b=d,a": no item "b=d", the nearest is "b=c"`},
		{Text{First: []string{"2:"}}, `first "2:": the name of an item is missing`},
		{Text{First: []string{"a,b"}}, `first "a,b": wanted COUNT:ITEM,ITEM`},
		{Text{First: []string{"0:a"}}, `first "0:a": count: wanted 1 to 4 (got "0")`},
		{Text{First: []string{"5:a"}}, `first "5:a": count: wanted 1 to 4 (got "5")`},
	} {
		if _, err := c.text.Parse(names); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, wanted %q", c.text, err, c.want)
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
		`first "2:a,": the name of an item is missing`:                         {First: []string{"2:a,"}},
	} {
		if err := text.CheckForm(); err == nil || err.Error() != want {
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
	for _, seed := range []string{"", "a=0", "a,b", "1:a", "=", ":", ",", "9999999999999999999999=1", "-1=0", "1:0,1,0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Set
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
