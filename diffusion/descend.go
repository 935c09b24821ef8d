package diffusion

import (
	"cmp"
	"context"
	"errors"

	"github.com/riffle-ml/riffle/internal/parallel"
	"github.com/riffle-ml/riffle/perm"
)

// descent is a number of travellers, each on its way down the schedule of its set. A traveller is a
// path, a beam of states, or a trajectory that is given. Every sampler and search of this package
// is one.
type descent struct {
	travellers int
	set        func(i int) int
	// states are those of traveller i at reverse step k, X_{t_k}, of which it has one or more.
	states func(i, k int) []perm.Order
	// move takes traveller i down reverse step k, to X_{t_{k−1}}; scores are the law's for each of its
	// states. It is called for several travellers at once.
	move func(i, k int, scores [][]float64) error
}

// descend takes all travellers down to X_0. They go side by side, one reverse step a round, and those
// of short schedules arrive first. Once ctx has ended it returns its error.
func (d *Decoder) descend(ctx context.Context, e *Encoded, t descent) error {
	ways, most := d.ways(e)
	for round := range most {
		var asked []query
		var moving, first []int // the travellers that have not arrived, and where their states stand in asked
		for i := range t.travellers {
			way := ways[t.set(i)]
			k := len(way) - 1 - round
			if k < 1 {
				continue
			}
			moving, first = append(moving, i), append(first, len(asked))
			for _, state := range t.states(i, k) {
				asked = append(asked, query{t.set(i), state, way[k]})
			}
		}
		scores, err := d.scoresOf(ctx, e, asked)
		if err != nil {
			return err
		}
		first = append(first, len(asked))
		faults := make([]error, len(moving))
		parallel.For(len(moving), func(at int) {
			if faults[at] = ctx.Err(); faults[at] == nil {
				i := moving[at]
				faults[at] = t.move(i, len(ways[t.set(i)])-1-round, scores[first[at]:first[at+1]])
			}
		})
		if err := errors.Join(faults...); err != nil {
			return cmp.Or(ctx.Err(), err)
		}
	}
	return nil
}

// ways are the schedules of the sets, and the number of reverse steps in the longest.
func (d *Decoder) ways(e *Encoded) (steps [][]int, most int) {
	for i := range e.Batch {
		steps = append(steps, d.Process.At(e.Size(i)).Steps)
		most = max(most, len(steps[i])-1)
	}
	return steps, most
}
