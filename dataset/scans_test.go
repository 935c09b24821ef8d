package dataset

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"testing/iotest"
)

// manyScans is a progressive grey JPEG of 8×8 pixels with so many scans, each of the DC's first
// bits: 4 zero bits.
func manyScans(scans int) []byte {
	table := append([]byte{0xff, 0xdb, 0, 67, 0}, slices.Repeat([]byte{1}, 64)...)
	frame := []byte{0xff, 0xc2, 0, 11, 8, 0, 8, 0, 8, 1, 1, 0x11, 0}
	code := append([]byte{0xff, 0xc4, 0, 20, 0, 1}, make([]byte, 16)...) // one code of one bit: no bits follow
	scan := []byte{0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0, 0x7f}
	return slices.Concat([]byte{0xff, 0xd8}, table, frame, code, slices.Repeat(scan, scans), []byte{0xff, 0xd9})
}

func TestMaxScans(t *testing.T) {
	p, err := DecodePicture(t.Context(), bytes.NewReader(manyScans(MaxScans)), MaxPixels)
	if err != nil || p.Rows != 8 || p.Cols != 8 {
		t.Fatalf("%d scans: %v", MaxScans, err)
	}
	_, err = DecodePicture(t.Context(), bytes.NewReader(manyScans(MaxScans+1)), MaxPixels)
	wantError(t, err, "jpeg of more than 100 scans, each over the whole picture, wanted at most 100")
	// What looks like a scan within a segment or behind the end is none.
	scans := slices.Repeat([]byte{0xff, 0xda, 0, 2}, 2*MaxScans)
	comment := slices.Concat([]byte{0xff, 0xfe, byte((len(scans) + 2) >> 8), byte(len(scans) + 2)}, scans)
	whole := manyScans(1)
	if _, err = DecodePicture(t.Context(), bytes.NewReader(slices.Concat(whole[:2], comment, whole[2:], scans)), MaxPixels); err != nil {
		t.Error(err)
	}
}

// ending is a context that ends after a number of looks at it.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// However far the reading is when its context ends, that is the error.
func TestDecodePictureStops(t *testing.T) {
	file := manyScans(MaxScans)
	stopped := 0
	for looks := 0; ; looks++ {
		_, err := DecodePicture(&ending{t.Context(), looks}, bytes.NewReader(file), MaxPixels)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("after %d looks: %v", looks, err)
		}
		stopped++
	}
	if stopped < 4*len(file)/pieceBytes/2 { // once to look at its header, once for scans, for EXIF, to decode
		t.Errorf("the context was looked at %d times in %d bytes", stopped, len(file))
	}
	dir := t.TempDir()
	write(t, dir, "a.jpg", file)
	s, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err = s.Pictures(&ending{t.Context(), 1}, 8, 8, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a folder: %v", err)
	}
}

// A reader that is slow, or hands out more than is asked for at a time, changes nothing.
func TestContextReader(t *testing.T) {
	file := manyScans(3)
	got, err := io.ReadAll(iotest.OneByteReader(contextReader{t.Context(), bytes.NewReader(file)}))
	if err != nil || !bytes.Equal(got, file) {
		t.Errorf("%d of %d bytes, %v", len(got), len(file), err)
	}
}
