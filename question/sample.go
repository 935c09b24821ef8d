package question

import (
	"context"
	"fmt"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
)

// Sample asks for orders drawn for sets, and for what the draws say.
type Sample struct {
	Count     int
	Seed      uint64
	Top       int  // how many of the most frequent orders
	Consensus bool // the order nearest to all draws
	Entropy   bool // by Draws trajectories for each different order
	Draws     int
}

// Sampled is an answer.
type Sampled struct {
	learn.Sampled
	Consensus *learn.Consensus `json:"consensus,omitempty"`
	Top       []learn.Frequent `json:"top,omitempty"`
	Entropy   *learn.Entropy   `json:"entropy,omitempty"`
}

// Check refuses what no model answers.
func (s Sample) Check() error {
	if err := learn.CheckDraws("count", s.Count); err != nil {
		return err
	}
	if s.Top < 0 {
		return learn.Refuse(learn.Usage, "top", "must be 0 or more (got %d)", s.Top)
	}
	if s.Draws < 1 && s.Entropy {
		return learn.Refuse(learn.Usage, "draws", "must be 1 or more (got %d)", s.Draws)
	}
	return nil
}

// Query is the complete question about draws alone.
func (s Sample) Query() (learn.Query, error) {
	return learn.Query{Kind: learn.KindSample, Count: s.Count, Seed: s.Seed}, s.Check()
}

// Ask draws, and answers what was asked about the draws.
func (s Sample) Ask(ctx context.Context, m *learn.Model, sets []*dataset.Set) ([]Sampled, []dataset.Warning, error) {
	for _, set := range sets { // before the work
		if s.Entropy && !set.Constraints.IsZero() {
			return nil, nil, learn.InSet(set.ID, learn.Refuse(learn.Unfit, "constraints", "%s is of the free model, the set has constraints", learn.Opt("entropy")))
		}
	}
	drawn, warnings, err := m.Sample(ctx, sets, s.Count, s.Seed)
	if err != nil {
		return nil, nil, err
	}
	out := make([]Sampled, len(drawn))
	for i, d := range drawn {
		out[i] = Sampled{Sampled: d, Top: learn.MostFrequent(d.Samples, s.Top)}
		if s.Consensus {
			rules, err := sets[i].Constraints.Parse(sets[i].ItemNames())
			if err == nil {
				out[i].Consensus, err = learn.ConsensusOf(d.Samples, rules)
			}
			if err != nil {
				return nil, nil, learn.InSet(d.ID, err)
			}
		}
		if s.Entropy {
			if out[i].Entropy, err = m.Entropy(ctx, sets[i], d.Samples, s.Draws, s.Seed, out[i].Top); err != nil {
				return nil, nil, learn.InSet(d.ID, err)
			}
			if c := out[i].Entropy.Capped; c > 0 {
				w := fmt.Sprintf("entropy: estimates of log p above 0, where none is, were made 0 (%d): more draws bring them nearer", c)
				out[i].Warnings = append(out[i].Warnings, w)
				warnings = append(warnings, dataset.Warning{Kind: "capped", Text: fmt.Sprintf("set %s: %s", d.ID, w)})
			}
		}
	}
	return out, warnings, nil
}
