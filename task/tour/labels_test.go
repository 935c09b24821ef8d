package tour

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/tsp"
)

func keptTour(t *testing.T, n, instances int, seed uint64) *Task {
	t.Helper()
	return newTestTour(t, func(c *config.Config) { c.Seed, c.Task.N, c.Task.Instances = seed, n, instances })
}

// Tours are solved once, whichever training asks. What comes out is the same with the file, without
// it and with one that is torn, which is written anew.
func TestLabelsAreKept(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	const n, count = 6, 10
	examples := func(split task.Split, first int) (*task.Examples, *labels) {
		t.Helper()
		work := keptTour(t, n, count, 3)
		ex, err := work.Examples(split, first, 7)
		if err = errors.Join(err, work.Flush()); err != nil {
			t.Fatal(err)
		}
		return ex, work.kept[split]
	}
	solved := func(l *labels) (k int) {
		for row := range slices.Chunk(l.solved, n) {
			if row[0] != row[1] {
				k++
			}
		}
		return k
	}
	ex, kept := examples(task.Train, 0)
	path, err := kept.path()
	if err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil || solved(kept) != 7 {
		t.Fatalf("%d solved, wanted 7: %v", solved(kept), err)
	}
	again, _ := examples(task.Train, 0)
	if !reflect.DeepEqual(again.Clean, ex.Clean) || !reflect.DeepEqual(again.Look.Points, ex.Look.Points) {
		t.Error("with the file other examples come than without")
	}
	if _, kept = examples(task.Train, 5); solved(kept) != 10 {
		t.Errorf("%d solved, wanted all 10", solved(kept))
	}
	for _, spoil := range []func([]byte) []byte{
		func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		func(b []byte) []byte { return b[:len(b)-1] },
		func([]byte) []byte { return nil },
	} {
		if err := os.WriteFile(path, spoil(slices.Clone(first)), 0o666); err != nil {
			t.Fatal(err)
		}
		again, kept := examples(task.Train, 0)
		if !reflect.DeepEqual(again.Clean, ex.Clean) || solved(kept) != 7 {
			t.Error("a file that is torn changes what comes out")
		}
		if now, err := os.ReadFile(path); err != nil || !slices.Equal(now, first) {
			t.Errorf("a file that is torn is not written anew: %v", err)
		}
	}
	// task.Test instances are those that come without a file, in their order.
	kepts, _ := examples(task.Test, 0)
	fresh, err := newTestTour(t, func(c *config.Config) { c.Seed, c.Task.N = 3, n }).Examples(task.Test, 0, 7)
	if err != nil || !reflect.DeepEqual(kepts.Look.Points, fresh.Look.Points) || !reflect.DeepEqual(kepts.Clean, fresh.Clean) {
		t.Errorf("test instances are others: %v", err)
	}
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(files) != 2 {
		t.Errorf("%d files, wanted one of the training and one of the test: %v", len(files), err)
	}
}

// Sizes have files of their own, which a training of that size alone reads.
func TestLabelsOfSizesAreKept(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	work := newTestTour(t, func(c *config.Config) { c.Seed, c.Task.N, c.Task.NMin, c.Task.Instances = 3, 6, 4, 10 })
	of := work.OfSize(4).(*Task)
	ex, err := of.Examples(task.Train, 0, 10)
	if err = errors.Join(err, work.Flush()); err != nil {
		t.Fatal(err)
	}
	alone := keptTour(t, 4, 10, 3)
	again, err := alone.Examples(task.Train, 0, 10)
	if err != nil || !reflect.DeepEqual(again.Clean, ex.Clean) {
		t.Errorf("sets of 4 differ from those of a task of 4 alone: %v", err)
	}
	if alone.kept[task.Train].fresh != 0 || work.OfSize(4) != task.Task(of) || work.OfSize(6) != task.Task(work) {
		t.Error("a tour was solved twice, or a size has two tasks")
	}
}

func TestSizesAreDrawn(t *testing.T) {
	cfg := config.Default()
	cfg.Task, cfg.Model.Encoder = config.Task{Name: "tsp", N: 8, NMin: 4, Data: "tours.txt"}, "points"
	if _, err := New(&cfg); err == nil || err.Error() != "task.data: instances of several sizes are drawn, wanted no file with task.n_min" {
		t.Errorf("got %v", err)
	}
}

// Each round of a number of instances has all of them, in an order of its own.
func TestPass(t *testing.T) {
	var orders [][]int
	for round := range 4 {
		var seen []int
		for at := range 12 {
			seen = append(seen, pass(1, 12*round+at, 12))
		}
		sorted := slices.Sorted(slices.Values(seen))
		for i, k := range sorted {
			if i != k {
				t.Fatalf("round %d: %v", round, seen)
			}
		}
		orders = append(orders, seen)
	}
	if slices.Equal(orders[1], orders[2]) && slices.Equal(orders[2], orders[3]) {
		t.Error("all rounds are in one order")
	}
}

// Training instances that come again are turned and begin elsewhere: their tours are right still.
func TestTurnedTours(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	work := keptTour(t, 7, 2, 1)
	ex, err := work.Examples(task.Train, 0, 8) // each instance four times
	if err != nil {
		t.Fatal(err)
	}
	firsts := map[[2]float64]bool{}
	for i, o := range ex.Clean {
		if o[0] != 0 {
			t.Errorf("set %d: begins at %d", i, o[0])
		}
		same := i % 2
		if pass(1, i, 2) != pass(1, same, 2) {
			same = 1 - same
		}
		if math.Abs(ex.Judge.(*judge).best[i]-ex.Judge.(*judge).best[same]) > 1e-12 {
			t.Errorf("set %d: a tour of %g, that of the same instance is %g", i, ex.Judge.(*judge).best[i], ex.Judge.(*judge).best[same])
		}
		if best := tsp.Length(ex.Look.Points[i], tsp.Label(ex.Look.Points[i], rand.New(rand.NewPCG(1, 1)))); best < ex.Judge.(*judge).best[i]-1e-12 {
			t.Errorf("set %d: a tour of %g, the shortest is %g", i, ex.Judge.(*judge).best[i], best)
		}
		firsts[ex.Look.Points[i][0]] = true
	}
	if len(firsts) != 8 {
		t.Errorf("%d different first cities, wanted 8", len(firsts))
	}
}
