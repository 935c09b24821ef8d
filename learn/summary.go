package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/baseline/mallows"
	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
)

// Frequent is an order with its share of some samples.
type Frequent struct {
	Order perm.Order `json:"order"`
	Share float64    `json:"share"`
	// LogProb is the estimate of log p(order | objects) in nats, with its standard error, where
	// it was asked for.
	LogProb *Nats `json:"log_prob,omitempty"`
	StdErr  *Nats `json:"stderr,omitempty"`
	// Capped is whether the estimate was above 0, as in [Scored].
	Capped bool `json:"capped,omitempty"`
}

// MostFrequent returns at most k different orders of some samples by falling share, equal
// ones lexicographically.
func MostFrequent(samples []perm.Order, k int) []Frequent {
	sorted := slices.Clone(samples)
	slices.SortFunc(sorted, func(a, b perm.Order) int { return slices.Compare(a, b) })
	var out []Frequent
	for i := 0; i < len(sorted); {
		j := i
		for j < len(sorted) && slices.Equal(sorted[i], sorted[j]) {
			j++
		}
		out = append(out, Frequent{Order: sorted[i], Share: float64(j-i) / float64(len(sorted))})
		i = j
	}
	slices.SortStableFunc(out, func(a, b Frequent) int { return cmp.Compare(b.Share, a.Share) })
	return out[:max(0, min(k, len(out)))]
}

// Consensus is the order nearest to some samples.
type Consensus struct {
	Order perm.Order `json:"order"`
	// Distance is its mean Kendall distance to them: how many pairs of items are the other way
	// round.
	Distance float64 `json:"distance"`
	// Exact reports whether it is known that no order is nearer, see [mallows.Consensus].
	Exact bool `json:"exact"`
}

// ConsensusOf finds the order with the least mean Kendall distance to samples of the same items, among those that obey
// rules ([mallows.ConsensusUnder]). The samples obey them, as those of a set with constraints do.
func ConsensusOf(samples []perm.Order, rules constraint.Rules) (*Consensus, error) {
	if len(samples) == 0 {
		return nil, errors.New("consensus: no samples")
	}
	n := len(samples[0])
	if n < 2 {
		return &Consensus{Order: perm.Identity(n), Exact: true}, nil
	}
	votes := make([]dataset.Vote, len(samples))
	for i, o := range samples {
		votes[i] = dataset.VoteOf(o, 1)
	}
	order, exact, err := mallows.ConsensusUnder(votes, n, rules, MostFrequent(samples, 1)[0].Order)
	if err != nil {
		return nil, fmt.Errorf("consensus: %w", err)
	}
	c := &Consensus{Order: order, Exact: exact}
	for _, o := range samples {
		tau, err := metric.KendallTau(order.Rank(), o.Rank())
		if err != nil {
			return nil, fmt.Errorf("consensus: %w", err)
		}
		c.Distance += (1 - tau) / 4 * float64(n*(n-1)) / float64(len(samples))
	}
	return c, nil
}

// Entropy is an estimate of the entropy of the model's orders of a set, in nats.
type Entropy struct {
	// Mean estimates −E[log p(order)] over samples, with standard error StdErr. Each log p is
	// itself estimated by Draws trajectories, and lies below the true one in expectation. So Mean
	// lies above the entropy in expectation. More draws bring it nearer.
	Mean   Nats `json:"mean"`
	StdErr Nats `json:"stderr"`
	Draws  int  `json:"draws"`
	// Capped is how many of the estimates were above 0, where no log p is, and count as 0.
	Capped int `json:"capped,omitempty"`
	// Uniform is log n!, the entropy of all orders alike.
	Uniform Nats `json:"uniform"`
}

// Entropy estimates the entropy of the distribution that the samples of a set were drawn from. It
// estimates log p of each different sample by draws trajectories. Samples must be of the free
// model: a set with constraints is an error. The log p of the samples are written into most, if it
// is not nil.
func (m *Model) Entropy(ctx context.Context, set *dataset.Set, samples []perm.Order, draws int, seed uint64, most []Frequent) (*Entropy, error) {
	switch {
	case !set.Constraints.IsZero():
		return nil, errors.New("entropy: log p is that of the free model, wanted a set without constraints")
	case len(samples) == 0:
		return nil, errors.New("entropy: no samples")
	}
	all := MostFrequent(samples, len(samples))
	sets := make([]*dataset.Set, len(all))
	for i, f := range all {
		s := *set
		s.Order, s.Levels, s.OrderGiven = f.Order, nil, "order"
		sets[i] = &s
	}
	scored, _, err := m.Score(ctx, sets, draws, seed)
	if err != nil {
		return nil, fmt.Errorf("entropy: %w", err)
	}
	e := &Entropy{Draws: draws}
	if n := len(set.Items); n > 0 {
		e.Uniform = Nats(m.Process.LogOrders(n))
	}
	for i, f := range all {
		e.Mean -= Nats(f.Share) * scored[i].LogProb
		if scored[i].Capped {
			e.Capped++
		}
		for j := range most {
			if slices.Equal(most[j].Order, f.Order) {
				most[j].LogProb, most[j].StdErr, most[j].Capped = &scored[i].LogProb, &scored[i].LogProbStdErr, scored[i].Capped
			}
		}
	}
	if len(all) == 1 && len(samples) == 1 {
		e.StdErr = Nats(math.NaN()) // one draw has no spread
	}
	if count := float64(len(samples)); count > 1 {
		square := 0.0
		for i, f := range all {
			d := float64(-scored[i].LogProb - e.Mean)
			square += f.Share * d * d
		}
		e.StdErr = Nats(math.Sqrt(square / (count - 1)))
	}
	return e, nil
}

// ByMeanPosition returns the items of marginals, [items][positions], by their mean position, and
// equal ones by their number. In that order a picture of the marginals is near a diagonal.
func ByMeanPosition(marginals [][]float64) perm.Order {
	mean := make([]float64, len(marginals))
	for k, row := range marginals {
		for i, p := range row {
			mean[k] += p * float64(i)
		}
	}
	o := perm.Identity(len(marginals))
	slices.SortStableFunc(o, func(a, b int) int { return cmp.Compare(mean[a], mean[b]) })
	return o
}
