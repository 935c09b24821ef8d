package diffusion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/riffle-ml/riffle/denoiser"
	"github.com/riffle-ml/riffle/engine"
	"github.com/riffle-ml/riffle/internal/enginetest"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// answers are all that a decoder says of the sets of an encoding.
type answers struct {
	Greedy, Sampled []Path
	Beams           [][]Path
	Estimates       []Estimate
}

// ask asks everything, set i being number number[i], which its draws depend on.
func ask(t *testing.T, dec *Decoder, enc *Encoded, number []int) (a answers) {
	t.Helper()
	var starts, clean []perm.Order
	rngs := func() (all []*rand.Rand) {
		for _, i := range number {
			all = append(all, rand.New(rand.NewPCG(5, uint64(i))))
		}
		return all
	}
	for i := range number {
		starts = append(starts, dec.Process.Noise(5, 0, 1, enc.Size(i))[0])
		clean = append(clean, perm.Identity(enc.Size(i)))
	}
	a.Greedy = must(dec.Greedy(t.Context(), enc, starts))
	a.Sampled = must(dec.Sample(t.Context(), enc, starts, rngs()))
	a.Beams = must(dec.Beam(t.Context(), enc, starts, 5, 9))
	a.Estimates = must(dec.Likelihood(t.Context(), enc, clean, 3, rngs()))
	return a
}

// of is what is said of set i.
func (a answers) of(i int) answers {
	return answers{a.Greedy[i : i+1], a.Sampled[i : i+1], a.Beams[i : i+1], a.Estimates[i : i+1]}
}

// What a set is answered does not depend on the sets beside it, to the last bit: alone, and with
// others of its size and of other sizes in batches of several.
func TestAnswersDoNotDependOnCompany(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		for name, r := range readers() {
			if e.Kind == "xla" && name != "cnn" {
				continue // compiling takes long
			}
			for _, p := range allProcesses() {
				if (e.Kind == "xla" || name != "features") && (p.Reverse.Name() != "gpl" || p.FixFirst || p.Sizes != nil) {
					continue
				}
				const n = 9
				store, d := r.small(t, p, n, func(c *denoiser.Config) { c.Dim, c.FeedForward = 16, 32 })
				dec, err := NewDecoder(e, store, d, p)
				if err != nil {
					t.Fatal(err)
				}
				sizes := []int{7, 9, 7, 3, 8, 5, 2}
				objects := r.objects(rand.New(rand.NewPCG(2, 2)), sizes, n)
				alone := make([]answers, len(sizes))
				for i, size := range sizes {
					alone[i] = ask(t, dec, must(dec.Encode(t.Context(), cut(objects, i, size))), []int{i})
				}
				for _, together := range [][]int{{0, 2}, {2, 3, 0, 1, 2, 2, 5}} {
					var parts []*Encoded
					for _, i := range together {
						parts = append(parts, must(dec.Encode(t.Context(), cut(objects, i, sizes[i]))))
					}
					all := ask(t, dec, Join(parts...), together)
					for at, i := range together {
						if diff := cmp.Diff(alone[i], all.of(at)); diff != "" {
							t.Fatalf("%s, %s, first fixed %v: set %d among %v:\n%s", name, p.Reverse.Name(), p.FixFirst, i, together, diff)
						}
					}
				}
				// Encoded together, padded.
				all := ask(t, dec, must(dec.Encode(t.Context(), objects, sizes...)), perm.Identity(len(sizes)))
				for i := range sizes {
					if diff := cmp.Diff(alone[i], all.of(i)); diff != "" {
						t.Fatalf("%s, %s, first fixed %v: set %d of one encoding:\n%s", name, p.Reverse.Name(), p.FixFirst, i, diff)
					}
				}
				if got := len(dec.known); got != 6 { // the encoder's, and those of 2, 3, 6, 8 and 9
					t.Errorf("%s: %d shapes were compiled, wanted 6", name, got)
				}
				dec.Close()
			}
		}
	})
}

// bare is a law that cannot pad: its sets have shapes of their own.
type bare struct{ reverse.Law }

// The scores of padded sets are those that the network gives them unpadded, for every law.
func TestPaddedScoresAreThoseUnpadded(t *testing.T) {
	e := enginetest.Open(t, "go")
	for name, r := range readers() {
		for _, p := range allProcesses() {
			for _, positions := range []string{"sinusoid", "none", "learned"} {
				store, d := r.small(t, p, 8, func(c *denoiser.Config) { c.Positions = positions })
				unpadded := &Process{Forward: p.Forward, Reverse: bare{p.Reverse}, Steps: p.Steps, FixFirst: p.FixFirst}
				var results [][]float64
				for _, p := range []*Process{p, unpadded} {
					dec, err := NewDecoder(e, store, d, p)
					if err != nil {
						t.Fatal(err)
					}
					enc := must(dec.Encode(t.Context(), r.objects(rand.New(rand.NewPCG(2, 2)), []int{5}, 5)))
					results = append(results, must(dec.Scores(t.Context(), enc, []int32{0, 3, 1, 4, 2}, 1, 1)))
					dec.Close()
				}
				near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-5 })
				if diff := cmp.Diff(results[1], results[0], near); diff != "" {
					t.Errorf("%s, %s, positions %s, first fixed %v: unpadded −, padded +:\n%s", name, p.Reverse.Name(), positions, p.FixFirst, diff)
				}
			}
		}
	}
}

// A decode in parts gives what one pass gives, whatever the parts.
func TestParts(t *testing.T) {
	p := riffleGPL(0, 2, 7)
	r := readers()["features"]
	e := enginetest.Open(t, "go")
	store, d := r.small(t, p, 4, nil)
	sizes := []int{4, 3, 4}
	objects := r.objects(rand.New(rand.NewPCG(2, 2)), sizes, 4)
	var all []answers
	for _, parts := range [][2]int{{PartTokens, partElements}, {1, 1}, {20, 10}} {
		dec, err := NewDecoder(e, store, d, p)
		if err != nil {
			t.Fatal(err)
		}
		dec.tokens, dec.elements = parts[0], parts[1]
		all = append(all, ask(t, dec, must(dec.Encode(t.Context(), objects, sizes...)), []int{0, 1, 2}))
		dec.Close()
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-5*(1+math.Abs(a)) })
	for _, a := range all[1:] {
		if diff := cmp.Diff(all[0], a, near); diff != "" {
			t.Errorf("as usual −, in other parts +:\n%s", diff)
		}
	}
}

// A state has the same scores, to the last bit, wherever it stands in a part.
func TestRowsAreAlike(t *testing.T) {
	enginetest.Each(t, func(t *testing.T, e *engine.Engine) {
		sizes := []int{2, 3, 5, 6, 9, 12, 13, 23, 31, 48, 70, 100, 130, 140}
		if e.Kind == "xla" {
			sizes = []int{9, 70} // compiling takes long
		}
		for _, n := range sizes {
			p := riffleGPL(0, 7)
			r := readers()["features"]
			store, d := r.small(t, p, n, func(c *denoiser.Config) { c.Dim, c.Layers = 16, 1 })
			dec, err := NewDecoder(e, store, d, p)
			if err != nil {
				t.Fatal(err)
			}
			enc := must(dec.Encode(t.Context(), r.objects(rand.New(rand.NewPCG(2, 2)), []int{n}, n)))
			states := min(100, 2*PartRows(2*n))
			order := make([]int32, n)
			putOrder(order, perm.Random(rand.New(rand.NewPCG(2, 3)), n))
			scores := must(dec.Scores(t.Context(), enc, slices.Repeat(order, states), states, 7))
			for i := range states {
				if !slices.Equal(scores[:n*n], scores[i*n*n:(i+1)*n*n]) {
					t.Errorf("n = %d: state %d of %d has other scores than the first", n, i, states)
					break
				}
			}
			dec.Close()
		}
	})
}
