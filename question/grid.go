package question

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
)

// Read reads a picture and cuts it, or a folder of tiles, as a set that is named after it.
func (p *Puzzle) Read(ctx context.Context, path string) (*Tiles, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	id := filepath.Base(whole)
	if dataset.IsPicture(id) {
		id = strings.TrimSuffix(id, filepath.Ext(id))
	}
	if info.IsDir() {
		return p.ReadFolder(ctx, id, path)
	}
	picture, err := dataset.LoadImage(ctx, path)
	if err != nil {
		return nil, err
	}
	tiles, err := p.Cut(id, picture)
	if _, ofSet := errors.AsType[*learn.SetError](err); err != nil && !ofSet { // of the picture
		err = fmt.Errorf("%s: %w", path, err)
	}
	return tiles, err
}

// ParseGrid reads ROWSxCOLUMNS, such as 3x3. It refuses other text, and grids of more than most tiles.
func (p *Puzzle) ParseGrid(text string, most int) error {
	r, c, ok := strings.Cut(strings.ReplaceAll(text, "×", "x"), "x")
	var errR, errC error
	p.Rows, errR = strconv.Atoi(r)
	p.Columns, errC = strconv.Atoi(c)
	switch {
	case !ok || errR != nil || errC != nil || p.Rows < 1 || p.Columns < 1:
		return learn.Refuse(learn.Usage, "grid", "%s: wanted rows and columns such as 3x3 (got %q)", learn.Opt("grid"), text)
	case p.Check(most) != nil:
		return learn.Refuse(learn.Usage, "grid", "%s: wanted 2 to %d tiles (got %dx%d)", learn.Opt("grid"), most, p.Rows, p.Columns)
	}
	return nil
}
