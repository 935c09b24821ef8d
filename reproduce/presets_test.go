package reproduce

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/baseline/diffsort"
	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/presets"
)

// full is the preset of a row's full training, resolved.
func full(t *testing.T, name string) config.Config {
	t.Helper()
	data, ok := presets.Get(name)
	if !ok {
		t.Fatalf("there is no preset %s", name)
	}
	cfg, err := config.ParseConfig(data, name)
	if err == nil {
		_, err = cfg.Resolve()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// The settings of sorting networks are those of the paper's tables, those of Gumbel–Sinkhorn in the grid
// that the paper searched, and SEDD has the paper's size.
func TestPresetsHaveThePapersSettings(t *testing.T) {
	for _, s := range sizes {
		for _, method := range []string{"diffsort", "error-free-diffsort"} {
			cfg, want := full(t, fmt.Sprintf("paper/%s-mnist-%d", method, s.n)), diffsort.Paper(method != "diffsort", s.n)
			if cfg.Method != method || cfg.Task.N != want.N || cfg.Baseline.Network != want.Network || cfg.Baseline.Steepness != want.Steepness || math.Abs(cfg.Train.LR/want.LearningRate-1) > 1e-12 {
				t.Errorf("%s of %d: got %+v, lr %g, wanted %+v", method, s.n, cfg.Baseline, cfg.Train.LR, want)
			}
		}
	}
	for _, name := range presets.Names() {
		switch {
		case strings.HasPrefix(name, "paper/gumbel-sinkhorn"):
			cfg := full(t, name)
			b := cfg.Baseline
			if !slices.Contains([]float64{0.2, 0.5, 1, 2, 5}, b.Tau) || b.Iterations != 20 || b.Samples != 10 || cfg.Train.Batch != 50 ||
				!slices.Contains([]float64{1e-3, 1e-4, 1e-5}, cfg.Train.LR) || !slices.Contains([]int{64, 128}, cfg.Model.Channels[0]) || !slices.Contains([]int{3, 5}, cfg.Model.Kernel) {
				t.Errorf("%s: not in the paper's grid: %+v", name, cfg)
			}
		case strings.HasPrefix(name, "paper/sedd"):
			cfg := full(t, name)
			objects := denoiser.EncoderConfig{}
			d, err := cfg.Network(objects, "pointer")
			if err != nil {
				t.Fatal(err)
			}
			if n := d.NumParameters(); n < 22e6 || n > 26e6 {
				t.Errorf("%s: %d parameters, the paper has about 25 million", name, n)
			}
		}
	}
}

// The figures that a preset says the paper has are those of its row, wherever the table gives them.
func TestPresetsHaveTheRowsFigures(t *testing.T) {
	seen := 0
	for _, table := range Tables() {
		for _, row := range table.Rows {
			if row.Full == "" || row.Paper == nil {
				continue
			}
			data, ok := presets.Get(row.Full)
			if !ok {
				t.Errorf("%s, %s: there is no preset %s", table.Name, row.Name, row.Full)
				continue
			}
			cfg, err := config.ParseConfig(data, row.Full)
			if err != nil {
				t.Fatal(err)
			}
			if cfg.Paper == nil {
				t.Errorf("%s has no figures, row %s of table %s has", row.Full, row.Name, table.Name)
				continue
			}
			seen++
			got, want := *cfg.Paper, *row.Paper
			got.Table, want.Table = "", ""
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, row %s of table %s (-row +preset):\n%s", row.Full, row.Name, table.Name, diff)
			}
		}
	}
	if seen < 69 {
		t.Errorf("%d rows were compared", seen)
	}
}
