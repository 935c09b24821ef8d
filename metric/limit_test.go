package metric

import (
	"math"
	"testing"

	"github.com/riffle-ml/riffle/perm"
)

// The values were simulated independently, in Python, for four digits; there equal numbers
// were not interchangeable, which matters from about n = 52 on.
func TestReadingLimit(t *testing.T) {
	for _, c := range []struct {
		n       int
		misread float64
		want    float64
	}{{3, 0.01, 98.0}, {9, 0.01, 90.5}, {15, 0.01, 80.2}, {32, 0.01, 57.3}, {9, 0.004, 95.5}, {32, 0.002, 90.2}} {
		got, stderr := ReadingLimit(c.n, 4, c.misread, 20000, 1)
		if math.Abs(got-c.want) > 4*stderr+0.5 { // 0.5: the other simulation's own error
			t.Errorf("n = %d, %g misread: %.1f ± %.1f %%, want %.1f", c.n, c.misread, got, stderr, c.want)
		}
	}
	if got, _ := ReadingLimit(9, 4, 0, 500, 1); got != 100 {
		t.Errorf("without misreading %.1f %%, want 100", got)
	}
	if got, _ := ReadingLimit(5, 4, 0.9, 4000, 1); got > 5 { // chance is 1/120
		t.Errorf("reading at random sorts %.1f %% of sets", got)
	}
}

func TestChanceCeiling(t *testing.T) {
	for _, c := range []struct {
		alike, same    []int
		exact, correct float64
	}{
		{nil, nil, 1, 1},
		{[]int{0, 1, 2}, []int{0, 1, 2}, 1, 1},
		{[]int{0, 0, 2}, []int{0, 1, 2}, 1. / 2, 2. / 3},
		{[]int{5, 5, 5, 5}, []int{0, 1, 2, 3}, 1. / 24, 1. / 4},
		{[]int{5, 5, 5, 5}, []int{7, 7, 7, 7}, 1, 1},
		// Two of four are the same: 2!·1!·1!/4!, and (2·2 + 1 + 1)/4 of four places.
		{[]int{5, 5, 5, 5}, []int{7, 7, 8, 9}, 1. / 12, 6. / 16},
	} {
		exact, correct, err := ChanceCeiling(c.alike, c.same)
		if err != nil || math.Abs(exact-c.exact) > 1e-12 || math.Abs(correct-c.correct) > 1e-12 {
			t.Errorf("alike %v, same %v: %g, %g, %v; wanted %g, %g", c.alike, c.same, exact, correct, err, c.exact, c.correct)
		}
	}
	if _, _, err := ChanceCeiling([]int{0, 1}, []int{0}); err == nil {
		t.Error("lists of two lengths: no error")
	}
	if _, _, err := ChanceCeiling([]int{0, 1}, []int{0, 0}); err == nil {
		t.Error("the same but not alike: no error")
	}
}

// The limits are those of guessing: all guesses, counted.
func TestChanceCeilingIsThatOfGuessing(t *testing.T) {
	alike, same := []int{0, 0, 0, 1, 1, 2}, []int{0, 0, 2, 3, 4, 5}
	guesses, exact, right := 0, 0, 0
	for o := range perm.All(len(alike)) {
		ok, places := true, 0
		for i, k := range o {
			ok = ok && alike[k] == alike[i]
			if same[k] == same[i] {
				places++
			}
		}
		if !ok {
			continue
		}
		guesses++
		right += places
		if places == len(o) {
			exact++
		}
	}
	gotExact, gotCorrect, err := ChanceCeiling(alike, same)
	wantExact, wantCorrect := float64(exact)/float64(guesses), float64(right)/float64(guesses*len(alike))
	if err != nil || math.Abs(gotExact-wantExact) > 1e-12 || math.Abs(gotCorrect-wantCorrect) > 1e-12 {
		t.Errorf("%g, %g, %v; counted %g, %g", gotExact, gotCorrect, err, wantExact, wantCorrect)
	}
}
