package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// lineReader reads the lines of a file, each as a file of its own that ends with its newline.
type lineReader struct {
	r      *bufio.Reader
	number int   // of the line, 1-based
	length int   // bytes read of it
	ended  bool  // its newline was read
	err    error // sticks: the file itself cannot be read on, io.EOF at its end
}

// next goes to the first line after this one that is not blank. It returns how that begins, up to
// 40 bytes, which are not read yet.
func (l *lineReader) next() (start []byte, err error) {
	for part := [512]byte{}; !l.ended; { // what was not read of this line
		_, _ = l.Read(part[:])
	}
	if l.broken() {
		return nil, l.err
	}
	l.begin()
	for {
		c, err := l.r.ReadByte()
		if err != nil {
			l.err = err
			return nil, err
		}
		switch l.length++; {
		case c == '\n':
			l.begin()
		case l.tooLong():
			return nil, l.err
		case c != ' ' && c != '\t' && c != '\r':
			_ = l.r.UnreadByte() // a byte was read just now
			l.length--
			start, _ = l.r.Peek(min(40, l.r.Buffered()))
			start, _, _ = bytes.Cut(start, []byte("\n"))
			return start, nil
		}
	}
}

// broken reports whether the file cannot be read on.
func (l *lineReader) broken() bool { return l.err != nil && !errors.Is(l.err, io.EOF) }

func (l *lineReader) begin() {
	l.number++
	l.length, l.ended = 0, false
}

func (l *lineReader) tooLong() bool {
	if l.length > MaxLineBytes {
		l.err = fmt.Errorf("line is longer than %d bytes", MaxLineBytes)
		l.ended = true
	}
	return l.length > MaxLineBytes
}

// Read implements [io.Reader] for the rest of the line. It waits for no more than there is.
func (l *lineReader) Read(p []byte) (n int, err error) {
	if l.ended {
		return 0, io.EOF
	}
	if _, l.err = l.r.Peek(1); l.err != nil {
		l.ended = true
		return 0, l.err
	}
	there, _ := l.r.Peek(min(len(p), l.r.Buffered()))
	for n < len(there) && !l.ended {
		p[n], l.ended = there[n], there[n] == '\n'
		n++
	}
	_, _ = l.r.Discard(n)
	if l.length += n; l.tooLong() {
		return 0, l.err
	}
	return n, nil
}
