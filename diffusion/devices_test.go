package diffusion

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/internal/hint"
)

// That a training on several devices is that of one, package learn tests.
func TestSpreadRefuses(t *testing.T) {
	p := riffleGPL(0, 7)
	e, store, d := tiny(t, p, 3)
	tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	for count, want := range map[int]string{
		-1: "devices: must be 1 or more (got -1)",
		0:  "devices: must be 1 or more (got 0)",
		2:  "devices: the go engine has 1, which uses all cores (got 2)\nhint: --engine xla shares batches among devices",
	} {
		if err := tr.Spread(count); err == nil || hint.Text(err) != want {
			t.Errorf("%d devices: %v, wanted %s", count, err, want)
		}
	}
	if err := tr.Spread(1); err != nil {
		t.Error(err)
	}
}

func TestSpreadDividesEveryBatch(t *testing.T) {
	const n = 3
	p := riffleGPL(0, 7)
	e := enginetest.Open(t, "xla")
	_, store, d := tiny(t, p, n)
	tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer tr.Close()
	if err := tr.Spread(e.NumDevices() + 1); err == nil || !strings.Contains(hint.Text(err), "devices: the xla engine has") {
		t.Errorf("more devices than there are: %v", err)
	}
	if e.NumDevices() < 2 {
		t.Skipf("not run on 2 devices: the engine has %d", e.NumDevices())
	}
	if err := tr.Spread(2); err != nil {
		t.Fatal(err)
	}
	_, err = tr.Step(1, 1e-3, batchOf(p, 1, 3, n, features(rand.New(rand.NewPCG(1, 1)), 3, n))...)
	if want := "training step 1: a batch of 3 sets cannot be divided among 2 devices"; err == nil || hint.Text(err) != want {
		t.Errorf("a batch of 3: %v, wanted %s", err, want)
	}
}
