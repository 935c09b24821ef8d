package dataset

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// exifOf is EXIF with an orientation: a TIFF header, a directory of a camera's maker, which is
// no orientation, and of the orientation.
func exifOf(order binary.AppendByteOrder, o uint16) []byte {
	head := "II"
	if order == binary.AppendByteOrder(binary.BigEndian) {
		head = "MM"
	}
	b := order.AppendUint16([]byte(head), 42)
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	for _, entry := range []struct {
		tag, kind uint16
		count     uint32
		value     [2]uint16
	}{{0x010f, 2, 2, [2]uint16{'R', 0}}, {0x0112, 3, 1, [2]uint16{o, 0}}} {
		b = order.AppendUint16(order.AppendUint16(b, entry.tag), entry.kind)
		b = order.AppendUint32(b, entry.count)
		b = order.AppendUint16(order.AppendUint16(b, entry.value[0]), entry.value[1])
	}
	return order.AppendUint32(b, 0)
}

// withAPP1 puts EXIF before a JPEG's other segments.
func withAPP1(file, exif []byte) []byte {
	data := append([]byte("Exif\x00\x00"), exif...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(data)+2))
	return slices.Concat(file[:2], segment, data, file[2:])
}

// withEXIF puts EXIF before a PNG's last chunk, behind its pixels.
func withEXIF(file, exif []byte) []byte {
	chunk := append([]byte("eXIf"), exif...)
	chunk = slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(len(exif))), chunk, binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)))
	end := len(file) - 12
	return slices.Concat(file[:end], chunk, file[end:])
}

// shown is how EXIF says that the 2×3 picture 0 40 80 / 120 160 200 is shown, by hand from the
// standard. For example, number 6 has row 0 on the right and column 0 at the top.
var shown = map[uint16]*Picture{
	1: {2, 3, 1, []uint8{0, 40, 80, 120, 160, 200}},
	2: {2, 3, 1, []uint8{80, 40, 0, 200, 160, 120}},
	3: {2, 3, 1, []uint8{200, 160, 120, 80, 40, 0}},
	4: {2, 3, 1, []uint8{120, 160, 200, 0, 40, 80}},
	5: {3, 2, 1, []uint8{0, 120, 40, 160, 80, 200}},
	6: {3, 2, 1, []uint8{120, 0, 160, 40, 200, 80}},
	7: {3, 2, 1, []uint8{200, 80, 160, 40, 120, 0}},
	8: {3, 2, 1, []uint8{80, 200, 40, 160, 0, 120}},
	0: {2, 3, 1, []uint8{0, 40, 80, 120, 160, 200}}, // no orientation of EXIF's
	9: {2, 3, 1, []uint8{0, 40, 80, 120, 160, 200}},
}

func TestOrientationPNG(t *testing.T) {
	file := encoded(t, png.Encode, ramp())
	for o, want := range shown {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			got, err := DecodePicture(t.Context(), bytes.NewReader(withEXIF(file, exifOf(order, o))), MaxPixels)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("orientation %d, %v: %s", o, order, d)
			}
		}
	}
}

// Blocks of 8×8 pixels of one colour stay so in a JPEG.
func TestOrientationJPEG(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 24, 16))
	for y := range 16 {
		for x := range 24 {
			v := ramp().GrayAt(x/8, y/8).Y
			img.SetRGBA(x, y, color.RGBA{v, v, v, 255})
		}
	}
	file := encoded(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, &jpeg.Options{Quality: 100}) }, img)
	for o, want := range shown {
		got, err := DecodePicture(t.Context(), bytes.NewReader(withAPP1(file, exifOf(binary.BigEndian, o))), MaxPixels)
		if err != nil {
			t.Fatal(err)
		}
		if got.Rows != 8*want.Rows || got.Cols != 8*want.Cols || got.Channels != 3 {
			t.Errorf("orientation %d: %d×%d×%d pixels", o, got.Rows, got.Cols, got.Channels)
			continue
		}
		for i, v := range want.Pix {
			at := ((i/want.Cols*8+4)*got.Cols + i%want.Cols*8 + 4) * 3
			if p := int(got.Pix[at]); p < int(v)-4 || p > int(v)+4 {
				t.Errorf("orientation %d: block %d is %d, wanted %d", o, i, p, v)
			}
		}
	}
}

// A phone's picture, 640 × 427 as it is stored, is 427 × 640 as it is shown.
func TestOrientationPhoto(t *testing.T) {
	file, err := os.ReadFile("../examples/photos/rocket.jpg")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := DecodePicture(t.Context(), bytes.NewReader(file), MaxPixels)
	if err != nil || stored.Rows != 427 || stored.Cols != 640 {
		t.Fatalf("%v, %d×%d", err, stored.Rows, stored.Cols)
	}
	got, err := DecodePicture(t.Context(), bytes.NewReader(withAPP1(file, exifOf(binary.BigEndian, 6))), MaxPixels)
	if err != nil || got.Rows != 640 || got.Cols != 427 {
		t.Fatalf("%v, %d×%d", err, got.Rows, got.Cols)
	}
	pixel := func(p *Picture, y, x int) string {
		at := (y*p.Cols + x) * 3
		return string(p.Pix[at : at+3])
	}
	for y := range got.Rows { // turned clockwise: the first row is shown as the last column
		if pixel(got, y, 426) != pixel(stored, 0, y) || pixel(got, y, 0) != pixel(stored, 426, y) {
			t.Fatalf("row %d is not column %d of the stored picture", y, y)
		}
	}
}

// A WebP file is of chunks as RIFF has them; whatever is damaged is as it is stored.
func TestReadOrientation(t *testing.T) {
	chunk := func(name string, data []byte) []byte {
		b := binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data)))
		return append(append(b, data...), make([]byte, len(data)%2)...)
	}
	exif := exifOf(binary.LittleEndian, 6)
	webp := slices.Concat([]byte("RIFF\x00\x00\x00\x00WEBP"), chunk("VP8X", make([]byte, 10)), chunk("VP8L", make([]byte, 7)), chunk("EXIF", exif))
	jpg := withAPP1(encoded(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }, ramp()), exif)
	for name, c := range map[string]struct {
		format string
		file   []byte
		want   orientation
	}{
		"webp":               {"webp", webp, 6},
		"webp, with header":  {"webp", slices.Concat(webp[:12], chunk("EXIF", append([]byte("Exif\x00\x00"), exif...))), 6},
		"webp, cut":          {"webp", webp[:len(webp)-20], 1},
		"jpeg":               {"jpeg", jpg, 6},
		"jpeg, cut":          {"jpeg", jpg[:30], 1},
		"gif":                {"gif", jpg, 1},
		"nothing":            {"png", nil, 1},
		"directory too far":  {"jpeg", withAPP1([]byte{0xff, 0xd8, 0xff, 0xd9}, []byte("II*\x00\xff\xff\xff\xff\x01\x00")), 1},
		"directory is cut":   {"jpeg", withAPP1([]byte{0xff, 0xd8, 0xff, 0xd9}, exif[:30]), 1},
		"neither order":      {"jpeg", withAPP1([]byte{0xff, 0xd8, 0xff, 0xd9}, []byte("XX*\x00\x08\x00\x00\x00\x00\x00")), 1},
		"orientation a LONG": {"jpeg", withAPP1([]byte{0xff, 0xd8, 0xff, 0xd9}, bytes.Replace(exif, []byte{0x12, 1, 3, 0}, []byte{0x12, 1, 4, 0}, 1)), 1},
	} {
		if got := readOrientation(bytes.NewReader(c.file), c.format); got != c.want {
			t.Errorf("%s: %d, wanted %d", name, got, c.want)
		}
	}
}

// Whatever the EXIF, there is an orientation, and a picture of as many pixels.
func FuzzOrientation(f *testing.F) {
	f.Add(exifOf(binary.LittleEndian, 6))
	f.Add(exifOf(binary.BigEndian, 3))
	f.Add([]byte("II*\x00\xff\xff\xff\xff\x01\x00"))
	f.Add([]byte("MM\x00*\x00\x00\x00\x00\xff\xff"))
	f.Fuzz(func(t *testing.T, exif []byte) {
		o := exifOrientation(exif)
		p := NewPicture(ramp()).turn(o)
		if o < 1 || o > 8 || p.Rows*p.Cols != 6 || len(p.Pix) != 6 || (p.Rows == 3) != (o >= 5) {
			t.Fatalf("orientation %d: %d×%d, %d values", o, p.Rows, p.Cols, len(p.Pix))
		}
	})
}
