package config

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/hint"
)

// What cannot be a setting is refused under its key, NaN and infinities too.
func TestResolveErrors(t *testing.T) {
	for want, change := range map[string]func(*Config){
		"task.n: must be 2 or more (got 1)":                                              func(c *Config) { c.Task.N = 1 },
		"task.n: must be at most 10000 (got 1000000000)":                                 func(c *Config) { c.Task.N = 1e9 },
		"process.schedule: must have at most 1048576 shuffles (got 9000000000000000000)": func(c *Config) { c.Process.Schedule = []int{0, 9e18} },
		"process.schedule: must have at most 8192 steps (got 20000)":                     func(c *Config) { c.Process.Schedule = make([]int, 20000) },
		"process.schedule: 5000 objects take 42586 steps of insertion, wanted at most 8191\nhint: fewer objects, process.forward = \"riffle\" or a schedule of yours": func(c *Config) {
			c.Task.N, c.Process.Schedule, c.Process.Forward, c.Process.Reverse = 5000, nil, "insertion", "ii"
		},
		"train.steps: must be 1 to 1000000000 (got 0)":                                                       func(c *Config) { c.Train.Steps = 0 },
		"train.batch: must be 1 to 1048576 (got -3)":                                                         func(c *Config) { c.Train.Batch = -3 },
		"train.batch: must be 1 to 1048576 (got 10000000)":                                                   func(c *Config) { c.Train.Batch = 1e7 },
		"train.trajectories: must be 1 to 1048576 (got 10000000)":                                            func(c *Config) { c.Train.Trajectories = 1e7 },
		"eval.batch: must be 1 to 1048576 (got 10000000)":                                                    func(c *Config) { c.Eval.Batch = 1e7 },
		"decode.beam: must be 1 to 1048576 (got 10000000)":                                                   func(c *Config) { c.Decode.Beam = 1e7 },
		"decode.inner: must be 1 to 1048576 (got 10000000)":                                                  func(c *Config) { c.Decode.Inner = 1e7 },
		"paper.exact: must be finite (got NaN)":                                                              func(c *Config) { c.Paper = &Paper{Exact: new(math.NaN())} },
		"paper.rmse: must be finite (got NaN)":                                                               func(c *Config) { c.Paper = &Paper{RMSE: new(math.NaN())} },
		"task.rows: must be 1 to 65536 (got 0)":                                                              func(c *Config) { c.Task = Task{Name: "jigsaw", Columns: 2} },
		"task.columns: must be 1 to 65536 (got 10000000000)":                                                 func(c *Config) { c.Task = Task{Name: "jigsaw", Rows: 2, Columns: 1e10} },
		"task.rows, task.columns: wanted 2 tiles or more together (got 1)":                                   func(c *Config) { c.Task = Task{Name: "jigsaw", Rows: 1, Columns: 1} },
		"task.n: must be at most 10000 (got 1000000)":                                                        func(c *Config) { c.Task = Task{Name: "jigsaw", Rows: 1000, Columns: 1000} },
		"paper.kendall_tau: must be finite (got -Inf)":                                                       func(c *Config) { c.Paper = &Paper{KendallTau: new(math.Inf(-1))} },
		"train.patience: counts validations, of which there are none: wanted train.validate above 0 (got 0)": func(c *Config) { c.Train.Patience, c.Train.Validate = 2, 0 },
		"train.lr: must be above 0 and finite (got NaN)":                                                     func(c *Config) { c.Train.LR = math.NaN() },
		"train.lr: must be above 0 and finite (got +Inf)":                                                    func(c *Config) { c.Train.LR = math.Inf(1) },
		"train.clip: must be 0 or more and finite (got NaN)":                                                 func(c *Config) { c.Train.Clip = math.NaN() },
		"train.clip: must be 0 or more and finite (got +Inf)":                                                func(c *Config) { c.Train.Clip = math.Inf(1) },
		"train.weight_decay: must be 0 or more and finite (got NaN)":                                         func(c *Config) { c.Train.WeightDecay = math.NaN() },
		"train.beta1: must be 0 or more and below 1 (got NaN)":                                               func(c *Config) { c.Train.Beta1 = math.NaN() },
		"train.beta2: must be 0 or more and below 1 (got 1)":                                                 func(c *Config) { c.Train.Beta2 = 1 },
		"train.epsilon: must be above 0 and below 1 (got NaN)":                                               func(c *Config) { c.Train.Epsilon = math.NaN() },
		"process.reverse: ii cannot undo one riffle, wanted one of gpl, path, cgpl, pl, irs":                 func(c *Config) { c.Process.Reverse = "ii" },
		"process.schedule: irs can only undo one shuffle at a time, wanted 0, 1, …, T (got [0 3])":           func(c *Config) { c.Process.Reverse = "irs" },
	} {
		c := *testConfig()
		change(&c)
		if _, err := c.Resolve(); err == nil || hint.Text(err) != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	if _, err := testConfig().Resolve(); err != nil {
		t.Error(err)
	}
}

// Every whole number has an upper bound: a slip of the keyboard is an error, and no product wraps.
func TestWholeNumbersAreBounded(t *testing.T) {
	elsewhere := map[string]bool{"task.n": true, "model.kernel": true} // by the bounds of the network
	for _, e := range table {
		if e.field.Type.Kind() != reflect.Int || elsewhere[e.name] {
			continue
		}
		if e.limits == nil || e.limits.high > 1e9 {
			t.Errorf("%s: takes numbers without bounds", e.name)
			continue
		}
		c := Default()
		for _, u := range e.uses { // so that the key has an effect
			for _, other := range entries[u.with].uses {
				entries[other.with].set(&c, other.values[0])
			}
			entries[u.with].set(&c, u.values[0])
		}
		c.field(e.name).SetInt(1 << 62)
		want := e.name + ": must be "
		if err := e.check(&c); err == nil || !strings.HasPrefix(hint.Text(err), want) || !strings.HasSuffix(hint.Text(err), "(got 4611686018427387904)") {
			t.Errorf("%s = 2^62: got %v, wanted %s…", e.name, err, want)
		}
	}
}

// The objects of a puzzle are its tiles: their number follows from the grid, wherever that
// is set, and is not written down.
func TestSizeOfAJigsaw(t *testing.T) {
	c, err := ParseConfig([]byte("[task]\nname = \"jigsaw\"\nsource = \"mnist\"\nrows = 2\ncolumns = 3\n"), "x.toml")
	if err != nil || c.Task.N != 6 {
		t.Fatalf("%d objects, %v", c.Task.N, err)
	}
	if err := c.Set("task.rows=4"); err != nil {
		t.Fatal(err)
	}
	c.Model.Encoder = "window"
	if _, err := c.Resolve(); err != nil || c.Task.N != 12 {
		t.Errorf("%d objects after --set task.rows=4, %v", c.Task.N, err)
	}
	data, err := c.TOML()
	if err != nil || strings.Contains(string(data), "\nn = ") {
		t.Errorf("%v\n%s", err, data)
	}
	if again, err := ParseConfig(data, "config.toml"); err != nil || !reflect.DeepEqual(again.Task, c.Task) {
		t.Errorf("read again: %+v, %v", again.Task, err)
	}
	if err := c.Set("task.n=12"); err != nil {
		t.Fatal(err)
	}
	const want = "task.n: has no effect with task.name \"jigsaw\"\nhint: leave it out; it is for task.name sort, delta, tsp, ranking"
	if _, err := c.Resolve(); err == nil || hint.Text(err) != want {
		t.Errorf("got %v, wanted %s", err, want)
	}
}

func testConfig() *Config {
	c := Default()
	c.Task, c.Process.Schedule, c.Model.Encoder = Task{Name: "delta", N: 5, Target: "identity"}, []int{0, 3}, "table"
	return &c
}
