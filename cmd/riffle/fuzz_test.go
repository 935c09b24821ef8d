package main

import (
	"testing"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/internal/fuzztest"
)

// Of whatever --grid says there is a grid of a bounded number of tiles, or a usage error.
func FuzzGrid(f *testing.F) {
	for _, s := range []string{"3x3", "2×2", "x", "", "-1x-4", "0x9", "9223372036854775807x2", "4294967296x4294967296", "٣x٣", "1x1", "2x2x2"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, grid string) {
		g := gridFlags{grid: grid}
		var err error
		fuzztest.Within(t, 1<<20, 64, len(grid), func() { err = g.check(&cobra.Command{}) })
		if grid != "" && err == nil && (g.Rows < 1 || g.Columns < 1 || g.Rows*g.Columns < 2 || g.Rows*g.Columns > maxTiles) {
			t.Fatalf("%q: %d×%d", grid, g.Rows, g.Columns)
		}
	})
}
