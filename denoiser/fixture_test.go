package denoiser_test

import (
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
	"github.com/riffle-ml/riffle/shuffle"
)

// settings are a configuration as the PyTorch reference writes it.
type settings struct {
	N           int     `json:"n"`
	Law         string  `json:"law"`
	GPLRows     string  `json:"gpl_rows"`
	Encoder     string  `json:"encoder"`
	Height      int     `json:"height"`
	Width       int     `json:"width"`
	Window      int     `json:"window"`
	Channels    []int   `json:"channels"`
	Kernel      int     `json:"kernel"`
	Hidden      []int   `json:"hidden"`
	Codes       int     `json:"codes"`
	Features    int     `json:"features"`
	Dim         int     `json:"dim"`
	Layers      int     `json:"layers"`
	Heads       int     `json:"heads"`
	FeedForward int     `json:"feed_forward"`
	Dropout     float64 `json:"dropout"`
	Positions   string  `json:"positions"`
	Edges       bool    `json:"edges"`
	Score       string  `json:"score"`
}

func (s settings) network(t *testing.T) *denoiser.Denoiser {
	t.Helper()
	law, err := reverse.ByName(s.Law)
	if err != nil {
		t.Fatal(err)
	}
	d, err := denoiser.New(denoiser.Config{
		N: s.N, Law: law, GPLRows: s.GPLRows,
		Encoder: denoiser.EncoderConfig{
			Kind: s.Encoder, Height: s.Height, Width: s.Width, Window: s.Window,
			Channels: s.Channels, Kernel: s.Kernel, Hidden: s.Hidden, Codes: s.Codes, Features: s.Features,
		},
		Dim: s.Dim, Layers: s.Layers, Heads: s.Heads, FeedForward: s.FeedForward,
		Dropout: s.Dropout, Positions: s.Positions, Edges: s.Edges, Score: s.Score,
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// fixture is one network with inputs, and what PyTorch makes of them; see
// bench/torch/make_fixture.py.
type fixture struct {
	arrays map[string]array
	about  struct {
		Config settings `json:"config"`
		Train  bool     `json:"train"`
		Torch  string   `json:"torch"`
	}
}

func readFixture(t *testing.T, path string) *fixture {
	t.Helper()
	f := &fixture{}
	var about string
	f.arrays, about = readArrays(t, path)
	if err := json.Unmarshal([]byte(about), &f.about); err != nil {
		t.Fatal(err)
	}
	return f
}

// under returns the arrays of a group, such as weight/.
func (f *fixture) under(group string) map[string]array {
	out := map[string]array{}
	for name, a := range f.arrays {
		if rest, ok := strings.CutPrefix(name, group); ok {
			out[rest] = a
		}
	}
	return out
}

// newStore puts weights into a store. A store belongs to one engine.
func newStore(t *testing.T, weights map[string]array) *model.Store {
	t.Helper()
	s := model.NewStore()
	for name, a := range weights {
		if err := denoiser.SetParam(s, name, a.Shape, a.floats()); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// scoresAndLogProbs runs a network once.
func scoresAndLogProbs(t *testing.T, e *engine.Engine, d *denoiser.Denoiser, store *model.Store, training bool, objects, arrangements, ranks, times *tensors.Tensor) (scores, logp []float32) {
	t.Helper()
	exec, err := model.NewExec(e.Backend, store, func(_ *model.Scope, in []*graph.Node) []*graph.Node {
		c := denoiser.NewContext(in[0].Graph(), store, training, nil)
		dims := in[1].Shape().Dimensions
		rows := dims[0] * dims[1]
		scores := d.Scores(c, d.Encode(c, in[0]), in[1], in[3])
		return []*graph.Node{scores, d.Config.Law.LogProbGraph(scores, graph.Reshape(in[2], rows, dims[2]))}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer exec.Finalize()
	out, err := exec.Call([]*tensors.Tensor{objects, arrangements, ranks, times})
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[float32](out[0]), tensors.MustCopyFlatData[float32](out[1])
}

// difference is the greatest |got − want|; equal infinities differ by 0.
func difference[T float32 | float64](t *testing.T, got, want []T) float64 {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %d values, want %d", len(got), len(want))
	}
	greatest := 0.0
	for i := range got {
		if got[i] == want[i] {
			continue
		}
		d := math.Abs(float64(got[i]) - float64(want[i]))
		if math.IsNaN(d) {
			return math.Inf(1)
		}
		greatest = max(greatest, d)
	}
	return greatest
}

// agree fails where the greatest difference is above a tolerance, which is relative to the
// greatest value where values are far above 1: a float32 has seven digits.
func agree[T float32 | float64](t *testing.T, what string, got, want []T, tolerance float64) {
	t.Helper()
	d, greatest := difference(t, got, want), 0.0
	for _, v := range want {
		if a := math.Abs(float64(v)); !math.IsInf(a, 0) {
			greatest = max(greatest, a)
		}
	}
	if tolerance *= max(1, greatest/32); d > tolerance {
		t.Errorf("%s: got %v, want %v: they differ by %.2g, more than %g", what, got, want, d, tolerance)
		return
	}
	t.Logf("%s: greatest difference %.2g, of values up to %.3g", what, d, greatest)
}

func fixtures(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("testdata/fixture/*.safetensors")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no fixture (%v)", err)
	}
	return paths
}

// Source of every number: PyTorch 2.15, bench/torch/make_fixture.py.
func TestFixture(t *testing.T) {
	for _, path := range fixtures(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".safetensors"), func(t *testing.T) {
			f := readFixture(t, path)
			d := f.about.Config.network(t)
			sameNames(t, d, f.under("weight/"))
			enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
				scores, logp := scoresAndLogProbs(t, e, d, newStore(t, f.under("weight/")), f.about.Train,
					f.arrays["objects"].tensor(), f.arrays["arrangements"].tensor(), f.arrays["ranks"].tensor(), f.arrays["times"].tensor())
				agree(t, "scores", scores, f.arrays["scores"].floats(), 1e-4)
				agree(t, "log p", logp, f.arrays["logp"].floats(), 1e-4)
			})
			t.Run("host", func(t *testing.T) { hostLogProbs(t, f, d.Config.Law) })
		})
	}
}

// sameNames checks that the network has the arrays of the PyTorch module and no others.
func sameNames(t *testing.T, d *denoiser.Denoiser, want map[string]array) {
	t.Helper()
	for _, p := range d.Params() {
		a, ok := want[p.Name]
		if !ok {
			t.Errorf("%s: not in the PyTorch module", p.Name)
		} else if !slices.Equal(p.Shape, a.Shape) {
			t.Errorf("%s: shape %v, in the PyTorch module %v", p.Name, p.Shape, a.Shape)
		}
		delete(want, p.Name)
	}
	for name := range want {
		t.Errorf("%s: only in the PyTorch module", name)
	}
}

// hostLogProbs checks the law alone, in float64, on PyTorch's scores.
func hostLogProbs(t *testing.T, f *fixture, law reverse.Law) {
	n, scores, ranks := f.about.Config.N, f.arrays["scores"].floats(), f.arrays["ranks"].ints()
	var got []float32
	for row, rank := range slices.Collect(slices.Chunk(ranks, n)) {
		r := make(perm.Rank, n)
		for k, position := range rank {
			r[k] = int(position)
		}
		s := make([]float64, law.NumScores(n))
		for i := range s {
			s[i] = float64(scores[row*len(s)+i])
		}
		got = append(got, float32(law.LogProb(s, r.Order())))
	}
	agree(t, "log p", got, f.arrays["logp"].floats(), 2e-6)
}

// One step of torch.optim.AdamW after torch.nn.utils.clip_grad_norm_.
func TestFixtureAdamW(t *testing.T) {
	const rate = 1e-3
	opt := diffusion.AdamW{Beta1: 0.9, Beta2: 0.98, Epsilon: 1e-9, WeightDecay: 1e-2, Clip: 1}
	tested := 0
	for _, path := range fixtures(t) {
		f := readFixture(t, path)
		if !f.about.Train {
			continue
		}
		tested++
		d := f.about.Config.network(t)
		enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
			store := newStore(t, f.under("weight/"))
			process := &diffusion.Process{Forward: shuffle.Riffle{}, Reverse: d.Config.Law, Steps: []int{0, 1}}
			trainer, err := diffusion.NewTrainer(e, store, d, diffusion.BoundLoss(d, process), opt, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			states := f.arrays["arrangements"].Shape
			s := diffusion.NewStates(states[0], states[1], states[2])
			copy(s.Arrangement, f.arrays["arrangements"].ints())
			copy(s.Rank, f.arrays["ranks"].ints())
			copy(s.Time, f.arrays["times"].ints())
			for i := range s.Weight {
				s.Weight[i] = 1
			}
			step, err := trainer.Step(1, rate, append([]*tensors.Tensor{f.arrays["objects"].tensor()}, s.Inputs()...)...)
			if err != nil {
				t.Fatal(err)
			}
			loss, norm, taken, err := step.Read()
			if err != nil || !taken {
				t.Fatalf("the step was not taken (%v)", err)
			}
			agree(t, "loss", []float32{float32(loss)}, f.arrays["loss"].floats(), 1e-4)
			agree(t, "norm of the gradient", []float32{float32(norm)}, f.arrays["grad_norm"].floats(), 1e-4)

			grads, after := f.under("grad/"), f.under("after/")
			first, _ := diffusion.Moments(d)
			var gotGrad, wantGrad, gotAfter, wantAfter []float32
			for _, p := range d.Params() {
				got, want := values(t, store, p.Name), after[p.Name].floats()
				if !p.Trainable {
					agree(t, p.Name, got, want, 1e-5)
					continue
				}
				moment, grad := values(t, store, first[p.Name]), grads[p.Name].floats()
				for i := range got {
					gotGrad = append(gotGrad, moment[i]/float32(1-opt.Beta1))
					wantGrad = append(wantGrad, grad[i])
					// The first step is rate·sign of the gradient. Where that is 0 but for
					// rounding (biases before a batch norm, biases of keys), so is its sign.
					if math.Abs(float64(grad[i])) > 1e-6 {
						gotAfter, wantAfter = append(gotAfter, got[i]), append(wantAfter, want[i])
					} else if d := math.Abs(float64(got[i] - want[i])); d > 2.1*rate {
						t.Errorf("%s[%d] after a step: %g, want %g", p.Name, i, got[i], want[i])
					}
				}
			}
			agree(t, "clipped gradient", gotGrad, wantGrad, 1e-5)
			agree(t, "weights after a step", gotAfter, wantAfter, 1e-5)
			if share := float64(len(gotAfter)) / float64(len(gotGrad)); share < 0.8 {
				t.Errorf("only %.0f %% of the weights have a gradient", 100*share)
			}
		})
	}
	if tested != 3 {
		t.Errorf("%d cases with a training step, want 3", tested)
	}
}

// values are those of an array in the store.
func values(t *testing.T, store *model.Store, name string) []float32 {
	t.Helper()
	v := denoiser.Variable(store, name)
	if v == nil {
		t.Fatalf("%s: not in the store", name)
	}
	value, err := v.Value()
	if err != nil {
		t.Fatal(err)
	}
	return tensors.MustCopyFlatData[float32](value)
}
