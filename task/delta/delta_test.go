package delta

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

func delta(t *testing.T, change func(*config.Config)) *Task {
	t.Helper()
	c := config.Config{Seed: 3, Task: config.Task{Name: "delta", N: 6, Target: "mixture", Modes: 5}, Model: config.Model{Encoder: "table"}}
	if change != nil {
		change(&c)
	}
	d, err := open(&c)
	if err != nil {
		t.Fatal(err)
	}
	return d.(*Task)
}

// The modes of a mixture are different orders that follow from the seed; sets have them in
// the proportion of the weights, each set for itself.
func TestMixture(t *testing.T) {
	d := delta(t, func(c *config.Config) { c.Task.Weights = []float64{1, 2, 3, 4, 10} })
	for i, m := range d.modes {
		if err := m.Validate(); err != nil || len(m) != 6 {
			t.Errorf("mode %v: %v", m, err)
		}
		for _, other := range d.modes[:i] {
			if slices.Equal(m, other) {
				t.Errorf("mode %v is there twice", m)
			}
		}
	}
	if diff := cmp.Diff([]float64{0.05, 0.1, 0.15, 0.2, 0.5}, d.weights); diff != "" {
		t.Error(diff)
	}
	const count = 4000
	ex, err := d.Examples(task.Train, 0, count)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range d.weights {
		got := 0.0
		for _, o := range ex.Clean {
			if slices.Equal(o, d.modes[i]) {
				got += 1.0 / count
			}
		}
		if math.Abs(got-w) > 4*math.Sqrt(w*(1-w)/count) {
			t.Errorf("mode %d has a share of %.3f, wanted %.3f", i, got, w)
		}
	}
	some, err := delta(t, func(c *config.Config) { c.Task.Weights = []float64{1, 2, 3, 4, 10} }).Examples(task.Train, 17, 9)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(ex.Clean[17:26], some.Clean); diff != "" {
		t.Errorf("set 17 depends on where the batch begins: %s", diff)
	}
	if diff := cmp.Diff(d.modes, ex.Judge.(judge).modes); diff != "" {
		t.Error(diff)
	}
	// All orders of three objects, and no more.
	if d := delta(t, func(c *config.Config) { c.Task.N, c.Task.Modes = 3, 6 }); len(d.modes) != 6 {
		t.Errorf("%d modes", len(d.modes))
	}
}

func TestRotations(t *testing.T) {
	d := delta(t, func(c *config.Config) { c.Task = config.Task{Name: "delta", N: 3, Target: "rotations"} })
	if diff := cmp.Diff([]perm.Order{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}}, d.modes); diff != "" {
		t.Error(diff)
	}
	for _, w := range d.weights {
		if w != 1.0/3 {
			t.Errorf("weight %g, wanted 1/3", w)
		}
	}
}

// One order has no modes to speak of: all sets are alike.
func TestOneOrderHasNoModes(t *testing.T) {
	one := delta(t, func(c *config.Config) { c.Task.Target = "random" })
	ex, err := one.Examples(task.Test, 0, 3)
	modes, _ := one.Modes()
	if err != nil || modes != nil || !slices.Equal(ex.Clean[0], ex.Clean[2]) {
		t.Errorf("modes %v, clean %v, %v", modes, ex.Clean, err)
	}
}

func TestMixtureErrors(t *testing.T) {
	for want, change := range map[string]func(*config.Task){
		"task.modes: must be 1 to 1000 (got 0)":                                   func(t *config.Task) { t.Modes = 0 },
		"task.modes: must be 1 to 1000 (got 100000)":                              func(t *config.Task) { t.Modes = 1e5 },
		"task.modes: 3 objects have 6 orders (got 7)":                             func(t *config.Task) { t.N, t.Modes = 3, 7 },
		"task.weights: wanted 5, one a mode (got 1)":                              func(t *config.Task) { t.Weights = []float64{1} },
		"task.weights[1]: must be above 0 and at most 1e9 (got 0)":                func(t *config.Task) { t.Weights = []float64{1, 0, 1, 1, 1} },
		"task.weights[4]: must be above 0 and at most 1e9 (got NaN)":              func(t *config.Task) { t.Weights = []float64{1, 1, 1, 1, math.NaN()} },
		`task.target: unknown "x", wanted identity, random, mixture or rotations`: func(t *config.Task) { t.Target = "x" },
	} {
		c := config.Default()
		c.Task, c.Model.Encoder = config.Task{Name: "delta", N: 6, Target: "mixture", Modes: 5}, "table"
		change(&c.Task)
		if _, err := made(&c); err == nil || err.Error() != want {
			t.Errorf("got %v, wanted %s", err, want)
		}
	}
}

func TestNearestMode(t *testing.T) {
	modes := []perm.Order{{0, 1, 2, 3}, {3, 2, 1, 0}}
	for i, o := range []perm.Order{{0, 1, 3, 2}, {3, 2, 0, 1}} {
		if got := nearestMode(o, modes); !slices.Equal(got, modes[i]) {
			t.Errorf("%v: nearest is %v, wanted %v", o, got, modes[i])
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
