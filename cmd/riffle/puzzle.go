package main

import (
	"fmt"
	"image/png"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/cmd/internal/figures"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/question"
	runs "github.com/riffle-ml/riffle/run"
)

const gridHelp = `With --grid ROWSxCOLUMNS, INPUT is a puzzle: a picture, which is cut into so many tiles, or a folder
of tiles, all of one size. A model of the task jigsaw puts it together. The result is written in the
full size of the picture, and beside it a picture of the reverse steps. --shuffle shuffles the tiles
first, so that any whole picture will do to try.

` + tilesHelp + `
After --shuffle, tiles are numbered as it left them.`

// tilesHelp says what items and positions are in rules for puzzles.
const tilesHelp = `For rules, the tiles of a puzzle are its items. They are numbered row by row as they stand in the
picture. In a folder they are numbered in the natural order of the file names, and can be called by
these too. Positions are numbered row by row in the picture that is put together.`

// maxTiles is how many tiles a puzzle may have: the network's work grows with their square.
const maxTiles = 1024

// gridFlags say how a picture is a set of tiles.
type gridFlags struct {
	question.Puzzle
	grid    string
	shuffle uint64
}

func (g *gridFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&g.grid, "grid", "", "ROWSxCOLUMNS: INPUT is a picture, or a folder of tiles, to put together")
	cmd.Flags().BoolVar(&g.Crop, "crop", false, "with --grid: cut off what the grid does not divide, on all sides alike")
	g.CropHint = "--crop cuts it to that size"
}

func (g *gridFlags) addShuffle(cmd *cobra.Command) {
	cmd.Flags().Uint64Var(&g.shuffle, "shuffle", 0, "with --grid: shuffle the tiles first, by this seed")
}

// check reads the grid and finds what is wrong with the flags.
func (g *gridFlags) check(cmd *cobra.Command) error {
	if g.grid == "" {
		return only(cmd, false, "--grid", "crop", "shuffle")
	}
	if cmd.Flags().Changed("shuffle") {
		g.Shuffle = &g.shuffle
	}
	return usage(cmd, g.ParseGrid(g.grid, maxTiles))
}

// puzzleResult is what --json prints. Tiles are numbered row by row as they stood in the input, and
// in a folder by the natural order of names. After --shuffle they are numbered as it left them.
type puzzleResult struct {
	ID       string       `json:"id"`
	Rows     int          `json:"rows"`
	Columns  int          `json:"columns"`
	Order    perm.Order   `json:"order"`
	LogPath  learn.Nats   `json:"log_path"`
	Steps    []perm.Order `json:"steps"`
	Restored string       `json:"restored"` // file
	Strip    string       `json:"strip"`    // file
	// Right is how many tiles stand where they did before --shuffle.
	Right    *int     `json:"right,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// puzzle puts a picture together.
func (a *app) puzzle(cmd *cobra.Command, args []string, f *orderFlags) error {
	switch {
	case f.order.Top > 1:
		return usagef("order: --grid puts one picture together (asked for --top %d)", f.order.Top)
	case f.out != "" && strings.ToLower(filepath.Ext(f.out)) != ".png":
		return usagef("order: --out: wanted a name ending in .png (got %q)", f.out)
	}
	f.grid.Rules = f.rules.text
	tiles, err := f.grid.Read(cmd.Context(), args[1])
	if err != nil {
		return usage(cmd, err)
	}
	r := puzzleResult{ID: tiles.ID, Rows: f.grid.Rows, Columns: f.grid.Columns, Restored: tiles.ID + "-restored.png", Strip: tiles.ID + "-steps.png"}
	if f.out != "" {
		r.Restored, r.Strip = f.out, f.out[:len(f.out)-len(".png")]+"-steps.png"
	}
	if err := runs.CheckOutputs(args[1:], r.Restored, r.Strip); err != nil {
		return err
	}
	m, err := a.load(args[0], f.engine, aFewSets)
	if err != nil {
		return err
	}
	about := question.About(args[0], m)
	warning, err := f.grid.Fits(about)
	if err != nil {
		return fmt.Errorf("order: %w", err)
	}
	said, odd, err := f.order.Ask(cmd.Context(), m, []*dataset.Set{tiles.Set})
	if err != nil {
		return err
	}
	warnings := dataset.Texts(odd)
	if warning != "" {
		warnings = append(warnings, warning)
	}
	a.Warn(warnings)
	answer, err := tiles.Restored(about, said[0])
	if err != nil {
		return err
	}
	r.Order, r.LogPath, r.Steps, r.Right, r.Warnings = answer.Order, answer.LogPath, answer.Steps, answer.Right, answer.Warnings
	if err := r.draw(tiles.Pictures(), m.Process.Steps, answer.Truth); err != nil {
		return err
	}
	return a.print(r, func() {
		fmt.Fprintf(a.out, "%s\t%s\nrestored\t%s\nsteps\t%s\n", question.TextID(r.ID), r.Order.Text(perm.ZeroBased), r.Restored, r.Strip)
		if r.Right != nil {
			fmt.Fprintf(a.out, "%d of %d tiles in place\n", *r.Right, len(r.Order))
		}
	})
}

// draw writes the picture and the steps.
func (r *puzzleResult) draw(tiles []*dataset.Picture, schedule []int, truth perm.Order) error {
	picture, err := dataset.Join(perm.Act(r.Order, tiles), r.Columns)
	if err != nil {
		return err
	}
	strip, err := figures.PuzzleStrip(tiles, r.Columns, r.Steps, schedule, truth)
	if err != nil {
		return err
	}
	if err := runs.WriteFile(r.Restored, func(w io.Writer) error { return png.Encode(w, picture.Image()) }); err != nil {
		return err
	}
	return plot.Save(r.Strip, strip)
}
