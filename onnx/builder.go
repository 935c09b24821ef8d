package onnx

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/riffle-ml/riffle/run"
)

// value is the name of an array in a graph: an input, a constant or what a node gives.
type value string

// builder puts a graph together, node by node, in the order in which they are computed.
type builder struct {
	weights map[string]run.Tensor
	graph   []byte // the fields of GraphProto so far
	known   map[value]bool
	nodes   int
}

// op adds a node with one output.
func (b *builder) op(kind string, inputs []value, attributes ...attribute) value {
	b.nodes++
	out := value(fmt.Sprintf("%s_%d", kind, b.nodes))
	var n []byte
	for _, v := range inputs {
		n = appendBytes(n, nodeInput, string(v))
	}
	n = appendBytes(n, nodeOutput, string(out))
	n = appendBytes(n, nodeName, string(out))
	n = appendBytes(n, nodeOpType, kind)
	for _, a := range attributes {
		n = appendBytes(n, nodeAttribute, a)
	}
	b.graph = appendBytes(b.graph, graphNode, n)
	return out
}

func (b *builder) input(name, doc string, element int64, axes ...any) value {
	b.graph = appendBytes(b.graph, graphInput, valueInfo(name, doc, element, axes))
	return value(name)
}

// output names a value that the graph gives.
func (b *builder) output(v value, name, doc string, axes ...any) {
	n := appendBytes(appendBytes(nil, nodeInput, string(v)), nodeOutput, name)
	n = appendBytes(appendBytes(n, nodeName, name), nodeOpType, "Identity")
	b.graph = appendBytes(b.graph, graphNode, n)
	b.graph = appendBytes(b.graph, graphOutput, valueInfo(name, doc, elementFloat, axes))
}

// constant adds an array once.
func (b *builder) constant(name value, element int64, shape []int, raw func() []byte) value {
	if !b.known[name] {
		b.known[name] = true
		b.graph = appendBytes(b.graph, graphInitializer, tensorProto(string(name), element, shape, raw()))
	}
	return name
}

// weight is an array of the network under its own name.
func (b *builder) weight(name string) value {
	t, ok := b.weights[name]
	if !ok {
		panic(fmt.Errorf("parameter %q has no value", name))
	}
	return b.constant(value(name), elementFloat, t.Shape, func() []byte { return rawFloats(t.Data) })
}

func (b *builder) floats(name value, shape []int, data ...float32) value {
	return b.constant(name, elementFloat, shape, func() []byte { return rawFloats(data) })
}

func (b *builder) scalar(v float32) value {
	return b.floats(value(fmt.Sprintf("float_%g", v)), nil, v)
}

// ints is a vector of whole numbers: shapes, axes, bounds of slices.
func (b *builder) ints(values ...int) value {
	return b.constant(value(fmt.Sprint("ints_", values)), elementInt64, []int{len(values)}, func() []byte { return rawInts(values) })
}

// index is a whole number without an axis.
func (b *builder) index(v int) value {
	return b.constant(value(fmt.Sprint("int_", v)), elementInt64, nil, func() []byte { return rawInts([]int{v}) })
}

func rawFloats(data []float32) []byte {
	raw := make([]byte, 0, 4*len(data))
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	return raw
}

func rawInts(data []int) []byte {
	raw := make([]byte, 0, 8*len(data))
	for _, v := range data {
		raw = binary.LittleEndian.AppendUint64(raw, uint64(v))
	}
	return raw
}

// Shorter names for the nodes that there are most of.

func (b *builder) add(x, y value) value    { return b.op("Add", []value{x, y}) }
func (b *builder) mul(x, y value) value    { return b.op("Mul", []value{x, y}) }
func (b *builder) matMul(x, y value) value { return b.op("MatMul", []value{x, y}) }
func (b *builder) relu(x value) value      { return b.op("Relu", []value{x}) }

func (b *builder) concat(axis int, parts ...value) value {
	return b.op("Concat", parts, intAttribute("axis", axis))
}

func (b *builder) transpose(x value, axes ...int) value {
	return b.op("Transpose", []value{x}, intsAttribute("perm", axes...))
}

// reshape takes sizes of which 0 keeps an axis and −1 is what is left.
func (b *builder) reshape(x value, sizes ...int) value {
	return b.op("Reshape", []value{x, b.ints(sizes...)})
}

func (b *builder) unsqueeze(x value, axes ...int) value {
	return b.op("Unsqueeze", []value{x, b.ints(axes...)})
}

// slice takes from, inclusive, to, exclusive, as vectors of one number.
func (b *builder) slice(x, from, to value, axis int) value {
	return b.op("Slice", []value{x, from, to, b.ints(axis)})
}

// sizes is the vector of the sizes of axes from, inclusive, to, exclusive.
func (b *builder) sizes(x value, from, to int) value {
	return b.op("Shape", []value{x}, intAttribute("start", from), intAttribute("end", to))
}
