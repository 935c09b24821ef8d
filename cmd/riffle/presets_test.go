package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/presets"
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
			if diff := cmp.Diff(cfg, again); diff != "" {
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
