package denoiser

import (
	"math"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/reverse"
)

// Running statistics move a tenth of the way to those of the batch, whose variance is taken
// without bias, Σ(x − mean)²/(N − 1), as PyTorch's BatchNorm2d keeps it. The convolution hands its
// pixels on, so that the statistics are those of the pixels.
func TestRunningStatistics(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		const side = 2
		pixels := []uint8{0, 51, 204, 255} // N = 4: with N in place of N − 1 the variance is a quarter less
		d, err := New(Config{
			N: 2, Law: reverse.PlackettLuce{}, Encoder: EncoderConfig{Kind: "cnn", Height: side, Width: side, Channels: []int{1}, Kernel: 1},
			Dim: 4, Layers: 1, Heads: 1, FeedForward: 4,
		})
		if err != nil {
			t.Fatal(err)
		}
		store := model.NewStore()
		if err := d.Init(store, 3); err != nil {
			t.Fatal(err)
		}
		set := func(name string, value ...float32) {
			v := Variable(store, name)
			if err := v.SetValue(tensors.FromFlatDataAndDimensions(value, v.Shape().Dimensions...)); err != nil {
				t.Fatal(err)
			}
		}
		names := map[string]string{}
		for _, p := range d.Params() {
			for _, end := range []string{"conv1.weight", "conv1.bias", "bn1.running_mean", "bn1.running_var"} {
				if len(p.Name) >= len(end) && p.Name[len(p.Name)-len(end):] == end {
					names[end] = p.Name
				}
			}
		}
		set(names["conv1.weight"], 1)
		set(names["conv1.bias"], 0)
		set(names["bn1.running_mean"], 0)
		set(names["bn1.running_var"], 1)
		exec, err := model.NewExec(e.Backend, store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
			c := NewContext(in[0].Graph(), store, true, nil)
			return graph.ReduceAllSum(d.Encode(c, in[0]))
		})
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		if _, err := exec.Call1(tensors.FromFlatDataAndDimensions(pixels, 1, 1, side, side)); err != nil {
			t.Fatal(err)
		}
		running := func(name string) float64 {
			flat, err := tensors.CopyFlatData[float32](Variable(store, names[name]).MustValue())
			if err != nil {
				t.Fatal(err)
			}
			return float64(flat[0])
		}
		// Pixels are 0, .2, .8 and 1 for the network: mean .5, squares .25 + .09 + .09 + .25.
		mean, variance := 0.1*0.5, 0.9*1+0.1*0.68/3
		if m, v := running("bn1.running_mean"), running("bn1.running_var"); math.Abs(m-mean) > 1e-5 || math.Abs(v-variance) > 1e-5 {
			t.Errorf("running mean %.6f and variance %.6f, wanted %.6f and %.6f", m, v, mean, variance)
		}
	})
}
