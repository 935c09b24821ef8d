package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/learn"
	runs "github.com/riffle-ml/riffle/run"
)

// The runs in models/ are small, whole, of the task and network of the configuration beside
// them, and judged as they are; every configuration there has its run.
func TestModels(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(root) // data is named from there
	configs, err := filepath.Glob("models/*.toml")
	if err != nil || len(configs) != 4 {
		t.Fatalf("configurations %q, %v, wanted four", configs, err)
	}
	e, err := engine.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	var all int64
	for _, config := range configs {
		path := strings.TrimSuffix(config, ".toml")
		var size int64
		err := filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			info, err := entry.Info()
			if err == nil {
				size += info.Size()
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if all += size; size > 4<<20 || all > 8<<20 {
			t.Errorf("%s: %d bytes, all so far %d, wanted at most 4 MiB, and 8 in all: git keeps them", path, size, all)
		}
		m, warnings, err := learn.Load(path, e)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v, %v", path, warnings, err)
		}
		cfg, err := readConfig(config)
		if err != nil {
			t.Fatal(err)
		}
		fresh, _, err := learn.New(cfg, e) // complete, as the run's is
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct{ want, got any }{
			{fresh.Config.Task, m.Config.Task},
			{fresh.Config.Process, m.Config.Process},
			{fresh.Config.Model, m.Config.Model},
			{fresh.Config.Train, m.Config.Train},
			{fresh.Config.Train.Steps, m.State.Step},
		} {
			if diff := cmp.Diff(x.want, x.got); diff != "" {
				t.Errorf("%s is not of %s; make models trains it anew\n%s", path, config, diff)
			}
		}
		var judged struct {
			Step int `json:"step"`
			Sets int `json:"sets"`
		}
		data, err := os.ReadFile(filepath.Join(path, runs.EvalFile))
		if err == nil {
			err = json.Unmarshal(data, &judged)
		}
		if err != nil || judged.Step != m.State.Step || judged.Sets == 0 {
			t.Errorf("%s: judged %+v, %v, wanted at step %d", path, judged, err, m.State.Step)
		}
		if !m.State.Finished {
			t.Errorf("%s: was not trained to the end", path)
		}
		m.Close()
		fresh.Close()
	}
}
