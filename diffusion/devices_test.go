package diffusion

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/internal/enginetest"
)

// With the batch spread over two or four devices the losses are those of one, dropout and all.
func TestSpreadKeepsTheLosses(t *testing.T) {
	const n, batch, steps = 5, 8, 20
	e := enginetest.Open(t, "xla")
	p := riffleGPL(0, 7)
	d, err := denoiser.New(denoiser.Config{
		N: n, Law: p.Reverse, Encoder: denoiser.EncoderConfig{Kind: "features", Features: 2, Hidden: []int{8}},
		Dim: 8, Layers: 2, Heads: 2, FeedForward: 16, Dropout: 0.2,
	})
	if err != nil {
		t.Fatal(err)
	}
	curve := func(devices int) []float64 {
		store := model.NewStore()
		if err := d.Init(store, 3); err != nil {
			t.Fatal(err)
		}
		tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 11, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer tr.Close()
		if err := tr.Spread(devices); err != nil {
			t.Fatal(err)
		}
		var losses []float64
		for s := 1; s <= steps; s++ {
			losses = append(losses, trainOne(t, tr, s, 5e-3, batchOf(p, uint64(s), batch, n, features(rand.New(rand.NewPCG(1, uint64(s))), batch, n))))
		}
		return losses
	}
	want := curve(1)
	for _, devices := range []int{2, 4} {
		if devices > e.NumDevices() {
			t.Skipf("%d devices: the engine has %d", devices, e.NumDevices())
		}
		for i, got := range curve(devices) {
			if math.Abs(got-want[i]) > 1e-5*math.Abs(want[i]) {
				t.Errorf("%d devices: loss of step %d is %.8f, wanted %.8f as on one", devices, i+1, got, want[i])
			}
		}
	}
}
