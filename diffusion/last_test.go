package diffusion

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// What the last insertion was is drawn with the probabilities that go with the state, and a
// fixed first object is never it. The loss of a step that is certain is that of the step drawn.
func TestLastInsertion(t *testing.T) {
	const n, batch, trajectories = 5, 16, 100
	for _, p := range []*Process{
		{Forward: shuffle.Insertion{}, Reverse: reverse.InverseInsertion{}, Steps: Every(6)},
		{Forward: shuffle.Insertion{}, Reverse: reverse.InverseInsertion{}, Steps: Every(6), FixFirst: true},
	} {
		if !p.HasExactPosterior() {
			t.Fatal("not a process of insertions")
		}
		o := Objective{Trajectories: trajectories, RandomStep: true}
		s := NewStates(batch, o.PerSet(p), n)
		s.Last = make([]float32, len(s.Rank))
		for i := range batch {
			rng := rand.New(rand.NewPCG(1, uint64(i)))
			clean := perm.Random(rng, n)
			if p.FixFirst {
				clean = p.apply(perm.Random(rng, n-1), perm.Identity(n))
			}
			o.Fill(s, p, rng, i, clean)
		}
		certain := make([]float32, len(s.Last))
		for i, rank := range s.Rank {
			if rank == n-1 {
				certain[i] = 1
			}
		}
		for at := range n {
			drawn, expected, variance := 0.0, 0.0, 0.0
			for i := at; i < len(s.Last); i += n {
				q := float64(s.Last[i])
				if certain[i] == 1 && q == 0 {
					t.Fatalf("state %d: position %d was drawn and has no probability", i/n, at)
				}
				drawn, expected, variance = drawn+float64(certain[i]), expected+q, variance+q*(1-q)
			}
			if math.Abs(drawn-expected) > 4*math.Sqrt(variance) || p.FixFirst && at == 0 && expected != 0 {
				t.Errorf("first fixed %v: position %d was drawn %g times, expected %g", p.FixFirst, at, drawn, expected)
			}
		}

		var losses [2]float64
		for i, last := range [][]float32{nil, certain} {
			e, store, d := tiny(t, p, n)
			tr, err := NewTrainer(e, store, d, BoundLoss(d, p), testAdamW, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			s.Last = last
			losses[i] = trainOne(t, tr, 1, 1e-3, append([]*tensors.Tensor{ranked(batch, n)}, s.Inputs()...))
			tr.Close()
		}
		if math.Abs(losses[0]-losses[1]) > 1e-5 {
			t.Errorf("first fixed %v: loss %g with the steps drawn, %g with them certain", p.FixFirst, losses[0], losses[1])
		}
	}
	if (&Process{Forward: shuffle.Insertion{}, Reverse: reverse.PlackettLuce{}, Steps: Every(6)}).HasExactPosterior() {
		t.Error("PL passes for II")
	}
}
