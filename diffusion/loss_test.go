package diffusion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/perm"
)

// lossOf is a loss without dropout or gradient.
func lossOf(t *testing.T, e *engine.Engine, store *model.Store, loss Loss, inputs []*tensors.Tensor) float64 {
	t.Helper()
	exec, err := model.NewExec(e.Backend, store, func(_ *model.Scope, in []*graph.Node) *graph.Node {
		return loss(denoiser.NewContext(in[0].Graph(), store, false, nil), in)
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call1(inputs)
	if err != nil {
		t.Fatal(err)
	}
	flat, err := tensors.CopyFlatData[float32](out)
	if err != nil {
		t.Fatal(err)
	}
	return float64(flat[0])
}

// The bound's loss is the mean, not the sum, of −log p over the states that count, as the host
// computes it from the network's scores. Padding has no part in it.
func TestBoundLossIsAMean(t *testing.T) {
	const n, batch = 4, 5
	for _, p := range slices.Concat(processes(), fixed()) {
		if p.HasExactPosterior() { // its loss is the mean over the posterior, which last_test.go has
			continue
		}
		e, store, d := tiny(t, p, n)
		dec, err := NewDecoder(e, store, d, p)
		if err != nil {
			t.Fatal(err)
		}
		objects := features(rand.New(rand.NewPCG(6, 6)), batch, n)
		o := Objective{Trajectories: 1}
		s := NewStates(batch, o.PerSet(p), n)
		for i := range batch {
			o.Fill(s, p, rand.New(rand.NewPCG(6, uint64(i))), i, perm.Identity(n))
		}
		for row := range s.PerSet { // the last set is padding
			s.Weight[(batch-1)*s.PerSet+row] = 0
		}
		enc, err := dec.Encode(t.Context(), objects)
		if err != nil {
			t.Fatal(err)
		}
		free := p.Free(n)
		width, want := p.Reverse.NumScores(free), 0.0
		for k, at := range p.Steps[1:] {
			states := make([]int32, 0, batch*n)
			for i := range batch {
				row := i*s.PerSet + k
				states = append(states, s.Arrangement[row*n:(row+1)*n]...)
			}
			scores, err := dec.Scores(t.Context(), enc, states, 1, at)
			if err != nil {
				t.Fatal(err)
			}
			for i := range batch - 1 {
				rank := make(perm.Rank, free)
				for j := range free {
					rank[j] = int(s.Rank[(i*s.PerSet+k)*n+n-free+j]) - (n - free)
				}
				want -= p.Reverse.LogProb(scores[i*width:(i+1)*width], rank.Order()) / float64((batch-1)*p.NumSteps())
			}
		}
		if got := lossOf(t, e, store, BoundLoss(d, p), append([]*tensors.Tensor{objects}, s.Inputs()...)); math.Abs(got-want) > 1e-4*math.Max(1, want) {
			t.Errorf("%s, first fixed %v: loss %.6f, the mean of −log p is %.6f", p.Reverse.Name(), p.FixFirst, got, want)
		}
	}
}

// With the first object fixed the scores that are left are those of the other objects in the
// other places: of a matrix without its first row and column.
func TestFreeScores(t *testing.T) {
	e, _, _ := tiny(t, riffleGPL(0, 2, 7), 3)
	p := riffleGPL(0, 2, 7)
	p.FixFirst = true
	cut := func(dims ...int) []float32 {
		flat := make([]float32, 1)
		for _, d := range dims {
			flat = make([]float32, len(flat)*d)
		}
		for i := range flat {
			flat[i] = float32(i)
		}
		exec, err := graph.NewExec(e.Backend, p.freeScores)
		if err != nil {
			t.Fatal(err)
		}
		defer exec.Finalize()
		got, err := tensors.CopyFlatData[float32](exec.MustCall(tensors.FromFlatDataAndDimensions(flat, dims...))[0])
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got, want := cut(1, 3, 3), []float32{4, 5, 7, 8}; !slices.Equal(got, want) {
		t.Errorf("of the matrix 0 … 8: %v, wanted %v", got, want)
	}
	if got, want := cut(2, 3), []float32{1, 2, 4, 5}; !slices.Equal(got, want) {
		t.Errorf("of two vectors 0 1 2, 3 4 5: %v, wanted %v", got, want)
	}
}

// A beam of several states offers at least as many ways a state as it keeps states: an inner
// beam below the outer is widened to it.
func TestInnerBeamIsWidened(t *testing.T) {
	const n, outer = 5, 12
	for _, p := range processes() {
		e, store, d := tiny(t, p, n)
		dec, err := NewDecoder(e, store, d, p)
		if err != nil {
			t.Fatal(err)
		}
		enc, err := dec.Encode(t.Context(), features(rand.New(rand.NewPCG(9, 1)), 1, n))
		if err != nil {
			t.Fatal(err)
		}
		start := p.Noise(5, 0, 1, n)
		narrow, err := dec.Beam(t.Context(), enc, start, outer, 1)
		if err != nil {
			t.Fatal(err)
		}
		wide, err := dec.Beam(t.Context(), enc, start, outer, outer)
		if err != nil {
			t.Fatal(err)
		}
		if len(narrow[0]) != len(wide[0]) {
			t.Fatalf("%s: %d orders with an inner beam of 1, %d with one of %d", p.Reverse.Name(), len(narrow[0]), len(wide[0]), outer)
		}
		for i := range wide[0] {
			if !slices.Equal(narrow[0][i].Order(), wide[0][i].Order()) || narrow[0][i].LogProb != wide[0][i].LogProb {
				t.Errorf("%s: order %d is %v with an inner beam of 1, %v with one of %d", p.Reverse.Name(), i, narrow[0][i].Order(), wide[0][i].Order(), outer)
			}
		}
		if p.Reverse.FullSupport() && len(wide[0]) != outer {
			t.Errorf("%s: a beam of %d kept %d orders", p.Reverse.Name(), outer, len(wide[0]))
		}
	}
}
