package task

import (
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

// Equal values may stand in any order; all else counts as it is.
func TestJudge(t *testing.T) {
	one := One{[]perm.Order{{1, 0, 2, 3}}}
	ex := &Examples{Clean: one.Clean, Judge: ByValue{one, [][]float64{{5, 2, 5, 9}}}}
	for _, c := range []struct {
		order          perm.Order
		exact, correct float64
	}{
		{perm.Order{1, 0, 2, 3}, 100, 100},
		{perm.Order{1, 2, 0, 3}, 100, 100}, // the fives exchanged
		{perm.Order{0, 1, 2, 3}, 0, 50},    // values 5 2 5 9: the last two stand right
		{perm.Order{3, 2, 0, 1}, 0, 50},    // values 9 5 5 2: the fives stand right
	} {
		s, err := Places(ex, 0, c.order)
		if err != nil {
			t.Fatal(err)
		}
		if s["exact"] != c.exact || s["correct"] != c.correct || s["permutations"] != 100 {
			t.Errorf("%v: exact %g, correct %g; wanted %g and %g", c.order, s["exact"], s["correct"], c.exact, c.correct)
		}
		if (s["kendall_tau"] == 1) != (c.exact == 100) {
			t.Errorf("%v: tau %g", c.order, s["kendall_tau"])
		}
	}
	// Without values only the given order is right.
	ex.Judge = one
	if s, err := Places(ex, 0, perm.Order{1, 2, 0, 3}); err != nil || s["exact"] != 0 || s["correct"] != 50 {
		t.Errorf("%v %v", s, err)
	}
}

// Of what is no permutation that counts which stands where it should, and nothing else.
func TestPlacesOfNoPermutation(t *testing.T) {
	one := One{[]perm.Order{{1, 0, 2, 3}}}
	ex := &Examples{Clean: one.Clean, Judge: ByValue{one, [][]float64{{5, 2, 5, 9}}}}
	// Values 2 5 5 9 are right; 2 2 5 9 has three of them in place.
	f, err := Places(ex, 0, perm.Order{1, 1, 0, 3})
	if err != nil || f["exact"] != 0 || f["correct"] != 75 || f["kendall_tau"] != 0 || f["kendall_tau_lists"] != 0 || f["permutations"] != 0 {
		t.Errorf("%v, %v", f, err)
	}
}

// A unit stands behind what it is of, before what else the label says.
func TestTitle(t *testing.T) {
	for want, m := range map[string]Measure{
		"exact %": {Label: "exact", Unit: "%"}, "exact %, known pairs": {Label: "exact, known pairs", Unit: "%"}, "no mode %": {Label: "no mode", Unit: Share},
		"bound, nats an item": {Label: "bound", Unit: "nats an item"}, "RMSE": {Label: "RMSE"},
	} {
		if got := m.Title(); got != want {
			t.Errorf("%q, wanted %q", got, want)
		}
	}
}
