package onnxgraph

import (
	"math"

	"google.golang.org/protobuf/encoding/protowire"
)

// A message of protocol buffers is its fields one after the other.

func appendInt(b []byte, field protowire.Number, v int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), uint64(v))
}

func appendBytes[T ~string | ~[]byte](b []byte, field protowire.Number, v T) []byte {
	b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(len(v)))
	return append(b, v...) // without another copy of the weights
}

func appendFloat(b []byte, field protowire.Number, v float32) []byte {
	return protowire.AppendFixed32(protowire.AppendTag(b, field, protowire.Fixed32Type), math.Float32bits(v))
}

// Numbers of the fields and of the types of attributes and elements in onnx.proto (IR version
// 8), under the names they have there.
const (
	modelIRVersion = 1
	modelProducer  = 2
	modelDoc       = 6
	modelGraph     = 7
	modelOpset     = 8
	modelMetadata  = 14

	opsetVersion = 2

	entryKey   = 1
	entryValue = 2

	graphNode        = 1
	graphName        = 2
	graphInitializer = 5
	graphInput       = 11
	graphOutput      = 12

	nodeInput     = 1
	nodeOutput    = 2
	nodeName      = 3
	nodeOpType    = 4
	nodeAttribute = 5

	attributeName  = 1
	attributeFloat = 2
	attributeInt   = 3
	attributeInts  = 8
	attributeType  = 20

	typeFloat = 1 // of attributes
	typeInt   = 2
	typeInts  = 7

	tensorDims     = 1
	tensorDataType = 2
	tensorName     = 8
	tensorRawData  = 9

	valueName = 1
	valueType = 2
	valueDoc  = 3

	typeTensor      = 1
	tensorTypeElem  = 1
	tensorTypeShape = 2
	shapeDim        = 1
	dimensionValue  = 1
	dimensionSymbol = 2
)

// Types of elements.
const (
	Float = 1
	Int64 = 7
)

// MaxBytes is the longest message that readers of protocol buffers take.
const MaxBytes = 1<<31 - 1

// attribute is an encoded AttributeProto.
type attribute []byte

func attributeOf(name string, kind int64) attribute {
	return appendInt(appendBytes(nil, attributeName, name), attributeType, kind)
}

// IntAttribute is a whole number.
func IntAttribute(name string, v int) attribute {
	return appendInt(attributeOf(name, typeInt), attributeInt, int64(v))
}

// FloatAttribute is a number.
func FloatAttribute(name string, v float32) attribute {
	return appendFloat(attributeOf(name, typeFloat), attributeFloat, v)
}

// IntsAttribute is whole numbers.
func IntsAttribute(name string, values ...int) attribute {
	a := attributeOf(name, typeInts)
	for _, v := range values {
		a = appendInt(a, attributeInts, int64(v))
	}
	return a
}

// tensorProto encodes an array whose bytes, little-endian, are raw.
func tensorProto(name string, element int64, shape []int, raw []byte) []byte {
	b := make([]byte, 0, len(raw)+len(name)+64)
	for _, d := range shape {
		b = appendInt(b, tensorDims, int64(d))
	}
	b = appendInt(b, tensorDataType, element)
	b = appendBytes(b, tensorName, name)
	return appendBytes(b, tensorRawData, raw)
}

// valueInfo encodes an input or output; an axis is an int or, where it is dynamic, its name.
func valueInfo(name, doc string, element int64, axes []any) []byte {
	var shape []byte
	for _, a := range axes {
		var dim []byte
		switch a := a.(type) {
		case int:
			dim = appendInt(nil, dimensionValue, int64(a))
		case string:
			dim = appendBytes(nil, dimensionSymbol, a)
		}
		shape = appendBytes(shape, shapeDim, dim)
	}
	tensor := appendBytes(appendInt(nil, tensorTypeElem, element), tensorTypeShape, shape)
	b := appendBytes(appendBytes(nil, valueName, name), valueType, appendBytes(nil, typeTensor, tensor))
	return appendBytes(b, valueDoc, doc)
}
