package tour

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/tsp"
)

func newTestTour(t *testing.T, change func(*config.Config)) *Task {
	t.Helper()
	cfg := config.Default()
	cfg.Task, cfg.Model.Encoder = config.Task{Name: "tsp", N: 8}, "points"
	if change != nil {
		change(&cfg)
	}
	work, err := made(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	return work.(*Task)
}

// Right tours begin with city 0, go round counter-clockwise and cost what is the best; set i
// is a function of seed, split and i.
func TestTourExamples(t *testing.T) {
	work := newTestTour(t, nil)
	all, err := work.Examples(task.Train, 0, 20)
	if err != nil {
		t.Fatal(err)
	}
	for i, o := range all.Clean {
		if err := o.Validate(); err != nil || o[0] != 0 {
			t.Fatalf("set %d: %v (%v)", i, o, err)
		}
		area := 0.0
		for k := range o {
			p, q := all.Look.Points[i][o[k]], all.Look.Points[i][o[(k+1)%8]]
			area += p[0]*q[1] - p[1]*q[0]
		}
		if area < 0 || all.Judge.(*judge).Cost(i, o) != all.Judge.(*judge).best[i] {
			t.Errorf("set %d: area %g, cost %g, best %g", i, area, all.Judge.(*judge).Cost(i, o), all.Judge.(*judge).best[i])
		}
		back := slices.Clone(o)
		slices.Reverse(back[1:])
		if math.Abs(all.Judge.(*judge).Cost(i, back)-all.Judge.(*judge).best[i]) > 1e-12 {
			t.Errorf("set %d: backwards it costs %g, not %g", i, all.Judge.(*judge).Cost(i, back), all.Judge.(*judge).best[i])
		}
	}
	part, err := work.Examples(task.Train, 7, 3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if !slices.Equal(part.Clean[i], all.Clean[7+i]) || !slices.Equal(part.Look.Points[i], all.Look.Points[7+i]) {
			t.Errorf("set %d depends on its batch", 7+i)
		}
	}
}

// A file of tours gives the same sets as the instances it was written from.
func TestTourFile(t *testing.T) {
	drawn, err := newTestTour(t, nil).Examples(task.Test, 0, 5)
	if err != nil {
		t.Fatal(err)
	}
	var sets []*dataset.Set
	for i, points := range drawn.Look.Points {
		s := &dataset.Set{Kind: dataset.KindPoint, Order: drawn.Clean[i], OrderGiven: "order"}
		for _, p := range points {
			s.Items = append(s.Items, dataset.Item{Point: p})
		}
		sets = append(sets, s)
	}
	path := filepath.Join(t.TempDir(), "tours.txt")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := dataset.WriteTourText(f, sets); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	read, err := newTestTour(t, func(c *config.Config) { c.Task.Test, c.Task.Data = path, path }).Examples(task.Test, 0, 5)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(read.Judge.(*judge).best, drawn.Judge.(*judge).best) || !read.Objects.Equal(drawn.Objects) {
		t.Error("the file gives other sets")
	}
	for i := range read.Clean {
		if !slices.Equal(read.Clean[i], drawn.Clean[i]) {
			t.Errorf("set %d: %v, wanted %v", i, read.Clean[i], drawn.Clean[i])
		}
	}
	cfg := config.Default()
	cfg.Task, cfg.Model.Encoder = config.Task{Name: "tsp", N: 9, Test: path}, "points"
	if _, err := made(&cfg); err == nil || !strings.Contains(err.Error(), "tours.txt:1: has 8 cities, wanted task.n = 9") {
		t.Errorf("got %v", err)
	}
}

// Any city can be the first of a training instance, and its tour stays as long.
func TestBegin(t *testing.T) {
	drawn, err := newTestTour(t, nil).Examples(task.Test, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[[2]float64]bool{}
	for city := range 8 {
		points, tour := slices.Clone(drawn.Look.Points[0]), slices.Clone(drawn.Clean[0])
		begin(points, tour, city)
		seen[points[0]] = true
		if err := tour.Validate(); err != nil || math.Abs(tsp.Length(points, tour)-drawn.Judge.(*judge).best[0]) > 1e-12 {
			t.Errorf("city %d first: tour %v of length %g, wanted %g (%v)", city, tour, tsp.Length(points, tour), drawn.Judge.(*judge).best[0], err)
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d cities were first, wanted 8", len(seen))
	}
}

// Symmetries of the square keep lengths and the square.
func TestSymmetry(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	points := make([][2]float64, 6)
	for i := range points {
		points[i] = [2]float64{rng.Float64(), rng.Float64()}
	}
	want := tsp.Length(points, perm.Identity(6))
	seen := map[[2]float64]bool{}
	for which := range 8 {
		p := slices.Clone(points)
		symmetry(p, which)
		seen[p[0]] = true
		if math.Abs(tsp.Length(p, perm.Identity(6))-want) > 1e-12 {
			t.Errorf("symmetry %d: another length", which)
		}
		for _, q := range p {
			if q[0] < 0 || q[0] > 1 || q[1] < 0 || q[1] > 1 {
				t.Errorf("symmetry %d: %v leaves the square", which, q)
			}
		}
	}
	if len(seen) != 8 {
		t.Errorf("%d different symmetries, wanted 8", len(seen))
	}
}

// In whatever unit a user has the points, the network sees the same ones. Points that lie in the
// unit square and fill it are an exception with model.points "unit".
func TestTourObjectsInOtherUnits(t *testing.T) {
	for _, how := range []string{"unit", "spread"} {
		work := newTestTour(t, func(c *config.Config) { c.Model.Points = how })
		var want []float32
		for _, unit := range []float64{40, 1e-6, 1e-12, 1e7} {
			s := &dataset.Set{Kind: dataset.KindPoint}
			rng := rand.New(rand.NewPCG(3, 1))
			for range 6 {
				s.Items = append(s.Items, dataset.Item{Point: [2]float64{unit * rng.Float64(), unit * rng.Float64()}})
			}
			x, _, err := work.Objects(t.Context(), []*dataset.Set{s})
			if err != nil {
				t.Fatal(err)
			}
			got := tensors.MustCopyFlatData[float32](x)
			if want == nil {
				want = got
			}
			for i := range got {
				if math.Abs(float64(got[i]-want[i])) > 1e-6 {
					t.Errorf("%s, in units of %g: %v, wanted %v", how, unit, got, want)
					break
				}
			}
		}
	}
}

// Of model.points "unit" a user's points come into the unit square, keeping their shape.
func TestTourObjectsOfUnit(t *testing.T) {
	work := newTestTour(t, func(c *config.Config) { c.Model.Points = "unit" })
	for _, c := range []struct {
		points [][2]float64
		want   []float32
	}{
		{[][2]float64{{0.25, 0.5}, {1, 0}}, []float32{0.25, 0.5, 1, 0}}, // in it already
		{[][2]float64{{100, 50}, {300, 150}}, []float32{0, 0, 1, 0.5}},  // moved and scaled
		{[][2]float64{{7, 7}, {7, 7}}, []float32{0.5, 0.5, 0.5, 0.5}},   // all in one place
		{[][2]float64{{-1e308, 0}, {1e308, 0}}, []float32{0, 0, 1, 0}},  // extents that overflow
		{[][2]float64{{0, 0}, {0, 2}}, []float32{0, 0, 0, 1}},           // a line
	} {
		s := &dataset.Set{Kind: dataset.KindPoint}
		for _, p := range c.points {
			s.Items = append(s.Items, dataset.Item{Point: p})
		}
		got, _, err := work.Objects(t.Context(), []*dataset.Set{s})
		if err != nil {
			t.Fatal(err)
		}
		if flat := tensors.MustCopyFlatData[float32](got); !slices.Equal(flat, c.want) {
			t.Errorf("%v: %v, wanted %v", c.points, flat, c.want)
		}
	}
}

// The unit of points, and where they lie, do not matter to the network, in your own set as in
// training. All in one place they are at the centre. By hand: two points 2 apart have the mean
// squared distances 1 and 0 from their centre along the axes, so 1 becomes (1/√12)/√(1/2) = 1/√6.
func TestTourObjectsAreSpread(t *testing.T) {
	work := newTestTour(t, nil)
	objects := func(points [][2]float64) []float32 {
		t.Helper()
		s := &dataset.Set{Kind: dataset.KindPoint}
		for _, p := range points {
			s.Items = append(s.Items, dataset.Item{Point: p})
		}
		got, _, err := work.Objects(t.Context(), []*dataset.Set{s})
		if err != nil {
			t.Fatal(err)
		}
		return tensors.MustCopyFlatData[float32](got)
	}
	near := func(what string, got, want []float32) {
		t.Helper()
		for i := range want {
			if !(math.Abs(float64(got[i]-want[i])) < 1e-5) {
				t.Errorf("%s: %v, wanted %v", what, got, want)
				return
			}
		}
	}
	arm := float32(1 / math.Sqrt(6))
	near("a pair", objects([][2]float64{{3, 7}, {5, 7}}), []float32{0.5 - arm, 0.5, 0.5 + arm, 0.5})
	near("one place", objects([][2]float64{{7, 7}, {7, 7}}), []float32{0.5, 0.5, 0.5, 0.5})
	near("overflow", objects([][2]float64{{-1e308, 0}, {1e308, 0}}), []float32{0.5 - arm, 0.5, 0.5 + arm, 0.5})

	ex, err := work.Examples(task.Train, 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	want := tensors.MustCopyFlatData[float32](ex.Objects)
	for _, scale := range []float64{1, 0.01, 1e-9, 1000, 1e300} {
		for _, shift := range []float64{0, 0.25, -40} {
			var points [][2]float64
			for _, p := range ex.Look.Points[0] {
				points = append(points, [2]float64{(p[0] + shift) * scale, (p[1] - shift) * scale})
			}
			near(fmt.Sprintf("scale %g, shift %g", scale, shift), objects(points), want)
		}
	}
}

// made is the task of a configuration, with its keys checked, as package tasks makes it.
func made(c *config.Config) (task.Task, error) {
	if err := c.Check("task"); err != nil {
		return nil, err
	}
	t, err := open(c)
	return t, config.Within("task", err)
}

// The last tenth of a file of training instances is for validation alone; a test has as many sets as its file.
func TestHeldInstances(t *testing.T) {
	var sets []*dataset.Set
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		points := drawPoints(rng, 8)
		s := &dataset.Set{Kind: dataset.KindPoint, Order: tsp.Label(points, rng), OrderGiven: "order"}
		for _, p := range points {
			s.Items = append(s.Items, dataset.Item{Point: p})
		}
		sets = append(sets, s)
	}
	path := filepath.Join(t.TempDir(), "tours.txt")
	f, err := os.Create(path)
	if err != nil || dataset.WriteTourText(f, sets) != nil || f.Close() != nil {
		t.Fatal(err)
	}
	work := newTestTour(t, func(c *config.Config) { c.Task.Data, c.Task.Test = path, path })
	for split, want := range map[task.Split]int{task.Train: 18, task.Validation: 2, task.Test: 20} {
		if got := work.FileSets(split); got != want {
			t.Errorf("part %v has %d instances, wanted %d", split, got, want)
		}
	}
	seen := map[float64]task.Split{} // by the length of the tour, which no turn changes
	for _, split := range []task.Split{task.Train, task.Validation} {
		ex, err := work.Examples(split, 0, 200)
		if err != nil {
			t.Fatal(err)
		}
		for _, length := range ex.Judge.(*judge).best {
			length = math.Round(length*1e9) / 1e9
			if before, there := seen[length]; there && before != split {
				t.Fatalf("an instance is in parts %v and %v", before, split)
			}
			seen[length] = split
		}
	}
	if len(seen) != 20 {
		t.Errorf("%d different instances, wanted 20", len(seen))
	}
	drawn := newTestTour(t, nil)
	if got := drawn.FileSets(task.Test); got != 0 {
		t.Errorf("drawn instances: %d, wanted 0", got)
	}
}
