package learn

import (
	"fmt"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
)

// Sets of more sizes than GoMLX compiles graphs for by itself, 32, are answered; a set's
// warnings are those of the set alone. The model goes on after it has forgotten its graphs.
func TestManySizes(t *testing.T) {
	m := newScalars(t, scalars{N: 4}, func(*config.Config) {})
	var all []*dataset.Set
	for n := 2; n <= 36; n++ {
		all = append(all, randomSets(2, n)...)
	}
	first, _, err := m.Order(t.Context(), all, 1, DecodeOptions{Method: "greedy"})
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range first {
		n := len(all[i].Items)
		want := []string{fmt.Sprintf("1 set has %d objects, the model was trained on sets of 4: the answers may be worse", n)}
		if n == 4 {
			want = nil
		}
		if got := a.Warnings[len(m.Warnings()):]; !slices.Equal(got, want) {
			t.Errorf("set of %d: warnings %q, wanted %q", n, got, want)
		}
	}
	m.ReleaseGraphs()
	again, _, err := m.Order(t.Context(), all[:3], 1, DecodeOptions{Method: "greedy"})
	if err != nil || !slices.Equal(again[2].Orders[0].Order, first[2].Orders[0].Order) {
		t.Errorf("after Forget: %v, %+v, wanted %+v", err, again, first[2])
	}
}
