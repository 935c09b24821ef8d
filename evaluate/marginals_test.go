package evaluate

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/task"
)

// Marginals are shares: each item is somewhere and each position has an item. The items stand in
// their right order, and draws in parts are the draws at once.
func TestTestMarginals(t *testing.T) {
	e := openEngine(t, "go")
	m, _ := train(t, tiny(), e)
	got, err := TestMarginals(t.Context(), m, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	n := m.Config.Task.N
	if len(got.Values) != n || len(got.Items) != n || got.Samples != 100 {
		t.Fatalf("%d rows, %d names, %d samples, wanted %d, %[4]d, 100", len(got.Values), len(got.Items), got.Samples, n)
	}
	for i := range n {
		row, column := 0.0, 0.0
		for j := range n {
			row += got.Values[i][j]
			column += got.Values[j][i]
			if share := got.Values[i][j] * 100; math.Abs(share-math.Round(share)) > 1e-9 {
				t.Errorf("row %d, position %d: %v is no share of 100 samples", i, j, got.Values[i][j])
			}
		}
		if math.Abs(row-1) > 1e-9 || math.Abs(column-1) > 1e-9 {
			t.Errorf("row %d sums to %v, column to %v, wanted 1", i, row, column)
		}
	}
	again, err := TestMarginals(t.Context(), m, 0, 100)
	if err != nil || !slices.EqualFunc(got.Values, again.Values, slices.Equal) {
		t.Errorf("the same seed gave other shares (%v)", err)
	}
}

// Of lists that are not known whole the items stand level by level, those without a place last.
func TestTestMarginalsOfLists(t *testing.T) {
	m := lists(t)
	want := map[string]bool{"x y z w": false, "y x": true, "x z y": false}
	seen := map[string]bool{}
	for i := range 30 { // test sets are drawn
		got, err := TestMarginals(t.Context(), m, i, 2)
		if err != nil {
			t.Fatal(err)
		}
		items := strings.Join(got.Items, " ")
		if whole, ok := want[items]; !ok || got.Whole != whole {
			t.Errorf("set %d: items %s, whole %v, wanted one of %v", i, items, got.Whole, want)
		}
		seen[items] = true
	}
	if len(seen) != len(want) {
		t.Errorf("saw %v, wanted all of %v", seen, want)
	}
}

func TestTestMarginalsErrors(t *testing.T) {
	e := openEngine(t, "go")
	m := newModel(t, tiny(), e)
	for _, c := range []struct{ index, samples int }{{-1, 1}, {0, 0}, {0, MaxCalibrationSamples + 1}} {
		if _, err := TestMarginals(t.Context(), m, c.index, c.samples); err == nil {
			t.Errorf("set %d, %d samples: no error", c.index, c.samples)
		}
	}
	tour := tiny()
	tour.Task = config.Task{Name: "tsp", N: 5}
	tour.Model.Encoder = "points"
	if _, err := TestMarginals(t.Context(), newModel(t, tour, e), 0, 5); !errors.Is(err, task.ErrNoPlaces) {
		t.Errorf("of a tour: %v, wanted task.ErrNoPlaces", err)
	}
}
