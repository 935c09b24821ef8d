package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"
	"unicode/utf8"

	"github.com/riffle-ml/riffle/internal/hint"
)

// lines yields the lines of r, gzipped or not, with their 1-based numbers. Their ends and the white
// space around them are left out. A line over [MaxLineBytes] or not in UTF-8 is an error, the last
// pair.
func lines(r io.Reader) iter.Seq2[int, lineOrError] {
	return func(yield func(int, lineOrError) bool) {
		br, err := unpackText(r)
		if err != nil {
			yield(1, lineOrError{err: err})
			return
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

// openFile is os.Open for files. It refuses a folder, which os.Open would only tell in reading. It refuses a
// pipe as well, whose end may never come and which cannot be read again.
func openFile(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("%s: is a folder, wanted a file", path)
	case info.Mode()&os.ModeNamedPipe != 0:
		return nil, errPipe(path)
	}
	return os.Open(path)
}

func errPipe(path string) error {
	return hint.Errorf("write what comes out of it to a file", "%s: is a pipe, wanted a file, which can be read twice", path)
}

// patience is how long a pipe may have no writer. A variable for the sake of tests.
var patience = 2 * time.Second

// openWaiting is os.Open, but gives up a pipe that nobody comes to write to.
func openWaiting(path string, info os.FileInfo) (*os.File, error) {
	if info.Mode()&os.ModeNamedPipe == 0 {
		return os.Open(path)
	}
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() { // it may wait for ever
		f, err := os.Open(path)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		return o.f, o.err
	case <-time.After(patience):
		return nil, hint.Errorf("begin to write into it first", "%s: is a pipe that nobody writes to", path)
	}
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
