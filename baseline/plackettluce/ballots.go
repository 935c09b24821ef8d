package plackettluce

import (
	"fmt"
	"math"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
)

// ballots are votes as lists of items, all in one, with what the last scores gave.
type ballots struct {
	n     int
	prior float64
	lists []list
	items []int32
	// By item: how many of the choices that it was up for it won, and how many it lost.
	wins, losses []float64

	// By place in items, for the scores evaluated last: D_i being the sum of exp s over a
	// list from its place i on,
	own  []float64 // exp s_i / D_i, the probability of the choice that was made
	fall []float64 // D_i / D_{i−1}, 0 at a list's start
}

// list is a vote: items[from:to], of which the first choices are chosen one after the other.
type list struct {
	from, to int
	choices  int
	weight   float64
}

func newBallots(votes []dataset.Vote, n int) (*ballots, error) {
	if _, err := dataset.CheckVotes(votes, n); err != nil {
		return nil, fmt.Errorf("plackett-luce: %w", err)
	}
	b := &ballots{n: n, wins: make([]float64, n), losses: make([]float64, n)}
	for i, v := range votes {
		l := list{from: len(b.items), weight: float64(v.Count)}
		for j, group := range v.Levels {
			last := j == len(v.Levels)-1
			if len(group) > 1 && !last {
				return nil, hint.Errorf("dataset.BucketOrder.Draw draws an order that a vote allows", "plackett-luce: vote %d: level %d has %d tied items, wanted ties in the last level alone", i, j, len(group))
			}
			for _, k := range group {
				b.items = append(b.items, int32(k))
			}
			if !last {
				l.choices++
				b.wins[group[0]] += l.weight
			}
		}
		if l.to = len(b.items); l.choices == 0 { // it says nothing
			b.items = b.items[:l.from]
			continue
		}
		b.lists = append(b.lists, l)
		for i, k := range b.items[l.from:] {
			b.losses[k] += l.weight * float64(min(i, l.choices))
		}
	}
	b.own, b.fall = make([]float64, len(b.items)), make([]float64, len(b.items))
	return b, nil
}

// evaluate returns the log-likelihood, with the prior's log-density, and its gradient where
// gradient is not nil.
//
// For a choice that item k won with probability p the gradient of s_k has 1 − p. That is
// D_{i+1}/D_i, and is not computed by the difference. For a choice that it lost the gradient has
// −p. So of an item that won all but one of a billion choices every digit is right.
func (b *ballots) evaluate(scores, gradient []float64) float64 {
	total := 0.0
	for k, s := range scores {
		if b.prior > 0 {
			total += b.prior * (s - 2*softplus(s))
		}
		if gradient != nil {
			gradient[k] = -b.prior * math.Tanh(s/2)
		}
	}
	for _, l := range b.lists {
		// D_i as (1 + others)·e^m from the last place on, so that no sum over- or underflows.
		m, others, after := math.Inf(-1), 0.0, 0.0
		logp := 0.0
		for i := l.to - 1; i >= l.from; i-- {
			s := scores[b.items[i]]
			switch {
			case i == l.to-1:
				m = s
			case s > m:
				others, m = (1+others)*math.Exp(m-s), s
			default:
				others += math.Exp(s - m)
			}
			rest := math.Log1p(others)
			log := m + rest
			b.own[i], b.fall[i] = math.Exp(s-log), 0
			if i < l.to-1 {
				b.fall[i+1] = math.Exp(after - log)
			}
			if i < l.from+l.choices {
				logp += (s - m) - rest
			}
			after = log
		}
		total += l.weight * logp
		if gradient == nil {
			continue
		}
		for i := l.from; i < l.from+l.choices; i++ {
			gradient[b.items[i]] += l.weight * b.fall[i+1]
		}
		b.lost(l, func(i int, p, sum, _ float64) { gradient[b.items[i]] -= l.weight * p * sum })
	}
	return total
}

// lost calls f for the places of a list. The item at place i lost the choices j < c; c is i or,
// after the last choice, all. With r = i or the last choice f gets p = exp s[o[i]] / D_r, the sum
// over those choices of D_r/D_j, and that of their squares. p·sum is how many of them it was
// expected to win.
func (b *ballots) lost(l list, f func(i int, p, sum, squares float64)) {
	sum, squares, ratio := 0.0, 0.0, 1.0
	for i := l.from; i < l.to; i++ {
		fall := b.fall[i]
		switch at := i - l.from; {
		case at < l.choices: // fall is 0 at the first place
			sum, squares = (sum+1)*fall, (squares+1)*fall*fall
		case at == l.choices:
			sum, squares, ratio = sum+1, squares+1, fall
		default:
			ratio *= fall
		}
		f(i, b.own[i]*ratio, sum, squares)
	}
}

// diagonal writes the negated second derivatives by each score, at the scores evaluated last.
func (b *ballots) diagonal(scores, dst []float64) {
	for k, s := range scores {
		dst[k] = 2 * b.prior * logistic(s) * logistic(-s)
	}
	for _, l := range b.lists {
		for i := l.from; i < l.from+l.choices; i++ {
			dst[b.items[i]] += l.weight * b.own[i] * b.fall[i+1]
		}
		b.lost(l, func(i int, p, sum, squares float64) {
			dst[b.items[i]] += l.weight * max(0, p*sum-p*p*squares)
		})
	}
}

// curvature writes the negated matrix of second derivatives times v, at the scores evaluated
// last. A choice j adds p_k (v_k − Σ_l p_l v_l) for each item k that is up for it.
func (b *ballots) curvature(scores, v, dst, mean []float64) {
	for k, s := range scores {
		dst[k] = 2 * b.prior * logistic(s) * logistic(-s) * v[k]
	}
	for _, l := range b.lists {
		average := 0.0 // of v over a list from place i on
		for i := l.to - 1; i >= l.from; i-- {
			average += b.own[i] * (v[b.items[i]] - average)
			mean[i] = average
		}
		sum, means, ratio := 0.0, 0.0, 1.0 // as in lost
		for i := l.from; i < l.to; i++ {
			k, fall := b.items[i], b.fall[i]
			switch at := i - l.from; {
			case at == 0:
			case at < l.choices:
				sum, means = (sum+1)*fall, (means+mean[i-1])*fall
			case at == l.choices:
				sum, means, ratio = sum+1, means+mean[i-1], fall
			default:
				ratio *= fall
			}
			dst[k] += l.weight * b.own[i] * ratio * (sum*v[k] - means)
			if i < l.from+l.choices { // v_k less the mean of it and those after it
				dst[k] += l.weight * b.own[i] * b.fall[i+1] * (v[k] - mean[i+1])
			}
		}
	}
}

func logistic(s float64) float64 { return 1 / (1 + math.Exp(-s)) }

// softplus returns log(1 + e^s).
func softplus(s float64) float64 { return max(s, 0) + math.Log1p(math.Exp(-math.Abs(s))) }
