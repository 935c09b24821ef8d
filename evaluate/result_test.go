package evaluate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/task/tasks"
)

// Figures and details stand at the paths of their keys; what is told alone is not there.
func TestResultJSON(t *testing.T) {
	length := 3.85
	r := &Result{
		Sets: 2, N: 5, Step: 7, Seed: 1, Method: "diffusion", Engine: "go", Seconds: 4, TrainSeconds: 9,
		Figures: []Figure{
			{Measure: task.Measure{Key: "exact", Label: "exact", Unit: "%", Digits: 2}, Interval: &metric.Interval{Mean: 50, Low: 0, High: 100}},
			{Measure: task.Measure{Key: "tour.length", Label: "tour length", Digits: 4}, Interval: &metric.Interval{Mean: 4, Low: 3, High: 5}, Paper: &length},
			{Measure: task.Measure{Key: "modes.none", Label: "no mode", Unit: task.Share, Digits: 4}, Value: number(0.25)},
			{Measure: task.Measure{Label: "Mallows", Digits: 4}},
		},
		Details: []task.Detail{{Key: "modes.samples", Value: 60}},
		Paper:   &config.Paper{Table: "tours", Length: &length},
	}
	got, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"sets":2,"n":5,"step":7,"seed":1,"decode":{"method":""},"exact":{"mean":50,"low":0,"high":100},"tour":{"length":{"mean":4,"low":3,"high":5}},` +
		`"modes":{"none":0.25,"samples":60},"method":"diffusion","engine":"go","seconds":4,"sets_per_second":0.5,"train_steps":7,"train_seconds":9,"paper":{"table":"tours","length":3.85}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	header, rows := r.Table()
	if text := []string{"exact % 50.00 0.00 to 100.00 ", "tour length 4.0000 3.0000 to 5.0000 3.8500", "no mode % 25.0000  ", "Mallows none  "}; len(header) != 4 || len(rows) != 4 {
		t.Errorf("%v, %v", header, rows)
	} else {
		for i, row := range rows {
			if strings.Join(row, " ") != text[i] {
				t.Errorf("row %q, wanted %q", strings.Join(row, " "), text[i])
			}
		}
	}
}

// The figures of every eval.json that was ever written here are at the keys of the measures of
// today.
func TestKeysOfBefore(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../models/*/eval.json", "../docs/runs/*/eval.json"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 10 {
		t.Fatalf("%d files", len(files))
	}
	all := append(tasks.Measures(), modeMeasures...)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var result map[string]any
		if err := json.Unmarshal(data, &result); err != nil {
			t.Fatal(err)
		}
		seen := 0
		var look func(prefix string, v map[string]any)
		look = func(prefix string, v map[string]any) {
			for key, v := range v {
				inner, ok := v.(map[string]any)
				if !ok || key == "decode" || key == "paper" {
					continue
				}
				if _, interval := inner["mean"]; !interval {
					look(prefix+key+".", inner)
					continue
				}
				seen++
				if !slices.ContainsFunc(all, func(m task.Measure) bool { return m.Key == prefix+key }) {
					t.Errorf("%s: %s%s is no measure's key", file, prefix, key)
				}
			}
		}
		look("", result)
		if seen < 3 {
			t.Errorf("%s: %d figures", file, seen)
		}
	}
}
