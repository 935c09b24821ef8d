package task

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/tsp"
)

// Tour is the travelling salesman problem in the plane: the objects are cities, points of
// the unit square, and the right order is the shortest closed tour (paper §4.3). A tour
// begins with object 0 and goes round counter-clockwise, which an optimal tour, a simple
// polygon, either does or does backwards: so one order is right, and not two.
type Tour struct {
	n      int
	seed   uint64
	points string            // model.points
	kept   [Test + 1]*labels // of instances that are drawn, with task.instances
	lines  [2][]*dataset.Set // of the files, training and test; nil where instances are drawn
	// doubts are what speaks against the files' tours.
	doubts [2][]string
}

func newTour(c *config.Config) (*Tour, error) {
	if c.Task.N > tsp.MaxCities {
		return nil, field.Errorf("N", "must be at most %d cities (got %d)", tsp.MaxCities, c.Task.N)
	}
	t := &Tour{n: c.Task.N, seed: c.Seed, points: c.Model.Points}
	for i, path := range []string{c.Task.Data, c.Task.Test} {
		if path == "" {
			continue
		}
		sets, err := dataset.ReadTourText(path)
		if err != nil {
			return nil, errData([]string{config.TaskData, config.TaskTest}[i], path, err)
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
	for split, count := range map[Split]int{Train: c.Task.Instances, Validation: keptToJudge, Test: keptToJudge} {
		file := t.lines[0]
		if split == Test {
			file = t.lines[1]
		}
		if c.Task.Instances > 0 && file == nil && t.n > 2 {
			t.kept[split] = newLabels(t.n, count, t.seed, split)
		}
	}
	return t, nil
}

// Encoder implements [Task].
func (t *Tour) Encoder() denoiser.EncoderConfig { return denoiser.EncoderConfig{Features: 2} }

// Examples implements [Task]. Instances are drawn uniformly from the unit square and solved, or
// are those of a file, the test file's in their order. Instances of which there is a number, those
// of a training file or task.instances that are drawn, come at random, each turned, mirrored and
// begun at any of its cities.
func (t *Tour) Examples(split Split, first, count int) (*Examples, error) {
	e := &Examples{Clean: make([]perm.Order, count), Best: make([]float64, count)}
	points := make([][][2]float64, count)
	if kept := t.kept[split]; kept != nil && first+count <= kept.count || kept != nil && split == Train {
		numbers := make([]int, count)
		for i := range numbers {
			numbers[i] = first + i
			if split == Train {
				numbers[i] = pass(t.seed, first+i, kept.count)
			}
		}
		points, e.Clean = kept.get(numbers)
	} else {
		parallel.For(count, func(i int) { points[i], e.Clean[i] = t.instance(split, first+i) })
	}
	for i := range count {
		if split == Train && t.numbered() {
			rng := rand.New(rand.NewPCG(t.seed^turnStream, uint64(first+i)))
			if t.points == "unit" {
				symmetry(points[i], rng.IntN(8))
			} else {
				turn(points[i], 2*math.Pi*rng.Float64(), rng.IntN(2) == 0)
			}
			begin(points[i], e.Clean[i], rng.IntN(t.n))
		}
		e.Clean[i] = counterClockwise(points[i], e.Clean[i])
		e.Best[i] = tsp.Length(points[i], e.Clean[i])
	}
	flat := make([]float32, 0, count*t.n*2)
	for _, p := range points {
		flat = append(flat, forNetwork(p, t.points)...)
	}
	e.Objects = tensors.FromFlatDataAndDimensions(flat, count, t.n, 2)
	e.Points = points
	e.Cost = func(set int, o perm.Order) float64 { return tsp.Length(points[set], o) }
	return e, nil
}

// turnStream keeps how instances are turned apart from how they are drawn.
const turnStream = 0x7475726e // "turn"

// numbered tells whether there is a number of training instances, which come again.
func (t *Tour) numbered() bool { return t.lines[0] != nil || t.kept[Train] != nil }

// instance draws and solves one, or takes it of a file.
func (t *Tour) instance(split Split, number int) ([][2]float64, perm.Order) {
	rng := source(t.seed, split, number)
	switch {
	case split == Test && t.lines[1] != nil:
		return cities(t.lines[1][number%len(t.lines[1])])
	case split != Test && t.lines[0] != nil:
		return cities(t.lines[0][rng.IntN(len(t.lines[0]))])
	}
	points := drawPoints(rng, t.n)
	return points, tsp.Label(points, rng)
}

// pass is the number, below count, of the training instance that comes at a place: all of them once,
// then all again in another order.
func pass(seed uint64, place, count int) int {
	round, at := place/count, place%count
	if round == 0 {
		return at // so that a file that is new fills from the start
	}
	// A step that has no divisor with count visits all of them.
	rng := rand.New(rand.NewPCG(seed^turnStream, uint64(round)<<32))
	step := 1 + rng.IntN(count)
	for gcd(step, count) != 1 {
		step = 1 + rng.IntN(count)
	}
	return (rng.IntN(count) + at*step) % count
}

func gcd(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

// Flush implements [Flusher]: tours that were found are kept for other runs.
func (t *Tour) Flush() error {
	var errs []error
	for _, l := range t.kept {
		if l != nil {
			errs = append(errs, l.flush())
		}
	}
	return errors.Join(errs...)
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

// Objects implements [Task]: points, brought to one centre and spread.
func (t *Tour) Objects(_ context.Context, sets []*dataset.Set) (*tensors.Tensor, []string, error) {
	n := len(sets[0].Items)
	flat := make([]float32, 0, len(sets)*n*2)
	for _, set := range sets {
		if set.Kind != dataset.KindPoint && n > 0 {
			return nil, nil, fmt.Errorf("set %s: items are %s, wanted points", set.ID, set.Kind.Items())
		}
		p, _ := cities(set)
		flat = append(flat, forNetwork(p, t.points)...)
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

// smallest is the extent below which points in the unit square are not what a model has seen there:
// their unit is another one. Random ones hardly ever are so close together.
const smallest = 1.0 / 8

// unit brings points into the unit square: as they are where they lie in it and fill some of it,
// else moved to the origin and divided by the larger of their extents. Points all in one place go
// to the middle.
func unit(points [][2]float64) []float32 {
	low, half := extents(points)
	inside := 2*half >= smallest
	for _, p := range points {
		inside = inside && min(p[0], p[1]) >= 0 && max(p[0], p[1]) <= 1
	}
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

// spread brings points to the centre (½, ½) and the spread of uniform ones in the unit square,
// 1/√12 along an axis, so that their unit and their place do not matter. Points all in one
// place go to the centre.
func spread(points [][2]float64) []float32 {
	low, half := extents(points)
	at, mean := make([][2]float64, len(points)), [2]float64{}
	for i, p := range points {
		for a := range 2 {
			if half > 0 {
				at[i][a] = (p[a]/2 - low[a]/2) / half // in [0, 1]
			}
			mean[a] += at[i][a] / float64(len(points))
		}
	}
	sum := 0.0
	for _, p := range at {
		sum += (p[0]-mean[0])*(p[0]-mean[0]) + (p[1]-mean[1])*(p[1]-mean[1])
	}
	scale := 0.0
	if half > 0 {
		scale = 1 / math.Sqrt(6*sum/float64(len(points))) // (1/√12)/√(sum/2n)
	}
	flat := make([]float32, 0, 2*len(points))
	for _, p := range at {
		flat = append(flat, float32(0.5+(p[0]-mean[0])*scale), float32(0.5+(p[1]-mean[1])*scale))
	}
	return flat
}

// extents returns the least coordinates and half of the larger extent: the whole may overflow.
func extents(points [][2]float64) (low [2]float64, half float64) {
	low = [2]float64{math.Inf(1), math.Inf(1)}
	high := [2]float64{math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		for a := range 2 {
			low[a], high[a] = min(low[a], p[a]), max(high[a], p[a])
		}
	}
	return low, max(high[0]/2-low[0]/2, high[1]/2-low[1]/2)
}

// forNetwork are points as model.points has the network take them.
func forNetwork(points [][2]float64, how string) []float32 {
	if how == "unit" {
		return unit(points)
	}
	return spread(points)
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
