package denoiser

import (
	"strings"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// encoder turns objects into vectors: input [batch, n, …] → [batch, n, dim].
type encoder interface {
	apply(c *Context, x *graph.Node) *graph.Node
	// floats is about how many numbers it keeps of one object for the way back, without the object.
	floats(onGo bool) float64
}

// onnxEncoder is an encoder that has a form in ONNX: from an input "objects" to [batch, n, dim].
type onnxEncoder interface {
	onnx(b *onnxgraph.Builder) onnxgraph.Value
}

// tableEnds is an encoder that reads no more than Config.N objects.
type tableEnds interface{ ends() string }

// Objects is what an encoder reads.
type Objects string

// What objects may be.
const (
	Identities Objects = "identities" // [batch, n] int32
	Points     Objects = "points"     // [batch, n, 2] float32
	Features   Objects = "features"   // [batch, n, features] float32
	Images     Objects = "images"     // [batch, n, height, width], in colour with a last axis more
)

// encoderKind is a kind of encoder.
type encoderKind struct {
	name  string
	reads Objects
	// make checks the configuration and adds the encoder's arrays.
	make func(r *registry, name string, cfg *Config) (encoder, error)
}

var encoderKinds = []encoderKind{
	{"table", Identities, newTable},
	{"cnn", Images, newCNN},
	{"window", Images, newWindow},
	{"points", Points, newPoints},
	{"features", Features, newFeatures},
	{"own", "", newOwn},
}

// EncodersOf are the kinds of encoders that read such objects.
func EncodersOf(objects Objects) (kinds []string) {
	for _, k := range encoderKinds {
		if k.reads == objects {
			kinds = append(kinds, k.name)
		}
	}
	return kinds
}

// Reads is what the encoder reads, "" for one of one's own.
func (e EncoderConfig) Reads() Objects {
	for _, k := range encoderKinds {
		if k.name == e.Kind {
			return k.reads
		}
	}
	return ""
}

func newEncoder(r *registry, name string, cfg *Config) (encoder, error) {
	var names []string
	for _, k := range encoderKinds {
		if k.name == cfg.Encoder.Kind {
			return k.make(r, name, cfg)
		}
		if k.reads != "" {
			names = append(names, k.name)
		}
	}
	last := len(names) - 1
	return nil, field.Errorf("Encoder.Kind", "unknown %q, wanted %s or %s", cfg.Encoder.Kind, strings.Join(names[:last], ", "), names[last])
}

// ObjectFloats estimates how many numbers the encoder keeps of one object in training.
func (d *Denoiser) ObjectFloats(onGo bool) float64 {
	e := d.Config.Encoder
	return float64(e.Height*e.Width*max(1, e.Planes)) + d.encoder.floats(onGo) + 2*float64(d.Config.Dim)
}

// HasONNX reports whether the encoder has a form in ONNX.
func (d *Denoiser) HasONNX() bool {
	_, ok := d.encoder.(onnxEncoder)
	return ok
}

// EncodeONNX adds the encoder to a graph in ONNX and returns the embeddings [batch, n, width], see
// [Denoiser.Encode]. The encoder must have such a form ([Denoiser.HasONNX]).
func (d *Denoiser) EncodeONNX(b *onnxgraph.Builder) (embeddings onnxgraph.Value, width int) {
	x := d.encoder.(onnxEncoder).onnx(b)
	switch {
	case d.tour != nil:
		return b.Concat(-1, x, onnxObjects), d.Config.Dim + 2 // the points themselves, from which the lengths come
	case d.pairs != nil:
		return b.Concat(-1, x, d.pairs.onnx(b)), d.Config.Dim + d.pairs.kept()
	}
	return x, d.Config.Dim
}

// onnxObjects is the input that an encoder in ONNX reads.
const onnxObjects = onnxgraph.Value("objects")

// onnxInput adds that input: [batch, n] and axes.
func onnxInput(b *onnxgraph.Builder, doc string, element int64, axes ...any) onnxgraph.Value {
	return b.Input(string(onnxObjects), doc, element, append([]any{"batch", "n"}, axes...)...)
}

// onnxPixels is the input of images.
func (e *EncoderConfig) onnxPixels(b *onnxgraph.Builder) onnxgraph.Value {
	axes := []any{e.Height, e.Width}
	if e.Planes > 1 {
		axes = append(axes, e.Planes)
	}
	return onnxInput(b, "pixels, 0 to 1", onnxgraph.Float, axes...)
}

// onnxSets brings vectors [batch·n, dim] of the input's objects to [batch, n, dim].
func onnxSets(b *onnxgraph.Builder, x onnxgraph.Value, dim int) onnxgraph.Value {
	return b.Op("Reshape", []onnxgraph.Value{x, b.Concat(0, b.Sizes(onnxObjects, 0, 2), b.Ints(dim))})
}

// pixels converts uint8 [batch, n, height, width], in colour with one more axis at the end, into
// float32 in [0, 1]. The result has a channel axis, [batch·n, height, width, channels]. float32
// input is taken as it is.
func pixels(x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	scale := x.DType() == dtypes.Uint8
	x = graph.ConvertDType(x, dtypes.Float32)
	if scale {
		x = graph.MulScalar(x, 1.0/255)
	}
	channels := 1
	if len(d) == 5 {
		channels = d[4]
	}
	return graph.Reshape(x, d[0]*d[1], d[2], d[3], channels)
}
