package onnx

import (
	"fmt"

	"github.com/riffle-ml/riffle/denoiser"
)

// coordinateScale spreads coordinates and lengths over the wavelengths of the sinusoid.
const coordinateScale = 100

// encoders are the kinds that encoder knows.
var encoders = []string{"table", "points", "features", "cnn", "window"}

// encoder reads objects [batch, n, …] and returns [batch, n, dim], with Edges dim+2.
func (b *builder) encoder(cfg *denoiser.Config) value {
	e, dim := cfg.Encoder, cfg.Dim
	input := func(doc string, element int64, axes ...any) value {
		return b.input("objects", doc, element, append([]any{"batch", "n"}, axes...)...)
	}
	switch e.Kind {
	case "table":
		x := input(fmt.Sprintf("identities, 0 to %d", cfg.N-1), elementInt64)
		return b.op("Gather", []value{b.weight("encoder.weight"), x})
	case "points":
		points := input("coordinates, 0 to 1", elementFloat, 2)
		x := b.reshape(b.sinusoid(b.mul(points, b.scalar(coordinateScale)), dim/2), 0, 0, dim)
		if cfg.Edges {
			x = b.concat(-1, x, points)
		}
		return x
	case "features":
		x := input("features", elementFloat, e.Features)
		return b.mlp("encoder.fc", len(e.Hidden)+1, x)
	}
	planes := max(1, e.Planes)
	axes := []any{e.Height, e.Width}
	if planes > 1 {
		axes = append(axes, planes)
	}
	objects := input("pixels, 0 to 1", elementFloat, axes...)
	var x value // [batch·n, dim]
	if e.Kind == "cnn" {
		x = b.cnn(e, b.transpose(b.reshape(objects, -1, e.Height, e.Width, planes), 0, 3, 1, 2))
	} else {
		windows := e.Width / e.Window
		h := b.reshape(objects, -1, e.Height, windows, e.Window, planes)
		h = b.reshape(b.transpose(h, 0, 2, 4, 1, 3), -1, planes, e.Height, e.Window)
		x = b.windows(e, h, windows)
	}
	return b.op("Reshape", []value{x, b.concat(0, b.sizes(objects, 0, 2), b.ints(dim))})
}

// cnn takes images [images, planes, height, width].
func (b *builder) cnn(e denoiser.EncoderConfig, x value) value {
	for i := range e.Channels {
		norm := fmt.Sprintf("encoder.bn%d", i+1)
		x = b.conv(fmt.Sprintf("encoder.conv%d", i+1), x, e.Kernel, 1)
		x = b.op("BatchNormalization", []value{
			x, b.weight(norm + ".weight"), b.weight(norm + ".bias"), b.weight(norm + ".running_mean"), b.weight(norm + ".running_var"),
		}, floatAttribute("epsilon", normEpsilon))
		x = b.op("MaxPool", []value{b.relu(x)}, intsAttribute("kernel_shape", 2, 2), intsAttribute("strides", 2, 2))
	}
	return b.mlp("encoder.fc", len(e.Hidden)+1, b.op("Flatten", []value{x}))
}

// windows takes windows [images·count, planes, height, window].
func (b *builder) windows(e denoiser.EncoderConfig, x value, count int) value {
	kernel := 5
	for i := range e.Channels {
		x = b.relu(b.conv(fmt.Sprintf("encoder.conv%d", i+1), x, kernel, 2))
		kernel = 3
	}
	x = b.op("Flatten", []value{x})
	for i := range e.Hidden {
		x = b.relu(b.linear(fmt.Sprintf("encoder.fc%d", i+1), x))
	}
	return b.linear("encoder.out", b.reshape(x, -1, count*e.Hidden[len(e.Hidden)-1]))
}

// conv pads by half a kernel on each side.
func (b *builder) conv(name string, x value, kernel, stride int) value {
	pad := kernel / 2
	return b.op("Conv", []value{x, b.weight(name + ".weight"), b.weight(name + ".bias")},
		intsAttribute("kernel_shape", kernel, kernel), intsAttribute("strides", stride, stride), intsAttribute("pads", pad, pad, pad, pad))
}
