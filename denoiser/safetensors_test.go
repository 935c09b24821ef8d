package denoiser_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"
)

// array is one array of a safetensors file; Data is []float32, []int32 or []uint8.
type array struct {
	Shape []int
	Data  any
}

func (a array) floats() []float32 { return a.Data.([]float32) }
func (a array) ints() []int32     { return a.Data.([]int32) }
func (a array) tensor() *tensors.Tensor {
	switch data := a.Data.(type) {
	case []float32:
		return tensors.FromFlatDataAndDimensions(data, a.Shape...)
	case []int32:
		return tensors.FromFlatDataAndDimensions(data, a.Shape...)
	case []uint8:
		return tensors.FromFlatDataAndDimensions(data, a.Shape...)
	}
	panic(fmt.Sprintf("an array of %T", a.Data))
}

type entry struct {
	DType   string `json:"dtype"`
	Shape   []int  `json:"shape"`
	Offsets [2]int `json:"data_offsets"`
}

// readArrays reads a safetensors file: eight bytes with the length of a JSON header, the
// header, the data, all little-endian. about is what the metadata has under "riffle".
func readArrays(t *testing.T, path string) (arrays map[string]array, about string) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := 8 + binary.LittleEndian.Uint64(file)
	var header map[string]json.RawMessage
	if err := json.Unmarshal(file[8:end], &header); err != nil {
		t.Fatal(err)
	}
	arrays = map[string]array{}
	for name, raw := range header {
		if name == "__metadata__" {
			var meta map[string]string
			if err := json.Unmarshal(raw, &meta); err != nil {
				t.Fatal(err)
			}
			about = meta["riffle"]
			continue
		}
		var e entry
		if err := json.Unmarshal(raw, &e); err != nil {
			t.Fatal(err)
		}
		data := file[end:][e.Offsets[0]:e.Offsets[1]]
		a := array{Shape: e.Shape}
		switch e.DType {
		case "F32":
			a.Data = make([]float32, len(data)/4)
		case "I32":
			a.Data = make([]int32, len(data)/4)
		case "U8":
			a.Data = make([]uint8, len(data))
		default:
			t.Fatalf("%s: %s: type %s", path, name, e.DType)
		}
		if _, err := binary.Decode(data, binary.LittleEndian, a.Data); err != nil {
			t.Fatal(err)
		}
		arrays[name] = a
	}
	return arrays, about
}

// writeArrays is the way back.
func writeArrays(t *testing.T, path string, arrays map[string]array, about string) {
	t.Helper()
	header := map[string]any{"__metadata__": map[string]string{"riffle": about}}
	var data bytes.Buffer
	for name, a := range arrays {
		from := data.Len()
		if err := binary.Write(&data, binary.LittleEndian, a.Data); err != nil {
			t.Fatal(err)
		}
		dtype := map[string]string{"[]float32": "F32", "[]int32": "I32", "[]uint8": "U8"}[fmt.Sprintf("%T", a.Data)]
		header[name] = entry{dtype, a.Shape, [2]int{from, data.Len()}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	for len(text)%8 != 0 {
		text = append(text, ' ')
	}
	file := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	file = append(append(file, text...), data.Bytes()...)
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
}
