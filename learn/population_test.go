package learn

import (
	"math"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
)

// What a classical model cannot be fitted to is said, without hints about the packages.
func TestPopulations(t *testing.T) {
	vote := func(count int, levels ...[]int) dataset.Vote { return dataset.Vote{Levels: levels, Count: count} }
	fitted := []dataset.Vote{vote(2, []int{0}, []int{1}), vote(1, []int{1}, []int{0})}
	// Two of three put 0 first: of either law that is the maximum, (2 log 2/3 + log 1/3)/3 a list
	// and half of it an item.
	want := (2*math.Log(2.0/3) + math.Log(1.0/3)) / 6
	for _, p := range populations(fitted, fitted, 2, nil) {
		if p.LogProb == nil || math.Abs(float64(*p.LogProb)-want) > 1e-6 || p.Note != "" {
			t.Errorf("%+v: wanted %g", p, want)
		}
	}
	alike := []dataset.Vote{vote(3, []int{0}, []int{1})}
	if p := populations(alike, alike, 2, []string{"Ann", "St. John"})[0]; p.Name != "Plackett–Luce, prior ½" || p.LogProb == nil || !strings.HasSuffix(p.Note, "2 strongly connected parts: {Ann} {\"St. John\"}") {
		t.Errorf("%+v: wanted a note that there is no maximum, and a fit with a prior", p)
	}
	// A tie that is not the last, and an item that is left out.
	tied := []dataset.Vote{vote(1, []int{0, 1}, []int{2})}
	for _, p := range populations(tied, tied, 4, nil) {
		if p.LogProb != nil || p.Note == "" || strings.Contains(p.Note, "hint") {
			t.Errorf("%+v: wanted a note alone", p)
		}
	}
}
