package denoiser

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// conv is torch.nn.Conv2d with weights [out, in, k, k], applied to channels-last images.
type conv struct {
	w, b                    *Param
	kernel, stride, padding int
	in, out                 int
}

func newConv(r *registry, name string, in, out, kernel, stride, padding int) *conv {
	return &conv{
		w:      r.add(name+".weight", kaiming(in*kernel*kernel), out, in, kernel, kernel),
		b:      r.add(name+".bias", constant(0), out),
		kernel: kernel, stride: stride, padding: padding, in: in, out: out,
	}
}

// apply takes x [images, height, width, in] and returns [images, height', width', out].
//
// The go engine's convolution is a plain loop, far slower than its matrix product. So there the
// convolution is a product of pixels side by side with the weights. XLA has its own.
func (l *conv) apply(c *Context, x *graph.Node) *graph.Node {
	return graph.Add(l.product(c, x, nil), graph.Reshape(c.get(l.b), 1, 1, 1, l.out))
}

// product is apply without the bias, each channel times its factor [out] if there are some.
func (l *conv) product(c *Context, x, factor *graph.Node) *graph.Node {
	w := graph.TransposeAllAxes(c.get(l.w), 2, 3, 1, 0) // [k, k, in, out]
	if factor != nil {
		w = graph.Mul(w, graph.ExpandLeftToRank(factor, 4))
	}
	return l.convolve(c, x, w)
}

func (l *conv) convolve(c *Context, x, w *graph.Node) *graph.Node {
	if l.suitsWinograd() {
		return l.winograd(x, w)
	}
	if c.onGo() {
		return l.patches(c, x, w)
	}
	return graph.Convolve(x, w).Strides(l.stride).PaddingPerDim([][2]int{{l.padding, l.padding}, {l.padding, l.padding}}).Done()
}

// patches convolves by products of patches. A stride is taken out first. Blocks of stride × stride
// pixels become one pixel with more channels, over which a kernel of blocks goes with stride 1.
// (The engine's gradient of a strided slice takes thirty times as long.)
func (l *conv) patches(c *Context, x, w *graph.Node) *graph.Node {
	dims := x.Shape().Dimensions
	n, s := dims[0], l.stride
	outH := (dims[1]+2*l.padding-l.kernel)/s + 1
	outW := (dims[2]+2*l.padding-l.kernel)/s + 1
	kernel, in := (l.kernel+s-1)/s, l.in*s*s // in blocks
	zero := graph.Scalar(c.Graph, dtypes.Float32, 0)
	// The blocks that the kernel reaches; what lies beyond them is cut off.
	fit := func(size, out int) compute.PadAxis {
		return compute.PadAxis{Start: l.padding, End: max(0, (out-1+kernel)*s-size-l.padding)}
	}
	x = graph.Pad(x, zero, compute.PadAxis{}, fit(dims[1], outH), fit(dims[2], outW), compute.PadAxis{})
	h, wd := outH-1+kernel, outW-1+kernel
	x = graph.Slice(x, graph.AxisRange(), graph.AxisRange(0, h*s), graph.AxisRange(0, wd*s), graph.AxisRange())
	if s > 1 {
		x = graph.Reshape(x, n, h, s, wd, s, l.in)
		x = graph.Reshape(graph.TransposeAllAxes(x, 0, 1, 3, 2, 4, 5), n, h, wd, in)
		more := compute.PadAxis{End: kernel*s - l.kernel}
		w = graph.Reshape(graph.Pad(w, zero, more, more, compute.PadAxis{}, compute.PadAxis{}), kernel, s, kernel, s, l.in, l.out)
		w = graph.Reshape(graph.TransposeAllAxes(w, 0, 2, 1, 3, 4, 5), kernel, kernel, in, l.out)
	}
	return bands(x, w, outH, outW)
}

// bands is the product of x [n, outH+k−1, at least outW+k−1, in] with weights w [k, k, in, out] at
// each pixel. Bands of b pixels side by side are one row of a matrix product, its weights shifted
// once for each of the b. So b+k−1 pixels are read, where patches of their own would be b·k copies.
// That the shifted weights are mostly zeros at the ends costs (b+k−1)/k the arithmetic, at the
// speed of a product b times as wide.
func bands(x, w *graph.Node, outH, outW int) *graph.Node {
	zero := graph.ScalarZero(x.Graph(), x.DType())
	d, k, in, out := x.Shape().Dimensions, w.Shape().Dimensions[0], w.Shape().Dimensions[2], w.Shape().Dimensions[3]
	b := max(1, k-1)
	columns, extra := (outW+b-1)/b, (k-1+b-1)/b
	width := (extra + 1) * b // of a band, b+k−1 or a little more
	more := (columns+extra)*b - d[2]
	if more > 0 {
		x = graph.Pad(x, zero, compute.PadAxis{}, compute.PadAxis{}, compute.PadAxis{End: more}, compute.PadAxis{})
	}
	if more < 0 {
		x = graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, (columns+extra)*b), graph.AxisRange())
	}
	x = graph.Reshape(x, d[0], d[1], columns+extra, b*in)
	var parts []*graph.Node
	for e := range extra + 1 {
		parts = append(parts, graph.Slice(x, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(e, e+columns), graph.AxisRange()))
	}
	x = graph.Concatenate(parts, -1) // [n, h, columns, width·in]
	parts = nil
	for o := range b {
		shift := compute.PadAxis{Start: o, End: width - k - o}
		parts = append(parts, graph.Pad(w, zero, compute.PadAxis{}, shift, compute.PadAxis{}, compute.PadAxis{}))
	}
	w = graph.Reshape(graph.Concatenate(parts, -1), k, width*in, b*out)

	rows := make([]*graph.Node, k)
	for ky := range rows {
		rows[ky] = graph.Slice(x, graph.AxisRange(), graph.AxisRange(ky, ky+outH), graph.AxisRange(), graph.AxisRange())
	}
	var y *graph.Node
	if k*width*in <= maxPatch {
		p := graph.Reshape(graph.Concatenate(rows, -1), -1, k*width*in)
		y = graph.Dot(p, graph.Reshape(w, k*width*in, b*out)).Product()
	} else { // the rows side by side would take gigabytes
		for ky, row := range rows {
			part := graph.Dot(graph.Reshape(row, -1, width*in), graph.Squeeze(graph.Slice(w, graph.AxisElem(ky)), 0)).Product()
			y = plus(y, part)
		}
	}
	y = graph.Reshape(y, d[0], outH, columns*b, out)
	if columns*b > outW {
		y = graph.Slice(y, graph.AxisRange(), graph.AxisRange(), graph.AxisRange(0, outW), graph.AxisRange())
	}
	return y
}

// maxPatch is the longest patch that is put together in one piece.
const maxPatch = 320

// maxPool2 halves height and width of x [images, height, width, channels]. Pixels that are the
// greatest of four together share the gradient. GoMLX's ReduceMax gives it whole to each of them,
// and on an even ground all four are equal.
func maxPool2(x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	h, w := d[1]/2, d[2]/2
	if d[1] > 2*h || d[2] > 2*w {
		x = graph.Slice(x, graph.AxisRange(), graph.AxisRange(0, 2*h), graph.AxisRange(0, 2*w), graph.AxisRange())
	}
	x = graph.Reshape(x, d[0], h, 2, w, 2, d[3])
	return graph.IdentityWithCustomGradient(graph.ReduceMax(x, 2, 4), func(most, v *graph.Node) *graph.Node {
		// In integers: XLA's CPU would write floats out before it sums them.
		greatest := graph.ConvertDType(graph.GreaterOrEqual(x, graph.ExpandAxes(most, 2, 4)), dtypes.Int32)
		return graph.Div(v, graph.ConvertDType(graph.ReduceSum(greatest, 2, 4), v.DType()))
	})
}

// onnx takes x [images, in, height, width]; it pads by half a kernel on each side.
func (l *conv) onnx(b *onnxgraph.Builder, x onnxgraph.Value) onnxgraph.Value {
	pad := l.kernel / 2
	return b.Op("Conv", []onnxgraph.Value{x, b.Weight(l.w.Name), b.Weight(l.b.Name)}, onnxgraph.IntsAttribute("kernel_shape", l.kernel, l.kernel),
		onnxgraph.IntsAttribute("strides", l.stride, l.stride), onnxgraph.IntsAttribute("pads", pad, pad, pad, pad))
}
