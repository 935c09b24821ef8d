package evaluate

import (
	"context"
	"fmt"
	"slices"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
)

// Calibration compares the probabilities that a model gives with what is so in test sets. A
// probability is a share of samples, so it is off by up to 1/(2√samples), one standard deviation.
// That alone makes even perfect probabilities seem a little too sure.
type Calibration struct {
	Sets int `json:"sets"`
	// Lists is of ranked lists how many gave the sets; a set that many gave counts as often.
	Lists   int    `json:"lists,omitempty"`
	N       int    `json:"n"`
	Samples int    `json:"samples"` // a set
	Step    int    `json:"step"`
	Seed    uint64 `json:"seed"`
	// Pairs are of P(item a before item b) for a < b, but for items that are equal or tied, or
	// of which nothing is known.
	Pairs CalibrationTable `json:"pairs"`
	// Places are of P(item k at position i), the marginals. Where the right order is one of several
	// (equal items) it is the set's own. Of ranked lists those items count whose position is known:
	// no item of the list is tied with them or left out.
	Places   CalibrationTable `json:"places"`
	Warnings []string         `json:"warnings,omitempty"` // see [learn.Model.Warnings]
}

// CalibrationTable is predictions by their probability.
type CalibrationTable struct {
	Predictions int          `json:"predictions"`
	Error       float64      `json:"expected_calibration_error"`
	Bins        []metric.Bin `json:"bins"`
}

func newCalibrationTable(c *metric.Calibration) CalibrationTable {
	t := CalibrationTable{Error: c.Error(), Bins: c.Bins()}
	for _, b := range t.Bins {
		t.Predictions += b.Count
	}
	return t
}

// Sections tell a calibration: of what it is, and a table of each kind of predictions.
func (c *Calibration) Sections() []Section {
	size := fmt.Sprintf("sets of %d", c.N)
	if c.Lists > 0 {
		size = fmt.Sprintf("different lists of up to %d (%s in all)", c.N, text.Thousands(c.Lists))
	}
	out := []Section{{Text: fmt.Sprintf("%s %s, %s samples each; trained %s steps; seed %d", text.Thousands(c.Sets), size, text.Thousands(c.Samples), text.Thousands(c.Step), c.Seed)}}
	for _, t := range []struct {
		what string
		CalibrationTable
	}{{"item a before item b", c.Pairs}, {"item k at position i", c.Places}} {
		if t.Predictions == 0 {
			out = append(out, Section{Text: t.what + ": known of no set"})
			continue
		}
		s := Section{Text: fmt.Sprintf("%s: expected calibration error %.4f", t.what, t.Error), Header: []string{"probability", "predictions", "mean", "frequency"}}
		for _, b := range t.Bins {
			row := []string{fmt.Sprintf("%.1f to %.1f", b.Low, b.High), text.Thousands(b.Count), "", ""}
			if b.Count > 0 {
				row[2], row[3] = fmt.Sprintf("%.4f", b.Mean), fmt.Sprintf("%.4f", b.Frequency)
			}
			s.Rows = append(s.Rows, row)
		}
		out = append(out, s)
	}
	return out
}

// MaxCalibrationSamples is the most samples of a set that a calibration and marginals are of.
const MaxCalibrationSamples = 4096

// Calibrate draws samples of each of the first count test sets and holds their shares
// against the right orders. Of ranked lists it takes the different ones, those that most gave
// first, and there may be fewer than count. progress, if not nil, is called with the number of
// sets done and that of all.
func Calibrate(ctx context.Context, m *learn.Model, count, samples int, progress func(done, of int)) (*Calibration, error) {
	switch {
	case count < 1:
		return nil, fmt.Errorf("calibration: wanted 1 set or more (got %d)", count)
	case samples < 1 || samples > MaxCalibrationSamples:
		return nil, fmt.Errorf("calibration: wanted 1 to %d samples (got %d)", MaxCalibrationSamples, samples)
	}
	if t, ok := m.Task.(task.Lister); ok {
		return calibrateLists(ctx, m, t, count, samples, progress)
	}
	var pairs, places metric.Calibration
	// GPL's scores of all samples are there at once, n² numbers each.
	size := min(m.Config.Eval.Batch, max(1, 1024/samples))
	err := batches(ctx, m, task.Test, count, size, func(ex *task.Examples, first, own int) error {
		if _, _, err := ex.Judge.Places(0); err != nil {
			return fmt.Errorf("calibration: %w (task %s)", err, m.Config.Task.Name)
		}
		orders, err := draws(ctx, m, ex, samples, func(i, j int) uint64 { return uint64(first+i)<<32 | uint64(j) })
		if err != nil {
			return err
		}
		for i := range own {
			ranks := make([]perm.Rank, samples)
			for j := range ranks {
				ranks[j] = orders[i*samples+j].Rank()
			}
			if err := calibrate(ex, i, ranks, &pairs, &places); err != nil {
				return err
			}
		}
		if progress != nil {
			progress(first+own, count)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return newCalibration(m, count, samples, &pairs, &places), nil
}

func newCalibration(m *learn.Model, sets, samples int, pairs, places *metric.Calibration) *Calibration {
	return &Calibration{
		Sets: sets, N: m.Config.Task.N, Samples: samples, Step: m.State.Step, Seed: m.Config.Seed,
		Pairs: newCalibrationTable(pairs), Places: newCalibrationTable(places), Warnings: slices.Clone(m.Warnings()),
	}
}

// calibrateLists is [Calibrate] of ranked lists: what is not known of them is no prediction.
func calibrateLists(ctx context.Context, m *learn.Model, t task.Lister, count, samples int, progress func(done, of int)) (*Calibration, error) {
	sets, weights, err := t.Sets(task.Test, count)
	if err != nil {
		return nil, err
	}
	var pairs, places metric.Calibration
	lists := 0
	for i, s := range sets {
		drawn, _, err := m.Sample(ctx, []*dataset.Set{s}, samples, m.Config.Seed+uint64(i))
		if err != nil {
			return nil, err
		}
		ranks := make([]perm.Rank, samples)
		for j, o := range drawn[0].Samples {
			ranks[j] = o.Rank()
		}
		if err := calibrateLevels(s.Known(), ranks, weights[i], &pairs, &places); err != nil {
			return nil, err
		}
		lists += weights[i]
		if progress != nil {
			progress(i+1, len(sets))
		}
	}
	c := newCalibration(m, len(sets), samples, &pairs, &places)
	c.Lists, c.Warnings = lists, append(c.Warnings, t.Doubts(task.Test)...)
	return c, nil
}

// calibrateLevels adds what samples say of a list that count gave, of which levels are known.
func calibrateLevels(levels dataset.BucketOrder, ranks []perm.Rank, count int, pairs, places *metric.Calibration) error {
	n := len(ranks[0])
	level, complete := make([]int, n), levels.Known() == n // level is from 1 on, 0 for an item in none
	position, from := make([]int, n), 0                    // −1 where it is not known
	for k := range position {
		position[k] = -1
	}
	for i, group := range levels {
		for _, k := range group {
			level[k] = i + 1
			if complete && len(group) == 1 {
				position[k] = from
			}
		}
		from += len(group)
	}
	return addSamples(ranks, count, pairs, places, position, func(a, b int) (before, known bool) {
		return level[a] < level[b], level[a] > 0 && level[b] > 0 && level[a] != level[b]
	})
}

// calibrate adds what samples say of set i.
func calibrate(ex *task.Examples, i int, ranks []perm.Rank, pairs, places *metric.Calibration) error {
	right := ex.Clean[i].Rank()
	return addSamples(ranks, 1, pairs, places, right, func(a, b int) (before, known bool) {
		return right[a] < right[b], !ex.Judge.Same(i, a, b)
	})
}

// addSamples adds what samples say of a set that count gave. places are of items whose position is known;
// it is −1 where it is not. pairs are a < b, and order tells which of them comes first.
func addSamples(ranks []perm.Rank, count int, pairs, places *metric.Calibration, position []int, order func(a, b int) (before, known bool)) error {
	n, samples := len(ranks[0]), float64(len(ranks))
	at := make([]int, n)
	for a := range n {
		if position[a] >= 0 {
			clear(at)
			for _, r := range ranks {
				at[r[a]]++
			}
			for i, hits := range at {
				if err := places.Add(float64(hits)/samples, position[a] == i, count); err != nil {
					return err
				}
			}
		}
		for b := a + 1; b < n; b++ {
			right, known := order(a, b)
			if !known {
				continue
			}
			before := 0
			for _, r := range ranks {
				if r[a] < r[b] {
					before++
				}
			}
			if err := pairs.Add(float64(before)/samples, right, count); err != nil {
				return err
			}
		}
	}
	return nil
}
