package server

import (
	"bytes"
	"encoding/json/jsontext"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"time"
	"unicode/utf8"

	"github.com/riffle-ml/riffle/dataset"
)

// bodyPause is how long a body may rest between two of its bytes, or take for the first.
const bodyPause = 5 * time.Second

// read reads a body of the type wanted, within the limits. It takes room for what has arrived. So
// bodies that are promised and do not come take none.
func (s *Server) read(w http.ResponseWriter, r *http.Request, room *reserved, wanted string) ([]byte, error) {
	if s.stopping.Load() {
		return nil, errStopping
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != wanted {
		return nil, faultf(http.StatusUnsupportedMediaType, "type", "Content-Type: wanted %s (got %.100q)", wanted, r.Header.Get("Content-Type"))
	}
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return nil, faultf(http.StatusUnsupportedMediaType, "type", "Content-Encoding: wanted none (got %.100q)", e)
	}
	over := tooLarge("body", "the body is larger than %d bytes", s.limits.Body)
	if r.ContentLength > s.limits.Body {
		return nil, over
	}
	body, err := s.arriving(w, r, room)
	if _, long := errors.AsType[*http.MaxBytesError](err); long {
		return nil, over
	}
	if err != nil {
		return nil, err
	}
	if !utf8.Valid(body) && (wanted != typeCSV || !dataset.IsUTF16(body)) {
		return nil, malformed("the body is not UTF-8")
	}
	return body, nil
}

// arriving reads the bytes of a body as they come.
func (s *Server) arriving(w http.ResponseWriter, r *http.Request, room *reserved) ([]byte, error) {
	connection := http.NewResponseController(w)
	end := time.Now().Add(s.limits.Time)
	from := http.MaxBytesReader(w, r.Body, s.limits.Body)
	body := make([]byte, 0, 4<<10)
	if err := room.take(int64(cap(body))); err != nil {
		return nil, err
	}
	for {
		if len(body) == cap(body) {
			size := min(2*int64(cap(body)), s.limits.Body+1) // one more, to see the end
			if err := room.take(size - int64(cap(body))); err != nil {
				return nil, err
			}
			body = append(make([]byte, 0, size), body...)
		}
		pause := time.Now().Add(s.bodyPause)
		if pause.After(end) {
			pause = end
		}
		_ = connection.SetReadDeadline(pause) // where there is a connection
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF):
			// The connection is watched from here on, so that an asker who leaves is seen.
			_ = connection.SetReadDeadline(time.Time{})
			return body, nil
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil, faultf(http.StatusRequestTimeout, "body", "the body came too slowly: nothing for %s, or not all within %s", s.bodyPause, s.limits.Time)
		case err != nil:
			if _, long := errors.AsType[*http.MaxBytesError](err); long {
				return nil, err
			}
			return nil, faultf(http.StatusRequestTimeout, "body", "the body ended early")
		}
	}
}

const (
	// valueBytes is what a value of JSON takes once it is parsed, beside its text: an empty list in a list
	// of lists is the worst.
	valueBytes = 32
	// maxFields is more fields than any object has whose fields are known; features are called as one likes.
	maxFields = 64
)

// count goes through a body's JSON before any set is made. It refuses more sets, or items in a set, than the
// limits allow, and takes room for the values that there are. [parse] says what is no JSON.
func (s *Server) count(body []byte, room *reserved) error {
	const atOnce = 1 << 12 // values that room is taken for
	dec := jsontext.NewDecoder(bytes.NewBuffer(body))
	var fields [6]string // of the objects at depths 1, 3 and 5, by their last name
	for values := 1; ; values++ {
		tok, err := dec.ReadToken()
		if err != nil {
			return nil //nolint:nilerr // parse meets it again
		}
		if values%atOnce == 0 {
			if err := room.take(atOnce * valueBytes); err != nil {
				return err
			}
		}
		depth := dec.StackDepth()
		if depth == 0 {
			return nil
		}
		kind, length := dec.StackIndex(depth)
		switch {
		case kind == '{' && (depth == 6 && fields[5] == "features" || depth == 4 && fields[3] == "features"): // of an item, or of a set
			if length > 2*dataset.MaxFeatures {
				return unfit("field", "an object has more than %d features", dataset.MaxFeatures)
			}
		case kind == '{' && length > 2*maxFields:
			return unfit("field", "an object has more than %d fields", maxFields)
		case kind == '{' && depth < len(fields) && length%2 == 1 && tok.Kind() == '"':
			fields[depth] = tok.String()
		}
		if depth >= 2 && fields[1] == "points" {
			if kind, length := dec.StackIndex(2); kind == '[' && length > int64(s.limits.Items) {
				return tooLarge("items", "points: wanted at most %d", s.limits.Items)
			}
		}
		if depth < 2 || fields[1] != "sets" {
			continue
		}
		if kind, length := dec.StackIndex(2); kind == '[' && length > int64(s.limits.Sets) {
			return tooLarge("sets", "sets: wanted at most %d", s.limits.Sets)
		}
		if depth < 4 || fields[3] != "items" {
			continue
		}
		if kind, length := dec.StackIndex(4); kind == '[' && length > int64(s.limits.Items) {
			_, sets := dec.StackIndex(2)
			return inSet(int(sets)-1, tooLarge("items", "wanted at most %d items", s.limits.Items))
		}
	}
}
