package server

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"image"
	"image/png"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/tsp"
)

// A picture is asked about as EXIF says that it is shown: here upside down.
func TestPictureOrientation(t *testing.T) {
	_, web := start(t, nil, "jigsaw")
	stored := scene(64, 64)
	img, err := png.Decode(bytes.NewReader(stored))
	if err != nil {
		t.Fatal(err)
	}
	down := image.NewRGBA(img.Bounds())
	for y := range 64 {
		for x := range 64 {
			down.Set(63-x, 63-y, img.At(x, y))
		}
	}
	var shown bytes.Buffer
	if err := png.Encode(&shown, down); err != nil {
		t.Fatal(err)
	}
	// A TIFF file of one directory of one entry: tag 0x0112, a SHORT, once, 3.
	chunk := []byte("eXIfMM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01\x00\x03\x00\x00\x00\x00\x00\x00")
	chunk = slices.Concat(binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4)), chunk, binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)))
	end := len(stored) - 12
	turned := slices.Concat(stored[:end], chunk, stored[end:])
	answer := func(file []byte) (a puzzleAnswer) {
		ask(t, web, "/v1/puzzle", `{"picture": "`+base64.StdEncoding.EncodeToString(file)+`", "rows": 2, "columns": 2, "top": 24}`, &a)
		return a
	}
	want := answer(shown.Bytes())
	if d := cmp.Diff(want, answer(turned)); d != "" {
		t.Error(d)
	}
	if cmp.Equal(want, answer(stored)) {
		t.Error("the picture as it is stored has the same answer, which shows nothing")
	}
}

// A JPEG of many scans, of which each costs a whole picture, is refused before it is decoded.
func TestPictureScans(t *testing.T) {
	_, web := start(t, nil, "jigsaw")
	frame := []byte{0xff, 0xd8, 0xff, 0xc2, 0, 11, 8, 0, 64, 0, 64, 1, 1, 0x11, 0}
	file := slices.Concat(frame, slices.Repeat([]byte{0xff, 0xda, 0, 8, 1, 1, 0, 0, 0, 0, 0x7f}, 101), []byte{0xff, 0xd9})
	status, data := post(t, web, "/v1/puzzle", "application/json", `{"picture": "`+base64.StdEncoding.EncodeToString(file)+`", "rows": 2, "columns": 2}`)
	if status != 422 || !strings.Contains(string(data), "jpeg of more than 100 scans") {
		t.Errorf("%d %s", status, data)
	}
}

// fourColours is a progressive JPEG of side × side pixels, a multiple of 8, in four colours that are all of full size.
func fourColours(side int) []byte {
	high, low := byte(side>>8), byte(side)
	file := []byte{0xff, 0xd8, 0xff, 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0, 0xff, 0xdb, 0, 67, 0}
	file = append(file, slices.Repeat([]byte{16}, 64)...)
	file = append(file, 0xff, 0xc2, 0, 20, 8, high, low, high, low, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0)
	file = append(file, 0xff, 0xc4, 0, 20, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0) // one code, of a bit, for no difference
	file = append(file, 0xff, 0xda, 0, 14, 4, 1, 0, 2, 0, 3, 0, 4, 0, 0, 0, 0)
	file = append(file, make([]byte, side*side/64*4/8)...)
	return append(file, 0xff, 0xd9)
}

// No picture takes more memory than was reserved for it, whatever its format has beside its pixels.
func TestPictureMemory(t *testing.T) {
	const side = 512
	deep := image.NewNRGBA64(image.Rect(0, 0, side, side))
	var file bytes.Buffer
	if err := png.Encode(&file, deep); err != nil {
		t.Fatal(err)
	}
	for format, data := range map[string][]byte{"png": file.Bytes(), "jpeg": fourColours(side)} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := dataset.DecodePicture(t.Context(), bytes.NewReader(data), side*side); err != nil {
			t.Fatal(format, err)
		}
		runtime.ReadMemStats(&after)
		if got, most := after.TotalAlloc-before.TotalAlloc, uint64(pixelBytes(format)*side*side+1<<18); got > most {
			t.Errorf("%s: %d bytes for %d pixels, wanted at most %d", format, got, side*side, most)
		}
	}
}

// Nor does a search for a tour, even one that has all its nodes before it.
func TestTourMemory(t *testing.T) {
	const n = 256
	points := make([][2]float64, n)
	for k := range points {
		points[k] = [2]float64{float64(k * k % 251), float64(k % 16)}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x, err := tsp.New(points, tsp.Euclidean)
	if err != nil {
		t.Fatal(err)
	}
	tsp.Exact(ended, x)
	runtime.ReadMemStats(&after)
	const search = 8*n*n + 8*n*n/2 // multipliers of a node for each of its cities, and its trail
	if got := after.TotalAlloc - before.TotalAlloc + search; got > tourBytes*n*n {
		t.Errorf("%d bytes for %d points, wanted at most %d", got, n, tourBytes*n*n)
	}
	s, web := start(t, func(o *Options) { o.Limits.Memory = 1 << 20; o.Limits.Body = 1 << 19 }, "tsp")
	text, err := json.Marshal(map[string]any{"points": points})
	if err != nil {
		t.Fatal(err)
	}
	if status, body := post(t, web, "/v1/tour", "application/json", string(text)); status != 429 || !strings.Contains(string(body), `"memory"`) {
		t.Errorf("a search beyond the memory: %d %s", status, body)
	}
	if left := s.memory.Load(); left != 0 {
		t.Errorf("%d bytes are still taken", left)
	}
}
