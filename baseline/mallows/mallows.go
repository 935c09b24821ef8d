// Package mallows fits the Mallows model with Kendall's distance to votes: one order that
// orders are around, the consensus, and how near they are to it.
//
//	p(o) = exp(−θ·d(o, c)) / Z_n(θ),   Z_n(θ) = Π_{i=1}^n (1 − e^{−iθ}) / (1 − e^{−θ})
//
// (Mallows 1957), where d counts the pairs of items that o and the consensus c have the other
// way round. θ ≥ 0 is the dispersion: 0 is the uniform distribution, Z_n(0) = n!, and +Inf has
// the consensus alone.
//
// A vote may have ties: its probability is that of all orders that agree with it. Where it
// names every item, its levels having m_g items and d counting pairs of different levels, that
// is
//
//	p(vote) = exp(−θ·d(vote, c)) · Π_g Z_{m_g}(θ) / Z_n(θ),
//
// since the orders within a level are free and their distances add up. So lists of first places,
// the others tied after them ([dataset.BucketOrder.RestLast]), are exact as well. For votes that
// leave items out, which may be anywhere, there is no such formula. They count for the consensus,
// by the pairs they have, and are an error for everything else.
package mallows

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

// Model is a Mallows distribution.
type Model struct {
	Consensus perm.Order
	Theta     float64 // 0 to +Inf
}

// LogProb returns the natural log of p(o), O(n log n).
func (m Model) LogProb(o perm.Order) (float64, error) {
	if len(o) != len(m.Consensus) {
		return 0, fmt.Errorf("mallows: an order of %d items, wanted %d", len(o), len(m.Consensus))
	}
	return m.LogLikelihood([]dataset.Vote{{Levels: dataset.Strict(o), Count: 1}})
}

// LogLikelihood returns Σ over voters of log p(vote), in nats. It fails on votes that are not
// valid or leave items out, and on a model that is not one.
func (m Model) LogLikelihood(votes []dataset.Vote) (float64, error) {
	if err := m.Consensus.Validate(); err != nil {
		return 0, fmt.Errorf("mallows: consensus: %w", err)
	}
	if !(m.Theta >= 0) {
		return 0, fmt.Errorf("mallows: theta must be 0 or more (got %g)", m.Theta)
	}
	n := len(m.Consensus)
	sizes, err := countLevels(votes, n)
	if err != nil {
		return 0, err
	}
	rank, distance := m.Consensus.Rank(), 0
	for i, v := range votes {
		d, err := metric.Discordant(rank, v.Levels)
		if err != nil {
			return 0, fmt.Errorf("mallows: vote %d: %w", i, err)
		}
		distance += v.Count * d
	}
	return sizes.logLikelihood(m.Theta, distance), nil
}

// Sample draws an order, in O(n log n), by repeated insertion (Doignon, Pekeč & Regenwetter 2004).
// Items are put in one after the other as the consensus has them. The i-th, from 0, goes before j ≤
// i of those that are there with probability ∝ e^{−jθ}. The model must be valid.
func (m Model) Sample(rng *rand.Rand) perm.Order {
	n := len(m.Consensus)
	// From the last item on, each takes a place of those left: i − j places before it.
	code := make([]int, n)
	for i := range n {
		code[n-1-i] = i - jump(rng, i, m.Theta)
	}
	places, err := perm.FromLehmer(code)
	if err != nil {
		panic(err) // jump is 0 to i
	}
	o := make(perm.Order, n)
	for i, place := range places {
		o[place] = m.Consensus[n-1-i]
	}
	return o
}

// jump draws j of 0 … i with probability ∝ e^{−jθ}, by inverting the distribution function.
func jump(rng *rand.Rand, i int, theta float64) int {
	if theta == 0 {
		return rng.IntN(i + 1)
	}
	u := rng.Float64()
	j := math.Log1p(u*math.Expm1(-float64(i+1)*theta)) / -theta
	return max(0, min(i, int(j))) // rounding
}

// Fit is a fitted model.
type Fit struct {
	Model
	// Exact is whether the consensus is known to be the best. See [Consensus].
	Exact bool
	// Distance is the sum over voters of d(vote, consensus).
	Distance      int
	LogLikelihood float64 // nats
}

// Estimate returns the model of maximum likelihood of votes on n items, none of which leaves an
// item out. Whatever θ is, the consensus is the order with the least distance, that of [Consensus].
// The log-likelihood is concave in θ, and θ is the root of its derivative. There the mean distance
// is as the model expects. It is +Inf where all votes agree with the consensus. It fails where no
// vote puts any item before another, for then every model does.
func Estimate(votes []dataset.Vote, n int) (*Fit, error) {
	sizes, err := countLevels(votes, n)
	if err != nil {
		return nil, err
	}
	c, exact, err := Consensus(votes, n)
	if err != nil {
		return nil, err
	}
	if sizes.informative == 0 {
		return nil, errors.New("mallows: no vote puts an item before another, wanted one that does")
	}
	f := &Fit{Model: Model{Consensus: c}, Exact: exact}
	rank := c.Rank()
	for i, v := range votes {
		d, err := metric.Discordant(rank, v.Levels)
		if err != nil {
			return nil, fmt.Errorf("mallows: vote %d: %w", i, err)
		}
		f.Distance += v.Count * d
	}
	f.Theta = sizes.theta(f.Distance)
	f.LogLikelihood = sizes.logLikelihood(f.Theta, f.Distance)
	return f, nil
}
