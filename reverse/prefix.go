package reverse

import (
	"math"
	"slices"

	"github.com/riffle-ml/riffle/perm"
)

// prefixSearch is a beam search of a law whose odds depend on what is placed.
type prefixSearch struct {
	n int
	// odds returns the scores of all objects after a prefix, and the sum over those that are left.
	odds func(p *prefix) ([]float64, logSum)
}

// prefix is the start of an order; greedy is the one that Mode has.
type prefix struct {
	order  perm.Order
	used   []bool
	logp   float64
	greedy bool
}

// run returns at most k orders by falling log-probability. Those below floor are left out. The
// greedy one is among them unless it is impossible.
func (s prefixSearch) run(law Law, scores []float64, k int, floor float64) []Candidate {
	beam := []prefix{{used: make([]bool, s.n), greedy: true}}
	for range s.n {
		if beam = s.extend(beam, k, floor); len(beam) == 0 {
			return modeAlone(law, scores, s.n)
		}
	}
	out := make([]Candidate, len(beam))
	for i, p := range beam {
		out[i] = Candidate{append(perm.Order{}, p.order...), min(p.logp, 0)}
	}
	return sortCandidates(out, len(out))
}

// extend returns the k best prefixes that are one object longer, by falling log-probability.
func (s prefixSearch) extend(beam []prefix, k int, floor float64) []prefix {
	n := s.n
	var worst []key // a heap of the best offers, the least on top: index −(prefix·n + object)
	greedyPick, greedyLogp := -1, negInf
	for at := range beam {
		p := &beam[at]
		scores, sum := s.odds(p)
		best := -1
		for j, used := range p.used {
			v := clean(scores[j])
			if used || v == negInf {
				continue
			}
			logp := p.logp + sum.logProb(v)
			if p.greedy && (best < 0 || v > clean(scores[best])) {
				best, greedyPick, greedyLogp = j, at*n+j, logp
			}
			offer := key{-logp, -int32(at*n + j)}
			switch {
			case logp < floor:
			case len(worst) < k:
				worst = append(worst, offer)
				siftUp(worst)
			case before(worst[0], offer):
				worst[0] = offer
				siftDown(worst, 0)
			}
		}
	}
	slices.SortFunc(worst, func(a, b key) int { return byValue(b, a) }) // the best first
	if kept := slices.ContainsFunc(worst, func(o key) bool { return int(-o.index) == greedyPick }); greedyPick >= 0 && !kept {
		worst = append(worst[:min(len(worst), k-1)], key{-greedyLogp, -int32(greedyPick)})
	}
	next := make([]prefix, len(worst))
	for i, o := range worst {
		from, j := &beam[int(-o.index)/n], int(-o.index)%n
		order := make(perm.Order, len(from.order)+1, n)
		copy(order, from.order)
		order[len(from.order)] = j
		used := slices.Clone(from.used)
		used[j] = true
		next[i] = prefix{order, used, -o.value, int(-o.index) == greedyPick}
	}
	return next
}

// sumUnused sums over the objects that are not used.
func sumUnused(row []float64, used []bool) logSum {
	greatest := negInf
	for j, u := range used {
		if !u {
			greatest = max(greatest, clean(row[j]))
		}
	}
	sum := 0.0
	for j, u := range used {
		if !u {
			sum += math.Exp(clean(row[j]) - greatest)
		}
	}
	return logSum{greatest, math.Log(sum)}
}
