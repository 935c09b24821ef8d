package denoiser

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// cnnEncoder is the paper's image encoder (Tables "sort" and "jigsaw" of appendix H): pooled
// convolutions, then one linear layer to d (no Hidden) or two. The paper's two-layer head for sorting, whose hidden size is the
// mean of 12,544 and 128, would alone have 80 million weights.
type cnnEncoder struct {
	convs *pooledConvs
	fcs   []*linear // ReLU between, none after the last

	name   string
	dim    int
	config EncoderConfig
}

func newCNN(r *registry, name string, cfg *Config) (encoder, error) {
	e := &cfg.Encoder
	if e.Height < 1 || e.Width < 1 {
		return nil, field.Errorf("Encoder.Kind", "cnn needs a height and a width (got %d and %d)", e.Height, e.Width)
	}
	convs, flat, err := newPooledConvs(r, name, e, e.Width)
	if err != nil {
		return nil, err
	}
	return &cnnEncoder{convs: convs, fcs: newMLP(r, name+".fc", flat, e.Hidden, cfg.Dim), name: name, dim: cfg.Dim, config: *e}, nil
}

func (e *cnnEncoder) apply(c *Context, x *graph.Node) *graph.Node {
	d := x.Shape().Dimensions
	h := applyMLP(c, e.fcs, e.convs.apply(c, pixels(x), d[1], 1))
	return graph.Reshape(h, d[0], d[1], -1)
}

func (e *cnnEncoder) floats(onGo bool) float64 { return e.convs.floats(e.config.Width, onGo) }

func (e *cnnEncoder) onnx(b *onnxgraph.Builder) onnxgraph.Value {
	x := b.Transpose(b.Reshape(e.config.onnxPixels(b), -1, e.config.Height, e.config.Width, max(1, e.config.Planes)), 0, 3, 1, 2)
	return onnxSets(b, b.MLP(e.name+".fc", len(e.fcs), b.Op("Flatten", []onnxgraph.Value{e.convs.onnx(b, x)})), e.dim)
}
