package dataset

import (
	"bufio"
	"context"
	"errors"
	"io"

	"github.com/riffle-ml/riffle/internal/hint"
)

// MaxScans is the most scans of a JPEG picture that is read. Each goes over all of the picture, and
// a few bytes are enough for one. Encoders write 10 for a progressive picture in colour.
const MaxScans = 100

// The markers of JPEG (ITU-T T.81, Table B.1) that delimit what is decoded.
const (
	markerRST0 = 0xd0 // to RST7, within a scan
	markerRST7 = 0xd7
	markerEOI  = 0xd9
	markerSOS  = 0xda
	markerAPP1 = 0xe1
)

// jpegSegments calls f for each segment of a JPEG, up to its end or the file's, with its marker and
// length. f may read up to length bytes from r. It passes over what [image/jpeg] passes over: the
// bytes of scans, and others between segments.
func jpegSegments(r *bufio.Reader, f func(marker byte, length int) error) error {
	if _, err := r.Discard(2); err != nil { // the start of the image
		return err
	}
	for {
		b, err := r.ReadByte()
		for err == nil && b != 0xff {
			b, err = r.ReadByte()
		}
		for err == nil && b == 0xff {
			b, err = r.ReadByte()
		}
		switch {
		case err != nil:
			return err
		case b == markerEOI:
			return nil
		case b == 0 || markerRST0 <= b && b <= markerRST7:
			continue
		}
		high, err := r.ReadByte()
		if err != nil {
			return err
		}
		low, err := r.ReadByte()
		if err != nil {
			return err
		}
		length := int(high)<<8 + int(low) - 2
		if length < 0 {
			return nil // which the decoder refuses
		}
		if err := f(b, length); err != nil {
			return err
		}
	}
}

// checkScans refuses a JPEG of more than most scans before any of them is decoded.
func checkScans(r *bufio.Reader, most int) error {
	scans := 0
	err := jpegSegments(r, func(marker byte, length int) error {
		if marker == markerSOS {
			if scans++; scans > most {
				return hint.Errorf("write it again as a JPEG that is not progressive", "jpeg of more than %d scans, each over the whole picture, wanted at most %d", most, most)
			}
		}
		_, err := r.Discard(length)
		return err
	})
	if errors.Is(err, io.EOF) { // which the decoder says
		return nil
	}
	return err
}

// pieceBytes is how much of a picture is decoded before its context is looked at again.
const pieceBytes = 512

// contextReader reads until its context ends.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b[:min(len(b), pieceBytes)])
}
