package tasks

import (
	"math"
	"testing"

	"github.com/riffle-ml/riffle/config"
)

// What a task refuses is named by the key that is at fault.
func TestNewErrors(t *testing.T) {
	sorting := config.Task{Name: "sort", N: 3, Digits: 4}
	delta := config.Task{Name: "delta", N: 3, Target: "identity"}
	for _, c := range []struct {
		task    config.Task
		encoder string
		change  func(*config.Task)
		want    string
	}{
		{sorting, "window", func(*config.Task) {}, ""},
		{sorting, "cnn", func(*config.Task) {}, ""},
		{delta, "table", func(*config.Task) {}, ""},
		{sorting, "window", func(t *config.Task) { t.Name = "srot" }, `task.name: unknown "srot", wanted sort, delta, jigsaw, tsp or ranking`},
		{sorting, "points", func(*config.Task) {}, `model.encoder: "points" does not read images, the objects of task sort, wanted cnn or window`},
		{sorting, "table", func(*config.Task) {}, `model.encoder: "table" does not read images, the objects of task sort, wanted cnn or window`},
		{delta, "cnn", func(*config.Task) {}, `model.encoder: "cnn" does not read identities, the objects of task delta, wanted table`},
		{delta, "table", func(t *config.Task) { t.Target = "last" }, `task.target: unknown "last", wanted identity, random, mixture or rotations`},
		{sorting, "window", func(t *config.Task) { t.Digits = 0 }, "task.digits: must be 1 to 15 (got 0)"},
		{sorting, "window", func(t *config.Task) { t.Augment.Rotate = math.NaN() }, "task.augment.rotate: must be 0 to 180 (got NaN)"},
		{sorting, "window", func(t *config.Task) { t.Augment.Rotate = math.Inf(1) }, "task.augment.rotate: must be 0 to 180 (got +Inf)"},
		{sorting, "window", func(t *config.Task) { t.Augment.Scale = math.NaN() }, "task.augment.scale: must be 0 or more and below 1 (got NaN)"},
		{sorting, "window", func(t *config.Task) { t.Augment.Scale = -0.1 }, "task.augment.scale: must be 0 or more and below 1 (got -0.1)"},
		{sorting, "window", func(t *config.Task) { t.Augment.Shift = math.NaN() }, "task.augment.shift: must be 0 to 28 (got NaN)"},
		{sorting, "window", func(t *config.Task) { t.Augment.Shift = math.Inf(1) }, "task.augment.shift: must be 0 to 28 (got +Inf)"},
	} {
		cfg := config.Default()
		cfg.Task, cfg.Model.Encoder = c.task, c.encoder
		c.change(&cfg.Task)
		_, err := New(&cfg)
		if c.want == "" && err != nil || c.want != "" && (err == nil || err.Error() != c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}
