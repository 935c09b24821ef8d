package dataset

import (
	"bufio"
	"bytes"
	"encoding/json"
	"encoding/json/jsontext"
	"fmt"
	"io"
	"math"

	"github.com/riffle-ml/riffle/constraint"
)

// JSONLWriter writes sets as Riffle's own JSONL; see [JSONLReader] for the format.
type JSONLWriter struct {
	w    *bufio.Writer
	line bytes.Buffer // the set being written
	n    int          // sets written
	seen seen
}

// NewJSONLWriter writes to w; call Flush when done.
func NewJSONLWriter(w io.Writer) *JSONLWriter {
	return &JSONLWriter{w: bufio.NewWriter(w)}
}

type jsonItem struct {
	ID       string      `json:"id,omitempty"`
	Features any         `json:"features,omitempty"`
	Image    string      `json:"image,omitempty"`
	Point    *[2]float64 `json:"point,omitempty"`
}

type jsonSet struct {
	ID    string     `json:"id,omitempty"`
	Items []jsonItem `json:"items"`
	Order *[]int     `json:"order,omitempty"`
	Rank  *[]int     `json:"rank,omitempty"`

	Levels BucketOrder `json:"levels,omitempty"`
	Count  int         `json:"count,omitempty"`

	Constraints constraint.Text `json:"constraints,omitzero"`
}

// NamedFeatures are features in JSON: a list, or an object where they have names. Empty ones, which
// are NaN, are null.
type NamedFeatures struct {
	Values  []float64
	Columns *Columns
}

// MarshalJSON implements json.Marshaler.
func (f NamedFeatures) MarshalJSON() ([]byte, error) {
	open, end := byte('['), byte(']')
	var names []string
	if f.Columns.named() {
		open, end, names = '{', '}', f.Columns.Names
	}
	text := []byte{open}
	for j, v := range f.Values {
		if j > 0 {
			text = append(text, ',')
		}
		var err error
		if names != nil {
			if text, err = jsontext.AppendQuote(text, names[j]); err != nil {
				return nil, fmt.Errorf("column %q: %w", names[j], err)
			}
			text = append(text, ':')
		}
		value := []byte("null")
		if !math.IsNaN(v) {
			if value, err = json.Marshal(v); err != nil {
				return nil, err
			}
		}
		text = append(text, value...)
	}
	return append(text, end), nil
}

// Write writes one set. It writes the order in the reading that OrderGiven names, or the levels
// where they are no order. Image paths are written as they stand in the items. A set that a reader
// would refuse is an error, and nothing of it is written.
func (w *JSONLWriter) Write(s *Set) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("set %d: %w", w.n, err)
	}
	if err := w.seen.add(s, w.n+1); err != nil {
		return fmt.Errorf("set %d: %w", w.n, err)
	}
	out := jsonSet{ID: s.ID, Count: s.Count, Items: make([]jsonItem, len(s.Items)), Constraints: s.Constraints}
	for i := range s.Items {
		it := &s.Items[i]
		out.Items[i] = jsonItem{ID: it.ID, Image: it.Image}
		if s.Kind == KindFeatures {
			out.Items[i].Features = NamedFeatures{it.Features, s.Columns}
		}
		if s.Kind == KindPoint {
			out.Items[i].Point = &it.Point
		}
	}
	switch s.OrderGiven {
	case "order":
		order := append([]int{}, s.Order...)
		out.Order = &order
	case "rank":
		rank := append([]int{}, s.Order.Rank()...)
		out.Rank = &rank
	default:
		out.Levels = s.Levels
	}
	w.line.Reset()
	enc := json.NewEncoder(&w.line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("set %d: %w", w.n, err)
	}
	if w.line.Len() > MaxLineBytes {
		return fmt.Errorf("set %d: its line has %d bytes, wanted at most %d", w.n, w.line.Len(), MaxLineBytes)
	}
	w.n++
	_, err := w.w.Write(w.line.Bytes())
	return err
}

// Flush writes what is still buffered.
func (w *JSONLWriter) Flush() error { return w.w.Flush() }
