package main

import (
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
shuffles a whole picture first, so that any will do to try.`

// maxTiles is how many tiles a puzzle may have: the network's work grows with their square.
const maxTiles = 1024

type puzzleFlags struct {
	grid, out string
	crop      bool
	shuffle   uint64
}

func (p *puzzleFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&p.grid, "grid", "", "ROWSxCOLUMNS: INPUT is a picture, or a folder of tiles, to put together")
	cmd.Flags().StringVar(&p.out, "out", "", "the picture to write with --grid, or the file of tours; pictures of steps beside it (default: named after INPUT, here)")
	cmd.Flags().BoolVar(&p.crop, "crop", false, "with --grid: cut off what the grid does not divide, on all sides alike")
	cmd.Flags().Uint64Var(&p.shuffle, "shuffle", 0, "with --grid: shuffle the tiles first, by this seed")
}

// check finds what is wrong with the flags and returns the grid, zeros without one.
func (p *puzzleFlags) check(cmd *cobra.Command, top int) (rows, columns int, err error) {
	if p.grid == "" {
		for _, flag := range []string{"crop", "shuffle"} {
			if cmd.Flags().Changed(flag) {
				return 0, 0, usagef("order: --%s is for --grid alone", flag)
			}
		}
		return 0, 0, nil
	}
	for _, flag := range []string{"reference", "time"} {
		if cmd.Flags().Changed(flag) {
			return 0, 0, usagef("order: --%s is for cities, not for --grid", flag)
		}
	}
	r, c, ok := strings.Cut(strings.ReplaceAll(p.grid, "×", "x"), "x")
	rows, errR := strconv.Atoi(r)
	columns, errC := strconv.Atoi(c)
	switch {
	case !ok || errR != nil || errC != nil || rows < 1 || columns < 1:
		return 0, 0, usagef("order: --grid: wanted rows and columns such as 3x3 (got %q)", p.grid)
	case rows > maxTiles || columns > maxTiles || rows*columns > maxTiles || rows*columns < 2:
		return 0, 0, usagef("order: --grid: wanted 2 to %d tiles (got %dx%d)", maxTiles, rows, columns)
	case top > 1:
		return 0, 0, usagef("order: --grid puts one picture together (asked for --top %d)", top)
	case p.out != "" && strings.ToLower(filepath.Ext(p.out)) != ".png":
		return 0, 0, usagef("order: --out: wanted a name ending in .png (got %q)", p.out)
	}
	return rows, columns, nil
}

// readTiles reads a picture and cuts it, or a folder of tiles.
func (p *puzzleFlags) readTiles(path string, rows, columns int) ([]*dataset.Picture, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		whole, err := dataset.LoadImage(path)
		if err != nil {
			return nil, err
		}
		if p.crop {
			if whole, err = whole.Crop(rows, columns); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		tiles, err := whole.Cut(rows, columns)
		if err != nil {
			if rows <= whole.Rows && columns <= whole.Cols {
				err = fmt.Errorf("%w\nhint: --crop cuts it to that size", err)
			}
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return tiles, nil
	}
	if p.crop {
		return nil, usagef("order: --crop is for a picture, %s is a folder of tiles", path)
	}
	set, err := dataset.ReadFolder(path)
	if err != nil {
		return nil, err
	}
	if n := len(set.Items); n != rows*columns {
		return nil, fmt.Errorf("%s: has %d pictures, wanted the %d tiles of a grid of %d×%d", path, n, rows*columns, rows, columns)
	}
	var tiles []*dataset.Picture
	grey := true
	for i := range set.Items {
		t, err := dataset.LoadImage(set.ImagePath(i))
		if err != nil {
			return nil, err
		}
		if len(tiles) > 0 && (t.Rows != tiles[0].Rows || t.Cols != tiles[0].Cols) {
			return nil, fmt.Errorf("%s: %d×%d pixels (rows×columns), wanted %d×%d as %s has", set.ImagePath(i), t.Rows, t.Cols, tiles[0].Rows, tiles[0].Cols, set.Items[0].Image)
		}
		grey = grey && t.Channels == 1
		tiles = append(tiles, t)
	}
	if !grey {
		for i := range tiles {
			tiles[i] = tiles[i].RGB()
		}
	}
	return tiles, nil
}

// puzzleResult is what --json prints. Tiles are numbered row by row as they stood in the
// input, in a folder by the natural order of names, and after --shuffle as it left them.
type puzzleResult struct {
	ID       string       `json:"id"`
	Rows     int          `json:"rows"`
	Columns  int          `json:"columns"`
	Order    perm.Order   `json:"order"`
	LogProb  learn.Nats   `json:"log_prob"`
	Steps    []perm.Order `json:"steps"`
	Restored string       `json:"restored"` // file
	Strip    string       `json:"strip"`    // file
	// Right is how many tiles stand where they did before --shuffle.
	Right    *int     `json:"right,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// puzzle puts a picture together.
func (a *app) puzzle(cmd *cobra.Command, args []string, engineSpec string, p puzzleFlags, rows, columns int, opt learn.DecodeOptions) error {
	dir, input := args[0], args[1]
	tiles, err := p.readTiles(input, rows, columns)
	if err != nil {
		return err
	}
	var truth perm.Order
	if cmd.Flags().Changed("shuffle") {
		o := perm.Random(rand.New(rand.NewPCG(p.shuffle, 0)), len(tiles))
		tiles, truth = perm.Act(o, tiles), o.Inverse()
	}
	whole, err := filepath.Abs(input)
	if err != nil {
		return err
	}
	base := filepath.Base(whole)
	if dataset.IsPicture(base) {
		base = strings.TrimSuffix(base, filepath.Ext(base))
	}
	r := puzzleResult{ID: base, Rows: rows, Columns: columns, Restored: base + "-restored.png", Strip: base + "-steps.png"}
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
	m, err := a.load(dir, engineSpec)
	if err != nil {
		return err
	}
	t := m.Config.Task
	if t.Name != "jigsaw" {
		return fmt.Errorf("order: --grid wants a model of the task jigsaw, that of %s is of %s", dir, t.Name)
	}
	set := &dataset.Set{ID: r.ID, Kind: dataset.KindImage}
	for i, tile := range tiles {
		set.Items = append(set.Items, dataset.Item{Image: fmt.Sprintf("tile %d", i), Picture: tile})
	}
	answers, warnings, err := m.Order(cmd.Context(), []*dataset.Set{set}, 1, opt)
	if err != nil {
		return err
	}
	if t.N == rows*columns && t.Rows != rows {
		w := fmt.Sprintf("the grid is of %d×%d tiles, the model was trained on %d×%d: the answer may be worse", rows, columns, t.Rows, t.Columns)
		warnings, answers[0].Warnings = append(warnings, w), append(answers[0].Warnings, w)
	}
	a.warn(warnings)
	answer := answers[0]
	r.Order, r.LogProb, r.Steps, r.Warnings = answer.Orders[0].Order, answer.Orders[0].LogProb, answer.Steps, answer.Warnings
	if truth != nil {
		truth = metric.Nearest(r.Order, truth, dataset.EqualPictures(tiles))
		r.Right = new(int)
		for i, k := range r.Order {
			if k == truth[i] {
				*r.Right++
			}
		}
	}
	picture, err := dataset.Join(perm.Act(r.Order, tiles), columns)
	if err != nil {
		return err
	}
	strip, err := puzzleStrip(tiles, columns, r.Steps, m.Process.Steps, truth)
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
