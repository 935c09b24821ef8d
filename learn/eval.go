package learn

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/diffusion"
	"github.com/riffle-ml/riffle/internal/machine"
	"github.com/riffle-ml/riffle/metric"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/task"
	"github.com/riffle-ml/riffle/tsp"
)

// DecodeOptions say how orders are found; zero values take the configuration's. A width
// without a method asks for the beam.
type DecodeOptions struct {
	Method string `json:"method"` // greedy or beam
	Beam   int    `json:"beam,omitempty"`
	Inner  int    `json:"inner,omitempty"`
	// Symmetries is how many copies of a tour's cities are ordered, each turned, mirrored and begun
	// elsewhere, of whose tours the shortest counts; 0 in a complete one: the cities as they are.
	Symmetries int `json:"symmetries,omitempty"`
}

// MaxBeam is the most states that a beam keeps, and the most orders that [Model.Order] finds.
const MaxBeam = 1 << 16

// ownDecode are the options of the configuration.
func (m *Model) ownDecode() DecodeOptions {
	d := m.Config.Decode
	return DecodeOptions{Method: d.Method, Beam: d.Beam, Inner: d.Inner, Symmetries: d.Symmetries}
}

func (m *Model) options(o DecodeOptions) (DecodeOptions, error) { return o.Complete(m.ownDecode(), 1) }

// Result is how well a model orders sets. Shares are in percent; the intervals are 95 %
// bootstrap intervals over sets.
type Result struct {
	Sets    int              `json:"sets"`
	N       int              `json:"n"`
	Step    int              `json:"step"`
	Seed    uint64           `json:"seed"`
	Decode  DecodeOptions    `json:"decode"`
	Exact   metric.Interval  `json:"exact"`
	Correct *metric.Interval `json:"correct,omitempty"` // nil of ranked lists: not every right place is known
	// KendallTau compares ranks; KendallTauLists compares the lists of indices, as the
	// paper's numbers do, nil of ranked lists.
	KendallTau      metric.Interval  `json:"kendall_tau"`
	KendallTauLists *metric.Interval `json:"kendall_tau_lists,omitempty"`
	// Permutations is the share of the results that are permutations, nil where all are by
	// construction. What is none counts as not exact and with a tau of 0.
	Permutations *metric.Interval `json:"permutations,omitempty"`
	// Puzzle is nil where the objects are no tiles.
	Tour          *Tour    `json:"tour,omitempty"` // of tours alone
	Puzzle        *Puzzle  `json:"puzzle,omitempty"`
	Modes         *Modes   `json:"modes,omitempty"`   // of a target of several orders alone
	Ranking       *Ranking `json:"ranking,omitempty"` // of ranked lists alone
	Method        string   `json:"method"`
	Engine        string   `json:"engine"`
	Seconds       float64  `json:"seconds"`
	SetsPerSecond float64  `json:"sets_per_second"`
	// Warnings are those of the model, see [Model.Warnings].
	Warnings []string `json:"warnings,omitempty"`
}

// AsConfigured reports whether a result is what the configuration asks for: of
// eval.examples sets, decoded as decode says.
func (m *Model) AsConfigured(r *Result) bool {
	if m.Process == nil {
		return r.Sets == m.Config.Eval.Examples
	}
	own, err := m.options(DecodeOptions{})
	return err == nil && r.Decode == own && (r.Sets == m.Config.Eval.Examples || r.Ranking != nil && r.Sets < m.Config.Eval.Examples)
}

// SetSize has the model judged on sets of n objects, 2 or more, instead of as many as it was
// trained on. A model of one permutation has no others, and some networks end at a size.
// Warnings are those of the schedule at n. Such a model is not for training.
func (m *Model) SetSize(n int) (warnings []string, err error) {
	if n == m.Config.Task.N {
		return nil, nil
	}
	switch t := m.Config.Task; t.Name {
	case "delta":
		return nil, fmt.Errorf("task delta: is one order of %d objects, there is none of %d", t.N, n)
	case "jigsaw":
		return nil, fmt.Errorf("task jigsaw: its pictures have %d×%d tiles, there are none of %d", t.Rows, t.Columns, n)
	}
	if err := m.errBaseline("other size"); err != nil {
		return nil, err
	}
	if err := m.Denoiser.CheckSize(n); err != nil {
		return nil, err
	}
	cfg := m.Config
	cfg.Task.N = n
	if warnings, err = cfg.Resolve(); err != nil {
		return nil, err
	}
	// Sets are judged alike in batches of any size.
	for free := machine.FreeMemory(); free > 0 && m.decodeMemory(n, cfg.Eval.Batch) > free; cfg.Eval.Batch /= 2 {
		if cfg.Eval.Batch == 1 {
			return nil, fmt.Errorf("one set of %d objects needs about %s, %s are free\nhint: fewer objects", n, gigabytes(m.decodeMemory(n, 1)), gigabytes(free))
		}
	}
	work, err := task.New(&cfg)
	if err != nil {
		return nil, err
	}
	m.Config, m.Task, m.schedule = cfg, work, warnings
	return warnings, nil
}

// SetTest has a model of tours judged on the instances of a file of tour text, and one of ranked
// lists on those of a file, instead of those of its configuration.
func (m *Model) SetTest(path string) error {
	if m.Config.Task.Name != "tsp" && m.Config.Task.Name != "ranking" {
		return fmt.Errorf("wanted a model of tours or of ranked lists (got one of the task %s)", m.Config.Task.Name)
	}
	cfg := m.Config
	cfg.Task.Test = path
	work, err := task.New(&cfg)
	if err != nil {
		return err
	}
	if r, ok := work.(*task.Ranking); ok {
		r.KnowAs(m.Task.(*task.Ranking))
	}
	m.Config, m.Task = cfg, work
	return nil
}

// Evaluate decodes sets 0 … count−1 of a split. The same seed gives the same sets and the
// same noise. progress, if not nil, is called with the number of sets done and that of all,
// which are fewer than count where the data has fewer.
func (m *Model) Evaluate(ctx context.Context, split task.Split, count int, opt DecodeOptions, progress func(done, of int)) (*Result, error) {
	if t, ok := m.Task.(*task.Ranking); ok {
		return m.evaluateRanking(ctx, t, split, count, opt, progress)
	}
	find, opt, err := m.finder(opt)
	if err != nil {
		return nil, err
	}
	if count < 1 {
		return nil, fmt.Errorf("evaluate: wanted 1 set or more (got %d)", count)
	}
	if f, ok := m.Task.(task.Flusher); ok {
		defer func() { _ = f.Flush() }() // what is not kept costs time only
	}
	start := time.Now()
	var exact, correct, tau, lists, valid []float64
	var tiles puzzles
	var tours tours
	var doubts tsp.Doubts
	size := min(m.Config.Eval.Batch, count)
	for first := 0; first < count; first += size {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// The last batch may reach beyond count: one shape is compiled, the rest is dropped.
		ex, err := m.Task.Examples(split, first, size)
		if err != nil {
			return nil, err
		}
		orders, err := find(ctx, ex, first)
		if err != nil {
			return nil, err
		}
		for i := range min(size, count-first) {
			s, err := judge(orders[i], ex, i)
			if err != nil {
				return nil, err
			}
			exact, correct = append(exact, 100*s.exact), append(correct, 100*s.correct)
			tau, lists = append(tau, s.tau), append(lists, s.lists)
			valid = append(valid, 100*s.valid)
			if ex.Cost != nil {
				cost := ex.Cost(i, orders[i])
				if err := tours.add(cost, ex.Best[i]); err != nil {
					return nil, err
				}
				doubts.Found(fmt.Sprintf("instance %d", first+i+1), cost, ex.Best[i])
			}
			if ex.Alike != nil {
				if err := tiles.add(orders[i], ex, i); err != nil {
					return nil, err
				}
			}
		}
		if progress != nil {
			progress(min(first+size, count), count)
		}
	}
	r := &Result{Sets: count, N: m.Config.Task.N, Method: m.Config.Method, Step: m.State.Step, Seed: m.Config.Seed, Decode: opt, Engine: m.Engine.Kind, Seconds: time.Since(start).Seconds(), Warnings: m.Warnings()}
	r.SetsPerSecond = float64(count) / r.Seconds
	if o, ok := m.other.(interface{ warnings() []string }); ok {
		r.Warnings = append(r.Warnings, o.warnings()...)
	}
	if t, ok := m.Task.(*task.Tour); ok {
		r.Warnings = append(r.Warnings, t.Doubts(split)...)
	}
	r.Warnings = append(r.Warnings, doubts.Warnings()...)
	r.Correct, r.KendallTauLists = &metric.Interval{}, &metric.Interval{}
	if m.Config.Method == "sedd" {
		r.Permutations = &metric.Interval{}
	}
	for _, x := range []struct {
		to   *metric.Interval
		from []float64
	}{{r.Permutations, valid}, {&r.Exact, exact}, {r.Correct, correct}, {&r.KendallTau, tau}, {r.KendallTauLists, lists}} {
		if x.to == nil {
			continue
		}
		if *x.to, err = metric.Bootstrap(x.from, 0, m.Config.Seed); err != nil {
			return nil, err
		}
	}
	if r.Tour, err = tours.result(m.Config.Seed); err != nil {
		return nil, err
	}
	if target, ok := m.Task.(*task.Delta); ok && len(target.Modes) > 1 && m.Process != nil {
		if r.Modes, err = m.modesOf(ctx, target, split, count); err != nil {
			return nil, err
		}
	}
	r.Puzzle, err = tiles.result(m.Config.Seed)
	return r, err
}

// finder returns how the model's method finds the orders of examples, number first, … of
// their split, and the options it follows.
func (m *Model) finder(opt DecodeOptions) (func(ctx context.Context, ex *task.Examples, first int) ([]perm.Order, error), DecodeOptions, error) {
	if m.Process == nil {
		if opt != (DecodeOptions{}) && opt.Method != "greedy" {
			return nil, opt, m.errBaseline("beam")
		}
		o, err := m.orderer()
		if err != nil {
			return nil, opt, err
		}
		return func(_ context.Context, ex *task.Examples, first int) ([]perm.Order, error) {
			return o.orders(ex.Objects, first)
		}, DecodeOptions{}, nil
	}
	opt, err := m.options(opt)
	if err != nil {
		return nil, opt, err
	}
	dec, err := m.Decoder()
	if err != nil {
		return nil, opt, err
	}
	if err := m.checkSymmetries(opt); err != nil {
		return nil, opt, err
	}
	return func(ctx context.Context, ex *task.Examples, first int) ([]perm.Order, error) {
		if opt.Symmetries > 1 {
			return m.shortestTurned(ctx, dec, ex, m.noise(ex, first), opt)
		}
		paths, err := m.paths(ctx, dec, ex, m.noise(ex, first), opt)
		if err != nil {
			return nil, err
		}
		orders := make([]perm.Order, len(paths))
		for i, p := range paths {
			orders[i] = p.Order()
		}
		return orders, nil
	}, opt, nil
}

// noise draws the starts of examples, number first, … of their split.
func (m *Model) noise(ex *task.Examples, first int) []perm.Order {
	out := make([]perm.Order, len(ex.Clean))
	for i, o := range ex.Clean {
		out[i] = m.Process.Noise(m.Config.Seed, first+i, 1, len(o))[0]
	}
	return out
}

// paths decodes examples and returns the best path of each set.
func (m *Model) paths(ctx context.Context, dec *diffusion.Decoder, ex *task.Examples, noise []perm.Order, opt DecodeOptions) ([]diffusion.Path, error) {
	enc, err := encode(ctx, dec, ex)
	if err != nil {
		return nil, err
	}
	beams, err := methodOf(opt.Method).decode(ctx, dec, enc, noise, opt)
	if err != nil {
		return nil, err
	}
	best := make([]diffusion.Path, len(beams))
	for i, b := range beams {
		best[i] = b[0]
		if ex.Cost != nil {
			best[i] = cheapest(b, func(o perm.Order) float64 { return ex.Cost(i, o) })[0]
		}
	}
	return best, nil
}

// encode encodes examples, which may be padded.
func encode(ctx context.Context, dec *diffusion.Decoder, ex *task.Examples) (*diffusion.Encoded, error) {
	sizes := make([]int, len(ex.Clean))
	for i, o := range ex.Clean {
		sizes[i] = len(o)
	}
	return dec.Encode(ctx, ex.Objects, sizes...)
}

// cheapest sorts the paths of a beam by what their orders cost, equal ones by probability: of a
// tour it is the length that counts (paper appendix, TSP).
func cheapest(beam []diffusion.Path, cost func(perm.Order) float64) []diffusion.Path {
	type priced struct {
		path diffusion.Path
		cost float64
	}
	all := make([]priced, len(beam))
	for i, p := range beam {
		all[i] = priced{p, cost(p.Order())}
	}
	slices.SortStableFunc(all, func(a, b priced) int { return cmp.Compare(a.cost, b.cost) })
	for i, p := range all {
		beam[i] = p.path
	}
	return beam
}

type scores struct{ exact, correct, tau, lists, valid float64 }

// nearestRight returns the right order of set i. Of several it is the nearest; where equal objects may be exchanged it is the
// one nearest to the given order: equals stand as they do there.
func nearestRight(order perm.Order, ex *task.Examples, i int) perm.Order {
	switch {
	case ex.Modes != nil:
		return nearestMode(order, ex.Modes)
	case ex.Levels != nil:
		return nearestConsistent(order, ex.Levels[i])
	case ex.Same != nil:
		return metric.Nearest(order, ex.Clean[i], ex.Same[i])
	case ex.Values == nil:
		return ex.Clean[i]
	}
	v, want := ex.Values[i], slices.Clone(order)
	slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(v[a], v[b]) })
	return want
}

// nearestConsistent rearranges an order so that it is consistent with levels: tied items stay in
// its order, and those of which nothing is known where they are.
func nearestConsistent(order perm.Order, levels dataset.BucketOrder) perm.Order {
	rank := order.Rank()
	var known []int
	in := make([]bool, len(order))
	for _, group := range levels {
		from := len(known)
		known = append(known, group...)
		slices.SortFunc(known[from:], func(a, b int) int { return rank[a] - rank[b] })
		for _, k := range group {
			in[k] = true
		}
	}
	want := slices.Clone(order)
	for place, k := range order {
		if in[k] {
			want[place], known = known[0], known[1:]
		}
	}
	return want
}

// judge compares an order with the right one of set i.
func judge(order perm.Order, ex *task.Examples, i int) (s scores, err error) {
	if order.Validate() != nil {
		// No permutation: what stands where it should counts, and nothing else.
		want := ex.Clean[i]
		for k, v := range order {
			if v == want[k] || ex.Values != nil && ex.Values[i][v] == ex.Values[i][want[k]] || ex.Same != nil && ex.Same[i][v] == ex.Same[i][want[k]] {
				s.correct += 1 / float64(len(want))
			}
		}
		return s, nil
	}
	s.valid = 1
	want := nearestRight(order, ex, i)
	if ex.Values != nil {
		v := ex.Values[i]
		if s.correct, err = metric.CorrectValues(perm.Act(order, v), perm.Act(want, v)); err != nil {
			return s, err
		}
	} else if s.correct, err = metric.Correct(order, want); err != nil {
		return s, err
	}
	if metric.Exact(order, want) || ex.Cost != nil && ex.Cost(i, order) <= ex.Best[i]*(1+1e-9) {
		s.exact = 1
	}
	if s.tau, err = metric.KendallTau(order.Rank(), want.Rank()); err != nil {
		return s, err
	}
	s.lists, err = metric.KendallTauLists(order, want)
	return s, err
}
