package run

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func encodeTensors(t testing.TB, tensors []Tensor, metadata map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteTensors(&b, tensors, metadata); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// file puts a header before data bytes.
func file(header string, data ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), data...)
}

func TestWriteTensors(t *testing.T) {
	// By hand from the format's description.
	header := `{"__metadata__":{"a":"1","b":"2"},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]}}`
	for len(header)%8 != 0 {
		header += " "
	}
	want := file(header, 0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc0) // 1 and −2.5
	got := encodeTensors(t, []Tensor{{"w", []int{1, 2}, []float32{1, -2.5}}}, map[string]string{"b": "2", "a": "1"})
	if !bytes.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if got := encodeTensors(t, nil, nil); !bytes.Equal(got, file("{}      ")) {
		t.Errorf("nothing: %q", got)
	}
}

func TestWriteTensorsErrors(t *testing.T) {
	one := []float32{1}
	for want, tensors := range map[string][]Tensor{
		`tensor "a": the name`:                              {{"a", nil, one}, {"a", nil, one}},
		`tensor "": the name`:                               {{"", nil, one}},
		`tensor "__metadata__": the name`:                   {{"__metadata__", nil, one}},
		`tensor "\xff": the name`:                           {{"\xff", nil, one}},
		`tensor "a": shape [2 3] needs 6 values (got 1)`:    {{"a", []int{2, 3}, one}},
		`tensor "a": shape [-1]: an axis is negative`:       {{"a", []int{-1}, one}},
		`tensor "a": shape [4611686018427387904 2]: too la`: {{"a", []int{1 << 62, 2}, one}},
	} {
		var b bytes.Buffer
		if err := WriteTensors(&b, tensors, nil); err == nil || !strings.HasPrefix(err.Error(), want) || b.Len() > 0 {
			t.Errorf("got %v and %d bytes, wanted %s", err, b.Len(), want)
		}
	}
	full := errors.New("full")
	if err := WriteTensors(failingWriter{full}, []Tensor{{"a", nil, one}}, nil); !errors.Is(err, full) {
		t.Errorf("a writer's error: %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestReadTensorsErrors(t *testing.T) {
	f32 := func(rest string) string { return `{"a":{"dtype":"F32",` + rest + `}}` }
	for _, c := range []struct {
		data []byte
		want string
	}{
		{nil, "not a safetensors file: wanted 8 bytes of header length (got 0)"},
		{binary.LittleEndian.AppendUint64(nil, math.MaxUint64), "header: wanted at most 0 bytes, as many as the file has (got 18446744073709551615)"},
		{file("{}")[:9], "header: wanted at most 1 bytes"},
		{file(""), "header: "},
		{file("[]"), "header: "},
		{file("{} {}"), "header: "},
		{file(`{"a":1}`), `tensor "a": `},
		{file(`{"__metadata__":{"a":1}}`), "header: __metadata__: "},
		{file(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":{}}`), "header: "},
		{file(`{"a":{"dtype":"BF16","shape":[2],"data_offsets":[0,4]}}`, 0, 0, 0, 0), `tensor "a": dtype: wanted F32 (got "BF16")`},
		{file(f32(`"data_offsets":[0,0]`)), `tensor "a": shape: missing`},
		{file(f32(`"shape":[0]`)), `tensor "a": data_offsets: missing`},
		{file(f32(`"shape":[1],"data_offsets":[0,4]`), 0, 0), `tensor "a": data_offsets: wanted a range within the 2 bytes of data (got [0 4])`},
		{file(f32(`"shape":[1],"data_offsets":[4,0]`), 0, 0, 0, 0), `tensor "a": data_offsets: wanted a range`},
		{file(f32(`"shape":[1],"data_offsets":[-4,0]`)), `tensor "a": data_offsets: wanted a range`},
		{file(f32(`"shape":[2],"data_offsets":[0,4]`), 0, 0, 0, 0), `tensor "a": data_offsets: shape [2] needs 8 bytes (got 4)`},
		{file(f32(`"shape":[4294967296,4294967296],"data_offsets":[0,0]`)), `tensor "a": shape [4294967296 4294967296]: too large`},
		{file(f32(`"shape":[-1,-1],"data_offsets":[0,4]`), 0, 0, 0, 0), `tensor "a": shape [-1 -1]: an axis is negative`},
		{file(f32(`"shape":[1],"data_offsets":[4,8]`), make([]byte, 8)...), `tensor "a": data_offsets: wanted the start 0, where the tensor before it ends (got 4)`},
		{file(f32(`"shape":[1],"data_offsets":[0,4]`), make([]byte, 8)...), "data: wanted 4 bytes after the header (got 8)"},
		{
			file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 0, 0, 0, 0),
			`tensor "b": data_offsets: wanted the start 4`,
		},
	} {
		if _, _, err := ReadTensors(c.data); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%q:\n got %v\nwant %s", c.data, err, c.want)
		}
	}
}

// tensorsGen draws tensors with distinct names, of up to three axes, some empty.
var tensorsGen = rapid.Custom(func(t *rapid.T) []Tensor {
	names := rapid.SliceOfNDistinct(rapid.StringN(1, 20, 40), 0, 6, rapid.ID).Draw(t, "names")
	slices.Sort(names)
	tensors := []Tensor{}
	for _, name := range names {
		shape := rapid.SliceOfN(rapid.IntRange(0, 4), 0, 3).Draw(t, "shape")
		size, _ := tensorBytes(shape)
		data := rapid.SliceOfN(rapid.Float32(), int(size/4), int(size/4)).Draw(t, "data")
		tensors = append(tensors, Tensor{name, shape, data})
	}
	return tensors
})

func TestTensorsRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		want, metadata := tensorsGen.Draw(rt, "tensors"), rapid.MapOf(rapid.String(), rapid.String()).Draw(rt, "metadata")
		data := encodeTensors(t, want, metadata)
		if n := binary.LittleEndian.Uint64(data); n%8 != 0 {
			rt.Errorf("the data start at %d", 8+n)
		}
		got, meta, err := ReadTensors(data)
		if err != nil {
			rt.Fatal(err)
		}
		if d := cmp.Diff(want, got, cmpopts.EquateEmpty()) + cmp.Diff(metadata, meta, cmpopts.EquateEmpty()); d != "" {
			rt.Error(d)
		}
	})
}

func FuzzReadTensors(f *testing.F) {
	f.Add(encodeTensors(f, nil, nil))
	f.Add(encodeTensors(f, []Tensor{{"a.weight", []int{2, 2}, []float32{1, 2, 3, 4}}, {"b", nil, []float32{5}}}, map[string]string{"format": "pt"}))
	f.Add(encodeTensors(f, []Tensor{{"e", []int{0, 3}, nil}, {"d", []int{3, 0}, nil}}, nil))
	f.Add(file(`{"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0]}}`))
	f.Add(file(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[1,5]}}`, 0, 0, 0, 0, 0))
	f.Add(file(`{"a":{"dtype":"F16","shape":[null],"data_offsets":[null]}}`))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\x7f{}")) // a header of 2^63 bytes
	f.Add(file(`{"a":` + strings.Repeat("[", 20_000)))
	f.Add(file(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var tensors []Tensor
		var metadata map[string]string
		var err error
		within(t, len(data), func() { tensors, metadata, err = ReadTensors(data) })
		if err != nil {
			return
		}
		again, meta, err := ReadTensors(encodeTensors(t, tensors, metadata))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(tensors, again, cmpopts.EquateEmpty(), cmpopts.EquateNaNs()) + cmp.Diff(metadata, meta, cmpopts.EquateEmpty()); d != "" {
			t.Error(d)
		}
	})
}

// TestTensorsPython reads our file with the safetensors package of Python, and reads back
// what it writes.
func TestTensorsPython(t *testing.T) {
	python := os.Getenv("RIFFLE_PYTHON")
	if python == "" {
		python = "python3"
	}
	if out, err := exec.Command(python, "-c", "import numpy, safetensors.numpy").CombinedOutput(); err != nil {
		t.Skipf("%s cannot import numpy and safetensors (RIFFLE_PYTHON may name another): %v %s", python, err, out)
	}
	dir := t.TempDir()
	want := []Tensor{
		{"encoder.weight", []int{2, 3}, []float32{1, -2.5, 3e-39, float32(math.Inf(1)), 0, 6}},
		{"größe \"<x>\"", nil, []float32{7}},
		{"empty", []int{0, 4}, nil},
	}
	in, out := filepath.Join(dir, "in.safetensors"), filepath.Join(dir, "out.safetensors")
	if err := os.WriteFile(in, encodeTensors(t, want, map[string]string{"format": "pt", "step": "3"}), 0o666); err != nil {
		t.Fatal(err)
	}
	script := `
import sys, numpy
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
x = load_file(sys.argv[1])
assert safe_open(sys.argv[1], "np").metadata() == {"format": "pt", "step": "3"}
assert x["encoder.weight"].tolist() == [[1, -2.5, float(numpy.float32(3e-39))], [float("inf"), 0, 6]], x
assert x["empty"].shape == (0, 4) and x["größe \"<x>\""].shape == ()
save_file(x, sys.argv[2], {"by": "python"})
`
	if msg, err := exec.Command(python, "-X", "utf8", "-c", script, in, out).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, msg)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	got, metadata, err := ReadTensors(data)
	if err != nil {
		t.Fatal(err)
	}
	byName := cmpopts.SortSlices(func(a, b Tensor) bool { return a.Name < b.Name })
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), byName) + cmp.Diff(map[string]string{"by": "python"}, metadata); d != "" {
		t.Error(d)
	}
}
