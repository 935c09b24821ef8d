package nearest

import "testing"

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
