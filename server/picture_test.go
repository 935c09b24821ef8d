package server

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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
