package dataset

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
)

// MaxUnpacked is the most a gzipped file may unpack to, in bytes (2 GiB). A
// gzip stream can be a thousand times smaller than what it unpacks to.
const MaxUnpacked = 2 << 30

// unpack returns r as it is, or gunzipped where it starts with the gzip magic
// bytes 1f 8b (RFC 1952 §2.3.1).
func unpack(r io.Reader) (*bufio.Reader, error) {
	br := bufio.NewReaderSize(r, 64<<10)
	if magic, _ := br.Peek(2); len(magic) < 2 || magic[0] != 0x1f || magic[1] != 0x8b {
		return br, nil
	}
	zr, err := gzip.NewReader(br)
	if err != nil {
		return nil, fmt.Errorf("offset 0: gzip header: %w", err)
	}
	return bufio.NewReaderSize(&bounded{r: zr, left: MaxUnpacked}, 64<<10), nil
}

// bounded reads at most left bytes and then fails, unlike io.LimitReader, which
// would end as if the file ended there.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("gzip: unpacks to more than %d bytes", int64(MaxUnpacked))
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}
