package denoiser_test

import (
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/reverse"
)

// Running statistics of batch norm are no weights: a name that begins no other is none, and others leave them be.
func TestFreezeLeavesStatistics(t *testing.T) {
	network := func() *denoiser.Denoiser {
		d, err := denoiser.New(denoiser.Config{
			N: 3, Law: reverse.PlackettLuce{}, Encoder: denoiser.EncoderConfig{Kind: "cnn", Height: 4, Width: 4, Channels: []int{2, 2}, Kernel: 3},
			Dim: 4, Layers: 1, Heads: 2, FeedForward: 4, Positions: "none", Norm: "post", Precision: "float32", GPLRows: "dummies", Score: "context",
		})
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if err := network().Freeze([]string{"encoder.bn1.running"}); err == nil || !strings.Contains(err.Error(), `no weight has a name that begins with "encoder.bn1.running"`) {
		t.Errorf("running statistics: %v", err)
	}
	d := network()
	if err := d.Freeze([]string{"encoder.bn1"}); err != nil {
		t.Fatal(err)
	}
	frozen := map[string]bool{}
	for _, p := range d.Params() {
		if p.Frozen {
			frozen[p.Name] = true
		}
	}
	if len(frozen) != 2 || !frozen["encoder.bn1.weight"] || !frozen["encoder.bn1.bias"] {
		t.Errorf("frozen: %v, wanted weight and bias of encoder.bn1", frozen)
	}
}
