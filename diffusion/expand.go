package diffusion

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

type beamState struct {
	path   Path
	greedy bool // the state that greedy decoding has here
}

// mergeMargin is how far, in nats, a way into a state may be below the least of the best states so
// far and still be looked at. What is below that is too little to choose by. The states that are
// chosen get the sum of all ways into them.
const mergeMargin = 3

// child is a state that a beam may go on with.
type child struct {
	parent  int
	order   perm.Order
	logProb float64
	best    float64 // the most probable way into this state, whose parent is kept
	greedy  bool
}

// expand makes one reverse step of one set's beam, restricted to a plan if it is not nil.
// It fails with the error of ctx alone.
func (p *Process) expand(ctx context.Context, beam []beamState, scores [][]float64, outer, inner int, plan *constraint.Plan) ([]beamState, error) {
	var obeying []obeyed
	if plan != nil {
		var err error
		if obeying, err = p.obeying(ctx, beam, scores, outer, inner, plan); err != nil {
			return nil, err
		}
	}
	var c children
	law := p.Reverse
	above, quick := law.(reverse.FloorSearcher)
	floor := math.Inf(-1)
	for j, s := range beam {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.path.LogProb < floor && !s.greedy {
			continue
		}
		row := scores[j]
		present := s.path.Order()
		findMode := func(dst perm.Order) float64 { return reverse.GreedyStep(law, row, dst) }
		var candidates []reverse.Candidate
		switch {
		case plan != nil:
			candidates, findMode = obeying[j].candidates, func(dst perm.Order) float64 {
				copy(dst, obeying[j].mode)
				return obeying[j].logProb
			}
		case quick:
			candidates = above.TopKAbove(row, max(outer, inner), floor-s.path.LogProb)
		default:
			candidates = law.TopK(row, max(outer, inner))
		}
		greedy := -1
		if s.greedy {
			mode := make(perm.Order, p.Free(len(present)))
			modeLog := findMode(mode)
			greedy = slices.IndexFunc(candidates, func(c reverse.Candidate) bool { return slices.Equal(c.Order, mode) })
			if greedy < 0 || greedy >= outer {
				c.add(p, j, present, mode, s.path.LogProb+modeLog, true)
				greedy = -1
			}
		}
		for i, x := range candidates[:min(outer, len(candidates))] {
			logp := s.path.LogProb + x.LogProb
			if logp < floor && i != greedy { // they fall
				if i > greedy {
					break
				}
				continue
			}
			c.add(p, j, present, x.Order, logp, i == greedy)
		}
		if plan == nil {
			floor = max(floor, c.least(outer)-mergeMargin)
		}
	}
	next := c.best(beam, outer)
	if plan == nil && len(beam) > 1 {
		if err := p.sumWays(ctx, beam, scores, next); err != nil {
			return nil, err
		}
	}
	return next, nil
}

// obeyed is where a state can go under rules: the most probable orders and, from the greedy
// state, the law's restricted mode.
type obeyed struct {
	candidates []reverse.Candidate
	mode       perm.Order
	logProb    float64
}

// obeying finds them for the states of a beam.
func (p *Process) obeying(ctx context.Context, beam []beamState, scores [][]float64, outer, inner int, plan *constraint.Plan) ([]obeyed, error) {
	out, faults := make([]obeyed, len(beam)), make([]error, len(beam))
	parallel.For(len(beam), func(j int) {
		last := lastStep{p, plan, scores[j], beam[j].path.Order()}
		x := &out[j]
		if x.candidates, faults[j] = last.topK(ctx, max(outer, inner)); faults[j] != nil {
			return
		}
		x.candidates = slices.Clone(x.candidates[:min(outer, len(x.candidates))]) // the others' memory is free
		if beam[j].greedy {
			x.mode = make(perm.Order, p.Free(len(last.state)))
			x.logProb, faults[j] = last.mode(ctx, x.mode)
		}
	})
	return out, errors.Join(faults...)
}

// sumWays gives the states after a step, by falling probability, the sum of all ways from the
// beam into them, and sorts them again. It fails with the error of ctx alone.
func (p *Process) sumWays(ctx context.Context, beam []beamState, scores [][]float64, next []beamState) error {
	const negligible = 40 // nats below what is there
	rank := make(perm.Rank, len(beam[0].path.Order()))
	free := p.Free(len(rank))
	shift := len(rank) - free
	sums, logps := make([]float64, len(next)), make([]float64, len(next))
	all := make(perm.Order, len(next)*free)
	sigmas, to := make([]perm.Order, 0, len(next)), make([]int, 0, len(next))
	for i := range sums {
		sums[i] = math.Inf(-1)
	}
	for j, s := range beam {
		if err := ctx.Err(); err != nil {
			return err
		}
		for i, k := range s.path.Order() {
			rank[k] = i
		}
		sigmas, to = sigmas[:0], to[:0]
		for i := range next {
			if s.path.LogProb < next[i].path.LogProb-negligible {
				continue
			}
			sigma, order := all[i*free:(i+1)*free], next[i].path.Order()
			for place := range free {
				sigma[place] = rank[order[place+shift]] - shift
			}
			sigmas, to = append(sigmas, sigma), append(to, i)
		}
		reverse.LogProbs(p.Reverse, scores[j], sigmas, logps)
		for at, i := range to {
			sums[i] = logAdd(sums[i], s.path.LogProb+logps[at])
		}
	}
	for i := range next {
		next[i].path.LogProb = max(next[i].path.LogProb, sums[i])
	}
	slices.SortStableFunc(next, func(a, b beamState) int { return cmp.Compare(b.path.LogProb, a.path.LogProb) })
	return nil
}

// children are the different states that the ways of a step lead to.
type children struct {
	all    []child
	at     map[uint64]int32 // by a hash of the order
	values []float64
	known  int // of how many values the least was taken
}

// add counts the way by σ from state j, which is present, with log-probability logp.
func (c *children) add(p *Process, j int, present, sigma perm.Order, logp float64, greedy bool) {
	if c.at == nil {
		c.at = map[uint64]int32{}
	}
	hash := uint64(len(sigma))
	shift := 0
	if p.FixFirst {
		shift = 1
	}
	for _, v := range sigma {
		hash = Mix(hash, uint64(present[v+shift]))
	}
	for { // to the next number where two orders share one
		i, known := c.at[hash]
		if !known {
			break
		}
		x := &c.all[i]
		if !sameStep(x.order, present, sigma, shift) {
			hash++
			continue
		}
		x.logProb = logAdd(x.logProb, logp)
		x.greedy = x.greedy || greedy
		if logp > x.best {
			x.best, x.parent = logp, j
		}
		return
	}
	c.at[hash] = int32(len(c.all))
	c.all = append(c.all, child{j, p.apply(sigma, present), logp, logp, greedy})
}

// sameStep tells whether σ leads from present to order.
func sameStep(order, present, sigma perm.Order, shift int) bool {
	for i, v := range sigma {
		if order[i+shift] != present[v+shift] {
			return false
		}
	}
	return true
}

// least is the k-th greatest log-probability, −Inf of fewer. It is not taken anew before there
// are many more.
func (c *children) least(k int) float64 {
	if len(c.all) < k || len(c.all) < c.known+c.known/8 {
		return math.Inf(-1)
	}
	c.known = len(c.all)
	c.values = c.values[:0]
	for i := range c.all {
		c.values = append(c.values, c.all[i].logProb)
	}
	slices.Sort(c.values)
	return c.values[len(c.values)-k]
}

// best are the states to go on with: the k most probable, the greedy one among them.
func (c *children) best(beam []beamState, k int) []beamState {
	slices.SortStableFunc(c.all, func(a, b child) int { return cmp.Compare(b.logProb, a.logProb) })
	kept := c.all[:min(k, len(c.all))]
	if !slices.ContainsFunc(kept, func(x child) bool { return x.greedy }) {
		for _, x := range c.all[len(kept):] {
			if x.greedy {
				kept[len(kept)-1] = x
			}
		}
	}
	next := make([]beamState, len(kept))
	for i, x := range kept {
		states := append(slices.Clone(beam[x.parent].path.States), x.order)
		next[i] = beamState{path: Path{States: states, LogProb: x.logProb}, greedy: x.greedy}
	}
	return next
}

func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, -1) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}
