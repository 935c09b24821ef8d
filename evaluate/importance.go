package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
)

// Importance says how much worse a model of ranked lists orders when it is told a feature of other
// items (permutation importance, Breiman 2001): a feature that it does not use has a drop of 0.
type Importance struct {
	Lists   int                 `json:"lists"`   // that were ordered
	Repeats int                 `json:"repeats"` // shuffles of each feature
	Seed    uint64              `json:"seed"`
	Decode  learn.DecodeOptions `json:"decode"`
	TauB    metric.Interval     `json:"tau_b"` // Kendall's tau-b of the lists as they are
	NDCG    metric.Interval     `json:"ndcg"`  // of the first NDCGAt items
	NDCGAt  int                 `json:"ndcg_at"`
	// Features are by falling drop of TauB.
	Features []FeatureImportance `json:"features"`
	Warnings []string            `json:"warnings,omitempty"` // of the model and the lists as they are
}

// FeatureImportance is the drop of the measures, mean over lists and shuffles, with 95 % bootstrap
// intervals over lists. It is below 0 where the shuffled feature happened to do better.
type FeatureImportance struct {
	Feature int             `json:"feature"` // from 0
	Name    string          `json:"name"`
	TauB    metric.Interval `json:"tau_b_drop"`
	NDCG    metric.Interval `json:"ndcg_drop"`
}

// ImportanceOptions say how [learn.Model.Importance] shuffles; the zero value is 5 shuffles of seed 0.
type ImportanceOptions struct {
	Repeats  int // shuffles of each feature, 0: 5
	Seed     uint64
	Decode   learn.DecodeOptions
	Progress func(done, of int) // nil, or called after each ordering of all lists
}

// Importance orders lists of features, whose orders are known at least in part, as they are and
// with the values of one feature shuffled among all items of all lists, and compares. Lists that
// put no item before another are left out.
func MeasureImportance(ctx context.Context, m *learn.Model, lists []*dataset.Set, opt ImportanceOptions) (*Importance, error) {
	if opt.Repeats == 0 {
		opt.Repeats = 5
	}
	if opt.Repeats < 1 {
		return nil, fmt.Errorf("importance: wanted 1 shuffle or more (got %d)", opt.Repeats)
	}
	var err error
	if opt.Decode, err = m.Decoding(opt.Decode); err != nil {
		return nil, err
	}
	var sets []*dataset.Set
	width := 0
	for i, s := range lists {
		if len(s.Known()) < 2 {
			continue
		}
		if s.Kind != dataset.KindFeatures {
			return nil, fmt.Errorf("importance: set %s: items are %s, wanted features", called(s, i), s.Kind.Items())
		}
		if got := len(s.Items[0].Features); width == 0 {
			width = got
		} else if got != width {
			return nil, fmt.Errorf("importance: set %s: items have %d features, wanted %d as those before", called(s, i), got, width)
		}
		free := *s
		free.ID, free.Constraints.Pin, free.Constraints.Forbid, free.Constraints.Before, free.Constraints.First = called(s, i), nil, nil, nil, nil
		sets = append(sets, &free)
	}
	if len(sets) == 0 {
		return nil, errors.New("importance: no list puts an item before another")
	}
	steps, done := 1+width*opt.Repeats, 0
	measure := func(sets []*dataset.Set) (tau, ndcg []float64, warnings []string, err error) {
		if tau, ndcg, warnings, err = measured(ctx, m, sets, opt.Decode); err == nil && opt.Progress != nil {
			done++
			opt.Progress(done, steps)
		}
		return tau, ndcg, warnings, err
	}
	tau, ndcg, warnings, err := measure(sets)
	if err != nil {
		return nil, err
	}
	// A list that counts several times is there as often in the means and intervals.
	mean := func(values []float64) (metric.Interval, error) {
		var all []float64
		for i, v := range values {
			all = append(all, slices.Repeat([]float64{v}, min(max(1, sets[i].Count), maxWeight))...)
		}
		return metric.Bootstrap(all, 0, opt.Seed)
	}
	r := &Importance{Lists: len(sets), Repeats: opt.Repeats, Seed: opt.Seed, Decode: opt.Decode, NDCGAt: NDCGAt, Warnings: warnings}
	if r.TauB, err = mean(tau); err != nil {
		return nil, err
	}
	if r.NDCG, err = mean(ndcg); err != nil {
		return nil, err
	}
	for j := range width {
		f := FeatureImportance{Feature: j, Name: featureName(sets[0], j)}
		tauDrop, ndcgDrop := make([]float64, len(sets)), make([]float64, len(sets))
		for repeat := range opt.Repeats {
			rng := rand.New(rand.NewPCG(opt.Seed^importanceStream, uint64(j)<<32|uint64(repeat)))
			t, n, _, err := measure(shuffled(sets, j, rng))
			if err != nil {
				return nil, err
			}
			for i := range sets {
				tauDrop[i] += (tau[i] - t[i]) / float64(opt.Repeats)
				ndcgDrop[i] += (ndcg[i] - n[i]) / float64(opt.Repeats)
			}
		}
		if f.TauB, err = mean(tauDrop); err != nil {
			return nil, err
		}
		if f.NDCG, err = mean(ndcgDrop); err != nil {
			return nil, err
		}
		r.Features = append(r.Features, f)
	}
	slices.SortStableFunc(r.Features, func(a, b FeatureImportance) int {
		switch {
		case a.TauB.Mean > b.TauB.Mean:
			return -1
		case a.TauB.Mean < b.TauB.Mean:
			return 1
		}
		return 0
	})
	return r, nil
}

// measured orders lists and returns Kendall's tau-b and the NDCG of each.
func measured(ctx context.Context, m *learn.Model, sets []*dataset.Set, opt learn.DecodeOptions) (tau, ndcg []float64, warnings []string, err error) {
	ordered, warnings, err := m.Order(ctx, sets, 1, opt)
	if err != nil {
		return nil, nil, nil, err
	}
	for i, s := range sets {
		l, order := s.Known(), ordered[i].Orders[0].Order
		t, err := metric.KendallTauB(order.Rank(), l)
		if err != nil {
			return nil, nil, nil, err
		}
		known, grades := condensed(order, l, relevance(s, l))
		n, err := metric.NDCG(known, grades, NDCGAt)
		if err != nil {
			return nil, nil, nil, err
		}
		tau, ndcg = append(tau, t), append(ndcg, n)
	}
	return tau, ndcg, warnings, nil
}

// shuffled returns the sets with the values of feature j in another order over all their items.
func shuffled(sets []*dataset.Set, j int, rng *rand.Rand) []*dataset.Set {
	var values []float64
	for _, s := range sets {
		for k := range s.Items {
			values = append(values, s.Items[k].Features[j])
		}
	}
	rng.Shuffle(len(values), func(a, b int) { values[a], values[b] = values[b], values[a] })
	out := make([]*dataset.Set, len(sets))
	for i, s := range sets {
		copied := *s
		copied.Items = slices.Clone(s.Items)
		for k := range copied.Items {
			it := &copied.Items[k]
			it.Features = slices.Clone(it.Features)
			it.Features[j], values = values[0], values[1:]
		}
		out[i] = &copied
	}
	return out
}

// featureName is what a feature is called: by its column or, where it has numbers, by that.
func featureName(s *dataset.Set, j int) string {
	switch c := s.Columns; {
	case c == nil:
		return fmt.Sprintf("feature %d", j)
	case c.Sparse:
		return fmt.Sprintf("feature %d", c.First+j)
	default:
		return c.Names[j]
	}
}

const importanceStream = 0x696d706f7274 // "import"

// called is what errors call a list: by its id, else by its number, from 1.
func called(s *dataset.Set, i int) string { return cmp.Or(s.ID, strconv.Itoa(i+1)) }
