package nearest

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for name, want := range map[string]string{"ordr": "order", "rnk": "rank", "feature": "features", "imge": "image", "": "id"} {
		if got := Of(name, []string{"id", "items", "order", "rank", "features", "image", "point"}); got != want {
			t.Errorf("nearest to %q is %q, wanted %q", name, got, want)
		}
	}
	// Wagner & Fischer's classic: kitten to sitting takes 3 edits.
	if got := edits("kitten", "sitting"); got != 3 {
		t.Errorf("kitten to sitting: %d, wanted 3", got)
	}
	// By hand: an exchange of neighbours, and the known case of two that share a letter, where the
	// distance without repeated edits is 3.
	for pair, want := range map[[2]string]int{{"uot", "out"}: 1, {"ca", "abc"}: 3, {"", "abc"}: 3, {"abc", ""}: 3} {
		if got := edits(pair[0], pair[1]); got != want {
			t.Errorf("%v: %d edits, wanted %d", pair, got, want)
		}
	}
}

// A name that nobody typed has no nearest, at once: comparing these would take minutes.
func TestLong(t *testing.T) {
	long := strings.Repeat("ab", 5_000_000)
	if got := Of(long, []string{long[1:], "id"}); got != "" {
		t.Errorf("nearest to a long name is %.10q, wanted none", got)
	}
	if got := Near(long, []string{long[1:], "id"}); got != "" {
		t.Errorf("near a long name is %.10q, wanted none", got)
	}
	if got := Hint(long, []string{"id"}); got != "" {
		t.Errorf("hint for a long name: %q", got)
	}
	if got := Of("is", []string{long, "id"}); got != "id" {
		t.Errorf("nearest is %.10q, wanted the short one", got)
	}
	edge := strings.Repeat("x", MaxName)
	if Of(edge, []string{"id"}) != "id" || Of(edge+"x", []string{"id"}) != "" {
		t.Errorf("wanted a nearest for %d bytes and none for more", MaxName)
	}
	known := make([]string, MaxKnown+1)
	known[MaxKnown] = "order"
	if got := Of("order", known); got != "" {
		t.Errorf("nearest is %q, wanted that only %d are looked at", got, MaxKnown)
	}
}

func TestNear(t *testing.T) {
	known := []string{"cite", "top", "json", "order", "sort-9"}
	for name, want := range map[string]string{"ordr": "order", "jsn": "json", "SORT-9": "sort-9", "nope": "", "": "", "zz": "", "sort9": "sort-9"} {
		if got := Near(name, known); got != want {
			t.Errorf("near %q is %q, wanted %q", name, got, want)
		}
	}
	if got := Near("order", nil); got != "" {
		t.Errorf("near none of none is %q", got)
	}
}
