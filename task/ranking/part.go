package ranking

import (
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/denoiser"
)

// part are the sets of a split.
type part struct {
	sets    []*dataset.Set
	weights []int // how many gave each, at least 1
	total   int
	sizes   []bucket
}

// bucket are the sets that are padded to one size.
type bucket struct {
	n     int
	mixed bool  // some have fewer than n
	index []int // in part.sets
	upTo  []int // cumulated weights
}

func (p *part) add(s *dataset.Set, weight int) {
	p.sets, p.weights, p.total = append(p.sets, s), append(p.weights, weight), p.total+weight
}

// take removes one who gave the last of the sets or, if apart is not set, all who did.
func (p *part) take(apart bool) (s *dataset.Set, weight int) {
	last := len(p.sets) - 1
	if s, weight = p.sets[last], 1; !apart {
		weight = p.weights[last]
	}
	p.total -= weight
	if p.weights[last] -= weight; p.weights[last] == 0 {
		p.sets, p.weights = p.sets[:last], p.weights[:last]
	}
	return s, weight
}

// several tells whether one can be taken and another is left.
func (p *part) several(apart bool) bool { return len(p.sets) > 1 || apart && p.total > 1 }

func (p *part) bucket(most int) {
	at := map[int]int{}
	for i, s := range p.sets {
		n := denoiser.PaddedSize(len(s.Items), most)
		j, ok := at[n]
		if !ok {
			j = len(p.sizes)
			at[n], p.sizes = j, append(p.sizes, bucket{n: n})
		}
		b := &p.sizes[j]
		before := 0
		if len(b.upTo) > 0 {
			before = b.upTo[len(b.upTo)-1]
		}
		b.mixed = b.mixed || len(s.Items) < n
		b.index, b.upTo = append(b.index, i), append(b.upTo, before+p.weights[i])
	}
	slices.SortFunc(p.sizes, func(a, b bucket) int { return a.n - b.n })
}

// draw picks one of the cumulated weights.
func draw(rng *rand.Rand, upTo []int) int {
	return sort.SearchInts(upTo, 1+rng.IntN(upTo[len(upTo)-1]))
}
