package dataset

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/riffle-ml/riffle/internal/hint"
)

// CIFARSide is the height and the width of a CIFAR-10 image in pixels.
const CIFARSide = 32

const (
	cifarPlane  = CIFARSide * CIFARSide
	cifarRecord = 1 + 3*cifarPlane // 3,073 bytes
	cifarLabels = 10
	// maxCIFAR is the most images of a file, ten times those of a published one.
	maxCIFAR = 100_000
)

// CIFAR is a stack of colour images of 32×32 pixels with what they show.
type CIFAR struct {
	N      int
	Pix    []uint8 // [N, 32, 32, 3], row-major; red, green, blue, 0 to 255
	Labels []uint8 // [N], 0 to 9
}

// At returns the pixels [32, 32, 3] of image i; it shares memory with c.
func (c *CIFAR) At(i int) []uint8 {
	const size = 3 * cifarPlane
	return c.Pix[i*size : (i+1)*size : (i+1)*size]
}

// ReadCIFAR reads images in the binary format of CIFAR-10
// (https://www.cs.toronto.edu/~kriz/cifar.html, "Binary version"), gzipped or not. A record has
// 3,073 bytes: the label, and then the planes of red, green and blue, each row by row. name stands
// for the file in errors. Errors are a label above 9, a part of a record, a file of no record, and
// one of more than 100,000.
func ReadCIFAR(r io.Reader, name string) (*CIFAR, error) {
	br, err := unpack(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	c := &CIFAR{}
	record := make([]byte, cifarRecord)
	for ; ; c.N++ {
		switch n, err := io.ReadFull(br, record); {
		case errors.Is(err, io.EOF) && c.N > 0:
			return c, nil
		case errors.Is(err, io.EOF):
			return nil, fmt.Errorf("%s: is empty, wanted records of %d bytes", name, cifarRecord)
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, fmt.Errorf("%s: record %d: ends after %d bytes, wanted %d", name, c.N, n, cifarRecord)
		case err != nil:
			return nil, fmt.Errorf("%s: record %d: %w", name, c.N, err)
		}
		if c.N == maxCIFAR {
			return nil, fmt.Errorf("%s: has more than %d records", name, maxCIFAR)
		}
		if record[0] >= cifarLabels {
			return nil, fmt.Errorf("%s: record %d: label is %d, wanted 0 to %d", name, c.N, record[0], cifarLabels-1)
		}
		c.Labels = append(c.Labels, record[0])
		red, green, blue := record[1:][:cifarPlane], record[1+cifarPlane:][:cifarPlane], record[1+2*cifarPlane:]
		for i := range cifarPlane {
			c.Pix = append(c.Pix, red[i], green[i], blue[i])
		}
	}
}

var cifarTrain, cifarTest = []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"}, "test_batch.bin"

// LoadCIFAR10 reads images from a folder. Those to train on are in data_batch_1.bin to
// data_batch_5.bin, 50,000 as published. Those to test with are in test_batch.bin, 10,000.
func LoadCIFAR10(dir string) (train, test *CIFAR, err error) {
	train = &CIFAR{}
	for _, name := range cifarTrain {
		part, err := loadCIFAR(filepath.Join(dir, name))
		if err != nil {
			return nil, nil, err
		}
		train.N, train.Pix, train.Labels = train.N+part.N, append(train.Pix, part.Pix...), append(train.Labels, part.Labels...)
	}
	test, err = loadCIFAR(filepath.Join(dir, cifarTest))
	return train, test, err
}

func loadCIFAR(path string) (*CIFAR, error) {
	f, err := openFile(path)
	if err != nil {
		return nil, hint.With(err, hintCIFAR)
	}
	defer f.Close()
	return ReadCIFAR(f, path)
}

const hintCIFAR = "unpack the binary version of https://www.cs.toronto.edu/~kriz/cifar.html there; riffle downloads nothing"

// FindCIFAR10 returns the first folder that holds the six files of CIFAR-10. It looks in
// $RIFFLE_DATA/cifar10, then in riffle/cifar10 in the user's data folder (see [FindMNIST]). In each it also
// looks in cifar-10-batches-bin, as the published archive unpacks. It looks for names alone.
func FindCIFAR10() (string, error) {
	var missed []string
	for _, base := range dataFolders("cifar10") {
		for _, dir := range []string{base, filepath.Join(base, "cifar-10-batches-bin")} {
			found := true
			for _, name := range append([]string{cifarTest}, cifarTrain...) {
				info, err := os.Stat(filepath.Join(dir, name))
				found = found && err == nil && info.Mode().IsRegular()
			}
			if found {
				return dir, nil
			}
		}
		missed = append(missed, base)
	}
	return "", hint.Errorf(hintCIFAR, "CIFAR-10: not found; looked in %s", strings.Join(missed, ", "))
}

// FindPhotos returns the first of two folders that has pictures: $RIFFLE_DATA/photos, and
// riffle/photos in the user's data folder (see [FindMNIST]).
func FindPhotos() (string, error) {
	dirs := dataFolders("photos")
	for _, dir := range dirs {
		if _, err := ReadFolder(dir); err == nil {
			return dir, nil
		}
	}
	return "", hint.Errorf("`make photos` fetches some; or name a folder of yours", "photos: not found; looked in %s", strings.Join(dirs, ", "))
}
