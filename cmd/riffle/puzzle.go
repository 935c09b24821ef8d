package main

import (
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/plot"
	runs "github.com/riffle-ml/riffle/run"
)

const gridHelp = `With --grid ROWSxCOLUMNS, INPUT is a puzzle: a picture, which is cut into so many tiles,
or a folder of tiles, all of one size. A model of the task jigsaw puts it together; the
picture is written as it was, in full size, and beside it the reverse steps. --shuffle
shuffles a whole picture first, so that any will do to try.

` + tilesHelp + ` After --shuffle, tiles are
numbered as it left them.`

// tilesHelp says what items and positions are in rules for puzzles.
const tilesHelp = `For rules, the tiles of a puzzle are its items. They are numbered row by row as they stand
in the picture, or in a folder in the natural order of the file names, by which they can be
called too. Positions are numbered row by row in the picture that is put together.`

// maxTiles is how many tiles a puzzle may have: the network's work grows with their square.
const maxTiles = 1024

// gridFlags say how a picture is a set of tiles.
type gridFlags struct {
	grid          string
	rows, columns int // zero without --grid
	crop          bool
}

func (g *gridFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&g.grid, "grid", "", "ROWSxCOLUMNS: INPUT is a picture, or a folder of tiles, to put together")
	cmd.Flags().BoolVar(&g.crop, "crop", false, "with --grid: cut off what the grid does not divide, on all sides alike")
}

// check reads the grid and finds what is wrong with the flags.
func (g *gridFlags) check(cmd *cobra.Command) error {
	if g.grid == "" {
		for _, flag := range []string{"crop", "shuffle"} {
			if cmd.Flags().Changed(flag) {
				return usagef("%s: --%s is for --grid alone", name(cmd), flag)
			}
		}
		return nil
	}
	r, c, ok := strings.Cut(strings.ReplaceAll(g.grid, "×", "x"), "x")
	rows, errR := strconv.Atoi(r)
	columns, errC := strconv.Atoi(c)
	switch {
	case !ok || errR != nil || errC != nil || rows < 1 || columns < 1:
		return usagef("%s: --grid: wanted rows and columns such as 3x3 (got %q)", name(cmd), g.grid)
	case rows > maxTiles || columns > maxTiles || rows*columns > maxTiles || rows*columns < 2:
		return usagef("%s: --grid: wanted 2 to %d tiles (got %dx%d)", name(cmd), maxTiles, rows, columns)
	}
	g.rows, g.columns = rows, columns
	return nil
}

// read reads a picture and cuts it, or a folder of tiles, as a set that is named after it.
// Tiles of a picture are called by their numbers, those of a folder by their files.
func (g *gridFlags) read(cmd *cobra.Command, path string) (*dataset.Set, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	set := &dataset.Set{ID: filepath.Base(whole), Kind: dataset.KindImage}
	if dataset.IsPicture(set.ID) {
		set.ID = strings.TrimSuffix(set.ID, filepath.Ext(set.ID))
	}
	if info.IsDir() {
		if g.crop {
			return nil, usagef("%s: --crop is for a picture, %s is a folder of tiles", name(cmd), path)
		}
		set.Dir = path
		set.Items, err = g.readFolder(cmd.Context(), path)
		return set, err
	}
	tiles, err := g.cut(cmd.Context(), path)
	if err != nil {
		return nil, err
	}
	for _, t := range tiles {
		set.Items = append(set.Items, dataset.Item{Picture: t})
	}
	number(set.Items)
	return set, nil
}

// number calls the tiles of a picture by their places.
func number(tiles []dataset.Item) {
	for i := range tiles {
		tiles[i].ID, tiles[i].Image = strconv.Itoa(i), fmt.Sprintf("tile %d", i)
	}
}

func (g *gridFlags) cut(ctx context.Context, path string) ([]*dataset.Picture, error) {
	whole, err := dataset.LoadImage(ctx, path)
	if err != nil {
		return nil, err
	}
	if g.crop {
		if whole, err = whole.Crop(g.rows, g.columns); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	tiles, err := whole.Cut(g.rows, g.columns)
	if err != nil {
		if g.rows <= whole.Rows && g.columns <= whole.Cols {
			err = fmt.Errorf("%w\nhint: --crop cuts it to that size", err)
		}
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tiles, nil
}

func (g *gridFlags) readFolder(ctx context.Context, path string) ([]dataset.Item, error) {
	set, err := dataset.ReadFolder(path)
	if err != nil {
		return nil, err
	}
	if n := len(set.Items); n != g.rows*g.columns {
		return nil, fmt.Errorf("%s: has %d pictures, wanted the %d tiles of a grid of %d×%d", path, n, g.rows*g.columns, g.rows, g.columns)
	}
	grey := true
	for i := range set.Items {
		t, err := dataset.LoadImage(ctx, set.ImagePath(i))
		if err != nil {
			return nil, err
		}
		if first := set.Items[0].Picture; i > 0 && (t.Rows != first.Rows || t.Cols != first.Cols) {
			return nil, fmt.Errorf("%s: %d×%d pixels (rows×columns), wanted %d×%d as %s has", set.ImagePath(i), t.Rows, t.Cols, first.Rows, first.Cols, set.Items[0].Image)
		}
		grey = grey && t.Channels == 1
		set.Items[i].Picture = t
	}
	if !grey {
		for i := range set.Items {
			set.Items[i].Picture = set.Items[i].Picture.RGB()
		}
	}
	return set.Items, nil
}

// fits tells whether a model is one of puzzles; warning is of one of another grid.
func (g *gridFlags) fits(cmd *cobra.Command, m *learn.Model, dir string) (warning string, err error) {
	t := m.Config.Task
	if t.Name != "jigsaw" {
		return "", fmt.Errorf("%s: --grid wants a model of the task jigsaw, that of %s is of %s", name(cmd), dir, t.Name)
	}
	if t.N == g.rows*g.columns && t.Rows != g.rows {
		warning = fmt.Sprintf("the grid is of %d×%d tiles, the model was trained on %d×%d: the answer may be worse", g.rows, g.columns, t.Rows, t.Columns)
	}
	return warning, nil
}

// puzzleFlags say how the tiles of a puzzle come and where their picture goes.
type puzzleFlags struct {
	gridFlags
	out     string
	shuffle uint64
}

func (p *puzzleFlags) add(cmd *cobra.Command) {
	p.gridFlags.add(cmd)
	cmd.Flags().StringVar(&p.out, "out", "", "the picture to write with --grid, or the file of tours; pictures of steps beside it (default: named after INPUT, here)")
	cmd.Flags().Uint64Var(&p.shuffle, "shuffle", 0, "with --grid: shuffle the tiles first, by this seed")
}

// check reads the grid and finds what is wrong with the flags.
func (p *puzzleFlags) check(cmd *cobra.Command, top int) error {
	if err := p.gridFlags.check(cmd); err != nil || p.grid == "" {
		return err
	}
	for _, flag := range append([]string{"reference", "time"}, tourOnly...) {
		if cmd.Flags().Changed(flag) {
			return usagef("order: --%s is for cities, not for --grid", flag)
		}
	}
	switch {
	case top > 1:
		return usagef("order: --grid puts one picture together (asked for --top %d)", top)
	case p.out != "" && strings.ToLower(filepath.Ext(p.out)) != ".png":
		return usagef("order: --out: wanted a name ending in .png (got %q)", p.out)
	}
	return nil
}

// puzzleResult is what --json prints. Tiles are numbered row by row as they stood in the
// input, in a folder by the natural order of names, and after --shuffle as it left them.
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
func (a *app) puzzle(cmd *cobra.Command, args []string, engineSpec string, p puzzleFlags, rules constraintFlags, opt learn.DecodeOptions) error {
	dir, input := args[0], args[1]
	set, err := p.read(cmd, input)
	if err != nil {
		return err
	}
	var truth perm.Order
	if cmd.Flags().Changed("shuffle") {
		o := perm.Random(rand.New(rand.NewPCG(p.shuffle, 0)), len(set.Items))
		set.Items, truth = perm.Act(o, set.Items), o.Inverse()
		if set.Dir == "" { // a picture's tiles have no names but their places
			number(set.Items)
		}
	}
	if err := rules.put([]*dataset.Set{set}); err != nil {
		return err
	}
	r := puzzleResult{ID: set.ID, Rows: p.rows, Columns: p.columns, Restored: set.ID + "-restored.png", Strip: set.ID + "-steps.png"}
	if p.out != "" {
		r.Restored, r.Strip = p.out, p.out[:len(p.out)-len(".png")]+"-steps.png"
	}
	for _, out := range []string{r.Restored, r.Strip} {
		switch same, err := sameFile(out, input); {
		case err != nil:
			return err
		case same:
			return fmt.Errorf("%s: is the input, which stays as it is\nhint: another --out", out)
		}
	}
	m, err := a.load(dir, engineSpec, aFewSets)
	if err != nil {
		return err
	}
	warning, err := p.fits(cmd, m, dir)
	if err != nil {
		return err
	}
	answers, warnings, err := m.Order(cmd.Context(), []*dataset.Set{set}, 1, opt)
	if err != nil {
		return err
	}
	if warning != "" {
		warnings, answers[0].Warnings = append(warnings, warning), append(answers[0].Warnings, warning)
	}
	var tiles []*dataset.Picture
	for _, it := range set.Items {
		tiles = append(tiles, it.Picture)
	}
	a.warn(warnings)
	answer := answers[0]
	r.Order, r.LogPath, r.Steps, r.Warnings = answer.Orders[0].Order, answer.Orders[0].LogPath, answer.Steps, answer.Warnings
	if truth != nil {
		truth = metric.Nearest(r.Order, truth, dataset.EqualPictures(tiles))
		r.Right = new(int)
		for i, k := range r.Order {
			if k == truth[i] {
				*r.Right++
			}
		}
	}
	picture, err := dataset.Join(perm.Act(r.Order, tiles), p.columns)
	if err != nil {
		return err
	}
	strip, err := puzzleStrip(tiles, p.columns, r.Steps, m.Process.Steps, truth)
	if err != nil {
		return err
	}
	if err := runs.WriteFile(r.Restored, func(w io.Writer) error { return png.Encode(w, picture.Image()) }); err != nil {
		return err
	}
	if err := plot.Save(r.Strip, strip); err != nil {
		return err
	}
	if a.json {
		return a.printJSON(r)
	}
	fmt.Fprintf(a.out, "%s\t%s\n", r.ID, r.Order.Text(perm.ZeroBased))
	fmt.Fprintf(a.out, "restored\t%s\nsteps\t%s\n", r.Restored, r.Strip)
	if r.Right != nil {
		fmt.Fprintf(a.out, "%d of %d tiles in place\n", *r.Right, len(tiles))
	}
	return nil
}

// sameFile tells whether a file that may not exist yet is another that does.
func sameFile(path, other string) (bool, error) {
	a, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b), err
}

const (
	thumbnail   = 224 // longer side of a picture in the strip, pixels
	stripStates = 12  // at most
)

// puzzleStrip draws the states on the way from noise, some of them where there are many.
func puzzleStrip(tiles []*dataset.Picture, columns int, states []perm.Order, schedule []int, truth perm.Order) (plot.Strip, error) {
	set := plot.StripSet{Columns: columns, Truth: truth}
	high, wide := tiles[0].Rows*len(tiles)/columns, tiles[0].Cols*columns
	shrink := max(1, float64(max(high, wide))/thumbnail)
	for _, t := range tiles {
		small, _, err := t.Resize(max(1, int(float64(t.Rows)/shrink)), max(1, int(float64(t.Cols)/shrink)))
		if err != nil {
			return plot.Strip{}, err
		}
		set.Images = append(set.Images, small.Image())
	}
	shown := min(len(states), stripStates)
	for i := range shown {
		k := i * (len(states) - 1) / max(1, shown-1)
		set.Rows = append(set.Rows, plot.StripRow{T: schedule[len(schedule)-1-k], Order: states[k]})
	}
	return plot.Strip{Sets: []plot.StripSet{set}}, nil
}
