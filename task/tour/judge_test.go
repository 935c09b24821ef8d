package tour

import (
	"math"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// A tour is exact that is as short as the shortest, whichever way round; what is longer is not, and
// its gap is by how much. No place is right.
func TestJudge(t *testing.T) {
	ex, err := newTestTour(t, func(c *config.Config) { c.Task.N = 7 }).Examples(task.Test, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, clean := range ex.Clean {
		back := slices.Clone(clean)
		slices.Reverse(back[1:])
		longer := slices.Clone(clean)
		longer[1], longer[3] = longer[3], longer[1]
		for what, o := range map[string][]int{"as it is": clean, "backwards": back, "longer": longer} {
			places, err := task.Places(ex, i, o)
			if err != nil {
				t.Fatal(err)
			}
			f, err := ex.Judge.Figures(i, o)
			if err != nil {
				t.Fatal(err)
			}
			if exact := what != "longer"; (places["exact"] == 100) != exact || (f["tour.gap"] < 1e-9) != exact {
				t.Errorf("set %d, %s: exact %g %%, gap %g %%", i, what, places["exact"], f["tour.gap"])
			}
			if want := 100 * (f["tour.length"]/f["tour.best"] - 1); math.Abs(f["tour.gap"]-want) > 1e-9 {
				t.Errorf("set %d, %s: gap %g %%, wanted %g %%", i, what, f["tour.gap"], want)
			}
		}
		if _, _, err := ex.Judge.Places(i); err != task.ErrNoPlaces {
			t.Errorf("places of a tour: %v", err)
		}
	}
}

// 2-opt takes the crossing out of a square's diagonals, in figures of their own: the order's own stay.
func TestFinished(t *testing.T) {
	j := &judge{points: [][][2]float64{{{0, 0}, {1, 1}, {1, 0}, {0, 1}}}, best: []float64{4}}
	crossed := perm.Order{0, 1, 2, 3}
	own, err := j.Figures(0, crossed)
	if err != nil {
		t.Fatal(err)
	}
	finished, err := j.Finished(0, crossed)
	if err != nil {
		t.Fatal(err)
	}
	if want := 2 + 2*math.Sqrt2; math.Abs(own["tour.length"]-want) > 1e-12 {
		t.Errorf("length %g, wanted %g", own["tour.length"], want)
	}
	if len(finished) != 2 || math.Abs(finished["tour.length_2opt"]-4) > 1e-12 || math.Abs(finished["tour.gap_2opt"]) > 1e-9 {
		t.Errorf("finished: %v, wanted a length of 4 and no gap", finished)
	}
}
