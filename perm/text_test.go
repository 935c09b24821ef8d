package perm_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/fuzztest"
	"github.com/riffle-ml/riffle/perm"
)

func TestParseOrder(t *testing.T) {
	cases := []struct {
		text string
		base perm.Base
		want perm.Order
	}{
		{"1 4 2 5 3", perm.OneBased, perm.Order{0, 3, 1, 4, 2}},
		{"1,4,2,5,3", perm.OneBased, perm.Order{0, 3, 1, 4, 2}},
		{" 1 , 4,2\t5\n3 ", perm.OneBased, perm.Order{0, 3, 1, 4, 2}},
		{"2 0 1", perm.ZeroBased, perm.Order{2, 0, 1}},
		{"0", perm.ZeroBased, perm.Order{0}},
		{"1", perm.OneBased, perm.Order{0}},
		{"", perm.ZeroBased, perm.Order{}},
		{" \n", perm.OneBased, perm.Order{}},
	}
	for _, c := range cases {
		got, err := perm.ParseOrder(c.text, c.base)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("ParseOrder(%q, %d) = %v, %v, wanted %v", c.text, c.base, got, err, c.want)
		}
	}
}

func TestParseNamesTheEntry(t *testing.T) {
	cases := []struct {
		text string
		base perm.Base
		want string
	}{
		{"0 1 2", perm.OneBased, "entry 1 is 0, wanted 1 to 3"},
		{"1 2 3", perm.ZeroBased, "entry 2 is 3, wanted 0 to 2"},
		{"1 2 2", perm.OneBased, "entry 3 repeats 2"},
		{"0 x", perm.ZeroBased, `entry 1 is "x", wanted a whole number`},
		{"0 1.0", perm.ZeroBased, `entry 1 is "1.0", wanted a whole number`},
		{"0,,1", perm.ZeroBased, "entry 1 is empty, wanted a number"},
		{"0,1,", perm.ZeroBased, "entry 2 is empty, wanted a number"},
		{"-1 0", perm.ZeroBased, "entry 0 is -1, wanted 0 to 1"},
		{"99999999999999999999", perm.ZeroBased, `entry 0 is "99999999999999999999", wanted a whole number`},
	}
	for _, c := range cases {
		if _, err := perm.ParseOrder(c.text, c.base); err == nil || err.Error() != "order: "+c.want {
			t.Errorf("ParseOrder(%q, %d): %v, wanted %q", c.text, c.base, err, c.want)
		}
		if _, err := perm.ParseRank(c.text, c.base); err == nil || err.Error() != "rank: "+c.want {
			t.Errorf("ParseRank(%q, %d): %v, wanted %q", c.text, c.base, err, c.want)
		}
	}
}

func TestTextRoundTrips(t *testing.T) {
	if got := (perm.Order{0, 3, 1, 4, 2}).Text(perm.OneBased); got != "1 4 2 5 3" {
		t.Errorf("Text = %q, wanted the paper's 1 4 2 5 3", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		o := drawOrder(t, 30, "o")
		base := rapid.SampledFrom([]perm.Base{perm.ZeroBased, perm.OneBased}).Draw(t, "base")
		separator := rapid.SampledFrom([]string{" ", ",", ", ", "\n"}).Draw(t, "separator")
		text := strings.ReplaceAll(o.Text(base), " ", separator)
		if back, err := perm.ParseOrder(text, base); err != nil || !slices.Equal(back, o) {
			t.Fatalf("ParseOrder(%q) = %v, %v, wanted %v", text, back, err, o)
		}
		if back, err := perm.ParseRank(o.Rank().Text(base), base); err != nil || !slices.Equal(back.Order(), o) {
			t.Fatalf("ParseRank = %v, %v, wanted the rank of %v", back, err, o)
		}
	})
}

func FuzzParseOrder(f *testing.F) {
	for _, seed := range []string{"", "1 4 2 5 3", "0,1", "0,,1", "2 1\t0", "9", "-1", "１", "1e3", "+1 0"} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	f.Fuzz(func(t *testing.T, text string, oneBased bool) {
		base := perm.ZeroBased
		if oneBased {
			base = perm.OneBased
		}
		var o perm.Order
		var err error
		fuzztest.Within(t, 1<<20, 1<<10, len(text), func() { o, err = perm.ParseOrder(text, base) })
		if err != nil {
			if o != nil {
				t.Fatalf("ParseOrder(%q) returns both %v and %v", text, o, err)
			}
			return
		}
		if err := o.Validate(); err != nil {
			t.Fatalf("ParseOrder(%q) = %v: %v", text, o, err)
		}
		if back, err := perm.ParseOrder(o.Text(base), base); err != nil || !slices.Equal(back, o) {
			t.Fatalf("%q: written as %q, read as %v, %v", text, o.Text(base), back, err)
		}
	})
}
