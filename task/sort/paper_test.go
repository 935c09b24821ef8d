package sort

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/dataset"
)

// By hand: paper of 200 with a grain of 5, ink of 100, and a stroke half as dark.
func TestFromPaper(t *testing.T) {
	page := &dataset.Picture{Rows: 3, Cols: 4, Channels: 1, Pix: []uint8{
		205, 195, 205, 195,
		205, 100, 150, 195,
		195, 205, 195, 205,
	}}
	ink, onPaper := fromPaper(page)
	if want := []uint8{0, 0, 0, 0, 0, 255, 127, 0, 0, 0, 0, 0}; !onPaper || !slices.Equal(ink.Pix, want) {
		t.Errorf("%v %v, wanted %v", onPaper, ink, want)
	}
	blank := &dataset.Picture{Rows: 2, Cols: 2, Channels: 1, Pix: []uint8{255, 255, 255, 255}}
	if ink, onPaper := fromPaper(blank); !onPaper || !slices.Equal(ink.Pix, make([]uint8, 4)) {
		t.Errorf("blank paper: %v %v", onPaper, ink)
	}
	for _, pix := range [][]uint8{{0, 0, 0, 0, 255, 0, 0, 0, 0}, {127, 127, 127, 127, 255, 127, 127, 127, 127}} {
		if _, onPaper := fromPaper(&dataset.Picture{Rows: 3, Cols: 3, Channels: 1, Pix: pix}); onPaper {
			t.Errorf("%v is taken for ink on paper", pix)
		}
	}
}

// Pictures on paper are the same to a sorting model as their own inverses, and that is said.
func TestSortObjectsOnPaper(t *testing.T) {
	white := &dataset.Picture{Rows: digitSize, Cols: digitSize, Channels: 1, Pix: make([]uint8, digitSize*digitSize)}
	for x := 5; x < 20; x++ {
		white.Pix[10*digitSize+x] = 255
	}
	black := &dataset.Picture{Rows: digitSize, Cols: digitSize, Channels: 1, Pix: make([]uint8, digitSize*digitSize)}
	for i, v := range white.Pix {
		black.Pix[i] = 255 - v
	}
	set := func(p *dataset.Picture) []*dataset.Set {
		return []*dataset.Set{{ID: "a", Kind: dataset.KindImage, Items: []dataset.Item{{Picture: white}, {Picture: p}}}}
	}
	s := &Task{digits: 1}
	want, none, err := s.Objects(t.Context(), set(white))
	if err != nil || len(none) > 0 {
		t.Fatal(none, err)
	}
	got, warnings, err := s.Objects(t.Context(), set(black))
	if err != nil || !got.Equal(want) {
		t.Errorf("%v: other pixels", err)
	}
	if len(warnings) != 1 || !strings.Contains(warnings[0].Text, "set a: 1 of 2 pictures are dark on light") {
		t.Errorf("warnings %q", warnings)
	}
	// Paper without ink is neither.
	for _, v := range []uint8{0, 100, 255} {
		_, warnings, err := s.Objects(t.Context(), set(&dataset.Picture{Rows: digitSize, Cols: digitSize, Channels: 1, Pix: bytes.Repeat([]byte{v}, digitSize*digitSize)}))
		if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0].Text, "set a: 1 of 2 pictures have one colour alone") {
			t.Errorf("all %d: %v, warnings %q", v, err, warnings)
		}
	}
}
