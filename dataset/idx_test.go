package dataset

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/hint"
)

// twoByThree is two images of 2×3, written by hand from the format's description.
var twoByThree = []byte{
	0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3,
	1, 2, 3, 4, 5, 6,
	7, 8, 9, 10, 11, 255,
}

// threeLabels is the labels 5, 0, 4, by hand.
var threeLabels = []byte{0, 0, 8, 1, 0, 0, 0, 3, 5, 0, 4}

func gzipped(t testing.TB, b []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	if _, err := zw.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := zw.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// wantError fails unless err holds every part of want.
func wantError(t *testing.T, err error, want ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, wanted one with %q", want)
	}
	for _, w := range want {
		if !strings.Contains(hint.Text(err), w) {
			t.Errorf("error is %q, wanted %q in it", err, w)
		}
	}
}

func TestReadImages(t *testing.T) {
	want := &Images{N: 2, Rows: 2, Cols: 3, Pix: []uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 255}}
	for name, file := range map[string][]byte{"plain": twoByThree, "gzipped": gzipped(t, twoByThree)} {
		got, err := ReadImages(bytes.NewReader(file), name)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff([]uint8{7, 8, 9, 10, 11, 255}, got.At(1)); d != "" {
			t.Errorf("%s: image 1: %s", name, d)
		}
	}
}

func TestReadLabels(t *testing.T) {
	for name, file := range map[string][]byte{"plain": threeLabels, "gzipped": gzipped(t, threeLabels)} {
		got, err := ReadLabels(bytes.NewReader(file), name)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]uint8{5, 0, 4}, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

func TestReadImagesErrors(t *testing.T) {
	header := func(sizes ...byte) []byte { // each size is the high and the low byte of a uint32
		b := []byte{0, 0, 8, 3}
		for i := 0; i < len(sizes); i += 2 {
			b = append(b, sizes[i], 0, 0, sizes[i+1])
		}
		return b
	}
	packed := gzipped(t, twoByThree)
	badSum := bytes.Clone(packed)
	badSum[len(badSum)-8] ^= 1
	for name, c := range map[string]struct {
		file []byte
		want []string
	}{
		"empty":          {nil, []string{"f: offset 0: file ends inside the header, wanted 16 bytes"}},
		"half a header":  {twoByThree[:10], []string{"offset 10: file ends inside the header"}},
		"labels":         {append(threeLabels[:8:8], make([]byte, 9)...), []string{"offset 0", "0x00000801 (labels)", "wanted 0x00000803 (images)"}},
		"text":           {[]byte("<html>not found</html>"), []string{"magic number is 0x3c68746d, wanted 0x00000803"}},
		"truncated":      {twoByThree[:20], []string{"offset 20: file ends after 4 of 12 bytes of pixels"}},
		"trailing":       {append(bytes.Clone(twoByThree), 0), []string{"offset 28: data after the last of 12 bytes"}},
		"no rows":        {header(0, 1, 0, 0, 0, 3), []string{"offset 8: rows is 0, wanted 1 to"}},
		"too many cols":  {header(0, 1, 0, 1, 255, 0), []string{"offset 12: columns is 4278190080"}},
		"terabytes":      {header(255, 0, 0, 255, 0, 255), []string{"offset 4: header promises 4278190080 images of 255×255", "wanted at most 1073741824"}},
		"gzip truncated": {packed[:len(packed)-12], []string{"file ends"}},
		"gzip bad sum":   {badSum, []string{"offset 28", "checksum"}},
		"gzip header":    {[]byte{0x1f, 0x8b, 7}, []string{"is gzipped, and cut off"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadImages(bytes.NewReader(c.file), "f")
			wantError(t, err, c.want...)
		})
	}
}

func TestReadLabelsErrors(t *testing.T) {
	_, err := ReadLabels(bytes.NewReader([]byte{0, 0, 8, 1, 255, 0, 0, 0}), "f")
	wantError(t, err, "f: offset 4: header promises 4278190080 labels")
	_, err = ReadLabels(bytes.NewReader(twoByThree), "f")
	wantError(t, err, "wanted 0x00000801 (labels)")
}

// A header may promise a gigabyte; memory must follow the bytes that come.
func TestReadImagesMemory(t *testing.T) {
	file := []byte{0, 0, 8, 3, 0, 0, 0x40, 0, 0, 0, 1, 0, 0, 0, 1, 0} // 2^14 · 2^8 · 2^8 = 2^30
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := ReadImages(bytes.NewReader(file), "f"); err == nil {
		t.Fatal("no error")
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 8<<20 {
		t.Errorf("allocated %d bytes for an empty body", got)
	}
}

func TestIdxRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &Images{N: rapid.IntRange(0, 4).Draw(t, "n"), Rows: rapid.IntRange(1, 5).Draw(t, "rows"), Cols: rapid.IntRange(1, 5).Draw(t, "cols")}
		size := m.N * m.Rows * m.Cols
		m.Pix = rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "pix")
		var buf bytes.Buffer
		if err := writeImages(&buf, m); err != nil {
			t.Fatal(err)
		}
		got, err := ReadImages(&buf, "buf")
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(m, got); d != "" {
			t.Fatal(d)
		}
		if err := writeLabels(&buf, m.Pix); err != nil {
			t.Fatal(err)
		}
		labels, err := ReadLabels(&buf, "buf")
		if err != nil || !bytes.Equal(labels, m.Pix) {
			t.Fatal(labels, err)
		}
	})
}

func writeImages(w io.Writer, m *Images) error {
	return writeIdx(w, magicImages, m.Pix, m.N, m.Rows, m.Cols)
}

func writeLabels(w io.Writer, labels []uint8) error {
	return writeIdx(w, magicLabels, labels, len(labels))
}

func writeIdx(w io.Writer, magic uint32, body []byte, sizes ...int) error {
	head := binary.BigEndian.AppendUint32(nil, magic)
	for _, s := range sizes {
		head = binary.BigEndian.AppendUint32(head, uint32(s))
	}
	_, err := w.Write(append(head, body...))
	return err
}

func TestBoundedStops(t *testing.T) {
	n, err := io.Copy(io.Discard, &bounded{r: bytes.NewReader(make([]byte, 100)), left: 99})
	if n != 99 {
		t.Errorf("read %d bytes, wanted 99", n)
	}
	if err == nil || errors.Is(err, io.EOF) {
		t.Errorf("error is %v, wanted one that is not the end of the file", err)
	}
}

func FuzzReadImages(f *testing.F) {
	f.Add(twoByThree)
	f.Add(gzipped(f, twoByThree))
	f.Add(twoByThree[:20])
	f.Add([]byte{0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1})
	f.Add([]byte{0, 0, 8, 3, 255, 255, 255, 255, 0, 0, 128, 0, 0, 0, 128, 0, 1}) // 2^62 bytes
	f.Add([]byte{0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 128, 0, 0, 0, 128, 0, 1})         // 2^30, which are allowed
	f.Fuzz(func(t *testing.T, file []byte) {
		var m *Images
		var err error
		within(t, string(file), func() { m, err = ReadImages(bytes.NewReader(file), "f") })
		if err != nil {
			return
		}
		var buf bytes.Buffer
		if err := writeImages(&buf, m); err != nil {
			t.Fatal(err)
		}
		if file[0] == 0 && !bytes.Equal(buf.Bytes(), file) {
			t.Fatalf("wrote %x, read %x", buf.Bytes(), file)
		}
	})
}

func FuzzReadLabels(f *testing.F) {
	f.Add(threeLabels)
	f.Add(gzipped(f, threeLabels))
	f.Add(threeLabels[:9])
	f.Add([]byte{0, 0, 8, 1, 255, 255, 255, 255, 1})
	f.Fuzz(func(t *testing.T, file []byte) {
		var labels []uint8
		var err error
		within(t, string(file), func() { labels, err = ReadLabels(bytes.NewReader(file), "f") })
		if err != nil {
			return
		}
		var buf bytes.Buffer
		if err := writeLabels(&buf, labels); err != nil {
			t.Fatal(err)
		}
		if file[0] == 0 && !bytes.Equal(buf.Bytes(), file) {
			t.Fatalf("wrote %x, read %x", buf.Bytes(), file)
		}
	})
}
