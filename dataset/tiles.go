package dataset

import "fmt"

// Cut cuts the picture into rows × columns tiles, row by row. A side that does not divide is an
// error, which says what size of picture would; see [Picture.Crop].
func (p *Picture) Cut(rows, columns int) ([]*Picture, error) {
	if rows < 1 || columns < 1 || rows > p.Rows || columns > p.Cols {
		return nil, fmt.Errorf("%d×%d pixels (rows×columns) have no %d×%d tiles", p.Rows, p.Cols, rows, columns)
	}
	height, width := p.Rows/rows, p.Cols/columns
	if p.Rows%rows != 0 || p.Cols%columns != 0 {
		return nil, fmt.Errorf("%d×%d pixels (rows×columns) do not divide into %d×%d tiles, %d×%d would", p.Rows, p.Cols, rows, columns, height*rows, width*columns)
	}
	tiles := make([]*Picture, 0, rows*columns)
	for r := range rows {
		for c := range columns {
			tiles = append(tiles, p.part(r*height, c*width, height, width))
		}
	}
	return tiles, nil
}

// part copies height × width pixels from (y, x) on.
func (p *Picture) part(y, x, height, width int) *Picture {
	t := &Picture{Rows: height, Cols: width, Channels: p.Channels, Pix: make([]uint8, 0, height*width*p.Channels)}
	for dy := range height {
		at := ((y+dy)*p.Cols + x) * p.Channels
		t.Pix = append(t.Pix, p.Pix[at:at+width*p.Channels]...)
	}
	return t
}

// Crop returns the largest part in the picture's middle that divides into rows × columns tiles.
// That is p itself where all of it does.
func (p *Picture) Crop(rows, columns int) (*Picture, error) {
	if rows < 1 || columns < 1 || rows > p.Rows || columns > p.Cols {
		return nil, fmt.Errorf("%d×%d pixels (rows×columns) have no %d×%d tiles", p.Rows, p.Cols, rows, columns)
	}
	dy, dx := p.Rows%rows, p.Cols%columns
	if dy == 0 && dx == 0 {
		return p, nil
	}
	return p.part(dy/2, dx/2, p.Rows-dy, p.Cols-dx), nil
}

// Join puts tiles together, columns in a row: what [Picture.Cut] has cut. Tiles that differ
// in size or channels, or do not fill the last row, are an error.
func Join(tiles []*Picture, columns int) (*Picture, error) {
	if columns < 1 || len(tiles) == 0 || len(tiles)%columns != 0 {
		return nil, fmt.Errorf("%d tiles do not fill rows of %d", len(tiles), columns)
	}
	first := tiles[0]
	for i, t := range tiles {
		if t.Rows != first.Rows || t.Cols != first.Cols || t.Channels != first.Channels {
			return nil, fmt.Errorf("tile %d has %d×%d pixels (rows×columns) and %d channels, wanted %d×%d and %d as tile 0 has", i, t.Rows, t.Cols, t.Channels, first.Rows, first.Cols, first.Channels)
		}
	}
	rows := len(tiles) / columns
	if first.Rows > MaxPixels/(rows*columns)/max(1, first.Cols) {
		return nil, fmt.Errorf("%d tiles of %d×%d pixels (rows×columns) are too many, wanted at most %d pixels", len(tiles), first.Rows, first.Cols, MaxPixels)
	}
	out := &Picture{Rows: rows * first.Rows, Cols: columns * first.Cols, Channels: first.Channels}
	row := first.Cols * first.Channels
	for r := range rows {
		for y := range first.Rows {
			for _, t := range tiles[r*columns : (r+1)*columns] {
				out.Pix = append(out.Pix, t.Pix[y*row:(y+1)*row]...)
			}
		}
	}
	return out, nil
}
