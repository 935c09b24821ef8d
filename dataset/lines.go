package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"unicode/utf8"
)

// lines yields the lines of r, gzipped or not, with their 1-based numbers, without their end
// and white space around. A line over [MaxLineBytes] or not in UTF-8 is an error, the last
// pair.
func lines(r io.Reader) iter.Seq2[int, lineOrError] {
	return func(yield func(int, lineOrError) bool) {
		br, err := unpack(r)
		if err != nil {
			yield(1, lineOrError{err: err})
			return
		}
		if bom, _ := br.Peek(3); bytes.Equal(bom, []byte("\xef\xbb\xbf")) {
			_, _ = br.Discard(3)
		}
		for number := 1; ; number++ {
			text, err := readLine(br)
			if errors.Is(err, io.EOF) && len(text) == 0 {
				return
			}
			if err != nil && !errors.Is(err, io.EOF) {
				yield(number, lineOrError{err: err})
				return
			}
			if !utf8.Valid(text) {
				yield(number, lineOrError{err: errors.New("is not UTF-8")})
				return
			}
			if !yield(number, lineOrError{text: string(bytes.TrimSpace(text))}) || err != nil {
				return
			}
		}
	}
}

type lineOrError struct {
	text string
	err  error
}

// readLine reads up to and with the next newline. At the end of the file it returns what is
// left and io.EOF.
func readLine(br *bufio.Reader) ([]byte, error) {
	var text []byte
	for {
		part, err := br.ReadSlice('\n')
		if len(text)+len(part) > MaxLineBytes {
			return nil, fmt.Errorf("the line is longer than %d bytes", MaxLineBytes)
		}
		text = append(text, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return text, err
		}
	}
}

// openFile is os.Open for what is no folder, which would be told only when it is read.
func openFile(path string) (*os.File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = f.Close() // only opened
		return nil, fmt.Errorf("%s: is a folder, wanted a file", path)
	}
	return f, nil
}

// readFile opens a file for a reader of the form func(r, name).
func readFile[T any](path string, read func(r io.Reader, name string) (T, error)) (t T, err error) {
	f, err := openFile(path)
	if err != nil {
		return t, err
	}
	defer func() { _ = f.Close() }() // only read from
	return read(f, path)
}
