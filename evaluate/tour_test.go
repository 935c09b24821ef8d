package evaluate

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

func tourConfig(n int) config.Config {
	cfg := config.Default()
	cfg.Task = config.Task{Name: "tsp", N: n}
	cfg.Process.Reverse, cfg.Process.Schedule = "pl", []int{0, 2, 7}
	cfg.Model.Encoder, cfg.Model.Dim, cfg.Model.Layers, cfg.Model.Heads, cfg.Model.FeedForward = "points", 16, 1, 2, 16
	cfg.Eval.Batch = 7
	return cfg
}

// Coordinates that are numbers, but whose distances are none, are an error that names the set
// once, the second of a batch here.
func TestToursOfInfiniteLength(t *testing.T) {
	m, _, err := learn.New(tourConfig(4), openEngine(t, "go"))
	if err != nil {
		t.Fatal(err)
	}
	set := func(id string, far float64) *dataset.Set {
		s := &dataset.Set{ID: id, Kind: dataset.KindPoint, Order: perm.Identity(4)}
		for _, p := range [][2]float64{{far, -far}, {-far, far}, {0, 0}, {5, 5}} {
			s.Items = append(s.Items, dataset.Item{Point: p})
		}
		return s
	}
	for _, opt := range []learn.DecodeOptions{{Method: "greedy"}, {Method: "beam", Beam: 3, Inner: 3}} {
		_, _, err = m.Order(t.Context(), []*dataset.Set{set("near", 1), set("far", 1e308)}, 1, opt)
		if want := "set far: a tour has no finite length: the cities are too far apart"; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, wanted %s", opt.Method, err, want)
		}
	}
	path := filepath.Join(t.TempDir(), "far.txt")
	if err := os.WriteFile(path, []byte("1e308 -1e308 -1e308 1e308 0 0 5 5 output 1 2 3 4 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err = m.SetTest(path); err == nil {
		_, err = Run(t.Context(), m, task.Test, 1, learn.DecodeOptions{}, nil)
	}
	if want := path + ":1: a tour has no finite length: the cities are too far apart"; err == nil || err.Error() != want {
		t.Errorf("got %v, wanted %s", err, want)
	}
}

// Instances in a file of tour text are judged as the same ones from the generator.
func TestToursFromAFile(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	cfg := tourConfig(8)
	m, _, err := learn.New(cfg, e)
	if err != nil {
		t.Fatal(err)
	}
	const count = 20
	opt := learn.DecodeOptions{Method: "beam", Beam: 5, Inner: 5}
	judge := func() *Result {
		r, err := Run(context.Background(), m, task.Test, count, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Seconds = 0
		return r
	}
	drawn := judge()
	ex, err := m.Task.Examples(task.Test, 0, count)
	if err != nil {
		t.Fatal(err)
	}
	sets := make([]*dataset.Set, count)
	for i := range sets {
		sets[i] = &dataset.Set{Kind: dataset.KindPoint, Items: make([]dataset.Item, len(ex.Look.Points[i])), Order: ex.Clean[i]}
		for k, p := range ex.Look.Points[i] {
			sets[i].Items[k].Point = p
		}
	}
	var text bytes.Buffer
	if err := dataset.WriteTourText(&text, sets); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "test.txt")
	if err := os.WriteFile(path, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := m.SetTest(path); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(drawn, judge()); diff != "" {
		t.Errorf("the file's instances are judged otherwise (-drawn +file):\n%s", diff)
	}
}
