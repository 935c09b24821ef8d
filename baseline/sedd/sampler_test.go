package sedd

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/riffle-ml/riffle/internal/near"
)

// samplers are the four that there are.
func samplers(v, steps int) []Sampler {
	var all []Sampler
	for _, m := range []Method{Euler, Analytic} {
		all = append(all, Sampler{Uniform{v}, DefaultGeometric, m, steps}, Sampler{Absorb{v}, DefaultLogLinear, m, steps})
	}
	return all
}

func name(s Sampler) string {
	return fmt.Sprintf("%s %s, %d steps", s.Process.Name(), s.Method, s.Steps)
}

// law is the exact distribution of what a sampler draws with the score of k, by going
// through all sequences at each step, and the probability by key.
func law(s Sampler, k known) map[string]float64 {
	all := words(s.Process.States(), k.n)
	now := map[string]float64{}
	if a, ok := s.Process.(Absorb); ok {
		now[key(slices.Repeat([]int32{a.Mask()}, k.n))] = 1
	} else {
		for _, x := range all {
			now[key(x)] = 1 / float64(len(all))
		}
	}
	v := s.Process.Objects()
	for step := range s.Steps + 1 {
		kern, next := s.kernel(step), map[string]float64{}
		for _, x := range all {
			if now[key(x)] == 0 {
				continue
			}
			ratios, choices := k.ratios(x, kern.sigma), make([][]float64, k.n)
			for i, token := range x {
				row, weights := slices.Clone(ratios[i*v:(i+1)*v]), make([]float64, s.Process.States())
				if int(token) < v {
					row[token] = 1
				}
				choices[i] = normalized(kern.weigh(weights, row, token))
			}
			for _, y := range all {
				p := now[key(x)]
				for i, token := range y {
					if int(token) >= len(choices[i]) {
						p = 0
						break
					}
					p *= choices[i][token]
				}
				if p > 0 {
					next[key(y)] += p
				}
			}
		}
		now = next
	}
	return now
}

// normalized divides by the sum; zeros become all alike.
func normalized(weights []float64) []float64 {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	for i := range weights {
		if sum == 0 {
			weights[i] = 1 / float64(len(weights))
		} else {
			weights[i] /= sum
		}
	}
	return weights
}

// distance is the total variation distance of p to the data.
func distance(k known, p map[string]float64) float64 {
	sum := 0.0
	for _, x := range words(k.p.Objects(), k.n) {
		q := 0.0
		for _, d := range k.data {
			if slices.Equal(d.x, x) {
				q = d.p
			}
		}
		sum += math.Abs(p[key(x)] - q)
	}
	return sum / 2
}

// With the true ratios the samplers reproduce the data, here orders of three objects.
// Their error is of order 1/steps: about half for twice the steps.
func TestSamplersConverge(t *testing.T) {
	coarse, fine := samplers(3, 128), samplers(3, 256)
	for i, s := range fine {
		k := orders(s.Process)
		twice, once := distance(k, law(coarse[i], k)), distance(k, law(s, k))
		if once > 0.01 || once < 0.45*twice || once > 0.55*twice {
			t.Errorf("%s: total variation %.5f, with half the steps %.5f", name(s), once, twice)
		}
	}
}

// Alone, a position is updated exactly by Tweedie τ-leaping, in any number of steps. What
// is left is the e^−20 = 2e-9 by which the noise at t = 1 is not uniform, and rounding of
// 1e-16 that the step back from there takes e^20 = 5e8 times.
func TestAnalyticIsExactForOnePosition(t *testing.T) {
	for _, steps := range []int{1, 2, 7} {
		for _, s := range samplers(3, steps) {
			k := known{s.Process, 1, []probability{{[]int32{0}, 0.7}, {[]int32{1}, 0.1}, {[]int32{2}, 0.2}}}
			if tv := distance(k, law(s, k)); s.Method == Analytic && tv > 2e-7 {
				t.Errorf("%s: total variation %g", name(s), tv)
			}
		}
	}
}

// Of the orders 0 1 and 1 0 alike, by hand: under log-linear noise a token is unmasked
// in each step from t to t − Δt with probability Δt/t, so in any step alike. Two
// unmasked in one step are drawn apart, and every other time repeat an object.
func TestRepeatsByHand(t *testing.T) {
	for _, steps := range []int{1, 4, 10} {
		for _, m := range []Method{Euler, Analytic} {
			s := Sampler{Absorb{2}, DefaultLogLinear, m, steps}
			k := known{s.Process, 2, []probability{{[]int32{0, 1}, 0.5}, {[]int32{1, 0}, 0.5}}}
			p := law(s, k)
			dt := (1 - 1e-5) / float64(steps)
			near.Equal(t, name(s), p["00"]+p["11"], (float64(steps)*dt*dt+1e-10)/2, 1e-12)
		}
	}
}

// With log-linear noise and MASK the two methods are one: both unmask with probability
// Δt/t, as above.
func TestMethodsAgreeOnMasks(t *testing.T) {
	s := Sampler{Absorb{3}, DefaultLogLinear, Euler, 5}
	k := orders(s.Process)
	euler := law(s, k)
	s.Method = Analytic
	for x, p := range law(s, k) {
		near.Equal(t, x, euler[x], p, 1e-12)
	}
}

// Sample draws from the law that its kernels have, and with many steps from the data.
func TestSampleFollowsLaw(t *testing.T) {
	for _, s := range samplers(3, 4) {
		if s.Process.Name() == "uniform" {
			s.Noise = Geometric{0.05, 3} // what rounds ratios to float32 grows by e^Δσ̄
		}
		k := orders(s.Process)
		const draws = 20000
		got, err := s.Sample(draws, k.n, 11, k.score)
		if err != nil {
			t.Fatal(err)
		}
		exact, share := law(s, k), 0.0
		var counts []int
		var want []float64
		for _, x := range words(3, k.n) {
			seen := 0
			for _, y := range got.Tokens {
				if slices.Equal(x, y) {
					seen++
				}
			}
			counts, want = append(counts, seen), append(want, exact[key(x)])
			if IsPermutation(x) {
				share += exact[key(x)]
			}
		}
		checkChi(t, name(s), counts, want)
		if math.Abs(got.Share()-share) > 5*math.Sqrt(share*(1-share)/draws) {
			t.Errorf("%s: share of permutations %g, wanted about %g", name(s), got.Share(), share)
		}
	}
	for _, s := range samplers(3, 256) {
		k := orders(s.Process)
		const draws = 5000
		got, err := s.Sample(draws, k.n, 12, k.score)
		if err != nil {
			t.Fatal(err)
		}
		p := map[string]float64{}
		for _, x := range got.Tokens {
			p[key(x)] += 1. / draws
		}
		// The law is within 0.005, and the mean for this many draws of the truth is 0.013.
		if tv := distance(k, p); tv > 0.03 {
			t.Errorf("%s: total variation %g", name(s), tv)
		}
	}
}

// A row is the same in a batch of any size, and another with another seed.
func TestSampleIsAFunctionOfSeedAndRow(t *testing.T) {
	for _, s := range samplers(3, 5) {
		k := orders(s.Process)
		few, err := s.Sample(7, k.n, 1, k.score)
		many, err2 := s.Sample(40, k.n, 1, k.score)
		other, err3 := s.Sample(40, k.n, 2, k.score)
		if err != nil || err2 != nil || err3 != nil {
			t.Fatal(err, err2, err3)
		}
		if fmt.Sprint(few.Tokens) != fmt.Sprint(many.Tokens[:7]) {
			t.Errorf("%s: %v in a batch of 7, %v in one of 40", name(s), few.Tokens, many.Tokens[:7])
		}
		if fmt.Sprint(many.Tokens) == fmt.Sprint(other.Tokens) {
			t.Errorf("%s: two seeds give the same", name(s))
		}
	}
}

// Score is asked Steps + 1 times, from all the noise to σ̄(1e-5), and may keep or change
// what it is given.
func TestSampleAsksScore(t *testing.T) {
	for _, s := range samplers(4, 6) {
		var asked []float64
		var first [][]int32
		got, err := s.Sample(5, 3, 1, func(x []int32, sigma float64) ([]float32, error) {
			asked, first = append(asked, sigma), append(first, slices.Clone(x))
			for i, v := range x {
				if len(x) != 15 || v < 0 || int(v) >= s.Process.States() {
					t.Fatalf("%s: asked for %v", name(s), x)
				}
				x[i] = -7
			}
			return slices.Repeat([]float32{1}, 60), nil
		})
		if err != nil || got.Unusable != 0 {
			t.Fatal(err, got.Unusable)
		}
		if len(asked) != 7 || !slices.IsSortedFunc(asked, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) {
			t.Errorf("%s: asked at noise %v", name(s), asked)
		}
		near.Equal(t, "first noise", asked[0], s.Noise.Total(1), 0)
		near.Equal(t, "last noise", asked[6], s.Noise.Total(1e-5), 0)
		for _, x := range got.Tokens {
			for _, v := range x {
				if v < 0 || v >= 4 {
					t.Errorf("%s: sampled %v", name(s), x)
				}
			}
		}
	}
}

// Whatever the ratios are, the result is objects, and what could not be used is counted:
// with batch 5, n = 3 and 6 steps there are 5·3·7 draws.
func TestSampleOfUnusableRatios(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, s := range samplers(4, 6) {
		masks := s.Process.Name() == "absorb"
		for _, c := range []struct {
			ratio float32
			want  int // -1: some
		}{
			{nan, 105},
			{-1, 105},
			{inf, -1},
			{0, map[bool]int{true: 15, false: 0}[masks]}, // masks last, and then have no choice
			{math.MaxFloat32, 0},
		} {
			got, err := s.Sample(5, 3, 1, func(x []int32, _ float64) ([]float32, error) {
				return slices.Repeat([]float32{c.ratio}, 4*len(x)), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if c.want >= 0 && got.Unusable != c.want || c.want < 0 && got.Unusable < 15 {
				t.Errorf("%s: ratios %g: %d unusable, wanted %d", name(s), c.ratio, got.Unusable, c.want)
			}
			for _, x := range got.Tokens {
				for _, v := range x {
					if v < 0 || v >= 4 {
						t.Errorf("%s: ratios %g give %v", name(s), c.ratio, x)
					}
				}
			}
		}
	}
}

func TestSampleRefuses(t *testing.T) {
	ones := func(x []int32, _ float64) ([]float32, error) { return slices.Repeat([]float32{1}, 3*len(x)), nil }
	good := Sampler{Uniform{3}, DefaultGeometric, Euler, 2}
	for _, c := range []struct {
		what     string
		s        Sampler
		batch, n int
	}{
		{"no process", Sampler{nil, DefaultGeometric, Euler, 2}, 2, 2},
		{"no noise", Sampler{Uniform{3}, nil, Euler, 2}, 2, 2},
		{"no objects", Sampler{Uniform{}, DefaultGeometric, Euler, 2}, 2, 2},
		{"noise out of range", Sampler{Uniform{3}, Geometric{}, Euler, 2}, 2, 2},
		{"no method", Sampler{Uniform{3}, DefaultGeometric, "", 2}, 2, 2},
		{"no steps", Sampler{Uniform{3}, DefaultGeometric, Euler, 0}, 2, 2},
		{"negative batch", good, -1, 2},
		{"negative n", good, 2, -1},
		{"gigabytes", good, 1 << 20, 1 << 20},
	} {
		if _, err := c.s.Sample(c.batch, c.n, 1, ones); err == nil {
			t.Errorf("%s: no error", c.what)
		}
	}
	stop := errors.New("stopped")
	if _, err := good.Sample(1, 2, 1, func([]int32, float64) ([]float32, error) { return nil, stop }); !errors.Is(err, stop) {
		t.Errorf("an error of the score became %v", err)
	}
	if _, err := good.Sample(1, 2, 1, func([]int32, float64) ([]float32, error) { return make([]float32, 5), nil }); err == nil {
		t.Error("5 ratios for 2 tokens of 3 objects: no error")
	}
	for _, c := range [][2]int{{0, 3}, {3, 0}, {0, 0}} {
		got, err := good.Sample(c[0], c[1], 1, ones)
		if err != nil || len(got.Tokens) != c[0] {
			t.Errorf("%d sequences of %d: %v, %v", c[0], c[1], got, err)
		}
	}
}

func TestCategorical(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, weights := range [][]float64{{1}, {0, 2, 0}, {1, 2, 3, 4}, {1e-300, 3e-300}, {1e38, 0, 3e38}, {0.999, 1e-3, 0}} {
		counts := make([]int, len(weights))
		for range 20000 {
			i, ok := categorical(rng, weights)
			if !ok {
				t.Fatalf("%g: not ok", weights)
			}
			counts[i]++
		}
		checkChi(t, fmt.Sprint(weights), counts, normalized(slices.Clone(weights)))
	}
	counts := make([]int, 3)
	for range 20000 {
		i, ok := categorical(rng, make([]float64, 3))
		if ok {
			t.Fatal("nothing to choose from is ok")
		}
		counts[i]++
	}
	checkChi(t, "zeros", counts, []float64{1. / 3, 1. / 3, 1. / 3})
}
