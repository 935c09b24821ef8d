package run

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// A use says that a key has an effect only where another key has one of some values.
type use struct {
	key, with string
	values    []string
}

var uses = []use{
	{"task.n", "task.name", []string{"sort", "delta", "tsp", "ranking"}},
	{"task.items", "task.name", []string{"ranking"}},
	{"task.features", "task.name", []string{"ranking"}},
	{"task.fill", "task.name", []string{"ranking"}},
	{"task.pixels", "task.name", []string{"ranking"}},
	{"task.source", "task.name", []string{"jigsaw"}},
	{"task.rows", "task.name", []string{"jigsaw"}},
	{"task.columns", "task.name", []string{"jigsaw"}},
	{"task.noise", "task.name", []string{"jigsaw"}},
	{"task.digits", "task.name", []string{"sort"}},
	{"task.data", "task.name", []string{"sort", "jigsaw", "tsp", "ranking"}},
	{"task.test", "task.name", []string{"tsp", "ranking"}},
	{"task.instances", "task.name", []string{"tsp"}},
	{"task.augment", "task.name", []string{"sort"}},
	{"task.target", "task.name", []string{"delta"}},
	{"task.modes", "task.name", []string{"delta"}},
	{"task.modes", "task.target", []string{"mixture"}},
	{"task.weights", "task.name", []string{"delta"}},
	{"task.weights", "task.target", []string{"mixture"}},
	{"model.channels", "model.encoder", []string{"cnn", "window"}},
	{"model.kernel", "model.encoder", []string{"cnn"}},
	{"model.hidden", "model.encoder", []string{"cnn", "window", "features"}},
	{"model.encoder_dropout", "model.encoder", []string{"window"}},
	{"model.gpl_rows", "process.reverse", []string{"gpl"}},
	{"model.edges", "model.encoder", []string{"points"}},
	{"model.points", "model.encoder", []string{"points"}},
	{"model.gpl_rows", "method", []string{"diffusion"}},
	{"process", "method", []string{"diffusion"}},
	{"decode", "method", []string{"diffusion"}},
	{"train.objective", "method", []string{"diffusion"}},
	{"train.trajectories", "method", []string{"diffusion"}},
	{"train.samples", "method", []string{"diffusion"}},
	{"train.entropy", "method", []string{"diffusion"}},
	{"train.ema_rate", "method", []string{"diffusion"}},
	{"train.samples", "train.objective", []string{"latent"}},
	{"train.entropy", "train.objective", []string{"latent"}},
	{"train.ema_rate", "train.objective", []string{"latent"}},
	{"baseline.network", "method", []string{"diffsort", "error-free-diffsort"}},
	{"baseline.steepness", "method", []string{"diffsort", "error-free-diffsort"}},
	{"baseline.tau", "method", []string{"gumbel-sinkhorn"}},
	{"baseline.iterations", "method", []string{"gumbel-sinkhorn"}},
	{"baseline.samples", "method", []string{"gumbel-sinkhorn"}},
	{"baseline.graph", "method", []string{"sedd"}},
	{"baseline.sampler", "method", []string{"sedd"}},
	{"baseline.steps", "method", []string{"sedd"}},
}

// choices are all values of the keys that decide: of any other value nothing is known here,
// and what checks the key itself says more.
var choices = func() map[string][]string {
	m := map[string][]string{
		"method":          {"diffusion", "gumbel-sinkhorn", "diffsort", "error-free-diffsort", "sedd"},
		"train.objective": {"bound", "random-step", "latent"},
		"task.name":       {"sort", "delta", "jigsaw", "tsp", "ranking"},
		"task.target":     {"identity", "random", "mixture", "rotations"},
		"model.encoder":   {"table", "cnn", "window", "points", "features"},
	}
	for _, law := range reverse.Laws() {
		m["process.reverse"] = append(m["process.reverse"], law.Name())
	}
	for _, law := range shuffle.Laws() {
		m["process.forward"] = append(m["process.forward"], law.Name())
	}
	return m
}()

// none tells whether the key has no effect in c.
func (u use) none(c *Config) bool {
	value := c.field(u.with).String()
	return slices.Contains(choices[u.with], value) && !slices.Contains(u.values, value)
}

// checkUsed returns an error for keys that were given and have no effect in c; where puts
// what is known of the place of keys[i] before it.
func (c *Config) checkUsed(keys []string, where func(i int) string) error {
	var errs []error
	for _, u := range uses {
		i := slices.IndexFunc(keys, func(key string) bool { return strings.HasPrefix(key+".", u.key+".") })
		if i >= 0 && u.none(c) {
			errs = append(errs, fmt.Errorf("%s%s: has no effect with %s %q\nhint: leave it out; it is for %s %s",
				where(i), keys[i], u.with, c.field(u.with).String(), u.with, strings.Join(u.values, ", ")))
		}
	}
	return errors.Join(errs...)
}

// filled are the keys whose zero value stands for their default, which [Config.fillUsed] puts
// there: no value of theirs is zero.
var filled = []string{
	"task.modes", "baseline.network", "baseline.steepness", "baseline.tau", "baseline.iterations",
	"baseline.samples", "baseline.graph", "baseline.sampler", "baseline.steps",
}

// checkFilled returns an error for keys that were given as zero where that is no value of theirs;
// where is as in [Config.checkUsed].
func (c *Config) checkFilled(keys []string, where func(i int) string) error {
	for i, key := range keys {
		if !slices.Contains(filled, key) || !c.field(key).IsZero() {
			continue
		}
		if c.field(key).Kind() == reflect.String {
			return fmt.Errorf("%s%s: is empty\nhint: leave it out for what it is by default", where(i), key)
		}
		return fmt.Errorf("%s%s: must be above 0 (got 0)\nhint: leave it out for what it is by default", where(i), key)
	}
	return nil
}

// fillUsed gives keys that have an effect, but that were left out where they had none, what
// they have by default.
func (c *Config) fillUsed() {
	defer c.fillSize()
	d := Default()
	if c.Model.Encoder == "points" {
		c.Model.Points = cmp.Or(c.Model.Points, "spread")
	}
	if c.Method != "diffusion" {
		b := &c.Baseline
		b.Network, b.Steepness = cmp.Or(b.Network, "odd-even"), cmp.Or(b.Steepness, 10)
		b.Tau, b.Iterations, b.Samples = cmp.Or(b.Tau, 1), cmp.Or(b.Iterations, 20), cmp.Or(b.Samples, 10)
		b.Graph, b.Sampler, b.Steps = cmp.Or(b.Graph, "absorb"), cmp.Or(b.Sampler, "analytic"), cmp.Or(b.Steps, 100)
		c.dropUnused() // those of other methods
		return
	}
	if c.Process.Forward == "" && c.Process.Reverse == "" {
		c.Process.Forward, c.Process.Reverse = d.Process.Forward, d.Process.Reverse
	}
	if c.Process.Reverse == "gpl" && c.Model.GPLRows == "" {
		c.Model.GPLRows = "dummies"
	}
	if c.Decode == (Decode{}) {
		c.Decode = d.Decode
	}
	t := &c.Train
	if t.Objective == "" {
		t.Objective, t.Trajectories = d.Train.Objective, cmp.Or(t.Trajectories, d.Train.Trajectories)
	}
	if t.Objective == "latent" {
		t.Samples, t.Entropy, t.EMARate = cmp.Or(t.Samples, 10), cmp.Or(t.Entropy, 0.05), cmp.Or(t.EMARate, 0.995)
	}
}

// fillSize computes the number of objects where it follows from other keys, and the number of
// modes where it was left out.
func (c *Config) fillSize() {
	switch {
	case c.Task.Name == "jigsaw":
		c.Task.N = c.Task.Rows * c.Task.Columns
	case c.Task.Target == "mixture":
		c.Task.Modes = cmp.Or(c.Task.Modes, 5)
	}
}

// dropUnused makes the keys that have no effect zero: they are not written to config.toml,
// and two configurations that only differ in them become equal.
func (c *Config) dropUnused() {
	for _, u := range uses {
		if u.none(c) {
			c.field(u.key).SetZero()
		}
	}
}
