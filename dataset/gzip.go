package dataset

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// MaxUnpacked is the most a gzipped file may unpack to, in bytes (2 GiB). A gzip stream can be a
// thousand times smaller than what it unpacks to, and a reader may keep some fifty times that. So
// from the first 16 MiB on, it may unpack to at most MaxRatio times what was read. Data and text
// have ratios of 2 to 20.
const (
	MaxUnpacked = 2 << 30
	MaxRatio    = 100
	freeOfRatio = 16 << 20
)

// unpack returns r as it is, or gunzipped where it starts with the gzip magic
// bytes 1f 8b (RFC 1952 §2.3.1).
func unpack(r io.Reader) (*bufio.Reader, error) {
	packed := &counter{r: r}
	br := bufio.NewReaderSize(packed, 64<<10)
	if magic, _ := br.Peek(2); len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		return br, nil
	}
	zr, err := gzip.NewReader(br)
	if err != nil {
		return nil, errGzip(err)
	}
	return bufio.NewReaderSize(&bounded{r: zr, left: MaxUnpacked, packed: packed}, 64<<10), nil
}

// counter counts what is read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// bounded reads at most left bytes, or MaxRatio times what was packed, and then fails.
// io.LimitReader would end as if the file ended there.
type bounded struct {
	r      io.Reader
	done   int64
	left   int64
	packed *counter // may be nil
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("gzip: unpacks to more than %d bytes", int64(MaxUnpacked))
	}
	if b.packed != nil && b.done > freeOfRatio && b.done > MaxRatio*b.packed.n {
		return 0, fmt.Errorf("gzip: %d bytes unpack to more than %d times as many", b.packed.n, MaxRatio)
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	b.done += int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		err = errGzip(err)
	}
	return n, err
}

// errGzip says what is wrong with a gzipped file.
func errGzip(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return gzipError{"is gzipped, and cut off", err}
	case errors.Is(err, gzip.ErrChecksum):
		return gzipError{"is gzipped, and damaged: its checksum is another", err}
	}
	return gzipError{"is gzipped, and damaged", err}
}

// gzipError is an error of the library in words for people.
type gzipError struct {
	text string
	error
}

func (e gzipError) Error() string { return e.text }
func (e gzipError) Unwrap() error { return e.error }
