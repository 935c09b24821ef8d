package tour

import (
	"math"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/tsp"
)

// A copy is similar to its set, and the first one is the set. The right tour of a copy begins at
// its city 0 and goes round counter-clockwise. It comes back as the set's right tour.
func TestTurned(t *testing.T) {
	work := newTestTour(t, nil)
	ex, err := work.Examples(task.Test, 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i, points := range ex.Look.Points {
		set := &dataset.Set{Kind: dataset.KindPoint}
		for _, p := range points {
			set.Items = append(set.Items, dataset.Item{Point: [2]float64{p[0] * 1e300, p[1] * 1e300}})
		}
		for c := range 6 {
			turned, back := work.Turned(set, c, 6)
			if c == 0 && turned != set {
				t.Error("the first copy is not the set")
			}
			own := back(perm.Identity(8)) // of the copy's cities in their order, from city 0 on
			if own[0] != 0 {
				t.Errorf("copy %d: %v begins at another city", c, own)
			}
			copied, _ := task.Cities(turned)
			flat := task.ForNetwork(copied, "unit")
			for k := range copied {
				copied[k] = [2]float64{float64(flat[2*k]), float64(flat[2*k+1])}
			}
			order := counterClockwise(copied, tsp.Label(copied, task.Source(1, task.Test, c)))
			if got := back(order); !slices.Equal(got, ex.Clean[i]) {
				t.Errorf("set %d, copy %d: the right tour comes back as %v, wanted %v", i, c, got, ex.Clean[i])
			}
			scale := tsp.Length(copied, order) / ex.Judge.(*judge).best[i]
			for o := range 3 {
				some := perm.Random(task.Source(2, task.Test, o), 8)
				if got, want := tsp.Length(copied, some), scale*tsp.Length(points, back(some)); math.Abs(got-want) > 1e-5*want {
					t.Errorf("set %d, copy %d: a tour of %g, in the set %g", i, c, got, want)
				}
			}
		}
	}
}
