package task

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/tsp"
)

// Tour is the travelling salesman problem in the plane: the objects are cities, points of
// the unit square, and the right order is the shortest closed tour (paper §4.3). A tour
// begins with object 0 and goes round counter-clockwise, which an optimal tour, a simple
// polygon, either does or does backwards: so one order is right, and not two.
type Tour struct {
	n     int
	seed  uint64
	lines [2][]*dataset.Set // of the files, training and test; nil where instances are drawn
	// doubts are what speaks against the files' tours.
	doubts [2][]string
}

func newTour(c *run.Config) (*Tour, error) {
	if c.Task.N > tsp.MaxCities {
		return nil, fmt.Errorf("task.n: must be at most %d cities (got %d)", tsp.MaxCities, c.Task.N)
	}
	t := &Tour{n: c.Task.N, seed: c.Seed}
	for i, path := range []string{c.Task.Data, c.Task.Test} {
		if path == "" {
			continue
		}
		sets, err := dataset.ReadTourText(path)
		if err != nil {
			return nil, errData([]string{"task.data", "task.test"}[i], path, err)
		}
		for _, s := range sets {
			if len(s.Items) != t.n {
				return nil, fmt.Errorf("%s:%d: has %d cities, wanted task.n = %d", path, s.Line, len(s.Items), t.n)
			}
			if s.Order == nil {
				return nil, fmt.Errorf("%s:%d: has no tour", path, s.Line)
			}
			if math.IsInf(t.Cost(s, s.Order), 0) {
				return nil, fmt.Errorf("%s:%d: a tour has no finite length: the cities are too far apart", path, s.Line)
			}
		}
		if len(sets) == 0 {
			return nil, fmt.Errorf("%s: has no instance", path)
		}
		t.lines[i], t.doubts[i] = sets, dataset.DoubtTours(path, sets)
	}
	return t, nil
}

// Encoder implements [Task].
func (t *Tour) Encoder() denoiser.EncoderConfig { return denoiser.EncoderConfig{Features: 2} }

// Examples implements [Task]. Instances are drawn uniformly from the unit square and solved,
// or are those of a file: the test file's in their order, the training file's at random, each
// in one of the square's eight symmetries and begun at any of its cities.
func (t *Tour) Examples(split Split, first, count int) (*Examples, error) {
	e := &Examples{Clean: make([]perm.Order, count), Best: make([]float64, count)}
	points := make([][][2]float64, count)
	parallel.For(count, func(i int) {
		rng := source(t.seed, split, first+i)
		switch {
		case split == Test && t.lines[1] != nil:
			points[i], e.Clean[i] = cities(t.lines[1][(first+i)%len(t.lines[1])])
		case split != Test && t.lines[0] != nil:
			points[i], e.Clean[i] = cities(t.lines[0][rng.IntN(len(t.lines[0]))])
			symmetry(points[i], rng.IntN(8))
			begin(points[i], e.Clean[i], rng.IntN(t.n))
		default:
			points[i] = make([][2]float64, t.n)
			for k := range points[i] {
				points[i][k] = [2]float64{rng.Float64(), rng.Float64()}
			}
			e.Clean[i] = tsp.Label(points[i], rng)
		}
		e.Clean[i] = counterClockwise(points[i], e.Clean[i])
		e.Best[i] = tsp.Length(points[i], e.Clean[i])
	})
	flat := make([]float32, 0, count*t.n*2)
	for _, p := range points {
		flat = append(flat, unit(p)...)
	}
	e.Objects = tensors.FromFlatDataAndDimensions(flat, count, t.n, 2)
	e.Points = points
	e.Cost = func(set int, o perm.Order) float64 { return tsp.Length(points[set], o) }
	return e, nil
}

// Instances is how many the file of a split has, 0 where they are drawn.
func (t *Tour) Instances(split Split) int {
	if split == Test {
		return len(t.lines[1])
	}
	return len(t.lines[0])
}

// Doubts says what speaks against the tours of a split's file as the shortest ones, which they are
// taken for.
func (t *Tour) Doubts(split Split) []string {
	if split == Test {
		return t.doubts[1]
	}
	return t.doubts[0]
}

// Cost is the length of a tour through a user's points, in their units.
func (t *Tour) Cost(set *dataset.Set, o perm.Order) float64 {
	p, _ := cities(set)
	return tsp.Length(p, o)
}

// Objects implements [Task]: points, moved and scaled into the unit square.
func (t *Tour) Objects(_ context.Context, sets []*dataset.Set) (*tensors.Tensor, []string, error) {
	n := len(sets[0].Items)
	flat := make([]float32, 0, len(sets)*n*2)
	for _, set := range sets {
		if set.Kind != dataset.KindPoint && n > 0 {
			return nil, nil, fmt.Errorf("set %s: items are %s, wanted points", set.ID, set.Kind.Items())
		}
		p, _ := cities(set)
		flat = append(flat, unit(p)...)
	}
	return tensors.FromFlatDataAndDimensions(flat, len(sets), n, 2), nil, nil
}

func cities(s *dataset.Set) (points [][2]float64, order perm.Order) {
	points = make([][2]float64, len(s.Items))
	for k := range points {
		points[k] = s.Items[k].Point
	}
	return points, slices.Clone(s.Order)
}

// unit brings points into the unit square: as they are where they lie in it, else moved to the
// origin and divided by the larger of their extents. Points all in one place go to the middle.
func unit(points [][2]float64) []float32 {
	inside := true
	low, high := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		for a := range 2 {
			low[a], high[a] = min(low[a], p[a]), max(high[a], p[a])
			inside = inside && p[a] >= 0 && p[a] <= 1
		}
	}
	half := max(high[0]/2-low[0]/2, high[1]/2-low[1]/2) // the whole difference may overflow
	flat := make([]float32, 0, 2*len(points))
	for _, p := range points {
		for a := range 2 {
			v := 0.5
			switch {
			case inside:
				v = p[a]
			case half > 0:
				v = (p[a]/2 - low[a]/2) / half
			}
			flat = append(flat, float32(v))
		}
	}
	return flat
}

// symmetry moves points by one of the eight symmetries of the unit square.
func symmetry(points [][2]float64, which int) {
	for i, p := range points {
		if which&1 != 0 {
			p[0] = 1 - p[0]
		}
		if which&2 != 0 {
			p[1] = 1 - p[1]
		}
		if which&4 != 0 {
			p[0], p[1] = p[1], p[0]
		}
		points[i] = p
	}
}

// begin has a city change places with city 0, where tours begin.
func begin(points [][2]float64, tour perm.Order, city int) {
	points[0], points[city] = points[city], points[0]
	at, of := slices.Index(tour, 0), slices.Index(tour, city)
	tour[at], tour[of] = city, 0
}

// counterClockwise turns a tour so that it begins with city 0 and its signed area is not
// negative. Tours without area go to the lower of the two neighbours of city 0 first.
func counterClockwise(points [][2]float64, tour perm.Order) perm.Order {
	n := len(tour)
	if n == 0 {
		return tour
	}
	at := slices.Index(tour, 0)
	out := append(slices.Clone(tour[at:]), tour[:at]...)
	area := 0.0
	for i, k := range out {
		p, q := points[k], points[out[(i+1)%n]]
		area += p[0]*q[1] - p[1]*q[0]
	}
	if area < 0 || area == 0 && n > 1 && out[1] > out[n-1] {
		slices.Reverse(out[1:])
	}
	return out
}
