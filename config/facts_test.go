package config

import (
	"slices"
	"testing"
)

// What is peculiar to a task stands in the tags of its keys: which keys the data can tell, whether
// sets have several sizes, and where orders begin.
func TestFactsOfTasks(t *testing.T) {
	for _, c := range []struct {
		task         Task
		open         []string
		mixed, first bool
	}{
		{Task{Name: "ranking"}, []string{"task.n", "task.items"}, true, false},
		{Task{Name: "ranking", N: 3}, []string{"task.items"}, true, false},
		{Task{Name: "ranking", N: 3, Items: "bare"}, nil, true, false},
		{Task{Name: "sort"}, nil, false, false},
		{Task{Name: "tsp", N: 5}, nil, false, true},
		{Task{}, nil, false, false},
	} {
		cfg := Default()
		cfg.Task = c.task
		if got := cfg.FromData(); !slices.Equal(got, c.open) {
			t.Errorf("%+v: %v are as the data has them, wanted %v", c.task, got, c.open)
		}
		if got := cfg.MixedSizes(); got != c.mixed {
			t.Errorf("%+v: mixed sizes %v, wanted %v", c.task, got, c.mixed)
		}
		p, err := cfg.DiffusionProcess()
		if err != nil {
			t.Fatal(err)
		}
		if p.FixFirst != c.first {
			t.Errorf("%+v: the first object is fixed: %v, wanted %v", c.task, p.FixFirst, c.first)
		}
	}
	// The tiles of a puzzle are its objects, whatever else was said.
	cfg := Default()
	cfg.Task = Task{Name: "jigsaw", Rows: 3, Columns: 4, N: 5}
	cfg.fillSize()
	if cfg.Task.N != 12 {
		t.Errorf("3 × 4 tiles are %d objects", cfg.Task.N)
	}
}
