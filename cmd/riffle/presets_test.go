package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/presets"
	"github.com/riffle-ml/riffle/reverse"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/task"
)

// Every preset can be trained: it parses, resolves, and its task and network can be built.
func TestPresets(t *testing.T) {
	names := presets.Names()
	if len(names) < 20 {
		t.Errorf("%d presets: %v", len(names), names)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			cfg, err := readConfig(name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := cfg.Resolve(); err != nil {
				t.Fatal(err)
			}
			if cfg.Title == "" {
				t.Error("no title")
			}
			if paper := strings.HasPrefix(name, "paper/"); paper && cfg.Paper == nil {
				t.Error("a preset of the paper without the paper's figures")
			}
			data, err := cfg.TOML()
			if err != nil {
				t.Fatal(err)
			}
			again, err := runs.ParseConfig(data, name)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(cfg, again, cmpopts.IgnoreUnexported(cfg)); diff != "" {
				t.Errorf("config.toml reads back as another configuration:\n%s", diff)
			}
			work, err := task.New(&cfg)
			if err != nil {
				t.Fatal(err)
			}
			network, err := cfg.DenoiserConfig(work.Encoder())
			if err != nil {
				t.Fatal(err)
			}
			d, err := denoiser.New(network)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.CheckSize(cfg.Task.N); err != nil {
				t.Error(err)
			}
			if n := d.NumParameters(); n < 1000 || n > 100_000_000 {
				t.Errorf("%d parameters", n)
			}
		})
	}
}

// Any preset goes with any reverse law and the shuffle that law undoes: what the preset's
// file says and the law does not use is dropped, and config.toml reads back as the same
// configuration, without a word of such keys.
func TestPresetsWithEveryLaw(t *testing.T) {
	forward := map[string]string{"gpl": "riffle", "pl": "riffle", "irs": "riffle", "ii": "insertion", "it": "transposition"}
	for _, name := range presets.Names() {
		for _, law := range reverse.Laws() {
			cfg, err := readConfig(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range []string{"process.reverse=" + law.Name(), "process.forward=" + forward[law.Name()], "process.schedule=[]"} {
				if err := cfg.Set(s); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := cfg.Resolve(); err != nil {
				t.Errorf("%s with %s: %v", name, law.Name(), err)
				continue
			}
			data, err := cfg.TOML()
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Contains(string(data), "gpl_rows"), law.Name() == "gpl"; got != want {
				t.Errorf("%s with %s: gpl_rows in config.toml: %t", name, law.Name(), got)
			}
			again, err := runs.ParseConfig(data, "config.toml")
			if err != nil {
				t.Errorf("%s with %s: %v", name, law.Name(), err)
				continue
			}
			if diff := cmp.Diff(cfg, again, cmpopts.IgnoreUnexported(cfg)); diff != "" {
				t.Errorf("%s with %s: config.toml reads back as another configuration:\n%s", name, law.Name(), diff)
			}
			if _, err := again.Resolve(); err != nil {
				t.Errorf("%s with %s, read back: %v", name, law.Name(), err)
			}
		}
	}
}
