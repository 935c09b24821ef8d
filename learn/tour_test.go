package learn

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// Instances in a file of tour text are judged as the same ones from the generator.
func TestToursFromAFile(t *testing.T) {
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	cfg := run.Default()
	cfg.Task = run.Task{Name: "tsp", N: 8}
	cfg.Process.Reverse, cfg.Process.Schedule = "pl", []int{0, 2, 7}
	cfg.Model.Encoder, cfg.Model.Dim, cfg.Model.Layers, cfg.Model.Heads, cfg.Model.FeedForward = "points", 16, 1, 2, 16
	cfg.Eval.Batch = 7
	m, _, err := New(cfg, e)
	if err != nil {
		t.Fatal(err)
	}
	const count = 20
	opt := DecodeOptions{Method: "beam", Beam: 5, Inner: 5}
	judge := func() *Result {
		r, err := m.Evaluate(context.Background(), task.Test, count, opt, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Seconds, r.SetsPerSecond = 0, 0
		return r
	}
	drawn := judge()
	ex, err := m.Task.Examples(task.Test, 0, count)
	if err != nil {
		t.Fatal(err)
	}
	sets := make([]*dataset.Set, count)
	for i := range sets {
		sets[i] = &dataset.Set{Kind: dataset.KindPoint, Items: make([]dataset.Item, len(ex.Points[i])), Order: ex.Clean[i]}
		for k, p := range ex.Points[i] {
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
