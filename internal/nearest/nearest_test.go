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
}
