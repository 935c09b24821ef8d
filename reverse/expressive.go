package reverse

import (
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// Chain is a chain of GPL steps on S_n that takes any start to one target
// distribution: see [RealizeWithGPL].
type Chain struct {
	n      int
	states []perm.Order
	steps  []chainStep
}

// chainStep says where one state goes; every other state stays.
type chainStep struct {
	all  bool // every state moves, not from alone
	from int
	// to and its mate (the last two objects swapped) get these probabilities.
	to       int
	p, pMate float64
}

// maxExpress bounds n: 6! orders make 1,081 steps.
const maxExpress = 6

// States lists S_n in lexicographic order, the order of distributions in [RealizeWithGPL]
// and [Chain.Push]. States 2i and 2i + 1 differ by a swap of the last two objects.
func States(n int) []perm.Order {
	o := perm.Identity(n)
	states := []perm.Order{slices.Clone(o)}
	for {
		i := n - 2
		for i >= 0 && o[i] > o[i+1] {
			i--
		}
		if i < 0 {
			return states
		}
		j := n - 1
		for o[j] < o[i] {
			j--
		}
		o[i], o[j] = o[j], o[i]
		slices.Reverse(o[i+1:])
		states = append(states, slices.Clone(o))
	}
}

// RealizeWithGPL returns a chain of 3·n!/2 + 1 GPL steps with −Inf scores. It ends in the target
// distribution, whatever its start (paper, appendix "The Expressiveness of PL and GPL", theorem
// "GPL-expressiveness"). target holds the probability of each of [States](n), 2 ≤ n ≤ 6. These must
// be probabilities that sum to 1 within 1e-9, else it returns an error. The chain ends in them
// divided by their sum.
//
// All mass goes to π_1. Then each pair (σ_i, π_i) of states 2i and 2i + 1 takes three steps. What
// the pair does not need moves from π_i to σ_i, and from there to π_{i+1}. The rest is shared
// between σ_i and π_i: p(σ_i) and p(π_i) over their sum, p_leftover − p_excess. Step 2(d) of the
// paper's box divides by 1 − p_excess, which is the same for i = 1 alone.
func RealizeWithGPL(n int, target []float64) (*Chain, error) {
	if n < 2 || n > maxExpress {
		return nil, fmt.Errorf("express: n must be 2 to %d (got %d)", maxExpress, n)
	}
	size := 1
	for i := range n {
		size *= i + 1
	}
	if len(target) != size {
		return nil, fmt.Errorf("express: target must have %d probabilities for n = %d (got %d)", size, n, len(target))
	}
	sum := 0.0
	for i, p := range target {
		if !(p >= 0 && p <= 2) {
			return nil, fmt.Errorf("express: target %d is %g, wanted a probability", i, p)
		}
		sum += p
	}
	if math.Abs(sum-1) > 1e-9 {
		return nil, fmt.Errorf("express: target sums to %g, wanted 1", sum)
	}

	// leftover[i] is p_leftover before pair i, summed from the end rather than by
	// subtraction, so that it keeps its digits.
	pairs := size / 2
	leftover := make([]float64, pairs+1)
	for i := pairs - 1; i >= 0; i-- {
		leftover[i] = leftover[i+1] + target[2*i] + target[2*i+1]
	}
	c := &Chain{n: n, states: States(n), steps: []chainStep{{all: true, to: 1, p: 1}}}
	for i := range pairs {
		sigma, pi, excess := 2*i, 2*i+1, leftover[i+1]
		need := target[sigma] + target[pi]
		c.steps = append(c.steps,
			share(pi, sigma, excess, need),
			chainStep{from: sigma, to: min(pi+2, size-1), p: 1}, // the last σ holds no mass
			share(pi, sigma, target[sigma], target[pi]))
	}
	return c, nil
}

// share moves a state to the state to with odds p, and leaves it, the mate of to, with odds pMate.
// It stays where both are zero, for no mass is there.
func share(from, to int, p, pMate float64) chainStep {
	if p+pMate == 0 {
		return chainStep{from: from, to: from, p: 1}
	}
	return chainStep{from: from, to: to, p: p / (p + pMate), pMate: pMate / (p + pMate)}
}

// Len returns the number of steps.
func (c *Chain) Len() int { return len(c.steps) }

// Scores returns the GPL scores [n, n] of a step, 0 ≤ step < Len, at a state Y. They are those of
// the relative step, as everywhere in this package: the next state is perm.Compose(σ', Y) with σ'
// drawn from [GeneralizedPlackettLuce]. The paper's scores are those of the next state itself. Our
// column k is the object at position k of Y, which is its column Y[k].
func (c *Chain) Scores(step int, state perm.Order) []float64 {
	s := c.steps[step]
	next, p, pMate := state, 1.0, 0.0
	if s.all || slices.Equal(state, c.states[s.from]) {
		next, p, pMate = c.states[s.to], s.p, s.pMate
	}
	n, column := c.n, state.Rank()
	scores := make([]float64, n*n) // the last row stays 0
	for i := range (n - 1) * n {
		scores[i] = negInf
	}
	for i := range n - 2 {
		scores[i*n+column[next[i]]] = 0
	}
	scores[(n-2)*n+column[next[n-2]]] = math.Log(p)
	scores[(n-2)*n+column[next[n-1]]] = math.Log(pMate)
	return scores
}

// Push returns the distribution after all steps from a start, both in the order of
// [States](n). Every transition probability is that of [GeneralizedPlackettLuce].
// O(n!·n!·n!·n²).
func (c *Chain) Push(start []float64) []float64 {
	index := make(map[string]int, len(c.states))
	for i, o := range c.states {
		index[fmt.Sprint(o)] = i
	}
	now := slices.Clone(start)
	for step := range c.steps {
		next := make([]float64, len(now))
		for from, mass := range now {
			if mass == 0 {
				continue
			}
			scores := c.Scores(step, c.states[from])
			for _, o := range c.states {
				logp := GeneralizedPlackettLuce{}.LogProb(scores, o)
				if logp > negInf {
					next[index[fmt.Sprint(perm.Compose(o, c.states[from]))]] += mass * math.Exp(logp)
				}
			}
		}
		now = next
	}
	return now
}
