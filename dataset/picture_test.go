package dataset

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/image/bmp"

	"github.com/riffle-ml/riffle/internal/fuzztest"
)

// encoded returns img in a format.
func encoded(t testing.TB, encode func(io.Writer, image.Image) error, img image.Image) []byte {
	t.Helper()
	var buf bytes.Buffer
	if err := encode(&buf, img); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// ramp is a grey 2×3 image with the values 0, 40, …, 200.
func ramp() *image.Gray {
	return &image.Gray{Pix: []uint8{0, 40, 80, 120, 160, 200}, Stride: 3, Rect: image.Rect(0, 0, 3, 2)}
}

func TestLoadImageGray(t *testing.T) {
	dir := t.TempDir()
	wide := image.NewGray16(image.Rect(5, 5, 6, 6)) // bounds away from the origin
	wide.SetGray16(5, 5, color.Gray16{0x8012})
	for name, c := range map[string]struct {
		file []byte
		want *Picture
	}{
		"a.png":    {encoded(t, png.Encode, ramp()), &Picture{2, 3, 1, []uint8{0, 40, 80, 120, 160, 200}}},
		"wide.png": {encoded(t, png.Encode, wide), &Picture{1, 1, 1, []uint8{0x80}}},
		"grey.jpg": {encoded(t, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }, image.NewGray(image.Rect(0, 0, 2, 1))), &Picture{1, 2, 1, []uint8{0, 0}}},
	} {
		got, err := LoadImage(t.Context(), write(t, dir, name, c.file))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestLoadImageColour(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	img.SetNRGBA(0, 0, color.NRGBA{200, 100, 0, 255})
	img.SetNRGBA(1, 0, color.NRGBA{0, 0, 0, 0}) // transparent: white
	want := &Picture{1, 2, 3, []uint8{200, 100, 0, 255, 255, 255}}
	opaque := image.NewNRGBA(img.Rect)
	copy(opaque.Pix, img.Pix)
	opaque.SetNRGBA(1, 0, color.NRGBA{255, 255, 255, 255})
	palette := image.NewPaletted(img.Rect, color.Palette{color.White, color.NRGBA{200, 100, 0, 255}})
	palette.SetColorIndex(0, 0, 1)

	dir := t.TempDir()
	for name, file := range map[string][]byte{
		"a.png":           encoded(t, png.Encode, img),
		"a.bmp":           encoded(t, bmp.Encode, opaque),
		"a.gif":           encoded(t, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }, palette),
		"really.png.jpeg": encoded(t, png.Encode, img), // the format is read from the bytes
	} {
		got, err := LoadImage(t.Context(), write(t, dir, name, file))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// The format is read from the header, whatever the file is called.
func TestLoadImageFormatFromHeader(t *testing.T) {
	data := encoded(t, png.Encode, image.NewGray(image.Rect(0, 0, 2, 1)))
	for _, name := range []string{"a.jpg", "a.txt", "a"} {
		if p, err := LoadImage(t.Context(), write(t, t.TempDir(), name, data)); err != nil || p.Rows != 1 || p.Cols != 2 {
			t.Errorf("a PNG called %s: %+v, %v", name, p, err)
		}
	}
}

// hugePNG is a PNG whose header promises 60,000×60,000 pixels: 3.6 GB.
func hugePNG(t testing.TB) []byte {
	file := encoded(t, png.Encode, ramp())
	binary.BigEndian.PutUint32(file[16:], 60000)
	binary.BigEndian.PutUint32(file[20:], 60000)
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

func TestLoadImageErrors(t *testing.T) {
	dir := t.TempDir()
	whole := encoded(t, png.Encode, ramp())
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"text.png": {[]byte("hello"), "is no picture that can be read, wanted PNG, JPEG, GIF, BMP or WebP"},
		"none.png": {nil, "is no picture"},
		"cut.png":  {whole[:len(whole)-20], "png"},
		"sum.png":  {append(append(slices.Clone(whole[:29]), 0, 0, 0, 0), whole[33:]...), "is a damaged picture: invalid checksum"},
		"huge.png": {hugePNG(t), "png of 60000×60000 (rows×columns), wanted 1 to 33554432 pixels"},
	} {
		_, err := LoadImage(t.Context(), write(t, dir, name, c.file))
		wantError(t, err, filepath.Join(dir, name)+": ", c.want)
	}
	_, err := LoadImage(t.Context(), filepath.Join(dir, "missing.png"))
	wantError(t, err, "missing.png")
}

func TestPictureChannels(t *testing.T) {
	// Rec. 601 luma by hand: 0.299·200 + 0.587·100 + 0.114·50 = 124.2
	p := &Picture{1, 1, 3, []uint8{200, 100, 50}}
	if got := p.Gray(); got.Channels != 1 || got.Pix[0] != 124 {
		t.Errorf("grey is %v, wanted 124", got)
	}
	g := &Picture{1, 2, 1, []uint8{7, 255}}
	if d := cmp.Diff(&Picture{1, 2, 3, []uint8{7, 7, 7, 255, 255, 255}}, g.RGB()); d != "" {
		t.Error(d)
	}
	if g.Gray() != g || p.RGB() != p {
		t.Error("a picture that has the channels is copied")
	}
	if got := g.Floats(); got[1] != 1 || got[0] != float32(7)/255 {
		t.Errorf("floats are %v", got)
	}
}

func TestResize(t *testing.T) {
	p := NewPicture(ramp())
	same, warning, err := p.Resize(2, 3)
	if same != p || warning != "" || err != nil {
		t.Errorf("the same size gave %v, %q, %v", same, warning, err)
	}
	// Halving a picture of two flat halves keeps each half flat but at the seam,
	// where the tent of width 4 reaches over.
	two := &Picture{2, 8, 1, slices.Repeat([]uint8{0, 0, 0, 0, 200, 200, 200, 200}, 2)}
	got, warning, err := two.Resize(1, 4)
	if err != nil || warning != "resized from 2×8 to 1×4 (rows×columns)" {
		t.Errorf("warning %q, %v", warning, err)
	}
	// The tent at ±0.5, ±1.5 source pixels weighs 3:1, so 1/8 lies beyond the seam: 25 and 175.
	if d := cmp.Diff(&Picture{1, 4, 1, []uint8{0, 25, 175, 200}}, got); d != "" {
		t.Error(d)
	}
	red, _, err := (&Picture{1, 1, 3, []uint8{255, 0, 10}}).Resize(2, 2)
	if err != nil || !slices.Equal(red.Pix, slices.Repeat([]uint8{255, 0, 10}, 4)) {
		t.Errorf("enlarged to %v, %v", red, err)
	}
	_, _, err = p.Resize(0, 3)
	wantError(t, err, "resize to 0×3")
}

func FuzzLoadImage(f *testing.F) {
	f.Add(encoded(f, png.Encode, ramp()))
	f.Add(encoded(f, bmp.Encode, ramp()))
	f.Add(encoded(f, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) }, ramp()))
	f.Add(encoded(f, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, nil) }, ramp()))
	f.Add(hugePNG(f))
	f.Add(manyScans(3))
	f.Add(manyScans(MaxScans + 1))
	f.Add(withEXIF(encoded(f, png.Encode, ramp()), exifOf(binary.LittleEndian, 6)))
	f.Add(withAPP1(manyScans(2), exifOf(binary.BigEndian, 8)))
	f.Fuzz(func(t *testing.T, file []byte) {
		if head, _, err := image.DecodeConfig(bytes.NewReader(file)); err == nil && head.Width*head.Height > 1<<20 && head.Width <= MaxPixels/max(head.Height, 1) {
			t.Skip("allowed, but slow to fuzz")
		}
		var p *Picture
		var err error
		// Sixteen-bit colour is 8 bytes a pixel, its copy 4, and what a decoder keeps besides.
		fuzztest.Within(t, baseBytes+64<<20, bytesFactor, len(file), func() { p, err = DecodePicture(t.Context(), bytes.NewReader(file), MaxPixels) })
		if err == nil && len(p.Pix) != p.Rows*p.Cols*p.Channels {
			t.Fatalf("%d×%d×%d with %d values", p.Rows, p.Cols, p.Channels, len(p.Pix))
		}
	})
}

func TestEqualPictures(t *testing.T) {
	of := func(pix ...uint8) *Picture { return &Picture{Rows: 1, Cols: 2, Channels: 1, Pix: pix} }
	got := EqualPictures([]*Picture{of(1, 2), of(2, 1), of(1, 2), of(2, 1), of(3, 3)})
	if want := []int{0, 1, 0, 1, 4}; !slices.Equal(got, want) {
		t.Errorf("got %v, wanted %v", got, want)
	}
}
