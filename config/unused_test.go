package config

import (
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/hint"
)

// A key that a file gives is checked against what the file says.
func TestUnusedKeysOfAFile(t *testing.T) {
	const puzzle = "[task]\nname = \"jigsaw\"\n"
	const delta, sorting = "[task]\nname = \"delta\"\n", "[task]\nname = \"sort\"\n"
	for doc, want := range map[string]string{
		delta + "digits = 4":                         `x.toml:3: task.digits: has no effect with task.name "delta"` + "\nhint: leave it out; it is for task.name sort",
		delta + "data = \"mnist\"":                   `x.toml:3: task.data: has no effect with task.name "delta"`,
		delta + "augment = { rotate = 3 }":           `x.toml:3: task.augment: has no effect with task.name "delta"`,
		delta + "[task.augment]\nshift = 1":          `x.toml:4: task.augment.shift: has no effect with task.name "delta"`,
		sorting + "rows = 3":                         `x.toml:3: task.rows: has no effect with task.name "sort"` + "\nhint: leave it out; it is for task.name jigsaw",
		sorting + "noise = 0.1":                      `x.toml:3: task.noise: has no effect with task.name "sort"`,
		puzzle + "n = 9":                             `x.toml:3: task.n: has no effect with task.name "jigsaw"`,
		puzzle + "digits = 4":                        `x.toml:3: task.digits: has no effect with task.name "jigsaw"`,
		puzzle + "augment = { rotate = 3 }":          `x.toml:3: task.augment: has no effect with task.name "jigsaw"`,
		puzzle + "data = \"x\"\nsource = \"photos\"": "",
		sorting + "target = \"random\"":              `x.toml:3: task.target: has no effect with task.name "sort"`,
		"[model]\nencoder = \"points\"\nkernel = 5":  `x.toml:3: model.kernel: has no effect with model.encoder "points"` + "\nhint: leave it out; it is for model.encoder cnn, window",
		"model.hidden = [3]\nmodel.encoder = \"table\"": `x.toml:1: model.hidden: has no effect with model.encoder "table"` +
			"\nhint: leave it out; it is for model.encoder cnn, window, features",
		"[model]\nencoder = \"table\"\nkernel = 5\nchannels = [2]": `x.toml:4: model.channels: has no effect with model.encoder "table"
x.toml:3: model.kernel: has no effect with model.encoder "table"
hint: leave it out; it is for model.encoder cnn, window`,
		"model.encoder_dropout = 0.1\nmodel.encoder = \"cnn\"":        `x.toml:1: model.encoder_dropout: has no effect with model.encoder "cnn"`,
		"[process]\nreverse = \"pl\"\n[model]\ngpl_rows = \"items\"":  `x.toml:4: model.gpl_rows: has no effect with process.reverse "pl"` + "\nhint: leave it out; it is for process.reverse gpl",
		"[model]\ngpl_rows = \"items\"":                               "", // gpl is the default
		sorting + "digits = 4\naugment = { rotate = 3 }":              "",
		delta + "target = \"random\"":                                 "",
		"[model]\nencoder = \"cnn\"\nkernel = 5\nhidden = [3]":        "",
		"[process]\nreverse = \"irs\"\n[decode]\ninner = 3":           "", // a default of --decode beam
		"[train]\ntime = \"3m\"\nsteps = 30":                          "", // noam reads its progress off the steps
		"method = \"sedd\"\nbaseline.steps = 0":                       "x.toml:2: baseline.steps: must be above 0 (got 0)\nhint: leave it out",
		"method = \"sedd\"\nbaseline = {steps = 0}":                   "x.toml:2: baseline.steps: must be above 0 (got 0)",
		"method = \"sedd\"\n[baseline]\ngraph = \"\"":                 "x.toml:3: baseline.graph: is empty\nhint: leave it out",
		"method = \"diffsort\"\n[baseline]\nsteepness = 0.0":          "x.toml:3: baseline.steepness: must be above 0 (got 0)",
		"method = \"sedd\"\n[baseline]\nsteps = 1":                    "",
		delta + "target = \"mixture\"\nmodes = 0":                     "x.toml:4: task.modes: must be above 0 (got 0)",
		"[process]\nreverse = \"glp\"\n[model]\ngpl_rows = \"items\"": "", // the law is told, by Resolve
	} {
		_, err := ParseConfig([]byte(doc), "x.toml")
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasPrefix(hint.Text(err), want)) {
			t.Errorf("%q:\n got %v\nwant %s", doc, err, want)
		}
	}
}

// A key that Set gives is checked against the whole configuration, in any order. What a file gave
// and a Set made useless is dropped, in the copy alone that was set.
func TestUnusedKeysOfSet(t *testing.T) {
	preset, err := ParseConfig([]byte("[task]\nname = \"sort\"\nn = 3\ndigits = 4\n[model]\nencoder = \"cnn\"\nchannels = [2]\nkernel = 5\ngpl_rows = \"items\""), "x.toml")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		set  []string
		want string
	}{
		{[]string{"process.reverse=pl"}, ""},
		{[]string{"process.reverse=pl", "model.gpl_rows=items"}, `model.gpl_rows: has no effect with process.reverse "pl"`},
		{[]string{"model.gpl_rows=items", "process.reverse=pl"}, `model.gpl_rows: has no effect with process.reverse "pl"`},
		{[]string{"model.gpl_rows=dummies"}, ""},
		{[]string{"model.encoder=window", "model.hidden=[8]"}, ""},
		{[]string{"model.encoder=points", "model.kernel=3"}, `model.kernel: has no effect with model.encoder "points"`},
		{[]string{"task.target=random"}, `task.target: has no effect with task.name "sort"`},
		{[]string{"task.name=delta", "task.target=random", "model.encoder=table"}, ""},
		{[]string{"task.name=delta", "task.augment.rotate=3"}, `task.augment.rotate: has no effect with task.name "delta"`},
		{[]string{"method=sedd", "baseline.steps=0"}, "baseline.steps: must be above 0 (got 0)\nhint: leave it out"},
		{[]string{"method=sedd", "baseline.steps=-1"}, "baseline.steps: must be 1 to 65536 (got -1)"},
		{[]string{"method=sedd", "baseline.steps=0", "baseline.steps=3", "baseline.sampler=euler"}, ""},
		{[]string{"method=gumbel-sinkhorn", "baseline.tau=0"}, "baseline.tau: must be above 0 (got 0)"},
		{[]string{"process.reverse=glp", "model.gpl_rows=items"}, `process.reverse: unknown "glp", wanted gpl, path, cgpl, pl`},
	} {
		cfg := preset
		for _, s := range c.set {
			if err := cfg.Set(s); err != nil {
				t.Fatal(err)
			}
		}
		later := cfg // the memory of what was set is copied
		_, err := later.Resolve()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasPrefix(hint.Text(err), c.want)) {
			t.Errorf("%q: got %v, wanted %s", c.set, err, c.want)
		}
	}
	if _, err := preset.Resolve(); err != nil {
		t.Error(err)
	}
	if m := preset.Model; m.GPLRows != "items" || m.Kernel != 5 || len(m.Channels) != 1 || preset.Task.Digits != 4 {
		t.Errorf("the preset changed: %+v", preset)
	}
}
