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
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/task/ranking"
)

// Importance says how much worse a model of ranked lists orders when it is told a feature of other
// items (permutation importance, Breiman 2001). A feature that it does not use has a drop of 0.
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

// Section tells the importance of features.
func (r *Importance) Section() Section {
	s := Section{
		Text:   fmt.Sprintf("%s lists, %d shuffles a feature; tau-b %.4f, NDCG@%d %.4f as they are\n", text.Thousands(r.Lists), r.Repeats, r.TauB.Mean, r.NDCGAt, r.NDCG.Mean),
		Header: []string{"shuffled", "drop of tau-b", "95 % interval", "drop of NDCG", "95 % interval"},
	}
	for _, f := range r.Features {
		row := []string{f.Name}
		for _, v := range []metric.Interval{f.TauB, f.NDCG} {
			row = append(row, fmt.Sprintf("%.4f", v.Mean), fmt.Sprintf("%.4f to %.4f", v.Low, v.High))
		}
		s.Rows = append(s.Rows, row)
	}
	return s
}

// ImportanceOptions say how [MeasureImportance] shuffles; the zero value is 5 shuffles of seed 0.
type ImportanceOptions struct {
	Repeats  int // shuffles of each feature, 0: 5
	Examples int // lists at most, 0: the configuration's eval.examples
	Seed     uint64
	Decode   learn.DecodeOptions
	Progress func(done, of int) // nil, or called after each ordering of all lists
}

// ErrNoFeatures is returned for models of other tasks.
var ErrNoFeatures = errors.New("wanted a model of ranked lists of features")

// MeasureImportance orders lists of features as they are, and again with the values of one feature shuffled
// among all items of all lists, and compares. The lists' orders are known at least in part. Lists that
// put no item before another are left out. Where lists is nil they are the model's test lists.
func MeasureImportance(ctx context.Context, m *learn.Model, lists []*dataset.Set, opt ImportanceOptions) (*Importance, error) {
	opt.Repeats = cmp.Or(opt.Repeats, 5)
	if opt.Repeats < 1 {
		return nil, fmt.Errorf("importance: wanted 1 shuffle or more (got %d)", opt.Repeats)
	}
	own, ok := m.Task.(task.Lister)
	if !ok || m.Config.Task.Items != "features" {
		return nil, ErrNoFeatures
	}
	var err error
	if opt.Decode, err = m.Decoding(opt.Decode); err != nil {
		return nil, err
	}
	most := cmp.Or(opt.Examples, m.Config.Eval.Examples)
	if lists == nil {
		if lists, _, err = own.Sets(task.Test, most); err != nil {
			return nil, err
		}
	}
	lists = lists[:min(most, len(lists))]
	sets, width, err := featureLists(lists)
	if err != nil {
		return nil, err
	}
	w := &shuffler{ctx: ctx, m: m, sets: sets, opt: opt, steps: 1 + width*opt.Repeats}
	warnings, err := w.measure(sets, &w.tau, &w.ndcg)
	if err != nil {
		return nil, err
	}
	r := &Importance{Lists: len(sets), Repeats: opt.Repeats, Seed: opt.Seed, Decode: opt.Decode, NDCGAt: ranking.NDCGAt, Warnings: warnings}
	if r.TauB, r.NDCG, err = w.means(w.tau, w.ndcg); err != nil {
		return nil, err
	}
	for j := range width {
		f, err := w.feature(j)
		if err != nil {
			return nil, err
		}
		r.Features = append(r.Features, f)
	}
	slices.SortStableFunc(r.Features, func(a, b FeatureImportance) int { return cmp.Compare(b.TauB.Mean, a.TauB.Mean) })
	return r, nil
}

// featureLists are the lists that put an item before another, without their rules, and how many
// features their items have.
func featureLists(lists []*dataset.Set) (sets []*dataset.Set, width int, err error) {
	for i, s := range lists {
		if len(s.Known()) < 2 {
			continue
		}
		if s.Kind != dataset.KindFeatures {
			return nil, 0, fmt.Errorf("importance: set %s: items are %s, wanted features", called(s, i), s.Kind.Items())
		}
		if got := len(s.Items[0].Features); width == 0 {
			width = got
		} else if got != width {
			return nil, 0, fmt.Errorf("importance: set %s: items have %d features, wanted %d as those before", called(s, i), got, width)
		}
		free := *s
		free.ID, free.Constraints.Pin, free.Constraints.Forbid, free.Constraints.Before, free.Constraints.First = called(s, i), nil, nil, nil, nil
		sets = append(sets, &free)
	}
	if len(sets) == 0 {
		return nil, 0, errors.New("importance: no list puts an item before another")
	}
	return sets, width, nil
}

// shuffler orders lists again and again.
type shuffler struct {
	ctx         context.Context
	m           *learn.Model
	sets        []*dataset.Set
	opt         ImportanceOptions
	tau, ndcg   []float64 // of the lists as they are
	done, steps int
}

// measure orders lists and appends Kendall's tau-b and the NDCG of each.
func (w *shuffler) measure(sets []*dataset.Set, tau, ndcg *[]float64) (warnings []string, err error) {
	ordered, odd, err := w.m.Order(w.ctx, sets, 1, w.opt.Decode)
	if err != nil {
		return nil, err
	}
	for i, s := range sets {
		t, n, err := ranking.Agreement(s, ordered[i].Orders[0].Order)
		if err != nil {
			return nil, err
		}
		*tau, *ndcg = append(*tau, t), append(*ndcg, n)
	}
	if w.done++; w.opt.Progress != nil {
		w.opt.Progress(w.done, w.steps)
	}
	return dataset.Texts(odd), nil
}

// feature is the importance of feature j.
func (w *shuffler) feature(j int) (f FeatureImportance, err error) {
	f = FeatureImportance{Feature: j, Name: featureName(w.sets[0], j)}
	tauDrop, ndcgDrop := make([]float64, len(w.sets)), make([]float64, len(w.sets))
	for repeat := range w.opt.Repeats {
		rng := rand.New(rand.NewPCG(w.opt.Seed^importanceStream, uint64(j)<<32|uint64(repeat)))
		var tau, ndcg []float64
		if _, err := w.measure(shuffled(w.sets, j, rng), &tau, &ndcg); err != nil {
			return f, err
		}
		for i := range w.sets {
			tauDrop[i] += (w.tau[i] - tau[i]) / float64(w.opt.Repeats)
			ndcgDrop[i] += (w.ndcg[i] - ndcg[i]) / float64(w.opt.Repeats)
		}
	}
	f.TauB, f.NDCG, err = w.means(tauDrop, ndcgDrop)
	return f, err
}

// means are those of figures of the lists. One that counts several times is there as often.
func (w *shuffler) means(tau, ndcg []float64) (a, b metric.Interval, err error) {
	c := columns{}
	for i, s := range w.sets {
		c.add(task.Figures{"tau": tau[i], "ndcg": ndcg[i]}, max(1, s.Count))
	}
	if a, err = c["tau"].interval(w.opt.Seed); err == nil {
		b, err = c["ndcg"].interval(w.opt.Seed)
	}
	return a, b, err
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
