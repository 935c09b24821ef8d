package run

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json/jsontext"
	json "encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

// Tensor is a named array of float32, the last axis running fastest.
type Tensor struct {
	Name  string
	Shape []int
	Data  []float32
}

const (
	maxHeader   = 1 << 23 // bytes of a header, of which a network's has some thousands
	mostTensors = 1 << 30 // bytes of a set of tensors where its network is not known, see [Dir.Expect]

	// maxValue is the largest weight or running statistic, in absolute value, that is taken for
	// one: sums of a few products of larger ones overflow float32.
	maxValue = 1e9
)

const metadataKey = "__metadata__"

// tensorInfo is a tensor's entry in the header; offsets count from the header's end.
type tensorInfo struct {
	DType   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets *[2]int64 `json:"data_offsets"`
}

// WriteTensors writes tensors in the safetensors format, in the order given. First comes the
// header's length (8 bytes, little-endian), then the header, then the data. The header is JSON,
// padded with spaces so that the data start at a multiple of 8. The same input gives the same
// bytes. It fails before it writes anything where a name is empty, reserved, repeated or not UTF-8,
// or where a shape does not fit its data.
func WriteTensors(w io.Writer, tensors []Tensor, metadata map[string]string) error {
	header, err := tensorHeader(tensors, metadata)
	if err != nil {
		return err
	}
	buf := bufio.NewWriterSize(w, 1<<16)
	buf.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(header))))
	buf.Write(header)
	for _, t := range tensors {
		for _, v := range t.Data {
			buf.Write(binary.LittleEndian.AppendUint32(buf.AvailableBuffer(), math.Float32bits(v)))
		}
	}
	return buf.Flush() // errors stick until here
}

func tensorHeader(tensors []Tensor, metadata map[string]string) ([]byte, error) {
	var b bytes.Buffer
	enc := jsontext.NewEncoder(&b)
	member := func(name string, value any) error {
		if err := enc.WriteToken(jsontext.String(name)); err != nil {
			return err
		}
		return json.MarshalEncode(enc, value, json.Deterministic(true))
	}
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return nil, err
	}
	if len(metadata) > 0 {
		if err := member(metadataKey, metadata); err != nil {
			return nil, fmt.Errorf("metadata: %w", err)
		}
	}
	seen := map[string]bool{"": true, metadataKey: true}
	offset := int64(0)
	for _, t := range tensors {
		if seen[t.Name] || !utf8.ValidString(t.Name) {
			return nil, fmt.Errorf("tensor %q: the name is empty, reserved, taken or not UTF-8", t.Name)
		}
		seen[t.Name] = true
		size, err := tensorBytes(t.Shape)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		if size != 4*int64(len(t.Data)) {
			return nil, fmt.Errorf("tensor %q: shape %v needs %d values (got %d)", t.Name, t.Shape, size/4, len(t.Data))
		}
		info := tensorInfo{DType: "F32", Shape: t.Shape, Offsets: &[2]int64{offset, offset + size}}
		if err := member(t.Name, info); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.Name, err)
		}
		offset += size
	}
	if err := enc.WriteToken(jsontext.EndObject); err != nil {
		return nil, err
	}
	header := bytes.TrimRight(b.Bytes(), "\n")
	for len(header)%8 != 0 {
		header = append(header, ' ')
	}
	return header, nil
}

// tensorBytes returns the size of a float32 array.
func tensorBytes(shape []int) (int64, error) {
	size := int64(4)
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("shape %v: an axis is negative", shape)
		}
	}
	if slices.Contains(shape, 0) {
		return 0, nil
	}
	for _, d := range shape {
		if int64(d) > math.MaxInt64/size {
			return 0, fmt.Errorf("shape %v: too large", shape)
		}
		size *= int64(d)
	}
	return size, nil
}

// ReadTensors reads what [WriteTensors] or another safetensors writer made, in the order of the data.
// Errors are tensors of another dtype than F32, a header that is not the format's, and a header of more
// than 8 MiB. So are data that are missing, overlapping, left over or of another size than the shape
// says. It allocates no more than a small multiple of len(data).
func ReadTensors(data []byte) ([]Tensor, map[string]string, error) {
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("not a safetensors file: wanted 8 bytes of header length (got %d)", len(data))
	}
	n := binary.LittleEndian.Uint64(data)
	body := data[8:]
	if n > maxHeader || n > uint64(len(body)) {
		return nil, nil, fmt.Errorf("header: wanted at most %d bytes, as many as the file has (got %d)", min(maxHeader, len(body)), n)
	}
	header, body := body[:n], body[n:]
	members := map[string]jsontext.Value{}
	if err := json.Unmarshal(header, &members); err != nil {
		return nil, nil, fmt.Errorf("header: %w", err)
	}
	var metadata map[string]string
	if raw, ok := members[metadataKey]; ok {
		if err := json.Unmarshal(raw, &metadata); err != nil {
			return nil, nil, fmt.Errorf("header: %s: %w", metadataKey, err)
		}
		delete(members, metadataKey)
	}
	infos, names := map[string]tensorInfo{}, make([]string, 0, len(members))
	for name, raw := range members {
		var info tensorInfo
		if err := json.Unmarshal(raw, &info); err != nil {
			return nil, nil, fmt.Errorf("tensor %.80q: %w", name, err)
		}
		if err := info.check(int64(len(body))); err != nil {
			return nil, nil, fmt.Errorf("tensor %.80q: %w", name, err)
		}
		infos[name], names = info, append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		oa, ob := infos[a].Offsets, infos[b].Offsets
		return cmp.Or(cmp.Compare(oa[0], ob[0]), cmp.Compare(oa[1], ob[1]), cmp.Compare(a, b))
	})
	tensors, end := make([]Tensor, 0, len(names)), int64(0)
	for _, name := range names {
		info := infos[name]
		if info.Offsets[0] != end {
			return nil, nil, fmt.Errorf("tensor %.80q: data_offsets: wanted the start %d, where the tensor before it ends (got %d)", name, end, info.Offsets[0])
		}
		end = info.Offsets[1]
		t := Tensor{Name: name, Shape: info.Shape, Data: make([]float32, (end-info.Offsets[0])/4)}
		for i := range t.Data {
			t.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(body[info.Offsets[0]+4*int64(i):]))
		}
		tensors = append(tensors, t)
	}
	if end != int64(len(body)) {
		return nil, nil, fmt.Errorf("data: wanted %d bytes after the header (got %d)", end, len(body))
	}
	return tensors, metadata, nil
}

// check compares an entry with itself and with the number of bytes after the header.
func (i *tensorInfo) check(size int64) error {
	switch {
	case i.DType != "F32":
		return fmt.Errorf("dtype: wanted F32 (got %q)", i.DType)
	case i.Shape == nil:
		return errors.New("shape: missing")
	case i.Offsets == nil:
		return errors.New("data_offsets: missing")
	case i.Offsets[0] < 0 || i.Offsets[0] > i.Offsets[1] || i.Offsets[1] > size:
		return fmt.Errorf("data_offsets: wanted a range within the %d bytes of data (got %v)", size, *i.Offsets)
	}
	want, err := tensorBytes(i.Shape)
	if err == nil && want != i.Offsets[1]-i.Offsets[0] {
		err = fmt.Errorf("data_offsets: shape %v needs %d bytes (got %d)", i.Shape, want, i.Offsets[1]-i.Offsets[0])
	}
	return err
}

// ErrValue is an error about a value that no network can use.
var ErrValue = errors.New("wanted finite values")

// checkValues finds a value that no training leaves: one that is not finite or, of a model, one
// above maxValue.
func checkValues(tensors []Tensor, model bool) error {
	most := math.MaxFloat32
	if model {
		most = maxValue
	}
	for _, t := range tensors {
		for i, v := range t.Data {
			if x := float64(v); !(math.Abs(x) <= most) { // NaN too
				return fmt.Errorf("tensor %.80q: value %d is %g: %w of at most %g", t.Name, i, x, ErrValue, most)
			}
		}
	}
	return nil
}
