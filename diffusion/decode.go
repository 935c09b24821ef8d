package diffusion

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// Path is one way through the reverse process.
type Path struct {
	// States are the arrangements X_{t_k}, …, X_{t_0} in order form, noise first.
	States []perm.Order
	// LogProb is log p(X_{t_{k−1}}, …, X_{t_0} | X_{t_k}) in nats; where a beam met the same
	// state on several ways, their sum.
	LogProb float64
}

// Order is the last state: the order of the objects that the process arrived at.
func (p *Path) Order() perm.Order { return p.States[len(p.States)-1] }

// Greedy takes the law's greedy step at each step, which is its mode but for IT and IRS ([reverse.GreedyStep]). start holds the noise of one or more paths a
// set, the paths of a set side by side; so does the result. Once ctx has ended it returns
// its error, at the next reverse step or, in a beam and under rules, sooner.
func (d *Decoder) Greedy(ctx context.Context, e *Encoded, start []perm.Order) ([]Path, error) {
	return d.walk(ctx, e, start, func(_ int, scores []float64, dst perm.Order) float64 {
		return reverse.GreedyStep(d.Process.Reverse, scores, dst)
	}, func(_ int, last lastStep, dst perm.Order) (float64, error) {
		return last.mode(ctx, dst)
	})
}

// Sample draws every step from the law, path i with rngs[i]; start and ctx are as for Greedy.
// Several paths are drawn at a time: no two may share a generator.
func (d *Decoder) Sample(ctx context.Context, e *Encoded, start []perm.Order, rngs []*rand.Rand) ([]Path, error) {
	law := d.Process.Reverse
	return d.walk(ctx, e, start, func(i int, scores []float64, dst perm.Order) float64 {
		law.Sample(rngs[i], scores, dst)
		return law.LogProb(scores, dst)
	}, func(i int, last lastStep, dst perm.Order) (float64, error) {
		return last.sample(ctx, rngs[i], dst)
	})
}

// walk follows len(start)/batch paths a set. choose writes path i's step σ' into dst and returns
// its log p. obey does so for the last step where it is restricted.
func (d *Decoder) walk(ctx context.Context, e *Encoded, start []perm.Order, choose func(path int, scores []float64, dst perm.Order) float64, obey func(path int, last lastStep, dst perm.Order) (float64, error)) ([]Path, error) {
	if len(start) == 0 || len(start)%e.Batch != 0 {
		return nil, fmt.Errorf("decoding %d sets: wanted a start for each, or a multiple (got %d)", e.Batch, len(start))
	}
	each := len(start) / e.Batch
	paths := make([]Path, len(start))
	for i := range paths {
		paths[i].States = []perm.Order{slices.Clone(start[i])}
	}
	set := func(i int) int { return i / each }
	err := d.descend(ctx, e, descent{
		travellers: len(paths),
		set:        set,
		states:     func(i, _ int) []perm.Order { return []perm.Order{paths[i].Order()} },
		move: func(i, k int, scores [][]float64) (err error) {
			path := &paths[i]
			sigma := make(perm.Order, d.Process.Free(len(path.Order())))
			logp := 0.0
			if plan := d.plan(set(i), k); plan != nil {
				logp, err = obey(i, lastStep{d.Process, plan, scores[0], path.Order()}, sigma)
			} else {
				logp = choose(i, scores[0], sigma)
			}
			path.LogProb += logp
			path.States = append(path.States, d.Process.apply(sigma, path.Order()))
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	return paths, nil
}

// Beam searches for probable orders. It keeps the outer best states of each set after every reverse
// step. The candidates of a state are the law's TopK with an inner beam (paper appendix D). Equal
// states are merged and their probabilities added. The greedy state is always kept. So a beam of 1
// is [Decoder.Greedy], and no beam ends below it. The result is, for every set, at most outer paths
// by falling LogProb. ctx is as for Greedy.
func (d *Decoder) Beam(ctx context.Context, e *Encoded, start []perm.Order, outer, inner int) ([][]Path, error) {
	if outer < 1 || inner < 1 {
		return nil, fmt.Errorf("beam: wanted widths of 1 or more (got %d and %d)", outer, inner)
	}
	beams := make([][]beamState, e.Batch)
	for i := range beams {
		beams[i] = []beamState{{path: Path{States: []perm.Order{slices.Clone(start[i])}}, greedy: true}}
	}
	err := d.descend(ctx, e, descent{
		travellers: e.Batch,
		set:        func(i int) int { return i },
		states: func(i, _ int) []perm.Order {
			states := make([]perm.Order, len(beams[i]))
			for j, s := range beams[i] {
				states[j] = s.path.Order()
			}
			return states
		},
		move: func(i, k int, scores [][]float64) (err error) {
			beams[i], err = d.Process.expand(ctx, beams[i], scores, outer, inner, d.plan(i, k))
			return err
		},
	})
	if err != nil {
		return nil, err
	}
	out := make([][]Path, e.Batch)
	for i, beam := range beams {
		for _, s := range beam {
			out[i] = append(out[i], s.path)
		}
	}
	return out, nil
}
