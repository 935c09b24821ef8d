package tour

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/hint"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/tsp"
)

// Task is the travelling salesman problem in the plane. The objects are cities, points of the unit
// square. The right order is the shortest closed tour (paper §4.3). A tour begins with object 0 and
// goes round counter-clockwise. An optimal tour is a simple polygon, which goes so one way or the
// other. So one order is right, and not two.
type Task struct {
	n      int
	seed   uint64
	points string                        // model.points
	kept   [task.Test + 1]*labels        // of instances that are drawn, with task.instances
	lines  [task.Test + 1][]*dataset.Set // of the files; nil where instances are drawn
	// doubts say why the files' tours may not be the shortest.
	doubts [2][]string

	mu     sync.Mutex
	others map[int]*Task // that of each size, this one among them
}

// Kind is the task in the list of all.
var Kind = task.Kind{Name: "tsp", New: open, Measures: append(slices.Clip(task.PlaceMeasures), measures...)}

func open(c *config.Config) (task.Task, error) {
	t, err := New(c)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// New makes the task of a configuration. Files of instances are read.
func New(c *config.Config) (*Task, error) {
	if err := task.Reads(c, "points", denoiser.Points); err != nil {
		return nil, err
	}
	if c.Task.N > tsp.MaxCities {
		return nil, field.Errorf("N", "must be at most %d cities (got %d)", tsp.MaxCities, c.Task.N)
	}
	if c.Task.NMin > 0 && c.Task.Data != "" {
		return nil, config.Errorf(config.TaskData, "instances of several sizes are drawn, wanted no file with %s", config.TaskNMin)
	}
	t := &Task{n: c.Task.N, seed: c.Seed, points: c.Model.Points, others: map[int]*Task{}}
	t.others[t.n] = t
	for i, path := range []string{c.Task.Data, c.Task.Test} {
		if path == "" {
			continue
		}
		sets, err := dataset.ReadTourText(path)
		if err != nil {
			return nil, task.ErrData([]string{config.TaskData, config.TaskTest}[i], path, err)
		}
		for _, s := range sets {
			if len(s.Items) != t.n {
				err := fmt.Errorf("%s:%d: has %d cities, wanted %s = %d", path, s.Line, len(s.Items), config.TaskN, t.n)
				if i == 1 {
					err = hint.With(err, fmt.Sprintf("riffle eval --n %d judges a model on such tours", len(s.Items)))
				}
				return nil, err
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
		if t.doubts[i] = dataset.DoubtTours(path, sets); i == 1 {
			t.lines[task.Test] = sets
			continue
		}
		t.lines[task.Train], t.lines[task.Validation] = sets, sets
		if free := len(sets) - task.Held(len(sets)); free > 0 { // else there is one, for both
			t.lines[task.Train], t.lines[task.Validation] = sets[:free], sets[free:]
		}
	}
	t.keep(c.Task.Instances)
	return t, nil
}

// keep has the tours of drawn instances kept: those of so many training instances, and those of the
// other splits.
func (t *Task) keep(instances int) {
	for split, count := range map[task.Split]int{task.Train: instances, task.Validation: keptToJudge, task.Test: keptToJudge} {
		if instances > 0 && t.lines[split] == nil && t.n > 2 {
			t.kept[split] = newLabels(t.n, count, t.seed, split)
		}
	}
}

// OfSize implements [task.Resizer]; instances are drawn.
func (t *Task) OfSize(n int) task.Task {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.others[n] == nil {
		of := &Task{n: n, seed: t.seed, points: t.points}
		if kept := t.kept[task.Train]; kept != nil {
			of.keep(kept.count)
		}
		t.others[n] = of
	}
	return t.others[n]
}

// Encoder implements [task.Task].
func (t *Task) Encoder() denoiser.EncoderConfig { return denoiser.EncoderConfig{Features: 2} }

// Examples implements [task.Task]. Instances are drawn uniformly from the unit square and solved, or are
// those of a file. A test takes those of its file in their order, validation the last tenth of the training's. A training takes those of its file, or
// task.instances that are drawn, at random. It turns and mirrors each, and begins it at any of its
// cities.
func (t *Task) Examples(split task.Split, first, count int) (*task.Examples, error) {
	e, j := &task.Examples{Clean: make([]perm.Order, count)}, &judge{best: make([]float64, count)}
	points := make([][][2]float64, count)
	if kept := t.kept[split]; kept != nil && first+count <= kept.count || kept != nil && split == task.Train {
		numbers := make([]int, count)
		for i := range numbers {
			numbers[i] = first + i
			if split == task.Train {
				numbers[i] = pass(t.seed, first+i, kept.count)
			}
		}
		points, e.Clean = kept.get(numbers)
	} else {
		parallel.For(count, func(i int) { points[i], e.Clean[i] = t.instance(split, first+i) })
	}
	for i := range count {
		if split == task.Train && t.numbered() {
			rng := rand.New(rand.NewPCG(t.seed^turnStream, uint64(first+i)))
			if t.points == "unit" {
				symmetry(points[i], rng.IntN(8))
			} else {
				turn(points[i], 2*math.Pi*rng.Float64(), rng.IntN(2) == 0)
			}
			begin(points[i], e.Clean[i], rng.IntN(t.n))
		}
		e.Clean[i] = counterClockwise(points[i], e.Clean[i])
		j.best[i] = tsp.Length(points[i], e.Clean[i])
	}
	flat := make([]float32, 0, count*t.n*2)
	for _, p := range points {
		flat = append(flat, task.ForNetwork(p, t.points)...)
	}
	e.Objects = tensors.FromFlatDataAndDimensions(flat, count, t.n, 2)
	j.One, j.points = task.One{Clean: e.Clean}, points
	e.Judge, e.Look.Points = j, points
	return e, nil
}

// turnStream keeps how instances are turned apart from how they are drawn.
const turnStream = 0x7475726e // "turn"

// numbered tells whether there are so many training instances, which come again, and not always new
// ones.
func (t *Task) numbered() bool { return t.lines[task.Train] != nil || t.kept[task.Train] != nil }

// instance draws and solves one, or takes it of a file.
func (t *Task) instance(split task.Split, number int) ([][2]float64, perm.Order) {
	rng := task.Source(t.seed, split, number)
	switch file := t.lines[split]; {
	case file == nil:
	case split == task.Train:
		return task.Cities(file[rng.IntN(len(file))])
	default:
		return task.Cities(file[number%len(file)]) // a batch may be longer than the file
	}
	points := drawPoints(rng, t.n)
	return points, tsp.Label(points, rng)
}

// pass is the number, below count, of the training instance that comes at a place. All of them come
// once, then all again in another order.
func pass(seed uint64, place, count int) int {
	round, at := place/count, place%count
	if round == 0 {
		return at // so that a file that is new fills from the start
	}
	// A step that has no common divisor with count visits all of them.
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

// Flush implements [task.Flusher]: tours that were found are kept for other runs.
func (t *Task) Flush() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var errs []error
	for _, of := range t.others {
		for _, l := range of.kept {
			if l != nil {
				errs = append(errs, l.flush())
			}
		}
	}
	return errors.Join(errs...)
}

// FileSets implements [task.Tester].
func (t *Task) FileSets(split task.Split) int { return len(t.lines[split]) }

// OnTest implements [task.Tester].
func (t *Task) OnTest(c *config.Config) (task.Task, error) { return open(c) }

// Doubts implements [task.DataDoubter]. The tours of a split's file are taken for the shortest
// ones; it says why they may not be.
func (t *Task) Doubts(split task.Split) []string {
	if split == task.Test {
		return t.doubts[1]
	}
	return t.doubts[0]
}

// Cost is the length of a tour through a user's points, in their units.
func (t *Task) Cost(set *dataset.Set, o perm.Order) float64 {
	p, _ := task.Cities(set)
	return tsp.Length(p, o)
}

// Objects implements [task.Task]: points, brought to one centre and spread.
func (t *Task) Objects(_ context.Context, sets []*dataset.Set) (*tensors.Tensor, []dataset.Warning, error) {
	n := len(sets[0].Items)
	flat := make([]float32, 0, len(sets)*n*2)
	for _, set := range sets {
		if set.Kind != dataset.KindPoint && n > 0 {
			help := ""
			if set.Kind == dataset.KindFeatures {
				help = `cities are TSPLIB, tour text, or lines of JSON with "point": [x, y]; the page takes tables with the columns x and y`
			}
			return nil, nil, hint.Errorf(help, "set %s: items are %s, wanted points", set.ID, set.Kind.Items())
		}
		p, _ := task.Cities(set)
		flat = append(flat, task.ForNetwork(p, t.points)...)
	}
	return tensors.FromFlatDataAndDimensions(flat, len(sets), n, 2), nil, nil
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
