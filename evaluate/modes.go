package evaluate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/baseline/plackettluce"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// modeMeasures say how a model shares its samples among the orders of a target that has several. TV is
// the total variation distance between the two, (Σ |share − weight| + none)/2. That of perfect draws
// is what is to be expected of as many draws from the target itself: Σ √(2 w(1 − w)/(π samples))/2, as
// each share is nearly normal. The law is one Plackett–Luce law fitted to the target. A model of one
// reverse step by PL can be no more where nothing about the objects tells the mode. none is the share
// of samples that are no mode.
var modeMeasures = []task.Measure{
	{Key: "modes.tv", Label: "TV of the modes", Digits: 4},
	{Key: "modes.perfect", Label: "TV of perfect draws", Digits: 4},
	{Key: "modes.plackett_luce", Label: "TV of one PL law", Digits: 4},
	{Key: "modes.none", Label: "no mode", Unit: task.Share, Digits: 4},
}

// addModes draws an order for each of count sets of a split and compares with the target, where it
// has several orders.
func addModes(ctx context.Context, m *learn.Model, r *Result, split task.Split, count int) error {
	t, ok := m.Task.(task.Modal)
	if !ok || !m.Method.Diffuses() {
		return nil
	}
	modes, weights := t.Modes()
	if modes == nil {
		return nil
	}
	shares, none, err := modeShares(ctx, m, modes, split, count)
	if err != nil {
		return err
	}
	perfect := 0.0
	for _, w := range weights {
		perfect += math.Sqrt(2*w*(1-w)/(math.Pi*float64(count))) / 2
	}
	law, err := plackettLuceTV(modes, weights)
	if err != nil {
		return err
	}
	for i, v := range []float64{distance(weights, shares), perfect, law, none} {
		r.Figures = append(r.Figures, Figure{Measure: modeMeasures[i], Value: number(v)})
	}
	r.Details = append(r.Details, task.Detail{Key: "modes.samples", Value: count}, task.Detail{Key: "modes.weights", Value: weights}, task.Detail{Key: "modes.shares", Value: shares})
	below := Section{Header: []string{"mode", "target", "samples"}}
	below.Text = fmt.Sprintf("exact: the order is one of the %d modes. TV: total variation distance between the target\nand %s samples, as many perfect draws from it, and a fitted Plackett–Luce law\n", len(modes), text.Thousands(count))
	for i, w := range weights {
		below.Rows = append(below.Rows, []string{fmt.Sprint(i), fmt.Sprintf("%.4f", w), fmt.Sprintf("%.4f", shares[i])})
	}
	r.Below = append(r.Below, below)
	return nil
}

// modeShares draws an order of each of count sets, and returns what share of them each mode has, and what
// share is none of them.
func modeShares(ctx context.Context, m *learn.Model, modes []perm.Order, split task.Split, count int) (shares []float64, none float64, err error) {
	shares = make([]float64, len(modes))
	err = batches(ctx, m, split, count, m.Config.Eval.Batch, func(ex *task.Examples, first, own int) error {
		drawn, err := draws(ctx, m, ex, 1, func(i, _ int) uint64 { return uint64(first + i) })
		if err != nil {
			return err
		}
		for _, o := range drawn[:own] {
			at := slices.IndexFunc(modes, func(mode perm.Order) bool { return slices.Equal(mode, o) })
			if at < 0 {
				none += 1 / float64(count)
				continue
			}
			shares[at] += 1 / float64(count)
		}
		return nil
	})
	return shares, none, err
}

// plackettLuceTV is the TV between a target and the Plackett–Luce law of the greatest likelihood.
func plackettLuceTV(modes []perm.Order, weights []float64) (float64, error) {
	const voters = 1e6 // weights are counted in millionths
	votes := make([]dataset.Vote, len(modes))
	for i, mode := range modes {
		votes[i] = dataset.VoteOf(mode, max(1, int(math.Round(weights[i]*voters))))
	}
	// A prior of one in a million: where some item is before another in all modes there is no
	// greatest likelihood without.
	fit, err := plackettluce.Estimate(votes, len(modes[0]), 1)
	if err != nil {
		return 0, err
	}
	fitted := make([]float64, len(modes))
	for i, mode := range modes {
		logp, err := fit.LogProb(mode)
		if err != nil {
			return 0, err
		}
		fitted[i] = math.Exp(logp)
	}
	return distance(weights, fitted), nil
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
