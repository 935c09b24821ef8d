package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/presets"
	"github.com/riffle-ml/riffle/task/tasks"
	"github.com/riffle-ml/riffle/training"
)

// The paper's table of puzzles: Kendall's tau, accuracy and correct in percent, RMSE, MAE
// ("Symmetric Diffusers (Ours)"). A comment in its source has the parameters of the first two, in
// millions. They are those of its table of layers.
func TestJigsawPresetsHaveThePapersFigures(t *testing.T) {
	table := map[string][5]float64{
		"mnist-2x2": {0.9992, 99.88, 99.94, 0.0026, 0.0001}, "mnist-3x3": {0.8126, 57.38, 86.16, 0.0241, 0.0022},
		"mnist-4x4": {0.4859, 1.38, 58.51, 0.1002, 0.0130}, "mnist-5x5": {0.2853, 0, 37.91, 0.2926, 0.0749},
		"mnist-6x6": {0.1208, 0, 18.54, 0.4350, 0.1587}, "cifar10-2x2": {0.9023, 90.15, 92.99, 0.3248, 0.0651},
		"cifar10-3x3": {0.8363, 70.94, 86.84, 0.3892, 0.0977}, "cifar10-4x4": {0.2518, 0.64, 34.69, 0.8953, 0.5044},
	}
	parameters := map[string]string{"mnist-2x2": "2.827", "mnist-3x3": "1.594"}
	seen := 0
	puzzle := regexp.MustCompile(`^paper/jigsaw-(\w+-\dx\d)(-dummies)?$|^jigsaw-(\dx\d)$`)
	for _, name := range presets.Names() {
		match := puzzle.FindStringSubmatch(name)
		if match == nil {
			continue
		}
		seen++
		key := match[1]
		if key == "" {
			key = "mnist-" + match[3]
		}
		cfg, err := training.ReadConfig(name)
		if err != nil {
			t.Fatal(err)
		}
		p := cfg.Paper
		if got := [5]float64{*p.KendallTau, *p.Exact, *p.Correct, *p.RMSE, *p.MAE}; got != table[key] {
			t.Errorf("%s: %v, the paper has %v", name, got, table[key])
		}
		if want := parameters[key]; want != "" && match[1] != "" {
			if _, err := cfg.Resolve(); err != nil {
				t.Fatal(err)
			}
			work, err := tasks.New(&cfg)
			if err != nil {
				t.Fatal(err)
			}
			network, err := cfg.DenoiserConfig(work.Encoder(), "")
			if err != nil {
				t.Fatal(err)
			}
			d, err := denoiser.New(network)
			if err != nil {
				t.Fatal(err)
			}
			count := d.NumParameters()
			for _, p := range d.Params() {
				if strings.HasPrefix(p.Name, "time_embedding.") { // the paper's table has no such row
					count -= p.Size()
				}
			}
			if got := fmt.Sprintf("%.3f", float64(count)/1e6); got != want {
				t.Errorf("%s: %s million parameters, the paper has %s", name, got, want)
			}
		}
	}
	if seen != 18 {
		t.Errorf("%d presets of puzzles, wanted 8 with twins and 2 quick ones", seen)
	}
}
