package dataset

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/hint"
)

// The bound on pixels is held against the header.
func TestDecodePictureBound(t *testing.T) {
	file := encoded(t, png.Encode, ramp())
	rows, columns, format, err := PictureSize(bytes.NewReader(file))
	if err != nil || format != "png" || rows != 2 || columns != 3 {
		t.Errorf("size %d×%d of a %s, %v", rows, columns, format, err)
	}
	if _, err := DecodePicture(t.Context(), bytes.NewReader(file), rows*columns); err != nil {
		t.Error(err)
	}
	if _, err := DecodePicture(t.Context(), bytes.NewReader(file), rows*columns-1); err == nil || !strings.Contains(hint.Text(err), "wanted 1 to") {
		t.Errorf("one pixel too many: %v", err)
	}
}
