package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/learn"
	runs "github.com/riffle-ml/riffle/run"
	"github.com/riffle-ml/riffle/training"
)

// The runs in models/ are small and whole, and judged as they are. They have the task and network
// of the configuration beside them. Every configuration there has its run.
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
		cfg, err := training.ReadConfig(config)
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

// Each team is better than the next in all ten columns. They go by their names: exchanged they say
// the same, and one that the model does not know is an error.
func TestModelsKnowColumns(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	columns := []string{"runs", "hits", "homers", "walks", "shutouts", "runs_allowed", "hits_allowed", "homers_allowed", "walks_allowed", "errors"}
	low := []float64{3.2, 7.9, 0.55, 2.7, 0.03, 3.3, 7.9, 0.65, 2.7, 0.5}
	high := []float64{6.0, 9.8, 1.25, 3.9, 0.11, 5.9, 9.9, 1.25, 3.9, 1.1}
	teams := strings.Fields("Alder Birch Cedar Damson Elm Fir Gorse Hazel")
	table := func(header ...string) string {
		text := "set,item," + strings.Join(header, ",") + "\n"
		for _, k := range []int{4, 1, 6, 0, 3, 7, 2, 5} {
			text += "League X," + teams[k]
			for _, c := range header {
				j := max(0, slices.Index(columns, c))
				share := 1 - float64(k)/7 // the best first
				if j >= 5 {
					share = 1 - share // what the others got, and errors
				}
				text += fmt.Sprintf(",%.3f", low[j]+share*(high[j]-low[j]))
			}
			text += "\n"
		}
		path := filepath.Join(t.TempDir(), "teams.csv")
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	order := func(header ...string) (out, notes string, code int) {
		var stdout, stderr strings.Builder
		code = run([]string{"order", filepath.Join(root, "models/rankings"), table(header...), "--engine", "go"}, &stdout, &stderr)
		return strings.ReplaceAll(stdout.String(), `"`, ""), stderr.String(), code
	}
	want := "League X\t" + strings.Join(teams, " ") + "\n"
	exchanged := slices.Concat(columns[5:], columns[:5])
	for _, header := range [][]string{columns, exchanged} {
		if got, notes, code := order(header...); code != 0 || got != want || strings.Contains(notes, "warning") {
			t.Errorf("columns %v: %q, exit code %d, wanted %q\n%s", header, got, code, want, notes)
		}
	}
	renamed := slices.Clone(columns)
	renamed[9] = "stadium_seats"
	if got, notes, code := order(renamed...); code != 1 || !strings.Contains(notes, `set League X: unknown column "stadium_seats", and column "errors" is missing`) {
		t.Errorf("a renamed column: %q, exit code %d\n%s", got, code, notes)
	}
}
