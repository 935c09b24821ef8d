package diffusion

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

const (
	// rejections is how many draws from the law are tried before one is built.
	rejections = 256
	// proposals is how many orders are built, of which one is drawn.
	proposals = 256
	// supportLimit is how many of the most probable orders of IRS, II and IT are looked at.
	supportLimit = 4096
)

// Obeying returns a decoder with the same weights whose results obey: plans[i] is for set i
// of a batch, nil where all orders are right. Every order that Greedy, Beam and Sample end in
// obeys, whatever the weights. Beam may return less of them, as there are less.
//
// Rules are about X_0, so it is the last reverse step, p(X_0 | X_{t_1}), that is restricted;
// the steps before are those of the free process. With PL and GPL an order is built from
// position 0 on, each position choosing of the items that may come next (see
// [constraint.Walk]); Beam is then a search of the width inner at most. IRS, II and IT
// have few orders within reach: those that obey are taken of the 4,096 most probable (all,
// for II up to that many objects and IT up to 90), and where none does the law's mode, or
// draw, is mended: each position takes the first of its items, in its order, that may come
// next. LogProb stays that of the free process, −Inf for most mended orders.
//
// Sample draws X_0 from the last step conditioned on the rules given X_{t_1},
//
//	p(X_0 | X_{t_1}, obeys) = p(X_0 | X_{t_1}) / Σ_{X obeys} p(X | X_{t_1}),
//
// exactly where one of 256 draws from the law obeys, and for II, and IT as above, always. Else,
// for PL and GPL, one of 256 orders built at random is drawn with the weight p/q, q being the
// probability of building it (sampling importance resampling, D. B. Rubin, 1988), which tends
// to that law as the number grows. It is not the whole chain conditioned on the rules: that
// would also prefer X_{t_1} from which more orders obey.
func (d *Decoder) Obeying(plans []*constraint.Plan) (*Decoder, error) {
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

// row returns the scores of the positions of state for the free position i of X_0, nil where
// the law does not choose position by position.
func (s lastStep) row(i int) []float64 {
	n := s.process.Free(len(s.state))
	switch s.process.Reverse.(type) {
	case reverse.PlackettLuce:
		return s.scores
	case reverse.GeneralizedPlackettLuce:
		return s.scores[i*n : (i+1)*n]
	}
	return nil
}

// byRows reports whether the law chooses position by position.
func (s lastStep) byRows() bool { return s.row(0) != nil }

func (s lastStep) logProb(sigma perm.Order) float64 {
	return s.process.Reverse.LogProb(s.scores, sigma)
}

func (s lastStep) obeys(sigma perm.Order) bool {
	return s.plan.Check(s.process.apply(sigma, s.state)) == nil
}

// walk starts behind the positions that the process keeps.
func (s lastStep) walk() *constraint.Walk {
	w := s.plan.Walk()
	for i := range s.fixed() {
		w.Place(s.state[i])
	}
	return w
}

// choice is what may come next: the positions of state, ascending, with their scores, and the
// log of the sum of their exponentials, less that of all positions left.
type choice struct {
	at     []int
	scores []float64
	share  float64 // log, at most 0
	left   float64 // log-sum-exp of all positions left
}

// next lists what may follow in free position i; used are the positions of state that do not.
func (s lastStep) next(w *constraint.Walk, i int, used, may []bool) (c choice) {
	w.Next(may)
	row := s.row(i)
	var left []float64
	for j, taken := range used {
		if taken {
			continue
		}
		v := bounded(row[j])
		left = append(left, v)
		if may[s.state[j+s.fixed()]] {
			c.at, c.scores = append(c.at, j), append(c.scores, v)
		}
	}
	c.left = logSumExp(left)
	c.share = logSumExp(c.scores) - c.left
	if math.IsNaN(c.share) { // nothing left is possible
		c.share = math.Inf(-1)
	}
	return c
}

// mode takes the best of what may come next, row by row; for laws without rows, the best
// order that obeys. It returns the law's log p.
func (s lastStep) mode(dst perm.Order) float64 {
	if !s.byRows() {
		copy(dst, s.within()[0].Order)
		return s.logProb(dst)
	}
	w, used, may := s.walk(), make([]bool, len(dst)), make([]bool, len(s.state))
	for i := range dst {
		c := s.next(w, i, used, may)
		dst[i] = c.at[indexOfMax(c.scores)]
		used[dst[i]] = true
		w.Place(s.state[dst[i]+s.fixed()])
	}
	return s.logProb(dst)
}

// within lists the orders in reach of a law without rows that obey, best first, or else the
// law's mode, mended.
func (s lastStep) within() (out []reverse.Candidate) {
	for _, c := range s.process.Reverse.TopK(s.scores, supportLimit) {
		if !math.IsInf(c.LogProb, -1) && s.obeys(c.Order) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		sigma := make(perm.Order, s.process.Free(len(s.state)))
		s.process.Reverse.Mode(s.scores, sigma)
		s.mend(sigma)
		out = []reverse.Candidate{{Order: sigma, LogProb: s.logProb(sigma)}}
	}
	return out
}

// mend makes sigma obey: each position takes the first of its items, in its order, that may
// come next.
func (s lastStep) mend(sigma perm.Order) {
	w, may := s.walk(), make([]bool, len(s.state))
	left := slices.Clone(sigma)
	for i := range sigma {
		w.Next(may)
		at := slices.IndexFunc(left, func(j int) bool { return may[s.state[j+s.fixed()]] })
		sigma[i] = left[at]
		left = slices.Delete(left, at, at+1)
		w.Place(s.state[sigma[i]+s.fixed()])
	}
}

// topK returns at most k different orders that obey, by falling log p, of which mode's is one.
func (s lastStep) topK(k int) []reverse.Candidate {
	if !s.byRows() {
		all := s.within()
		return all[:min(k, len(all))]
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
	n := s.process.Free(len(s.state))
	may := make([]bool, len(s.state))
	beam := []prefix{{walk: s.walk(), used: make([]bool, n), greedy: true}}
	for i := range n {
		var children []child
		for p, x := range beam {
			c := s.next(x.walk, i, x.used, may)
			best := indexOfMax(c.scores)
			for j, at := range c.at {
				logp := x.logp + c.scores[j] - c.left
				if math.IsNaN(logp) {
					logp = math.Inf(-1)
				}
				children = append(children, child{p, at, logp, x.greedy && j == best})
			}
		}
		slices.SortStableFunc(children, func(a, b child) int { return cmp.Compare(b.logp, a.logp) })
		kept := children[:min(k, len(children))]
		if at := slices.IndexFunc(children, func(c child) bool { return c.greedy }); at >= len(kept) {
			kept[len(kept)-1] = children[at]
		}
		next := make([]prefix, len(kept))
		for j, c := range kept {
			from := beam[c.parent]
			x := prefix{walk: from.walk.Clone(), used: slices.Clone(from.used), sigma: append(slices.Clone(from.sigma), c.at), logp: c.logp, greedy: c.greedy}
			x.used[c.at] = true
			x.walk.Place(s.state[c.at+s.fixed()])
			next[j] = x
		}
		beam = next
	}
	out := make([]reverse.Candidate, len(beam))
	for i, x := range beam {
		out[i] = reverse.Candidate{Order: x.sigma, LogProb: min(0, x.logp)}
	}
	return out
}

// sample draws as [Decoder.Obeying] says and returns the law's log p.
func (s lastStep) sample(rng *rand.Rand, dst perm.Order) float64 {
	law := s.process.Reverse
	for range rejections {
		if law.Sample(rng, s.scores, dst); s.obeys(dst) {
			return s.logProb(dst)
		}
	}
	if !s.byRows() {
		all := s.within()
		logs := make([]float64, len(all))
		for i, c := range all {
			logs[i] = c.LogProb
		}
		if math.IsInf(logs[0], -1) { // none is in reach
			s.mend(dst) // the last draw
			return s.logProb(dst)
		}
		copy(dst, all[draw(rng, logs)].Order)
		return s.logProb(dst)
	}
	copy(dst, s.resample(rng, proposals))
	return s.logProb(dst)
}

// resample draws one of count built orders by their weights.
func (s lastStep) resample(rng *rand.Rand, count int) perm.Order {
	built, weights := make([]perm.Order, count), make([]float64, count)
	for i := range built {
		built[i], weights[i] = s.build(rng)
	}
	return built[draw(rng, weights)]
}

// build draws each position of what may come next; weight is log p/q.
func (s lastStep) build(rng *rand.Rand) (sigma perm.Order, weight float64) {
	sigma = make(perm.Order, s.process.Free(len(s.state)))
	w, used, may := s.walk(), make([]bool, len(sigma)), make([]bool, len(s.state))
	for i := range sigma {
		c := s.next(w, i, used, may)
		weight += c.share
		sigma[i] = c.at[draw(rng, c.scores)]
		used[sigma[i]] = true
		w.Place(s.state[sigma[i]+s.fixed()])
	}
	return sigma, weight
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
