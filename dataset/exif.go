package dataset

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// orientation is how a picture's pixels lie in its file, by the number that EXIF gives it (JEITA
// CP-3451, tag 0x0112). It says on which sides of the shown picture the file's first row and first
// column are.
//
//	1 top, left       2 top, right      3 bottom, right   4 bottom, left
//	5 left, top       6 right, top      7 right, bottom   8 left, bottom
type orientation int

const (
	asStored orientation = 1

	orientationTag  = 0x0112
	typeShort       = 3
	tiffHeaderBytes = 8
	ifdEntryBytes   = 12
	maxEXIF         = 1 << 16 // bytes, as many as a segment of JPEG may have
)

// readOrientation finds the orientation in the EXIF of a JPEG (APP1), PNG (eXIf) or WebP (EXIF). A
// picture with none, or a damaged one, is as it is stored, since every viewer shows it so.
func readOrientation(r io.Reader, format string) orientation {
	br := bufio.NewReader(r)
	switch format {
	case "jpeg":
		return jpegOrientation(br)
	case "png":
		return chunkOrientation(br, 8, "eXIf", true)
	case "webp":
		return chunkOrientation(br, 12, "EXIF", false)
	}
	return asStored
}

var errFound = errors.New("found")

func jpegOrientation(r *bufio.Reader) orientation {
	found := asStored
	_ = jpegSegments(r, func(marker byte, length int) error {
		if marker == markerSOS { // it comes before the pixels
			return errFound
		}
		if marker != markerAPP1 {
			_, err := r.Discard(length)
			return err
		}
		data := make([]byte, length)
		if _, err := io.ReadFull(r, data); err != nil {
			return err
		}
		if exif, ok := bytes.CutPrefix(data, exifHeader); ok {
			found = exifOrientation(exif)
			return errFound
		}
		return nil
	})
	return found
}

var exifHeader = []byte("Exif\x00\x00")

// chunkOrientation looks for a chunk in a file of chunks, after skip bytes. A chunk has a length and a name of
// four bytes each. In PNG they stand in this order, and a sum follows the data. In RIFF they stand the
// other way round, and the data are filled up to even.
func chunkOrientation(r *bufio.Reader, skip int, want string, isPNG bool) orientation {
	if _, err := r.Discard(skip); err != nil {
		return asStored
	}
	var head [8]byte
	for {
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return asStored
		}
		name, length, after := string(head[4:]), int64(binary.BigEndian.Uint32(head[:4])), int64(4)
		if !isPNG {
			name, length = string(head[:4]), int64(binary.LittleEndian.Uint32(head[4:]))
			after = length & 1
		}
		if name == want {
			data := make([]byte, min(length, maxEXIF))
			if _, err := io.ReadFull(r, data); err != nil {
				return asStored
			}
			return exifOrientation(bytes.TrimPrefix(data, exifHeader))
		}
		if _, err := io.CopyN(io.Discard, r, length+after); err != nil {
			return asStored
		}
	}
}

// exifOrientation reads the tag of the first directory of EXIF's data, which is a TIFF file.
func exifOrientation(data []byte) orientation {
	if len(data) < tiffHeaderBytes {
		return asStored
	}
	var order binary.ByteOrder
	switch string(data[:4]) {
	case "II*\x00":
		order = binary.LittleEndian
	case "MM\x00*":
		order = binary.BigEndian
	default:
		return asStored
	}
	at := int64(order.Uint32(data[4:]))
	if at+2 > int64(len(data)) {
		return asStored
	}
	data, entries := data[at+2:], int(order.Uint16(data[at:]))
	for range entries {
		if len(data) < ifdEntryBytes {
			return asStored
		}
		if order.Uint16(data) == orientationTag && order.Uint16(data[2:]) == typeShort {
			if o := orientation(order.Uint16(data[8:])); o >= 1 && o <= 8 {
				return o
			}
			return asStored
		}
		data = data[ifdEntryBytes:]
	}
	return asStored
}

// turn returns the picture as it is shown.
func (p *Picture) turn(o orientation) *Picture {
	if o <= asStored {
		return p
	}
	out := &Picture{Rows: p.Rows, Cols: p.Cols, Channels: p.Channels, Pix: make([]uint8, len(p.Pix))}
	if o >= 5 {
		out.Rows, out.Cols = p.Cols, p.Rows
	}
	fromBottom, fromRight := o == 3 || o == 4 || o == 6 || o == 7, o == 2 || o == 3 || o == 7 || o == 8
	to := out.Pix
	for y := range out.Rows {
		for x := range out.Cols {
			r, c := y, x // in the file
			if o >= 5 {
				r, c = x, y
			}
			if fromBottom {
				r = p.Rows - 1 - r
			}
			if fromRight {
				c = p.Cols - 1 - c
			}
			at := (r*p.Cols + c) * p.Channels
			to = to[copy(to, p.Pix[at:at+p.Channels]):]
		}
	}
	return out
}
