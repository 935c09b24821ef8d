// Package difusco is the discrete diffusion of DIFUSCO (Sun & Yang, "DIFUSCO: Graph-based Diffusion
// Solvers for Combinatorial Optimization", NeurIPS 2023). An edge of a tour is 1, any other edge 0. A
// step of noise flips each with a small probability. A network tells from noisy edges which ones were 1.
package difusco

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Noise flips an edge in step t = 1 … T with probability β_t, which grows linearly from First to Last.
type Noise struct {
	first, last float64
	flipped     []float64 // t: the probability that an edge differs from its start after t steps
}

// Paper is the noise of the paper: 1,000 steps, β from 1e-4 to 2e-2.
func Paper() *Noise {
	n, err := New(1000, 1e-4, 2e-2)
	if err != nil {
		panic(err) // these are right
	}
	return n
}

// New makes noise of so many steps.
func New(steps int, first, last float64) (*Noise, error) {
	if steps < 1 || !(first > 0 && first <= last && last <= 0.5) {
		return nil, fmt.Errorf("difusco: wanted 1 step or more and 0 < first <= last <= 0.5 (got %d, %g, %g)", steps, first, last)
	}
	n := &Noise{first: first, last: last, flipped: make([]float64, steps+1)}
	same := 1.0 // Π (1 − 2β): what is left of the start
	for t := 1; t <= steps; t++ {
		same *= 1 - 2*n.Beta(t)
		n.flipped[t] = (1 - same) / 2
	}
	return n, nil
}

// Steps is T.
func (n *Noise) Steps() int { return len(n.flipped) - 1 }

// Beta is the probability of a flip in step t.
func (n *Noise) Beta(t int) float64 {
	if n.Steps() == 1 {
		return n.first
	}
	return n.first + (n.last-n.first)*float64(t-1)/float64(n.Steps()-1)
}

// Flipped is the probability that an edge differs from its start after t steps, q(x_t ≠ x_0).
func (n *Noise) Flipped(t int) float64 { return n.flipped[t] }

// Corrupt draws x_t from x_0, both symmetric [size·size] of 0 and 1 with a diagonal of 0.
func (n *Noise) Corrupt(rng *rand.Rand, t, size int, x []float32) {
	p := n.Flipped(t)
	for i := range size {
		for j := range i {
			if rng.Float64() < p {
				v := 1 - x[i*size+j]
				x[i*size+j], x[j*size+i] = v, v
			}
		}
	}
}

// Posterior is the probability that x_s is 1, s < t, given x_t and the probability that x_0 is 1:
//
//	Σ_{x_0} q(x_s = 1 | x_t, x_0) p(x_0),   q(x_s | x_t, x_0) ∝ q(x_s | x_0) q(x_t | x_s).
func (n *Noise) Posterior(s, t int, xt bool, one float64) float64 {
	toS := n.flipped[s]
	between := 0.5 // flipped between s and t: (1 − same_t / same_s) / 2
	if same := 1 - 2*toS; same > 0 {
		between = (1 - (1-2*n.flipped[t])/same) / 2
	}
	sum := 0.0
	for _, x0 := range []struct {
		p     float64
		isOne bool
	}{{one, true}, {1 - one, false}} {
		weight := func(xs bool) float64 { // q(x_s | x_0) q(x_t | x_s)
			a, b := 1-toS, 1-between
			if xs != x0.isOne {
				a = toS
			}
			if xs != xt {
				b = between
			}
			return a * b
		}
		if total := weight(true) + weight(false); total > 0 {
			sum += x0.p * weight(true) / total
		}
	}
	return sum
}

// Schedule is the times of inference in count steps, from T down to 0, by the paper's cosine:
// t_i = ⌊T (1 − sin(π i / 2 count))⌋, each below the one before.
func (n *Noise) Schedule(count int) ([]int, error) {
	if count < 1 || count > n.Steps() {
		return nil, fmt.Errorf("difusco: wanted 1 to %d steps of inference (got %d)", n.Steps(), count)
	}
	times := []int{n.Steps()}
	for i := 1; i < count; i++ {
		t := int(float64(n.Steps()) * (1 - math.Sin(float64(i)*math.Pi/2/float64(count))))
		times = append(times, max(min(t, times[i-1]-1), count-i))
	}
	return append(times, 0), nil
}
