package diffusion

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// What a draw under rules takes at the most, and does where few orders obey.
const (
	// rejections is how many draws from the law are tried before one is built.
	rejections = 256
	// Proposals is how many orders are built, of which one is drawn.
	Proposals = 256
	// supportLimit is how many of the most probable orders of IRS, II and IT are looked at.
	supportLimit = 4096
)

// WithConstraints returns a decoder with the same weights whose results obey: plans[i] is for set i
// of a batch, nil where all orders are right. Every order that Greedy, Beam and Sample end in
// obeys, whatever the weights. Beam may return less of them, as there are less.
//
// Rules are about X_0, so it is the last reverse step, p(X_0 | X_{t_1}), that is restricted; the
// steps before are those of the free process. With PL, GPL and path an order is built from position
// 0 on. Each position chooses among the items that may come next (see [constraint.Walk]). Beam is
// then a search of the width inner at most. IRS, II and IT have few orders within reach. Those that
// obey are taken of the 4,096 most probable; for II up to that many objects and IT up to 90 these
// are all. Where none obeys, the law's mode, or draw, is mended: each position takes the first of
// its items, in its order, that may come next. LogProb stays that of the free process, −Inf for
// most mended orders.
//
// Sample draws X_0 from the last step conditioned on the rules given X_{t_1},
//
//	p(X_0 | X_{t_1}, obeys) = p(X_0 | X_{t_1}) / Σ_{X obeys} p(X | X_{t_1}),
//
// exactly where one of 256 draws from the law obeys, and for II, and IT as above, always. Else, for
// PL, GPL and path, one of 256 orders built at random is drawn with the weight p/q. q is the
// probability of building it (sampling importance resampling, D. B. Rubin, 1988), which tends to
// that law as the number grows. It is not the whole chain conditioned on the rules: that would also
// prefer X_{t_1} from which more orders obey. What is drawn depends on the generator alone, not on
// the cores; a draw of 52 objects takes some 30 ms of one.
func (d *Decoder) WithConstraints(plans []*constraint.Plan) (*Decoder, error) {
	if d.Process.FixFirst {
		for i, plan := range plans {
			if plan == nil || plan.N() == 0 {
				continue
			}
			may := make([]bool, plan.N())
			if plan.Walk().Next(may); !may[0] {
				return nil, fmt.Errorf("set %d: constraints: object 0 must be first, as the process keeps it there", i)
			}
		}
	}
	c := *d
	c.plans = plans
	return &c, nil
}

// plan is that of set i at reverse step k, counted down to 1.
func (d *Decoder) plan(i, k int) *constraint.Plan {
	if k > 1 || d.plans == nil {
		return nil
	}
	return d.plans[i]
}

// lastStep is the reverse step from state to X_0 by a law with scores, restricted to a plan.
// Orders σ' are over the free positions.
type lastStep struct {
	process *Process
	plan    *constraint.Plan
	scores  []float64
	state   perm.Order
}

// fixed is how many positions at the start the process keeps.
func (s lastStep) fixed() int { return len(s.state) - s.process.Free(len(s.state)) }

// row returns the scores that the free positions of state have to be placed next, after those that
// are placed. It is nil where the law does not choose position by position.
func (s lastStep) row(placed []int, into []float64) []float64 {
	if law, ok := s.process.Reverse.(reverse.Rows); ok {
		return law.Row(s.scores, placed, into)
	}
	return nil
}

// byRows reports whether the law chooses position by position.
func (s lastStep) byRows() bool {
	_, ok := s.process.Reverse.(reverse.Rows)
	return ok
}

func (s lastStep) logProb(sigma perm.Order) float64 {
	return s.process.Reverse.LogProb(s.scores, sigma)
}

func (s lastStep) obeys(sigma perm.Order) bool {
	return s.plan.Check(s.process.apply(sigma, s.state)) == nil
}

// walker builds orders that obey, one after another.
type walker struct {
	lastStep
	start, at *constraint.Walk // behind the positions that the process keeps, and where it is
	used      []bool           // positions of state that are placed
	placed    []int            // the positions of state that are, in their order
	odds      []float64        // of the next one
	may       []bool
	left      []float64
	choice    choice
}

func (s lastStep) walker() *walker {
	free := s.process.Free(len(s.state))
	w := &walker{lastStep: s, odds: make([]float64, free), start: s.plan.Walk(), used: make([]bool, free), may: make([]bool, len(s.state))}
	for i := range s.fixed() {
		w.start.Place(s.state[i])
	}
	w.at = w.start.Clone()
	return w
}

// restart goes back to the start.
func (w *walker) restart() {
	w.at.Set(w.start)
	clear(w.used)
	w.placed = w.placed[:0]
}

// place puts what stands at a position of state next.
func (w *walker) place(at int) {
	w.used[at] = true
	w.placed = append(w.placed, at)
	w.at.Place(w.state[at+w.fixed()])
}

// choice is what may come next: the positions of state, ascending, with their scores. It also has
// the log of the sum of their exponentials, less that of all positions left.
type choice struct {
	at     []int
	scores []float64
	share  float64 // log, at most 0
	left   float64 // log-sum-exp of all positions left
}

// next lists what may come next: valid until it is called again.
func (w *walker) next(ctx context.Context) (*choice, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w.at.Next(w.may)
	return w.among(w.row(w.placed, w.odds), w.used), nil
}

// among is the choice of w.may by scores, where those that are used are gone.
func (w *walker) among(row []float64, used []bool) *choice {
	c := &w.choice
	c.at, c.scores, w.left = c.at[:0], c.scores[:0], w.left[:0]
	first := w.fixed()
	for j, taken := range used {
		if taken {
			continue
		}
		v := bounded(row[j])
		w.left = append(w.left, v)
		if w.may[w.state[j+first]] {
			c.at, c.scores = append(c.at, j), append(c.scores, v)
		}
	}
	c.left = logSumExp(w.left)
	c.share = logSumExp(c.scores) - c.left
	if math.IsNaN(c.share) { // nothing left is possible
		c.share = math.Inf(-1)
	}
	return c
}

// mode takes the best of what may come next, row by row. For laws without rows it is the step of greedy decoding where
// that obeys, else the best order that does. It returns the law's log p.
func (s lastStep) mode(ctx context.Context, dst perm.Order) (float64, error) {
	if !s.byRows() {
		if logp, obeys := s.greedy(dst); obeys {
			return logp, nil
		}
		all, err := s.within(ctx)
		if err != nil {
			return 0, err
		}
		copy(dst, all[0].Order)
		return s.logProb(dst), nil
	}
	w := s.walker()
	for i := range dst {
		c, err := w.next(ctx)
		if err != nil {
			return 0, err
		}
		dst[i] = c.at[indexOfMax(c.scores)]
		w.place(dst[i])
	}
	return s.logProb(dst), nil
}

// greedy writes the step that greedy decoding takes without rules, and tells whether it obeys.
func (s lastStep) greedy(dst perm.Order) (logp float64, obeys bool) {
	logp = reverse.GreedyStep(s.process.Reverse, s.scores, dst)
	return logp, !math.IsInf(logp, -1) && s.obeys(dst)
}

// within lists the orders in reach of a law without rows that obey, best first, or else the
// law's mode, mended.
func (s lastStep) within(ctx context.Context) (out []reverse.Candidate, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for _, c := range s.process.Reverse.TopK(s.scores, supportLimit) {
		if !math.IsInf(c.LogProb, -1) && s.obeys(c.Order) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		sigma := make(perm.Order, s.process.Free(len(s.state)))
		s.process.Reverse.Mode(s.scores, sigma)
		if err := s.mend(ctx, sigma); err != nil {
			return nil, err
		}
		out = []reverse.Candidate{{Order: sigma, LogProb: s.logProb(sigma)}}
	}
	return out, nil
}

// mend makes sigma obey: each position takes the first of its items, in its order, that may
// come next.
func (s lastStep) mend(ctx context.Context, sigma perm.Order) error {
	w := s.walker()
	left := slices.Clone(sigma)
	for i := range sigma {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.at.Next(w.may)
		at := slices.IndexFunc(left, func(j int) bool { return w.may[s.state[j+s.fixed()]] })
		sigma[i] = left[at]
		left = slices.Delete(left, at, at+1)
		w.place(sigma[i])
	}
	return nil
}

// topK returns at most k different orders that obey, by falling log p, of which mode's is one.
func (s lastStep) topK(ctx context.Context, k int) ([]reverse.Candidate, error) {
	if !s.byRows() {
		all, err := s.within(ctx)
		if err != nil {
			return nil, err
		}
		all = all[:min(k, len(all))]
		step := make(perm.Order, s.process.Free(len(s.state)))
		logp, obeys := s.greedy(step)
		if obeys && !slices.ContainsFunc(all, func(c reverse.Candidate) bool { return slices.Equal(c.Order, step) }) {
			if len(all) == k { // the least probable one gives way
				all = all[:k-1]
			}
			at, _ := slices.BinarySearchFunc(all, logp, func(c reverse.Candidate, logp float64) int { return cmp.Compare(logp, c.LogProb) })
			all = slices.Insert(all, at, reverse.Candidate{Order: step, LogProb: logp})
		}
		return all, nil
	}
	type prefix struct {
		walk   *constraint.Walk
		used   []bool
		sigma  perm.Order
		logp   float64
		greedy bool
	}
	type child struct {
		parent, at int
		logp       float64
		greedy     bool
	}
	w := s.walker()
	n := len(w.used)
	beam := []prefix{{walk: w.start, used: w.used, sigma: make(perm.Order, n), greedy: true}}
	var spare []prefix // whose memory is used again
	var children []child
	for i := range n {
		children = children[:0]
		for p, x := range beam {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			x.walk.Next(w.may)
			c := w.among(s.row(x.sigma[:i], w.odds), x.used)
			best := indexOfMax(c.scores)
			for j, at := range c.at {
				logp := x.logp + c.scores[j] - c.left
				if math.IsNaN(logp) {
					logp = math.Inf(-1)
				}
				children = append(children, child{p, at, logp, x.greedy && j == best})
			}
		}
		slices.SortFunc(children, func(a, b child) int {
			if c := cmp.Compare(b.logp, a.logp); c != 0 {
				return c
			}
			return cmp.Or(cmp.Compare(a.parent, b.parent), cmp.Compare(a.at, b.at))
		})
		kept := children[:min(k, len(children))]
		if at := slices.IndexFunc(children, func(c child) bool { return c.greedy }); at >= len(kept) {
			kept[len(kept)-1] = children[at]
		}
		for len(spare) < len(kept) {
			spare = append(spare, prefix{walk: w.start.Clone(), used: make([]bool, n), sigma: make(perm.Order, n)})
		}
		next := spare[:len(kept)]
		for j, c := range kept {
			from, x := beam[c.parent], &next[j]
			x.walk.Set(from.walk)
			copy(x.used, from.used)
			copy(x.sigma, from.sigma[:i])
			x.logp, x.greedy, x.sigma[i], x.used[c.at] = c.logp, c.greedy, c.at, true
			x.walk.Place(s.state[c.at+s.fixed()])
		}
		beam, spare = next, beam
	}
	out := make([]reverse.Candidate, len(beam))
	for i, x := range beam {
		out[i] = reverse.Candidate{Order: x.sigma, LogProb: min(0, x.logp)}
	}
	return out, nil
}

// sample draws as [Decoder.WithConstraints] says and returns the law's log p.
func (s lastStep) sample(ctx context.Context, rng *rand.Rand, dst perm.Order) (float64, error) {
	law := s.process.Reverse
	for range rejections {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if law.Sample(rng, s.scores, dst); s.obeys(dst) {
			return s.logProb(dst), nil
		}
	}
	if !s.byRows() {
		all, err := s.within(ctx)
		if err != nil {
			return 0, err
		}
		logs := make([]float64, len(all))
		for i, c := range all {
			logs[i] = c.LogProb
		}
		if math.IsInf(logs[0], -1) { // none is in reach
			err := s.mend(ctx, dst) // the last draw
			return s.logProb(dst), err
		}
		copy(dst, all[draw(rng, logs)].Order)
		return s.logProb(dst), nil
	}
	built, err := s.resample(ctx, rng, Proposals)
	if err != nil {
		return 0, err
	}
	copy(dst, built)
	return s.logProb(dst), nil
}

// resample draws one of count built orders by their weights.
func (s lastStep) resample(ctx context.Context, rng *rand.Rand, count int) (perm.Order, error) {
	w := s.walker()
	built, weights := make([]perm.Order, count), make([]float64, count)
	for i := range built {
		built[i] = make(perm.Order, len(w.used))
		var err error
		if weights[i], err = w.build(ctx, rng, built[i]); err != nil {
			return nil, err
		}
	}
	return built[draw(rng, weights)], nil
}

// build draws each position of what may come next and returns the weight log p/q.
func (w *walker) build(ctx context.Context, rng *rand.Rand, sigma perm.Order) (weight float64, err error) {
	w.restart()
	for i := range sigma {
		c, err := w.next(ctx)
		if err != nil {
			return 0, err
		}
		weight += c.share
		sigma[i] = c.at[draw(rng, c.scores)]
		w.place(sigma[i])
	}
	return weight, nil
}

// bounded is a score that sums and differences can be taken of: NaN is −Inf, as in package
// reverse, and +Inf is large.
func bounded(v float64) float64 {
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return min(v, 1e300)
}

// logSumExp is −Inf for no numbers.
func logSumExp(list []float64) float64 {
	if len(list) == 0 {
		return math.Inf(-1)
	}
	most := slices.Max(list)
	if math.IsInf(most, -1) {
		return most
	}
	sum := 0.0
	for _, v := range list {
		sum += math.Exp(v - most)
	}
	return most + math.Log(sum)
}

// indexOfMax is the first of the greatest.
func indexOfMax(list []float64) int {
	best := 0
	for i, v := range list {
		if v > list[best] {
			best = i
		}
	}
	return best
}

// draw returns i with probability e^logs[i]/Σ, 0 where all are −Inf.
func draw(rng *rand.Rand, logs []float64) int {
	most := slices.Max(logs)
	if math.IsInf(most, -1) {
		return 0
	}
	total := 0.0
	for _, v := range logs {
		total += math.Exp(v - most)
	}
	u, pick := rng.Float64()*total, 0
	for i, v := range logs {
		w := math.Exp(v - most)
		if w > 0 {
			if pick = i; u < w {
				break
			}
		}
		u -= w
	}
	return pick
}
