package evaluate

import (
	"context"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/baseline/plackettluce"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Modes is how a model shares its samples among the orders of a target that has several.
type Modes struct {
	Samples int `json:"samples"`
	// Weights are those of the target; Shares are those of the samples, and None is the share
	// of those that are no mode.
	Weights []float64 `json:"weights"`
	Shares  []float64 `json:"shares"`
	None    float64   `json:"none"`
	// TV is the total variation distance between the two, (Σ |share − weight| + none)/2, and
	// Perfect what is to be expected of as many draws from the target itself:
	// Σ √(2 w(1 − w)/(π samples))/2, as each share is nearly normal.
	TV      float64 `json:"tv"`
	Perfect float64 `json:"perfect"`
	// PlackettLuce is the exact TV between the target and one Plackett–Luce law fitted to it,
	// which is all that a model of one reverse step by PL can be where nothing about the
	// objects tells the mode.
	PlackettLuce float64 `json:"plackett_luce"`
}

// modesOf draws an order for each of count sets of a split and compares with the target.
func modesOf(ctx context.Context, m *learn.Model, target *task.Delta, split task.Split, count int) (*Modes, error) {
	r := &Modes{Samples: count, Weights: target.Weights, Shares: make([]float64, len(target.Modes))}
	size := min(m.Config.Eval.Batch, count)
	for first := 0; first < count; first += size {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ex, err := m.Task.Examples(split, first, size)
		if err != nil {
			return nil, err
		}
		enc, err := m.EncodeExamples(ctx, ex)
		if err != nil {
			return nil, err
		}
		numbers := make([]uint64, size)
		for j := range numbers {
			numbers[j] = uint64(first + j)
		}
		drawn, err := m.Draw(ctx, enc, enc.Size(0), numbers)
		if err != nil {
			return nil, err
		}
		for _, o := range drawn[:min(size, count-first)] {
			at := slices.IndexFunc(target.Modes, func(mode perm.Order) bool { return slices.Equal(mode, o) })
			if at < 0 {
				r.None += 1 / float64(count)
				continue
			}
			r.Shares[at] += 1 / float64(count)
		}
	}
	r.TV = distance(r.Weights, r.Shares)
	for _, w := range r.Weights {
		r.Perfect += math.Sqrt(2*w*(1-w)/(math.Pi*float64(count))) / 2
	}
	var err error
	r.PlackettLuce, err = plackettLuceTV(target)
	return r, err
}

// plackettLuceTV is the TV between a target and the Plackett–Luce law of the greatest likelihood.
func plackettLuceTV(target *task.Delta) (float64, error) {
	const voters = 1e6 // weights are counted in millionths
	votes := make([]dataset.Vote, len(target.Modes))
	for i, mode := range target.Modes {
		votes[i] = dataset.VoteOf(mode, max(1, int(math.Round(target.Weights[i]*voters))))
	}
	// A prior of one in a million: where some item is before another in all modes there is no
	// greatest likelihood without.
	fit, err := plackettluce.Estimate(votes, len(target.Modes[0]), 1)
	if err != nil {
		return 0, err
	}
	fitted := make([]float64, len(target.Modes))
	for i, mode := range target.Modes {
		logp, err := fit.LogProb(mode)
		if err != nil {
			return 0, err
		}
		fitted[i] = math.Exp(logp)
	}
	return distance(target.Weights, fitted), nil
}

// distance is the total variation distance between weights, whose sum is 1, and shares of
// the same modes, whose rest to 1 is elsewhere.
func distance(weights, shares []float64) float64 {
	sum, elsewhere := 0.0, 1.0
	for i, w := range weights {
		sum += math.Abs(shares[i] - w)
		elsewhere -= shares[i]
	}
	return (sum + max(0, elsewhere)) / 2
}
