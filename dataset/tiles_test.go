package dataset

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// counting is a picture whose pixels are numbered.
func counting(rows, cols, channels int) *Picture {
	p := &Picture{Rows: rows, Cols: cols, Channels: channels}
	for i := range rows * cols * channels {
		p.Pix = append(p.Pix, uint8(i))
	}
	return p
}

func TestCut(t *testing.T) {
	tiles, err := counting(4, 6, 1).Cut(2, 3)
	if err != nil || len(tiles) != 6 {
		t.Fatal(tiles, err)
	}
	// Row 1, column 2 of the grid: rows 2 and 3, columns 4 and 5 of 6.
	if got, want := tiles[5].Pix, []uint8{16, 17, 22, 23}; !bytes.Equal(got, want) {
		t.Errorf("tile 5 is %v, wanted %v", got, want)
	}
	_, err = counting(10, 11, 3).Cut(3, 3)
	wantError(t, err, "10×11 pixels (rows×columns) do not divide into 3×3 tiles, 9×9 would")
	for _, grid := range [][2]int{{0, 1}, {1, -1}, {11, 1}, {1, 12}} {
		_, err = counting(10, 11, 3).Cut(grid[0], grid[1])
		wantError(t, err, "10×11 pixels (rows×columns) have no ")
		_, err = counting(10, 11, 3).Crop(grid[0], grid[1])
		wantError(t, err, "10×11 pixels (rows×columns) have no ")
	}
}

func TestCrop(t *testing.T) {
	p, err := counting(5, 6, 1).Crop(2, 4) // 4×4, from row 0 and column 1
	if err != nil || p.Rows != 4 || p.Cols != 4 || p.Pix[0] != 1 || p.Pix[15] != 22 {
		t.Errorf("%+v, %v", p, err)
	}
	whole := counting(4, 6, 3)
	if p, err := whole.Crop(2, 3); err != nil || p != whole {
		t.Errorf("%+v, %v", p, err)
	}
}

// What is cut joins to the same picture.
func TestCutJoin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) int { return rapid.IntRange(1, 5).Draw(t, name) }
		rows, columns := draw("rows"), draw("columns")
		p := counting(rows*draw("height"), columns*draw("width"), rapid.SampledFrom([]int{1, 3}).Draw(t, "channels"))
		tiles, err := p.Cut(rows, columns)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Join(tiles, columns)
		if err != nil || again.Rows != p.Rows || again.Cols != p.Cols || again.Channels != p.Channels || !bytes.Equal(again.Pix, p.Pix) {
			t.Fatalf("%+v, %v", again, err)
		}
	})
}

func TestJoinErrors(t *testing.T) {
	tile := counting(2, 3, 1)
	_, err := Join([]*Picture{tile, tile, tile}, 2)
	wantError(t, err, "3 tiles do not fill rows of 2")
	_, err = Join(nil, 2)
	wantError(t, err, "0 tiles do not fill rows of 2")
	_, err = Join([]*Picture{tile, counting(2, 3, 3)}, 2)
	wantError(t, err, "tile 1 has 2×3 pixels (rows×columns) and 3 channels, wanted 2×3 and 1 as tile 0 has")
	big := &Picture{Rows: 1 << 12, Cols: 1 << 12, Channels: 1} // refused before a pixel is read
	_, err = Join([]*Picture{big, big, big}, 3)
	wantError(t, err, "3 tiles of 4096×4096 pixels (rows×columns) are too many, wanted at most 33554432 pixels")
}
