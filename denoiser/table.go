package denoiser

import (
	"fmt"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/internal/onnxgraph"
)

// tableEncoder learns a vector for each of N identities: x [batch, n] int32.
type tableEncoder struct{ w *Param }

func newTable(r *registry, name string, cfg *Config) (encoder, error) {
	return &tableEncoder{w: r.add(name+".weight", normal(1), cfg.N, cfg.Dim)}, nil
}

func (e *tableEncoder) apply(c *Context, x *graph.Node) *graph.Node {
	w := c.get(e.w)
	hot := oneHot(x, w.Shape().Dimensions[0])
	return graph.DotGeneral(hot, []int{2}, nil, w, []int{0}, nil)
}

func (*tableEncoder) floats(bool) float64 { return 0 }

func (*tableEncoder) ends() string { return "its table of identities ends" }

func (e *tableEncoder) onnx(b *onnxgraph.Builder) onnxgraph.Value {
	x := onnxInput(b, fmt.Sprintf("identities, 0 to %d", e.w.Shape[0]-1), onnxgraph.Int64)
	return b.Op("Gather", []onnxgraph.Value{b.Weight(e.w.Name), x})
}
