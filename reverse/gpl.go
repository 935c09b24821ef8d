package reverse

import (
	"math"
	"math/rand/v2"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/riffle-ml/riffle/perm"
)

// GeneralizedPlackettLuce is the GPL distribution (paper §3.2.2, eq.
// "GPL distribution"): row i of the scores chooses the object at output position i
// from those that are left,
//
//	log p(σ) = Σ_i ( S[i,σ[i]] − log Σ_{j ≥ i} exp S[i,σ[j]] ),  S [n, n].
//
// Rows are free of each other, so, with −Inf scores, any single order has a
// probability of 1, and chains of GPL steps reach every distribution: see [Express].
// Its mode is not the greedy order in general, and no fast exact algorithm is known.
type GeneralizedPlackettLuce struct{}

func (GeneralizedPlackettLuce) Name() string        { return "gpl" }
func (GeneralizedPlackettLuce) LongName() string    { return "generalized Plackett–Luce" }
func (GeneralizedPlackettLuce) NumScores(n int) int { return n * n }
func (GeneralizedPlackettLuce) FullSupport() bool   { return true }

// LogProb is O(n²).
func (l GeneralizedPlackettLuce) LogProb(scores []float64, o perm.Order) float64 {
	n := len(o)
	checkScores(l, scores, n)
	logp := 0.0
	for i := range n {
		row, left := scores[i*n:(i+1)*n], o[i:]
		picked := clean(row[left[0]])
		if picked == negInf {
			return negInf
		}
		m := picked
		for _, k := range left[1:] {
			if s := clean(row[k]); s > m {
				m = s
			}
		}
		sum := 0.0
		for _, k := range left {
			sum += math.Exp(clean(row[k]) - m)
		}
		logp += (picked - m) - math.Log(sum)
	}
	return logp
}

// Sample draws row by row, in O(n²).
func (l GeneralizedPlackettLuce) Sample(rng *rand.Rand, scores []float64, dst perm.Order) {
	n := len(dst)
	checkScores(l, scores, n)
	work := scratchPool.Get().(*scratch)
	defer scratchPool.Put(work)
	work.floats = grown(work.floats, n)
	for i := range dst {
		dst[i] = i
	}
	for i := range n {
		row, left := scores[i*n:(i+1)*n], dst[i:] // left is in rising order
		m := negInf
		for _, k := range left {
			m = max(m, clean(row[k]))
		}
		pick := 0
		if m > negInf {
			total, weight := 0.0, work.floats[:len(left)]
			for j, k := range left {
				weight[j] = math.Exp(clean(row[k]) - m)
				total += weight[j]
			}
			u := rng.Float64() * total
			for j, w := range weight {
				if w > 0 {
					if pick = j; u < w {
						break
					}
				}
				u -= w
			}
		}
		toFront(left, pick)
	}
}

// Mode writes the greedy order: each row takes its best object of those left. It is
// the mode if every row has the same scores, and a lower bound of it in general.
func (l GeneralizedPlackettLuce) Mode(scores []float64, dst perm.Order) float64 {
	n := len(dst)
	checkScores(l, scores, n)
	greedy(n, func(i int) []float64 { return scores[i*n : (i+1)*n] }, dst)
	return l.LogProb(scores, dst)
}

// greedy writes the order that takes the best object left, row by row; ties and
// rows without a possible object go to the lowest index.
func greedy(n int, row func(i int) []float64, dst perm.Order) {
	for i := range dst {
		dst[i] = i
	}
	for i := range n {
		s, left, pick := row(i), dst[i:], 0
		best := clean(s[left[0]])
		for j, k := range left {
			if v := clean(s[k]); v > best {
				best, pick = v, j
			}
		}
		toFront(left, pick)
	}
}

// toFront moves entry j to the front and keeps the order of the others.
func toFront(list []int, j int) {
	v := list[j]
	copy(list[1:j+1], list[:j])
	list[0] = v
}

// TopK is a beam search of width k over rows: see [Beam].
func (l GeneralizedPlackettLuce) TopK(scores []float64, k int) []Candidate {
	return l.TopKAbove(scores, k, negInf)
}

// TopKAbove implements [Above].
func (l GeneralizedPlackettLuce) TopKAbove(scores []float64, k int, floor float64) []Candidate {
	n := int(math.Round(math.Sqrt(float64(len(scores)))))
	checkScores(l, scores, n)
	return beamTopK(n, k, floor, func(i int) []float64 { return scores[i*n : (i+1)*n] })
}

// LogProbGraph takes scores [..., n, n]. It needs no gather:
//
//	log p = Σ_i ( S[i, k : rank[k] = i] − LSE of S[i, k] over {k : rank[k] ≥ i} ).
func (l GeneralizedPlackettLuce) LogProbGraph(scores, rank *graph.Node) *graph.Node {
	n := rank.Shape().Dim(-1)
	checkGraph(l, scores, rank, n, n)
	return suffixLogProb(scores, rank)
}
