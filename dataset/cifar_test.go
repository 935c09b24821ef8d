package dataset

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// cifarOf is a file of records with these labels: pixel i of record r has red i, green r and
// blue 7, modulo 256.
func cifarOf(labels ...uint8) (file []byte) {
	for r, label := range labels {
		file = append(file, label)
		for i := range 1024 {
			file = append(file, uint8(i))
		}
		file = append(file, slices.Repeat([]byte{uint8(r)}, 1024)...)
		file = append(file, slices.Repeat([]byte{7}, 1024)...)
	}
	return file
}

func TestReadCIFAR(t *testing.T) {
	for _, file := range [][]byte{cifarOf(3, 9), gzipped(t, cifarOf(3, 9))} {
		c, err := ReadCIFAR(bytes.NewReader(file), "f")
		if err != nil || c.N != 2 || !bytes.Equal(c.Labels, []uint8{3, 9}) || len(c.Pix) != 2*3072 {
			t.Fatalf("%+v, %v", c, err)
		}
		if got, want := c.At(1)[3*258:][:6], []uint8{2, 1, 7, 3, 1, 7}; !bytes.Equal(got, want) {
			t.Errorf("pixels 258 and 259 of image 1 are %v, wanted %v", got, want)
		}
	}
	for _, c := range []struct {
		file []byte
		want []string
	}{
		{nil, []string{"f: is empty, wanted records of 3073 bytes"}},
		{cifarOf(1, 2)[:5000], []string{"f: record 1: ends after 1927 bytes, wanted 3073"}},
		{append(cifarOf(1), 2), []string{"f: record 1: ends after 1 bytes"}},
		{cifarOf(1, 10), []string{"f: record 1: label is 10, wanted 0 to 9"}},
		{gzipped(t, cifarOf(1, 2))[:30], []string{"f: record 0: "}},
	} {
		_, err := ReadCIFAR(bytes.NewReader(c.file), "f")
		wantError(t, err, c.want...)
	}
}

func FuzzReadCIFAR(f *testing.F) {
	f.Add(cifarOf(0))
	f.Add(gzipped(f, cifarOf(3, 9)))
	f.Add(cifarOf(3, 9)[:4000])
	f.Fuzz(func(t *testing.T, file []byte) {
		var c *CIFAR
		var err error
		within(t, string(file), func() { c, err = ReadCIFAR(bytes.NewReader(file), "f") })
		if err != nil {
			return
		}
		// Written again, the file is the same.
		var again []byte
		for i := range c.N {
			again = append(again, c.Labels[i])
			for plane := range 3 {
				for p := range 1024 {
					again = append(again, c.At(i)[3*p+plane])
				}
			}
		}
		if len(again) != c.N*3073 || file[0] < 10 && !bytes.Equal(again, file) {
			t.Fatalf("%d images differ from the file", c.N)
		}
	})
}

func TestLoadCIFAR10(t *testing.T) {
	root := t.TempDir()
	t.Setenv("RIFFLE_DATA", root)
	t.Setenv("XDG_DATA_HOME", filepath.Join(root, "share"))
	_, err := FindCIFAR10()
	wantError(t, err, "CIFAR-10: not found; looked in "+filepath.Join(root, "cifar10")+", ", "\nhint: unpack the binary version")
	dir := filepath.Join(root, "share", "riffle", "cifar10", "cifar-10-batches-bin")
	for i, name := range []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin", "test_batch.bin"} {
		if _, err := FindCIFAR10(); err == nil {
			t.Fatalf("found without %s", name)
		}
		write(t, dir, name, cifarOf(uint8(i), uint8(i)))
	}
	if got, err := FindCIFAR10(); err != nil || got != dir {
		t.Errorf("found %s, %v", got, err)
	}
	train, test, err := LoadCIFAR10(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(train.Labels, []uint8{0, 0, 1, 1, 2, 2, 3, 3, 4, 4}) || train.N != 10 || train.At(9)[1] != 1 || test.N != 2 || test.Labels[1] != 5 {
		t.Errorf("%v, %v", train.Labels, test.Labels)
	}
	write(t, dir, "data_batch_4.bin", []byte{11})
	_, _, err = LoadCIFAR10(dir)
	wantError(t, err, "data_batch_4.bin: record 0: ends after 1 bytes")
	if err := os.Remove(filepath.Join(dir, "data_batch_4.bin")); err != nil {
		t.Fatal(err)
	}
	_, _, err = LoadCIFAR10(dir)
	wantError(t, err, "data_batch_4.bin", "\nhint: ")
}

func TestFindPhotos(t *testing.T) {
	root := t.TempDir()
	t.Setenv("RIFFLE_DATA", root)
	t.Setenv("XDG_DATA_HOME", filepath.Join(root, "share"))
	write(t, filepath.Join(root, "photos"), "notes.txt", nil) // no picture
	_, err := FindPhotos()
	wantError(t, err, "photos: not found; looked in ", "make photos")
	write(t, filepath.Join(root, "share", "riffle", "photos"), "a.png", nil)
	if got, err := FindPhotos(); err != nil || got != filepath.Join(root, "share", "riffle", "photos") {
		t.Errorf("found %s, %v", got, err)
	}
}
