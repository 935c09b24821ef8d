package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"unicode/utf16"
	"unicode/utf8"
)

// unpackText is [unpack] for a file of text. A byte order mark is left out. UTF-16, which has one,
// becomes UTF-8. Lines that end with CR alone end with LF.
func unpackText(r io.Reader) (*bufio.Reader, error) {
	br, err := unpack(r)
	if err != nil {
		return nil, err
	}
	head, _ := br.Peek(2)
	order := utf16Order(head)
	if order == nil {
		if mark, _ := br.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
			_, _ = br.Discard(3)
		}
		return bufio.NewReaderSize(&macReader{r: br}, 64<<10), nil
	}
	_, _ = br.Discard(2)
	return bufio.NewReaderSize(&macReader{r: bufio.NewReader(&utf16Reader{r: br, order: order})}, 64<<10), nil
}

// macReader ends lines with LF where a text ends them with CR alone, as old Macs and "CSV (Macintosh)" do.
// The first end of a line decides. Without it such a file would be one line, a header without a set.
type macReader struct {
	r     *bufio.Reader
	known bool // how lines end
	cr    bool // with CR alone
}

func (l *macReader) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	from := 0
	if !l.known {
		if from = bytes.IndexAny(p[:n], "\r\n"); from < 0 {
			return n, err
		}
		l.known = true
		if p[from] == '\r' {
			next := p[from+1 : n]
			if len(next) == 0 {
				next, _ = l.r.Peek(1)
			}
			l.cr = len(next) > 0 && next[0] != '\n'
		}
	}
	if l.cr {
		for i, c := range p[from:n] {
			if c == '\r' {
				p[from+i] = '\n'
			}
		}
	}
	return n, err
}

// utf16Order is the order of bytes that UTF-16's mark at the beginning says, nil where there is none.
func utf16Order(head []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return binary.LittleEndian
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return binary.BigEndian
	}
	return nil
}

// IsUTF16 reports whether a file begins with the byte order mark of UTF-16.
func IsUTF16(head []byte) bool { return utf16Order(head) != nil }

// utf16Reader reads UTF-16 as UTF-8.
type utf16Reader struct {
	r     *bufio.Reader
	order binary.ByteOrder
}

var errUTF16 = errors.New("begins as UTF-16 does, but is none: a character is cut off")

// Read implements [io.Reader].
func (u *utf16Reader) Read(p []byte) (n int, err error) {
	if len(p) < utf8.UTFMax {
		return 0, io.ErrShortBuffer
	}
	for n+utf8.UTFMax <= len(p) {
		unit, err := u.unit()
		if err != nil {
			return n, err
		}
		if utf16.IsSurrogate(unit) {
			second, err := u.unit()
			if unit = utf16.DecodeRune(unit, second); err != nil || unit == utf8.RuneError {
				return n, errUTF16
			}
		}
		n += utf8.EncodeRune(p[n:], unit)
	}
	return n, nil
}

func (u *utf16Reader) unit() (rune, error) {
	var b [2]byte
	switch _, err := io.ReadFull(u.r, b[:]); {
	case errors.Is(err, io.ErrUnexpectedEOF):
		return 0, errUTF16
	case err != nil:
		return 0, err
	}
	return rune(u.order.Uint16(b[:])), nil
}
