package denoiser

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// featuresEncoder is linear layers with ReLU between: x [batch, n, features] float32.
type featuresEncoder struct {
	name   string
	fcs    []*linear
	config EncoderConfig
}

func newFeatures(r *registry, name string, cfg *Config) (encoder, error) {
	e := cfg.Encoder
	if e.Features < 1 {
		return nil, field.Errorf("Encoder.Kind", "features needs features of 1 or more (got %d)", e.Features)
	}
	if len(e.Hidden) == 0 {
		return nil, field.Errorf("Encoder.Hidden", "missing with encoder features, wanted such as [256, 64]")
	}
	return featuresEncoder{name + ".fc", newMLP(r, name+".fc", e.Features, e.Hidden, cfg.Dim), e}, nil
}

func (e featuresEncoder) apply(c *Context, x *graph.Node) *graph.Node {
	return applyMLP(c, e.fcs, x)
}

func (e featuresEncoder) floats(bool) float64 {
	total := float64(e.config.Features)
	for _, units := range e.config.Hidden {
		total += float64(2 * units)
	}
	return total
}

func (e featuresEncoder) onnx(b *onnxgraph.Builder) onnxgraph.Value {
	return b.MLP(e.name, len(e.fcs), onnxInput(b, "features", onnxgraph.Float, e.config.Features))
}
