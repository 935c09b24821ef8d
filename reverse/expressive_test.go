package reverse

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

func TestExpressAnyTarget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{2, 3, 3, 3}).Draw(t, "n")
		states := States(n)
		distribution := func(name string) []float64 {
			p := make([]float64, len(states))
			sum := 0.0
			for i := range p {
				if rapid.Bool().Draw(t, name+" not zero") {
					p[i] = math.Exp(rapid.Float64Range(-20, 0).Draw(t, name))
				}
				sum += p[i]
			}
			if sum == 0 {
				p[0], sum = 1, 1
			}
			for i := range p {
				p[i] /= sum
			}
			return p
		}
		target, start := distribution("target"), distribution("start")
		chain, err := RealizeWithGPL(n, target)
		if err != nil {
			t.Fatal(err)
		}
		if want := 3*len(states)/2 + 1; chain.Len() != want {
			t.Fatalf("%d steps, wanted %d", chain.Len(), want)
		}
		for i, p := range chain.Push(start) {
			if math.Abs(p-target[i]) > 1e-12 {
				t.Fatalf("%v has probability %.15f, wanted %.15f", states[i], p, target[i])
			}
		}
	})
}

// The example of the paper's figure "expressiveness-example", step by step: states
// are σ1 π1 σ2 π2 σ3 π3.
func TestExpressPaperFigure(t *testing.T) {
	target := []float64{1. / 4, 1. / 2, 0, 1. / 4, 0, 0}
	chain, err := RealizeWithGPL(3, target)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{
		{0, 1, 0, 0, 0, 0},
		{1. / 4, 3. / 4, 0, 0, 0, 0},
		{0, 3. / 4, 0, 1. / 4, 0, 0},
		target,
	}
	now := []float64{1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6}
	for i, w := range want {
		one := &Chain{n: 3, states: chain.states, steps: chain.steps[i : i+1]}
		now = one.Push(now)
		for j := range now {
			near.Equal(t, "probability", now[j], w[j], 1e-15)
		}
	}
	for j, p := range chain.Push([]float64{1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6}) {
		near.Equal(t, "probability", p, target[j], 1e-15)
	}
}

func TestExpressFour(t *testing.T) {
	target := make([]float64, 24)
	for i := range target {
		target[i] = float64(i*i%7) / 52 // sums to 52: 0 1 4 2 2 4 1 three times, then 0 1 4
	}
	sum := 0.0
	for _, p := range target {
		sum += p
	}
	for i := range target {
		target[i] /= sum
	}
	chain, err := RealizeWithGPL(4, target)
	if err != nil {
		t.Fatal(err)
	}
	start := make([]float64, 24)
	start[17] = 1
	for i, p := range chain.Push(start) {
		near.Equal(t, "probability", p, target[i], 1e-13)
	}
}

func TestExpressRefuses(t *testing.T) {
	for _, c := range []struct {
		n      int
		target []float64
		want   string
	}{
		{1, []float64{1}, "n must be 2 to 6"},
		{7, nil, "n must be 2 to 6"},
		{2, []float64{1}, "must have 2 probabilities"},
		{2, []float64{0.5, 0.6}, "sums to 1.1"},
		{2, []float64{1.5, -0.5}, "target 1 is -0.5"},
		{2, []float64{math.NaN(), 1}, "target 0 is NaN"},
	} {
		if _, err := RealizeWithGPL(c.n, c.target); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("n=%d: got %v, wanted %q", c.n, err, c.want)
		}
	}
}

func TestStates(t *testing.T) {
	want := []perm.Order{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	if got := States(3); !slices.EqualFunc(got, want, slices.Equal[perm.Order]) {
		t.Errorf("got %v", got)
	}
}
