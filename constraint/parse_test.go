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
		{Text{Before: []string{"a"}}, `before "a": wanted two items or more, such as A,B (got 1)`},
		{Text{Before: []string{"a,a"}}, `before "a,a": item a is there twice`},
		{Text{Before: []string{"a,b"}}, `before "a,b": no item "b", the nearest is "a"`},
		{Text{First: []string{"a,b"}}, `first "a,b": wanted COUNT:ITEM,ITEM`},
		{Text{First: []string{"0:a"}}, `first "0:a": count: wanted 1 to 4 (got "0")`},
		{Text{First: []string{"5:a"}}, `first "5:a": count: wanted 1 to 4 (got "5")`},
	} {
		if _, err := c.text.Parse(names); err == nil || err.Error() != c.want {
			t.Errorf("%+v: %v, wanted %q", c.text, err, c.want)
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
