package denoiser

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/gomlx/core/graph"
)

// encoder turns objects into vectors: input [batch, n, …] → [batch, n, dim].
type encoder interface {
	apply(c *Context, x *graph.Node) *graph.Node
}

func newEncoder(r *registry, name string, cfg *Config) (encoder, error) {
	e := &cfg.Encoder
	switch e.Kind {
	case "table":
		return &tableEncoder{w: r.add(name+".weight", normal(1), cfg.N, cfg.Dim)}, nil
	case "points":
		if cfg.Dim%4 != 0 {
			return nil, fmt.Errorf("model.dim: must be a multiple of 4 with encoder points (got %d)", cfg.Dim)
		}
		return pointsEncoder{dim: cfg.Dim}, nil
	case "features":
		if e.Features < 1 {
			return nil, fmt.Errorf("model.encoder: features needs features of 1 or more (got %d)", e.Features)
		}
		if len(e.Hidden) == 0 {
			return nil, fmt.Errorf("model.hidden: missing with encoder features, wanted such as [256, 64]")
		}
		return featuresEncoder{fcs: newMLP(r, name+".fc", e.Features, e.Hidden, cfg.Dim)}, nil
	case "cnn":
		return newCNN(r, name, cfg)
	case "window":
		return newWindow(r, name, cfg)
	}
	return nil, fmt.Errorf("model.encoder: unknown %q, wanted table, cnn, window, points or features", e.Kind)
}

// tableEncoder learns a vector for each of N identities: x [batch, n] int32.
type tableEncoder struct{ w *Param }

func (e *tableEncoder) apply(c *Context, x *graph.Node) *graph.Node {
	w := c.get(e.w)
	hot := oneHot(x, w.Shape().Dimensions[0])
	return graph.DotGeneral(hot, []int{2}, nil, w, []int{0}, nil)
}

// pointsEncoder is the sinusoid of each coordinate, no weights: x [batch, n, 2] float32
// with coordinates in [0, 1], scaled to the range that the frequencies resolve.
type pointsEncoder struct{ dim int }

// pointScale spreads [0, 1] over the sinusoid's wavelengths (2π to 2π·10⁴).
const pointScale = 100

func (e pointsEncoder) apply(c *Context, x *graph.Node) *graph.Node {
	s := sinusoid(graph.MulScalar(x, pointScale), e.dim/2) // [batch, n, 2, dim/2]
	dims := x.Shape().Dimensions
	return graph.Reshape(s, dims[0], dims[1], e.dim)
}

// featuresEncoder is linear layers with ReLU between: x [batch, n, features] float32.
type featuresEncoder struct{ fcs []*linear }

func (e featuresEncoder) apply(c *Context, x *graph.Node) *graph.Node {
	return applyMLP(c, e.fcs, x)
}

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
// The go engine's convolution runs at a twentieth of the speed of its matrix product, so
// there the convolution is the product of patches [images·height'·width', k·k·in] with
// the weights; XLA has its own convolution.
func (l *conv) apply(c *Context, x *graph.Node) *graph.Node {
	w := graph.TransposeAllAxes(c.get(l.w), 2, 3, 1, 0) // [k, k, in, out]
	var y *graph.Node
	if patchesWanted(c) {
		y = l.patches(c, x, w)
	} else {
		y = graph.Convolve(x, w).Strides(l.stride).PaddingPerDim([][2]int{{l.padding, l.padding}, {l.padding, l.padding}}).Done()
	}
	return graph.Add(y, graph.Reshape(c.get(l.b), 1, 1, 1, l.out))
}

func patchesWanted(c *Context) bool {
	return c.Graph.Backend().Name() == "go"
}

func (l *conv) patches(c *Context, x, w *graph.Node) *graph.Node {
	dims := x.Shape().Dimensions
	n, height, width := dims[0], dims[1], dims[2]
	outH := (height+2*l.padding-l.kernel)/l.stride + 1
	outW := (width+2*l.padding-l.kernel)/l.stride + 1
	pad := compute.PadAxis{Start: l.padding, End: l.padding}
	x = graph.Pad(x, graph.Scalar(c.Graph, dtypes.Float32, 0), compute.PadAxis{}, pad, pad, compute.PadAxis{})
	at := func(ky, kx int) *graph.Node {
		return graph.Slice(x, graph.AxisRange(),
			graph.AxisRange(ky, ky+(outH-1)*l.stride+1).Stride(l.stride),
			graph.AxisRange(kx, kx+(outW-1)*l.stride+1).Stride(l.stride), graph.AxisRange())
	}
	if l.in*l.kernel*l.kernel <= maxPatch {
		var parts []*graph.Node
		for ky := range l.kernel {
			for kx := range l.kernel {
				parts = append(parts, at(ky, kx))
			}
		}
		p := graph.Reshape(graph.Concatenate(parts, -1), n*outH*outW, l.kernel*l.kernel*l.in)
		y := graph.Dot(p, graph.Reshape(w, l.kernel*l.kernel*l.in, l.out)).Product()
		return graph.Reshape(y, n, outH, outW, l.out)
	}
	// One kernel row at a time: the patches of all rows at once would take gigabytes.
	var y *graph.Node
	for ky := range l.kernel {
		var parts []*graph.Node
		for kx := range l.kernel {
			parts = append(parts, at(ky, kx))
		}
		p := graph.Reshape(graph.Concatenate(parts, -1), n*outH*outW, l.kernel*l.in)
		row := graph.Reshape(graph.Slice(w, graph.AxisElem(ky)), l.kernel*l.in, l.out)
		part := graph.Dot(p, row).Product()
		if y == nil {
			y = part
		} else {
			y = graph.Add(y, part)
		}
	}
	return graph.Reshape(y, n, outH, outW, l.out)
}

// maxPatch is the longest patch that is put together in one piece.
const maxPatch = 320

// maxPool2 halves height and width of x [images, height, width, channels].
func maxPool2(x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	h, w := d[1]/2, d[2]/2
	x = graph.Slice(x, graph.AxisRange(), graph.AxisRange(0, 2*h), graph.AxisRange(0, 2*w), graph.AxisRange())
	return graph.ReduceMax(graph.Reshape(x, d[0], h, 2, w, 2, d[3]), 2, 4)
}

// pixels converts uint8 [batch, n, height, width] into float32 in [0, 1] with a channel axis,
// [batch·n, height, width, 1]; float32 input is taken as it is.
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
