package denoiser

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// cnnEncoder is the paper's image encoder (Tables "sort" and "jigsaw" of appendix H): each
// convolution with batch norm, ReLU and 2×2 max pooling, then one linear layer to d
// (no Hidden) or two. The paper's two-layer head for sorting, whose hidden size is the
// mean of 12,544 and 128, would alone have 80 million weights.
type cnnEncoder struct {
	convs []*conv
	norms []*batchNorm
	fcs   []*linear // ReLU between, none after the last

	name   string
	dim    int
	config EncoderConfig
}

func newCNN(r *registry, name string, cfg *Config) (encoder, error) {
	e := &cfg.Encoder
	switch {
	case e.Height < 1 || e.Width < 1:
		return nil, field.Errorf("Encoder.Kind", "cnn needs a height and a width (got %d and %d)", e.Height, e.Width)
	case e.Kernel < 1 || e.Kernel%2 == 0:
		return nil, field.Errorf("Encoder.Kernel", "must be odd and 1 to %d with encoder cnn (got %d)", maxKernel, e.Kernel)
	case len(e.Channels) == 0:
		return nil, field.Errorf("Encoder.Channels", "missing with encoder cnn, wanted such as [32, 64]")
	}
	enc := &cnnEncoder{name: name, dim: cfg.Dim, config: *e}
	in, h, w := max(1, e.Planes), e.Height, e.Width
	for i, out := range e.Channels {
		enc.convs = append(enc.convs, newConv(r, fmt.Sprintf("%s.conv%d", name, i+1), in, out, e.Kernel, 1, e.Kernel/2))
		enc.norms = append(enc.norms, newBatchNorm(r, fmt.Sprintf("%s.bn%d", name, i+1), out))
		in, h, w = out, h/2, w/2
	}
	if h < 1 || w < 1 {
		return nil, field.Errorf("Encoder.Channels", "%d poolings leave nothing of %d×%d pixels", len(e.Channels), e.Height, e.Width)
	}
	flat := h * w * in
	enc.fcs = newMLP(r, name+".fc", flat, e.Hidden, cfg.Dim)
	return enc, nil
}

func (e *cnnEncoder) apply(c *Context, x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	parts := c.parts(pixels(x))
	var own *graph.Node
	if c.lengths != nil {
		own = graph.Reshape(graph.ConvertDType(within(c.lengths, d[1]), dtypes.Float32), -1)
	}
	for i, conv := range e.convs {
		parts = e.norms[i].pooled(c, conv, parts, own)
	}
	h := parts[0]
	if len(parts) > 1 {
		h = graph.Concatenate(parts, 0)
	}
	h = applyMLP(c, e.fcs, graph.Reshape(channelsFirst(h), d[0]*d[1], -1))
	return graph.Reshape(h, d[0], d[1], -1)
}

func (e *cnnEncoder) floats(onGo bool) (total float64) {
	h, w, in := e.config.Height, e.config.Width, max(1, e.config.Planes)
	for _, c := range e.config.Channels {
		total += float64(h * w * c * 4) // convolution, norm, ReLU, and the pool's choice
		if onGo {
			total += float64(h * w * e.config.Kernel * in) // a row of patches
		}
		h, w, in = h/2, w/2, c
	}
	return total
}

func (e *cnnEncoder) onnx(b *onnxgraph.Builder) onnxgraph.Value {
	x := b.Transpose(b.Reshape(e.config.onnxPixels(b), -1, e.config.Height, e.config.Width, max(1, e.config.Planes)), 0, 3, 1, 2)
	for i, conv := range e.convs {
		norm := fmt.Sprintf("%s.bn%d", e.name, i+1)
		x = b.Op("BatchNormalization", []onnxgraph.Value{
			conv.onnx(b, x), b.Weight(norm + ".weight"), b.Weight(norm + ".bias"), b.Weight(norm + ".running_mean"), b.Weight(norm + ".running_var"),
		}, onnxgraph.FloatAttribute("epsilon", onnxgraph.NormEpsilon))
		x = b.Op("MaxPool", []onnxgraph.Value{b.Relu(x)}, onnxgraph.IntsAttribute("kernel_shape", 2, 2), onnxgraph.IntsAttribute("strides", 2, 2))
	}
	return onnxSets(b, b.MLP(e.name+".fc", len(e.fcs), b.Op("Flatten", []onnxgraph.Value{x})), e.dim)
}

// parts cuts images into some parts on the go engine, most of whose operations are on one core
// each: those of different parts run side by side. How many is not the machine's to say, as
// sums over parts would round another way.
func (c *Context) parts(x *graph.Node) []*graph.Node {
	const count = 4
	images := x.Shape().Dimensions[0]
	if !c.onGo() || images < 2*count {
		return []*graph.Node{x}
	}
	parts := make([]*graph.Node, count)
	for i := range parts {
		parts[i] = graph.Slice(x, graph.AxisRange(i*images/count, (i+1)*images/count))
	}
	return parts
}

// channelsFirst orders a flattened image as PyTorch does: [images, h, w, ch] → [images, ch, h, w].
func channelsFirst(x *graph.Node) *graph.Node { return graph.TransposeAllAxes(x, 0, 3, 1, 2) }
