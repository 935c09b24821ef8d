package denoiser

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/layers/activation"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// windowEncoder reads an image as windows side by side (the digits of a number), all with the same small network.
// That has convolutions, then hidden layers with ReLU and, with Codes, so many units of tanh. The windows' features
// side by side give d numbers by one linear layer. What it learns of a digit in one place it knows in all. With a
// Kernel the convolutions are those of "cnn", pooled. Without one they have a stride and ReLU (5×5 first, then 3×3,
// each halving the size), or there are none. That is a hundredth of the arithmetic of the paper's CNN.
type windowEncoder struct {
	pooled        *pooledConvs // nil without a Kernel
	strided       []*conv
	hidden        []*linear
	codes         *linear // nil without Codes
	out           *linear
	windows, size int
	planes        int // of a pixel
	dropout       float64

	name   string
	dim    int
	config EncoderConfig
}

func newWindow(r *registry, name string, cfg *Config) (encoder, error) {
	e := &cfg.Encoder
	if e.Height < 1 || e.Width < 1 || e.Window < 1 {
		return nil, field.Errorf("Encoder.Kind", "window needs a height, a width and a window (got %d, %d, %d)", e.Height, e.Width, e.Window)
	}
	if len(e.Hidden) == 0 {
		return nil, field.Errorf("Encoder.Hidden", "missing with encoder window, wanted such as [256, 64]")
	}
	if e.Width%e.Window != 0 {
		return nil, field.Errorf("Encoder.Kind", "the window must divide the width of %d pixels (got %d)", e.Width, e.Window)
	}
	enc := &windowEncoder{windows: e.Width / e.Window, size: e.Window, planes: max(1, e.Planes), dropout: e.Dropout, name: name, dim: cfg.Dim, config: *e}
	flat, err := enc.convolutions(r)
	if err != nil {
		return nil, err
	}
	for i, units := range e.Hidden {
		enc.hidden = append(enc.hidden, newLinear(r, fmt.Sprintf("%s.fc%d", name, i+1), flat, units, true))
		flat = units
	}
	if e.Codes > 0 {
		enc.codes = newLinear(r, name+".codes", flat, e.Codes, false)
		flat = e.Codes
	}
	enc.out = newLinear(r, name+".out", enc.windows*flat, cfg.Dim, false)
	return enc, nil
}

// convolutions makes those there are, and returns how many numbers they leave of a window.
func (e *windowEncoder) convolutions(r *registry) (flat int, err error) {
	if e.config.Kernel > 0 {
		e.pooled, flat, err = newPooledConvs(r, e.name, &e.config, e.size)
		return flat, err
	}
	in, h, w, kernel := e.planes, e.config.Height, e.size, 5
	for i, out := range e.config.Channels {
		e.strided = append(e.strided, newConv(r, fmt.Sprintf("%s.conv%d", e.name, i+1), in, out, kernel, 2, kernel/2))
		in, h, w, kernel = out, (h+1)/2, (w+1)/2, 3
	}
	return h * w * in, nil
}

func (e *windowEncoder) apply(c *Context, x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	h := graph.Reshape(e.features(c, e.split(x)), d[0]*d[1], -1)
	return graph.Reshape(e.out.apply(c, h, activation.TypeNone), d[0], d[1], -1)
}

// codeSharpness multiplies what the codes' tanh takes, so that it saturates early.
const codeSharpness = 2

// split cuts images [batch, n, height, windows·size], in colour with a last axis more, into
// [batch, n, windows, height, size, planes].
func (e *windowEncoder) split(x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	return graph.TransposeAllAxes(graph.Reshape(x, d[0], d[1], d[2], e.windows, e.size, e.planes), 0, 1, 3, 2, 4, 5)
}

// features takes windows [batch, n, windows, height, size, planes] and returns [batch·n·windows, units].
func (e *windowEncoder) features(c *Context, x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	h := pixels(graph.Reshape(x, d[0], d[1]*d[2], d[3], d[4], d[5]))
	if e.pooled != nil {
		h = e.pooled.apply(c, h, d[1], d[2])
	} else {
		for _, conv := range e.strided {
			h = activation.Relu(conv.apply(c, h))
		}
		h = graph.Reshape(channelsFirst(h), h.Shape().Dimensions[0], -1)
	}
	for _, l := range e.hidden {
		h = c.dropout(l.apply(c, h, activation.TypeRelu), e.dropout)
	}
	if e.codes != nil {
		h = graph.Tanh(graph.MulScalar(e.codes.apply(c, h, activation.TypeNone), codeSharpness))
	}
	return h
}

func (e *windowEncoder) floats(onGo bool) (total float64) {
	if e.pooled != nil {
		total = float64(e.windows) * e.pooled.floats(e.size, onGo)
	} else {
		h, w := e.config.Height, e.size
		for _, c := range e.config.Channels {
			h, w = (h+1)/2, (w+1)/2
			total += float64(e.windows * h * w * c * 3)
		}
	}
	for _, units := range e.config.Hidden {
		total += float64(e.windows * units * 2)
	}
	return total + float64(e.windows*e.config.Codes*3)
}

func (e *windowEncoder) onnx(b *onnxgraph.Builder) onnxgraph.Value {
	x := b.Reshape(e.config.onnxPixels(b), -1, e.config.Height, e.windows, e.size, e.planes)
	x = b.Reshape(b.Transpose(x, 0, 2, 4, 1, 3), -1, e.planes, e.config.Height, e.size)
	if e.pooled != nil {
		x = e.pooled.onnx(b, x)
	} else {
		for _, conv := range e.strided {
			x = b.Relu(conv.onnx(b, x))
		}
	}
	x = b.Op("Flatten", []onnxgraph.Value{x})
	for i := range e.hidden {
		x = b.Relu(b.Linear(fmt.Sprintf("%s.fc%d", e.name, i+1), x))
	}
	units := e.config.Hidden[len(e.config.Hidden)-1]
	if e.codes != nil {
		units = e.config.Codes
		x = b.Op("Tanh", []onnxgraph.Value{b.Mul(b.Linear(e.name+".codes", x), b.Scalar(codeSharpness))})
	}
	return onnxSets(b, b.Linear(e.name+".out", b.Reshape(x, -1, e.windows*units)), e.dim)
}

// WindowFeatures returns what the "window" encoder reads in each window of objects
// [batch, n, height, windows·size], before windows are put together:
// [batch·n·windows, units]; nil for other encoders.
func (d *Denoiser) WindowFeatures(c *Context, objects *graph.Node) *graph.Node {
	e, ok := d.encoder.(*windowEncoder)
	if !ok {
		return nil
	}
	return e.features(c, e.split(objects))
}
