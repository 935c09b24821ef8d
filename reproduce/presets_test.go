package reproduce

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/presets"
)

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
	if seen < 40 {
		t.Errorf("%d rows were compared", seen)
	}
}
