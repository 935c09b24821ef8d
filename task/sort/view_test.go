package sort

import (
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
)

// The first copy is the picture as it is. A copy that is moved right by a pixel has each digit a pixel further right
// in its own window: what leaves the window is lost, and comes into no other. Turned copies turn about the middle.
func TestView(t *testing.T) {
	const rows, cols = digitSize, 2 * digitSize
	s := &Task{n: 1, digits: 2}
	flat := make([]uint8, 2*rows*cols) // two sets of one number
	put := func(set, row, col int, v uint8) { flat[(set*rows+row)*cols+col] = v }
	put(0, 3, 5, 200)
	put(0, 4, digitSize-1, 100) // at the right edge of the first window
	put(1, 9, digitSize+2, 50)
	objects := tensors.FromFlatDataAndDimensions(slices.Clone(flat), 2, 1, rows, cols)
	seen := func(c int) []uint8 {
		out, err := s.View(objects, c)
		if err != nil {
			t.Fatal(err)
		}
		if !out.Shape().Equal(objects.Shape()) {
			t.Fatalf("copy %d has shape %s", c, out.Shape())
		}
		got, err := tensors.CopyFlatData[uint8](out)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if !slices.Equal(seen(0), flat) {
		t.Error("the first copy is not the picture")
	}
	want := make([]uint8, len(flat))
	want[3*cols+6], want[(rows+9)*cols+digitSize+3] = 200, 50
	if got := seen(3); !slices.Equal(got, want) {
		t.Error("the third copy is not moved right by a pixel")
	}
	// A column of light turns into a slope, one way and the other.
	clear(flat)
	for y := range rows {
		put(0, y, 13, 255)
		put(0, y, 14, 255)
	}
	objects = tensors.FromFlatDataAndDimensions(slices.Clone(flat), 2, 1, rows, cols)
	middle := func(v []uint8, row int) float64 { // where the light of a row is
		sum, at := 0.0, 0.0
		for x := range digitSize {
			sum, at = sum+float64(v[row*cols+x]), at+float64(x)*float64(v[row*cols+x])
		}
		return at / sum
	}
	for c, sign := range map[int]float64{1: -1, 2: 1} {
		v := seen(c)
		slope := (middle(v, 24) - middle(v, 3)) / 21 * sign // the tangent of 4 degrees
		if slope < 0.06 || slope > 0.08 {
			t.Errorf("copy %d leans by %.3f, wanted 0.070", c, slope*sign)
		}
	}
	if slices.Equal(seen(7), seen(8)) {
		t.Error("two random copies are alike")
	}
}
