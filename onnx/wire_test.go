package onnx

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// field is a field of a message on the wire.
type field struct {
	number   int
	number64 uint64 // of a varint
	bytes    []byte // of what has a length
}

// fields reads a message, by the encoding's own rules.
func fields(t testing.TB, b []byte) (out []field) {
	t.Helper()
	for len(b) > 0 {
		key, n := binary.Uvarint(b)
		if n <= 0 || key>>3 == 0 {
			t.Fatalf("key %d of %d bytes", key, n)
		}
		b = b[n:]
		f := field{number: int(key >> 3)}
		switch key & 7 {
		case 0:
			if f.number64, n = binary.Uvarint(b); n <= 0 {
				t.Fatal("a varint that has no end")
			}
			b = b[n:]
		case 2:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				t.Fatalf("field %d: %d bytes, the message has %d", f.number, size, len(b))
			}
			f.bytes, b = b[n:n+int(size)], b[n+int(size):]
		case 5:
			if len(b) < 4 {
				t.Fatal("a float that has no end")
			}
			f.bytes, b = b[:4], b[4:]
		default:
			t.Fatalf("field %d: wire type %d", f.number, key&7)
		}
		out = append(out, f)
	}
	return out
}

type parsedTensor struct {
	element uint64
	shape   []int
	raw     []byte
}

type parsedNode struct {
	op              string
	inputs, outputs []string
	attributes      []string
}

type parsedModel struct {
	ir, opset       uint64
	domain          string
	metadata        map[string]string
	nodes           []parsedNode
	initializers    map[string]*parsedTensor
	inputs, outputs map[string][]string // name to element type and axes
}

// parse reads a model by the numbers of the fields in onnx.proto, written here a second time.
func parse(t testing.TB, file []byte) *parsedModel {
	t.Helper()
	m := &parsedModel{metadata: map[string]string{}, initializers: map[string]*parsedTensor{}, inputs: map[string][]string{}, outputs: map[string][]string{}}
	for _, f := range fields(t, file) {
		switch f.number {
		case 1:
			m.ir = f.number64
		case 8:
			for _, g := range fields(t, f.bytes) {
				switch g.number {
				case 1:
					m.domain = string(g.bytes)
				case 2:
					m.opset = g.number64
				}
			}
		case 14:
			e := fields(t, f.bytes)
			m.metadata[string(e[0].bytes)] = string(e[1].bytes)
		case 7:
			m.graph(t, f.bytes)
		}
	}
	return m
}

func (m *parsedModel) graph(t testing.TB, b []byte) {
	for _, f := range fields(t, b) {
		switch f.number {
		case 1:
			var n parsedNode
			for _, g := range fields(t, f.bytes) {
				switch g.number {
				case 1:
					n.inputs = append(n.inputs, string(g.bytes))
				case 2:
					n.outputs = append(n.outputs, string(g.bytes))
				case 4:
					n.op = string(g.bytes)
				case 5:
					n.attributes = append(n.attributes, string(fields(t, g.bytes)[0].bytes))
				}
			}
			m.nodes = append(m.nodes, n)
		case 5:
			x, name := &parsedTensor{}, ""
			for _, g := range fields(t, f.bytes) {
				switch g.number {
				case 1:
					x.shape = append(x.shape, int(g.number64))
				case 2:
					x.element = g.number64
				case 8:
					name = string(g.bytes)
				case 9:
					x.raw = g.bytes
				}
			}
			if m.initializers[name] != nil {
				t.Errorf("initializer %s: twice", name)
			}
			m.initializers[name] = x
		case 11, 12:
			name, axes := "", []string(nil)
			for _, g := range fields(t, f.bytes) {
				switch g.number {
				case 1:
					name = string(g.bytes)
				case 2:
					for _, h := range fields(t, fields(t, g.bytes)[0].bytes) {
						if h.number == 1 {
							axes = append(axes, fmt.Sprint("type ", h.number64))
							continue
						}
						for _, dim := range fields(t, h.bytes) {
							d := fields(t, dim.bytes)[0]
							axes = append(axes, map[int]string{1: fmt.Sprint(d.number64), 2: string(d.bytes)}[d.number])
						}
					}
				}
			}
			map[int]map[string][]string{11: m.inputs, 12: m.outputs}[f.number][name] = axes
		}
	}
}

// arity are the operators in use with how many inputs they may have, at opset 17
// (github.com/onnx/onnx, docs/Operators.md), and the attributes that they take.
var arity = map[string]struct {
	from, to   int
	attributes string
}{
	"Add": {2, 2, ""}, "BatchNormalization": {5, 5, "epsilon"}, "Cast": {1, 1, "to"}, "Concat": {1, 99, "axis"},
	"Conv": {2, 3, "kernel_shape strides pads"}, "Cos": {1, 1, ""}, "Div": {2, 2, ""}, "Equal": {2, 2, ""}, "Expand": {2, 2, ""}, "Flatten": {1, 1, ""},
	"Gather": {2, 2, ""}, "GatherND": {2, 2, "batch_dims"}, "Greater": {2, 2, ""}, "Identity": {1, 1, ""}, "LayerNormalization": {2, 3, "epsilon"},
	"Less": {2, 2, ""}, "Log": {1, 1, ""}, "MatMul": {2, 2, ""}, "Max": {1, 99, ""}, "MaxPool": {1, 1, "kernel_shape strides"}, "Mul": {2, 2, ""}, "Not": {1, 1, ""},
	"OneHot": {3, 3, ""}, "Pad": {2, 3, ""}, "Range": {3, 3, ""}, "ReduceMean": {1, 1, "axes keepdims"}, "ReduceMin": {1, 1, "axes keepdims"}, "ReduceSum": {1, 2, "keepdims"}, "Relu": {1, 1, ""}, "Reshape": {2, 2, ""},
	"Shape": {1, 1, "start end"}, "Sigmoid": {1, 1, ""}, "Sin": {1, 1, ""}, "Slice": {3, 5, ""}, "Softmax": {1, 1, "axis"}, "Tanh": {1, 1, ""},
	"Sqrt": {1, 1, ""}, "Squeeze": {1, 2, ""}, "Sub": {2, 2, ""}, "Transpose": {1, 1, "perm"}, "Unsqueeze": {2, 2, ""}, "Where": {3, 3, ""},
}

// check holds a model against what a reader of ONNX relies on.
func (m *parsedModel) check(t *testing.T) {
	t.Helper()
	if m.ir != 8 || m.opset != 17 || m.domain != "" || m.metadata["schedule"] != "[0,2,5]" {
		t.Errorf("IR %d, opset %d of %q, metadata %v", m.ir, m.opset, m.domain, m.metadata)
	}
	known, used := map[string]bool{}, map[string]bool{}
	define := func(name string) {
		if name == "" || known[name] || !utf8.ValidString(name) {
			t.Errorf("name %q: empty, taken or not UTF-8", name)
		}
		known[name] = true
	}
	for name := range m.inputs {
		define(name)
	}
	for name, x := range m.initializers {
		define(name)
		size := map[uint64]int{1: 4, 7: 8}[x.element]
		for _, d := range x.shape {
			size *= d
		}
		if size == 0 || len(x.raw) != size {
			t.Errorf("initializer %s: type %d, shape %v, %d bytes", name, x.element, x.shape, len(x.raw))
		}
	}
	for _, n := range m.nodes {
		for _, in := range n.inputs {
			if !known[in] {
				t.Errorf("%s %v: input %q comes from nowhere before it", n.op, n.outputs, in)
			}
			used[in] = true
		}
		a, ok := arity[n.op]
		if !ok || len(n.inputs) < a.from || len(n.inputs) > a.to || len(n.outputs) != 1 {
			t.Errorf("%s: %d inputs and %d outputs", n.op, len(n.inputs), len(n.outputs))
		}
		for _, attribute := range n.attributes {
			if !slices.Contains(strings.Fields(a.attributes), attribute) {
				t.Errorf("%s: attribute %s", n.op, attribute)
			}
		}
		define(n.outputs[0])
	}
	for name := range m.outputs {
		if !known[name] {
			t.Errorf("output %s: comes from nowhere", name)
		}
		used[name] = true
	}
	for name := range known {
		if !used[name] && name != "time" { // direct scores do not read it
			t.Errorf("%s: is not used", name)
		}
	}
}

// The files are well-formed, read by the format's rules and without the code that wrote them.
func TestStructure(t *testing.T) {
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			d, weights := network(t, change)
			e, s := export(t, d, weights)
			encoder, scores := parse(t, e), parse(t, s)
			encoder.check(t)
			scores.check(t)
			if got := slices.Sorted(maps.Keys(encoder.inputs)); !slices.Equal(got, []string{"objects"}) {
				t.Errorf("inputs of the encoder: %v", got)
			}
			width := "8"
			switch e := d.Config.Encoder; {
			case d.Config.Edges:
				width = "10"
			case d.Config.Pairs != "": // two lines of pixels at each of four sides
				width = fmt.Sprint(8 + 4*(e.Height+e.Width)*max(1, e.Planes))
			}
			embeddings := []string{"type 1", "batch", "n", width}
			wantAxes := map[int][]string{9: {"type 1", "batch", "n", "n"}, 3: {"type 1", "batch", "n"}, 4: {"type 1", "batch", "n + 1"}, 12: {"type 1", "batch", "n + 1", "n"}, 4 * 193: {"type 1", "batch", "n + 1", "193"}}[d.Config.Law.NumScores(3)]
			for what, c := range map[string][2][]string{
				"embeddings given": {encoder.outputs["embeddings"], embeddings},
				"embeddings taken": {scores.inputs["embeddings"], embeddings},
				"arrangement":      {scores.inputs["arrangement"], {"type 7", "batch", "n"}},
				"time":             {scores.inputs["time"], {"type 7", "batch"}},
				"scores":           {scores.outputs["scores"], wantAxes},
			} {
				if !slices.Equal(c[0], c[1]) {
					t.Errorf("%s: %v, wanted %v", what, c[0], c[1])
				}
			}
		})
	}
}
