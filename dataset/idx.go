package dataset

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The idx magic numbers: 0, 0, 8 for unsigned bytes, then the number of
// dimensions (http://yann.lecun.com/exdb/mnist, "the IDX file format").
const (
	magicImages uint32 = 0x00000803
	magicLabels uint32 = 0x00000801
)

// MaxIdxBytes is the most pixels or labels an idx file may hold (1 GiB); the
// largest of the MNIST family, EMNIST by class, has 0.6 GiB.
const MaxIdxBytes = 1 << 30

// maxSide is the most rows or columns an idx image may have.
const maxSide = 1 << 15

// Images is a stack of grey images of one size.
type Images struct {
	N, Rows, Cols int
	Pix           []uint8 // [N, Rows, Cols], row-major, 0 to 255
}

// At returns the pixels [Rows, Cols] of image i; it shares memory with m.
func (m *Images) At(i int) []uint8 {
	size := m.Rows * m.Cols
	return m.Pix[i*size : (i+1)*size : (i+1)*size]
}

// ReadImages reads idx images (magic 0x00000803), gzipped or not. name stands for the file in
// errors, whose offsets count unpacked bytes. The file must end where its header says.
func ReadImages(r io.Reader, name string) (*Images, error) {
	br, head, err := openIdx(r, magicImages, 3)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	n, rows, cols := head[0], head[1], head[2]
	for i, side := range []uint32{rows, cols} {
		if side < 1 || side > maxSide {
			return nil, fmt.Errorf("%s: offset %d: %s is %d, wanted 1 to %d", name, 8+4*i, []string{"rows", "columns"}[i], side, maxSide)
		}
	}
	// No overflow: n below 2^32, rows·cols at most 2^30.
	size := uint64(n) * uint64(rows) * uint64(cols)
	if size > MaxIdxBytes {
		return nil, fmt.Errorf("%s: offset 4: header promises %d images of %d×%d, %d bytes, wanted at most %d", name, n, rows, cols, size, MaxIdxBytes)
	}
	pix, err := readBody(br, 16, int(size), "pixels")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &Images{N: int(n), Rows: int(rows), Cols: int(cols), Pix: pix}, nil
}

// ReadLabels reads idx labels (magic 0x00000801), gzipped or not; name stands
// for the file in errors.
func ReadLabels(r io.Reader, name string) ([]uint8, error) {
	br, head, err := openIdx(r, magicLabels, 1)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if head[0] > MaxIdxBytes {
		return nil, fmt.Errorf("%s: offset 4: header promises %d labels, wanted at most %d", name, head[0], MaxIdxBytes)
	}
	labels, err := readBody(br, 8, int(head[0]), "labels")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return labels, nil
}

// openIdx unpacks r, checks the magic number and returns the dims sizes after it.
func openIdx(r io.Reader, magic uint32, dims int) (*bufio.Reader, []uint32, error) {
	br, err := unpack(r)
	if err != nil {
		return nil, nil, err
	}
	head := make([]byte, 4+4*dims)
	if n, err := io.ReadFull(br, head); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, nil, fmt.Errorf("offset %d: file ends inside the header, wanted %d bytes", n, len(head))
		}
		return nil, nil, fmt.Errorf("offset %d: %w", n, err)
	}
	if got := binary.BigEndian.Uint32(head); got != magic {
		return nil, nil, fmt.Errorf("offset 0: magic number is %#08x%s, wanted %#08x%s", got, magicName(got), magic, magicName(magic))
	}
	sizes := make([]uint32, dims)
	for i := range sizes {
		sizes[i] = binary.BigEndian.Uint32(head[4+4*i:])
	}
	return br, sizes, nil
}

func magicName(m uint32) string {
	switch m {
	case magicImages:
		return " (images)"
	case magicLabels:
		return " (labels)"
	}
	return ""
}

// readBody reads exactly size bytes, growing as they arrive, and then the end of
// the file. offset is where the body starts.
func readBody(r *bufio.Reader, offset, size int, what string) ([]byte, error) {
	body := make([]byte, min(size, 1<<20))
	for have := 0; ; {
		n, err := io.ReadFull(r, body[have:])
		have += n
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, fmt.Errorf("offset %d: file ends after %d of %d bytes of %s", offset+have, have, size, what)
		}
		if err != nil {
			return nil, fmt.Errorf("offset %d: %w", offset+have, err)
		}
		if have == size {
			break
		}
		grown := make([]byte, min(size, 2*have))
		copy(grown, body)
		body = grown
	}
	if _, err := r.ReadByte(); err == nil {
		return nil, fmt.Errorf("offset %d: data after the last of %d bytes of %s, wanted the end of the file", offset+size, size, what)
	} else if !errors.Is(err, io.EOF) { // a gzip checksum that does not match, say
		return nil, fmt.Errorf("offset %d: %w", offset+size, err)
	}
	return body, nil
}
