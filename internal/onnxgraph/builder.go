// Package onnxgraph puts ONNX graphs together and writes them as protocol buffers.
package onnxgraph

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Value is the name of an array in a graph: an input, a constant or what a node gives.
type Value string

// Builder puts a graph together, node by node, in the order in which they are computed.
type Builder struct {
	weights map[string]Array
	graph   []byte // the fields of GraphProto so far
	known   map[Value]bool
	nodes   int
}

// Array is a weight of the network, row-major.
type Array struct {
	Shape []int
	Data  []float32
}

// New returns a builder of a graph that knows weights by their names.
func New(weights map[string]Array) *Builder {
	return &Builder{weights: weights, known: map[Value]bool{}}
}

// Model puts what describes a model around its graph: version ir of the format, opset of ONNX's own
// operators.
func (b *Builder) Model(ir, opset int64, name, doc string, metadata map[string]string) []byte {
	graph := appendBytes(b.graph, graphName, name)
	m := make([]byte, 0, len(graph)+1<<12)
	m = appendInt(m, modelIRVersion, ir)
	m = appendBytes(m, modelProducer, "riffle")
	m = appendBytes(m, modelDoc, doc)
	m = appendBytes(m, modelOpset, appendInt(nil, opsetVersion, opset))
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		m = appendBytes(m, modelMetadata, appendBytes(appendBytes(nil, entryKey, key), entryValue, metadata[key]))
	}
	return appendBytes(m, modelGraph, graph)
}

// Op adds a node with one output.
func (b *Builder) Op(kind string, inputs []Value, attributes ...attribute) Value {
	b.nodes++
	out := Value(fmt.Sprintf("%s_%d", kind, b.nodes))
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

// Input is an array that the graph is given.
func (b *Builder) Input(name, doc string, element int64, axes ...any) Value {
	b.graph = appendBytes(b.graph, graphInput, valueInfo(name, doc, element, axes))
	return Value(name)
}

// Output names a value that the graph gives.
func (b *Builder) Output(v Value, name, doc string, axes ...any) {
	n := appendBytes(appendBytes(nil, nodeInput, string(v)), nodeOutput, name)
	n = appendBytes(appendBytes(n, nodeName, name), nodeOpType, "Identity")
	b.graph = appendBytes(b.graph, graphNode, n)
	b.graph = appendBytes(b.graph, graphOutput, valueInfo(name, doc, Float, axes))
}

// constant adds an array once.
func (b *Builder) constant(name Value, element int64, shape []int, raw func() []byte) Value {
	if !b.known[name] {
		b.known[name] = true
		b.graph = appendBytes(b.graph, graphInitializer, tensorProto(string(name), element, shape, raw()))
	}
	return name
}

// Weight is an array of the network under its own name.
func (b *Builder) Weight(name string) Value {
	t, ok := b.weights[name]
	if !ok {
		panic(fmt.Errorf("parameter %q has no value", name))
	}
	return b.constant(Value(name), Float, t.Shape, func() []byte { return rawFloats(t.Data) })
}

// Floats adds an array.
func (b *Builder) Floats(name Value, shape []int, data ...float32) Value {
	return b.constant(name, Float, shape, func() []byte { return rawFloats(data) })
}

// Scalar is a number without an axis.
func (b *Builder) Scalar(v float32) Value {
	return b.Floats(Value(fmt.Sprintf("float_%g", v)), nil, v)
}

// Ints is a vector of whole numbers: shapes, axes, bounds of slices.
func (b *Builder) Ints(values ...int) Value {
	return b.constant(Value(fmt.Sprint("ints_", values)), Int64, []int{len(values)}, func() []byte { return rawInts(values) })
}

// Index is a whole number without an axis.
func (b *Builder) Index(v int) Value {
	return b.constant(Value(fmt.Sprint("int_", v)), Int64, nil, func() []byte { return rawInts([]int{v}) })
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

func (b *Builder) Add(x, y Value) Value    { return b.Op("Add", []Value{x, y}) }
func (b *Builder) Mul(x, y Value) Value    { return b.Op("Mul", []Value{x, y}) }
func (b *Builder) MatMul(x, y Value) Value { return b.Op("MatMul", []Value{x, y}) }
func (b *Builder) Relu(x Value) Value      { return b.Op("Relu", []Value{x}) }

func (b *Builder) Concat(axis int, parts ...Value) Value {
	return b.Op("Concat", parts, IntAttribute("axis", axis))
}

func (b *Builder) Transpose(x Value, axes ...int) Value {
	return b.Op("Transpose", []Value{x}, IntsAttribute("perm", axes...))
}

// Reshape takes sizes of which 0 keeps an axis and −1 is what is left.
func (b *Builder) Reshape(x Value, sizes ...int) Value {
	return b.Op("Reshape", []Value{x, b.Ints(sizes...)})
}

func (b *Builder) Unsqueeze(x Value, axes ...int) Value {
	return b.Op("Unsqueeze", []Value{x, b.Ints(axes...)})
}

// Slice takes from, inclusive, to, exclusive, as vectors of one number.
func (b *Builder) Slice(x, from, to Value, axis int) Value {
	return b.Op("Slice", []Value{x, from, to, b.Ints(axis)})
}

// Sizes is the vector of the sizes of axes from, inclusive, to, exclusive.
func (b *Builder) Sizes(x Value, from, to int) Value {
	return b.Op("Shape", []Value{x}, IntAttribute("start", from), IntAttribute("end", to))
}
