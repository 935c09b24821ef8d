package diffusion

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The average after each step is b·average + (1 − b)·weights with b = min(β, (1 + t)/(10 + t)), by
// the weights that the steps leave. Swap puts it in their place and back.
func TestAverage(t *testing.T) {
	const n, batch, beta = 3, 2, 0.25 // (1 + 2)/(10 + 2): the ramp ends at step 2
	p := riffleGPL(0, 7)
	e, store, d := tiny(t, p, n)
	a := testAdamW
	a.Average = beta
	tr, err := NewTrainer(e, store, d, BoundLoss(d, p), a, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	read := func() map[string][]float32 {
		t.Helper()
		all := map[string][]float32{}
		for _, p := range d.Params() {
			if all[p.Name], err = values(store, p.Name); err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	want := read()
	for s := 1; s <= 4; s++ {
		trainOne(t, tr, s, 1e-2, batchOf(p, uint64(s), batch, n, features(rand.New(rand.NewPCG(1, uint64(s))), batch, n)))
		b := math.Min(beta, float64(1+s)/float64(10+s))
		for name, now := range read() {
			for i, w := range now {
				want[name][i] = float32(b*float64(want[name][i]) + (1-b)*float64(w))
			}
		}
	}
	trained := read()
	if err := tr.Swap(); err != nil {
		t.Fatal(err)
	}
	moved := 0.0
	for name, got := range read() {
		for i, v := range got {
			if math.Abs(float64(v-want[name][i])) > 1e-6 {
				t.Fatalf("%s[%d] is %g, wanted %g", name, i, v, want[name][i])
			}
			moved = max(moved, math.Abs(float64(v-trained[name][i])))
		}
	}
	if moved < 1e-3 {
		t.Errorf("the average is at most %g from the weights: nothing is tested", moved)
	}
	if err := tr.Swap(); err != nil {
		t.Fatal(err)
	}
	for name, got := range read() {
		for i, v := range got {
			if v != trained[name][i] {
				t.Fatalf("%s[%d] is %g after two swaps, was %g", name, i, v, trained[name][i])
			}
		}
	}
}
