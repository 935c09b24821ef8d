package diffusion

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/riffle-ml/riffle/perm"
)

var testLatent = Latent{Samples: 10, Entropy: 0.05, Rate: 0.995, SD: 1}

// pictures are states of sets whose objects show their rank, in 2 pixels that are far apart;
// the network reads them scaled down.
func pictures(p *Process, seed uint64, batch, n int) (objects *tensors.Tensor, states *LatentStates) {
	o := Objective{Trajectories: 1}
	s := NewStates(batch, o.PerSet(p), n)
	pixels := make([]float32, batch*n*2)
	for i := range pixels {
		pixels[i] = 4 * float32(i/2%n)
	}
	for i := range batch {
		o.Fill(s, p, rand.New(rand.NewPCG(seed, uint64(i))), i, perm.Identity(n))
	}
	return ranked(batch, n), s.Picture(pixels, 2)
}

// With every law the latent loss learns the reverse steps, which it never sees: what the
// network gives the true ones is measured by the loss that knows them.
func TestLatentLearns(t *testing.T) {
	const n, batch = 4, 16
	for _, p := range processes() {
		p.Steps = []int{0, 1}
		if p.Reverse.FullSupport() {
			p.Steps = []int{0, 7}
		}
		e, store, d := tiny(t, p, n)
		tr, err := NewTrainer(e, store, d, testLatent.Loss(d, p), testAdamW, 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		lt, err := NewLatentTrainer(e, store, d, p, testLatent, 3)
		if err != nil {
			t.Fatal(err)
		}
		dec, err := NewDecoder(e, store, d, p)
		if err != nil {
			t.Fatal(err)
		}
		truth := func() float64 { // mean −log p of the true reverse steps
			objects, _ := pictures(p, 99, batch, n)
			enc, err := dec.Encode(t.Context(), objects)
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for i := range batch {
				states, shuffles := p.Trajectory(rand.New(rand.NewPCG(99, uint64(i))), perm.Identity(n))
				flat := make([]int32, batch*n)
				for b := range batch {
					putOrder(flat[b*n:], states[1])
				}
				scores, err := dec.Scores(t.Context(), enc, flat, 1, p.Steps[1])
				if err != nil {
					t.Fatal(err)
				}
				sum -= p.Reverse.LogProb(scores[:p.Reverse.NumScores(n)], shuffles[0].Inverse())
			}
			return sum / batch
		}
		before, steps := truth(), 200
		if p.Reverse.Name() == "it" {
			steps = 800 // which two objects are out of place is harder to see than an order
		}
		for s := 1; s <= steps; s++ {
			objects, states := pictures(p, uint64(s), batch, n)
			in, err := lt.Inputs(s, tr.Seed, objects, states)
			if err != nil {
				t.Fatal(err)
			}
			trainOne(t, tr, s, 5e-3, in)
		}
		if after := truth(); !(after < 0.5*before) {
			t.Errorf("%s: the true steps have %.3f nats before and %.3f after", p.Reverse.Name(), before, after)
		}
		if lt.Average <= 0 || lt.Average > 1 { // about 1/N + λ·entropy
			t.Errorf("%s: the control variate is %g", p.Reverse.Name(), lt.Average)
		}
	}
}

// The true permutation cannot reach the loss. Where two objects look the same, what a step reads is
// equal whichever of the two moved where. Renaming the objects changes nothing.
func TestLatentSeesPixelsOnly(t *testing.T) {
	const n = 4
	p := riffleGPL(0, 2, 7)
	e, store, d := tiny(t, p, n)
	pixels := []float32{1, 2, 1, 2, 5, 6, 9, 3} // objects 0 and 1 look the same
	inputs := func(pixels []float32, clean perm.Order, swap map[int32]int32) (all [][]float32, ranks []int32) {
		s := NewStates(1, p.NumSteps(), n)
		Objective{Trajectories: 1}.Fill(s, p, rand.New(rand.NewPCG(8, 8)), 0, clean)
		for i, v := range s.Arrangement {
			if w, ok := swap[v]; ok {
				s.Arrangement[i] = w
			}
		}
		states := s.Picture(pixels, 2)
		if states.Rank != nil {
			t.Error("the shuffles are still among the states")
		}
		lt, err := NewLatentTrainer(e, store, d, p, testLatent, 3)
		if err != nil {
			t.Fatal(err)
		}
		defer lt.Close()
		in, err := lt.Inputs(1, 1, tensors.FromFlatDataAndDimensions(slices.Clone(pixels), 1, n, 2), states)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range []int{4, 5} { // weights, value
			flat, err := tensors.CopyFlatData[float32](in[i])
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, flat)
		}
		if ranks, err = tensors.CopyFlatData[int32](in[3]); err != nil {
			t.Fatal(err)
		}
		return append(all, states.Now, states.Before), ranks
	}
	a, ranksA := inputs(pixels, perm.Order{0, 1, 2, 3}, nil)
	b, ranksB := inputs(pixels, perm.Order{1, 0, 2, 3}, nil) // the other of the twins first
	if !reflect.DeepEqual(a, b) || !slices.Equal(ranksA, ranksB) {
		t.Error("the loss tells apart which of two equal pictures moved")
	}
	renamed := []float32{9, 3, 5, 6, 1, 2, 1, 2} // objects numbered backwards
	c, ranksC := inputs(renamed, perm.Order{3, 2, 1, 0}, nil)
	if !reflect.DeepEqual(a, c) || !slices.Equal(ranksA, ranksC) {
		t.Error("the loss depends on how objects are numbered")
	}
	other, _ := inputs(pixels, perm.Order{2, 1, 0, 3}, nil) // another picture
	if reflect.DeepEqual(a, other) {
		t.Error("the loss does not depend on the picture")
	}
}

// The factors are those of the formula, computed here state by state.
func TestLatentFactors(t *testing.T) {
	for _, sd := range []float64{1, 0.5} {
		latent := testLatent
		latent.SD = sd
		latentFactors(t, latent)
	}
	if err := (Latent{Samples: 10, Entropy: 0.05, Rate: 0.995}).Validate(); err == nil || err.Error() != "SD: must be 1e-06 or more and finite (got 0)" {
		t.Errorf("no standard deviation: %v", err)
	}
}

func latentFactors(t *testing.T, latent Latent) {
	const n, batch = 3, 2
	p := riffleGPL(0, 7)
	e, store, d := tiny(t, p, n)
	lt, err := NewLatentTrainer(e, store, d, p, latent, 3)
	if err != nil {
		t.Fatal(err)
	}
	lt.Average = 0.25
	objects, states := pictures(p, 4, batch, n)
	for i := range states.Now { // near enough that every draw counts
		states.Now[i] /= 10
		states.Before[i] /= 10
	}
	dec, err := NewDecoder(e, store, d, p)
	if err != nil {
		t.Fatal(err)
	}
	enc, err := dec.Encode(t.Context(), objects)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := dec.Scores(t.Context(), enc, states.Arrangement, 1, 7)
	if err != nil {
		t.Fatal(err)
	}
	in, err := lt.Inputs(1, 1, objects, states)
	if err != nil {
		t.Fatal(err)
	}
	ranks, err := tensors.CopyFlatData[int32](in[3])
	if err != nil {
		t.Fatal(err)
	}
	got, err := tensors.CopyFlatData[float32](in[4])
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for row := range batch {
		var likelihood, logp []float64
		total := 0.0
		for j := range latent.Samples {
			rank := make(perm.Rank, n)
			square := 0.0
			for k := range n {
				to := int(ranks[(row*latent.Samples+j)*n+k])
				rank[k] = to
				for x := range 2 {
					diff := float64(states.Before[(row*n+to)*2+x] - states.Now[(row*n+k)*2+x])
					square += diff * diff
				}
			}
			logp = append(logp, p.Reverse.LogProb(scores[row*n*n:(row+1)*n*n], rank.Order()))
			likelihood = append(likelihood, math.Exp(-square/2/(latent.SD*latent.SD)))
			total += likelihood[j]
		}
		for j := range likelihood {
			factor := likelihood[j]/total - 0.05*logp[j]
			mean += factor / float64(batch*latent.Samples)
			if g := float64(got[row*latent.Samples+j]); math.Abs(g-(factor-0.25)) > 1e-4 {
				t.Errorf("state %d draw %d: factor %.6f, wanted %.6f", row, j, g, factor-0.25)
			}
		}
	}
	if want := 0.995*0.25 + 0.005*mean; math.Abs(lt.Average-want) > 1e-6 {
		t.Errorf("moving average %.8f, wanted %.8f", lt.Average, want)
	}
}
