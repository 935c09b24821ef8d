package denoiser

import (
	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/internal/field"
	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// pointsEncoder is the sinusoid of each coordinate, no weights: x [batch, n, 2] float32
// with coordinates in [0, 1], scaled to the range that the frequencies resolve.
type pointsEncoder struct{ dim int }

// PointScale spreads [0, 1] over the sinusoid's wavelengths (2π to 2π·10⁴).
const PointScale = 100

func newPoints(_ *registry, _ string, cfg *Config) (encoder, error) {
	if cfg.Dim%4 != 0 {
		return nil, field.Errorf("Dim", "must be a multiple of 4 with encoder points (got %d)", cfg.Dim)
	}
	return pointsEncoder{dim: cfg.Dim}, nil
}

func (e pointsEncoder) apply(c *Context, x *graph.Node) *graph.Node {
	s := sinusoid(graph.MulScalar(x, PointScale), e.dim/2) // [batch, n, 2, dim/2]
	dims := x.Shape().Dimensions
	return graph.Reshape(s, dims[0], dims[1], e.dim)
}

func (pointsEncoder) floats(bool) float64 { return 0 }

func (e pointsEncoder) onnx(b *onnxgraph.Builder) onnxgraph.Value {
	points := onnxInput(b, "coordinates, 0 to 1", onnxgraph.Float, 2)
	return b.Reshape(b.Sinusoid(b.Mul(points, b.Scalar(PointScale)), e.dim/2), 0, 0, e.dim)
}
