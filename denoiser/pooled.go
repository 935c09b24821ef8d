package denoiser

import (
	"fmt"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// pooledConvs are convolutions of Channels, each of Kernel × Kernel pixels with batch norm, ReLU and 2 × 2 max
// pooling. The encoder "cnn" uses them on a whole image, and "window" on each of its windows.
type pooledConvs struct {
	convs []*conv
	norms []*batchNorm

	name   string
	config *EncoderConfig
}

// newPooledConvs is for images of a width of pixels, and returns how many numbers they leave of one.
func newPooledConvs(r *registry, name string, e *EncoderConfig, width int) (s *pooledConvs, flat int, err error) {
	switch {
	case e.Kernel < 1 || e.Kernel%2 == 0:
		return nil, 0, field.Errorf("Encoder.Kernel", "must be odd and 1 to %d with encoder %s (got %d)", maxKernel, e.Kind, e.Kernel)
	case len(e.Channels) == 0:
		return nil, 0, field.Errorf("Encoder.Channels", "missing with encoder %s, wanted such as [32, 64]", e.Kind)
	}
	s = &pooledConvs{name: name, config: e}
	in, h, w := max(1, e.Planes), e.Height, width
	for i, out := range e.Channels {
		s.convs = append(s.convs, newConv(r, fmt.Sprintf("%s.conv%d", name, i+1), in, out, e.Kernel, 1, e.Kernel/2))
		s.norms = append(s.norms, newBatchNorm(r, fmt.Sprintf("%s.bn%d", name, i+1), out))
		in, h, w = out, h/2, w/2
	}
	if h < 1 || w < 1 {
		return nil, 0, field.Errorf("Encoder.Channels", "%d poolings leave nothing of %d×%d pixels", len(e.Channels), e.Height, width)
	}
	return s, h * w * in, nil
}

// apply takes the images x [batch·n·windows, height, width, channels] of sets of n objects, each of which is so many windows, and
// returns [batch·n·windows, numbers].
func (s *pooledConvs) apply(c *Context, x *graph.Node, n, windows int) *graph.Node {
	images := x.Shape().Dimensions[0]
	parts := c.parts(x)
	var own *graph.Node
	if c.lengths != nil {
		own = graph.Reshape(graph.ConvertDType(within(c.lengths, n), dtypes.Float32), -1, 1)
		own = graph.Reshape(graph.BroadcastToDims(own, images/windows, windows), -1)
	}
	for i, conv := range s.convs {
		parts = s.norms[i].pooled(c, conv, parts, own)
	}
	h := parts[0]
	if len(parts) > 1 {
		h = graph.Concatenate(parts, 0)
	}
	return graph.Reshape(channelsFirst(h), images, -1)
}

// floats is what they keep of an image of a width of pixels for the way back.
func (s *pooledConvs) floats(width int, onGo bool) (total float64) {
	h, w, in := s.config.Height, width, max(1, s.config.Planes)
	for _, c := range s.config.Channels {
		total += float64(h * w * c * 4) // convolution, norm, ReLU, and the pool's choice
		if onGo {
			total += float64(h * w * s.config.Kernel * in) // a row of patches
		}
		h, w, in = h/2, w/2, c
	}
	return total
}

// onnx takes and returns images [images, channels, height, width].
func (s *pooledConvs) onnx(b *onnxgraph.Builder, x onnxgraph.Value) onnxgraph.Value {
	for i, conv := range s.convs {
		norm := fmt.Sprintf("%s.bn%d", s.name, i+1)
		x = b.Op("BatchNormalization", []onnxgraph.Value{
			conv.onnx(b, x), b.Weight(norm + ".weight"), b.Weight(norm + ".bias"), b.Weight(norm + ".running_mean"), b.Weight(norm + ".running_var"),
		}, onnxgraph.FloatAttribute("epsilon", onnxgraph.NormEpsilon))
		x = b.Op("MaxPool", []onnxgraph.Value{b.Relu(x)}, onnxgraph.IntsAttribute("kernel_shape", 2, 2), onnxgraph.IntsAttribute("strides", 2, 2))
	}
	return x
}

// parts cuts images into some parts on the go engine. Most of its operations are on one core each,
// and those of different parts run side by side. How many is not the machine's to say, as sums over
// parts would round another way.
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
