package sedd

import (
	"math"
	"testing"

	"github.com/riffle-ml/riffle/internal/near"
	"github.com/riffle-ml/riffle/perm"
)

// known is a distribution small enough to enumerate, and its noisy marginals.
type known struct {
	p    Process
	n    int
	data []probability // p(x0)
}

type probability struct {
	x []int32
	p float64
}

// words lists all sequences of n tokens below v.
func words(v, n int) [][]int32 {
	all := [][]int32{nil}
	for range n {
		var longer [][]int32
		for _, w := range all {
			for token := range v {
				longer = append(longer, append(append([]int32{}, w...), int32(token)))
			}
		}
		all = longer
	}
	return all
}

func key(x []int32) string {
	b := make([]byte, len(x))
	for i, v := range x {
		b[i] = '0' + byte(v)
	}
	return string(b)
}

// orders is a distribution on S_3, in the lexicographic order of perm.All, V = 3.
func orders(p Process) known {
	k := known{p: p, n: 3}
	weights := []float64{0.3, 0.25, 0.2, 0.1, 0.1, 0.05}
	for o := range perm.All(3) {
		x := []int32{int32(o[0]), int32(o[1]), int32(o[2])}
		k.data = append(k.data, probability{x, weights[len(k.data)]})
	}
	return k
}

// pairs is a distribution on all pairs of three objects.
func pairs(p Process) known {
	k := known{p: p, n: 2}
	for i, x := range words(3, 2) {
		k.data = append(k.data, probability{x, float64(1+i*i) / 213}) // Σ 1 + i², i = 0 … 8
	}
	return k
}

// given is p(x_t | x0) at noise sigma.
func (k known) given(x, x0 []int32, sigma float64) float64 {
	prob := 1.0
	for i := range x {
		prob *= k.p.Transition(int(x[i]), int(x0[i]), sigma)
	}
	return prob
}

// marginal is p_t(x).
func (k known) marginal(x []int32, sigma float64) float64 {
	sum := 0.0
	for _, d := range k.data {
		sum += d.p * k.given(x, d.x, sigma)
	}
	return sum
}

// ratios are the exact ones, [n·V], 0 where p_t(x) is.
func (k known) ratios(x []int32, sigma float64) []float64 {
	v := k.p.Objects()
	ratios, here := make([]float64, k.n*v), k.marginal(x, sigma)
	if here == 0 {
		return ratios
	}
	for i, token := range x {
		for y := range v {
			x[i] = int32(y)
			ratios[i*v+y] = k.marginal(x, sigma) / here
		}
		x[i] = token
	}
	return ratios
}

func logs(ratios []float64) []float64 {
	l := make([]float64, len(ratios))
	for i, r := range ratios {
		l[i] = math.Log(r)
	}
	return l
}

// score is the exact [Score].
func (k known) score(x []int32, sigma float64) ([]float32, error) {
	var out []float32
	seen := map[string][]float32{}
	for ; len(x) > 0; x = x[k.n:] {
		row, found := seen[key(x[:k.n])]
		if !found {
			for _, r := range k.ratios(x[:k.n], sigma) {
				row = append(row, float32(r))
			}
			seen[key(x[:k.n])] = row
		}
		out = append(out, row...)
	}
	return out, nil
}

func TestKnownSumsToOne(t *testing.T) {
	for _, p := range []Process{Uniform{3}, Absorb{3}} {
		for _, k := range []known{orders(p), pairs(p)} {
			sum := 0.0
			for _, x := range words(p.States(), k.n) {
				sum += k.marginal(x, 0.7)
			}
			near.Equal(t, "sum", sum, 1, 1e-14)
		}
	}
}
