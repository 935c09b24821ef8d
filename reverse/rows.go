package reverse

import (
	"math"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/perm"
)

// Rows is a law that chooses position by position, from the objects left, with odds e^s. PL, GPL,
// path and cgpl are such laws.
type Rows interface {
	Law
	// Row returns the scores of the n objects for the next position, after those that are placed.
	// They are a part of scores, or are written into a slice of length n.
	Row(scores []float64, placed []int, into []float64) []float64
}

// logProbOfRows is log p of o, in O(n²).
func logProbOfRows(l Rows, scores []float64, o perm.Order) float64 {
	work := scratchPool.Get().(*scratch)
	defer scratchPool.Put(work)
	work.floats = grown(work.floats, len(o))
	logp := 0.0
	for i, k := range o {
		row, left := l.Row(scores, o[:i], work.floats), o[i:]
		picked := clean(row[k])
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

// sampleRows draws an order row by row, in O(n²).
func sampleRows(l Rows, rng *rand.Rand, scores []float64, dst perm.Order) {
	n := len(dst)
	work := scratchPool.Get().(*scratch)
	defer scratchPool.Put(work)
	work.floats = grown(work.floats, 2*n)
	into := work.floats[n:]
	for i := range dst {
		dst[i] = i
	}
	for i := range n {
		row, left := l.Row(scores, dst[:i], into), dst[i:] // left is in rising order
		m := negInf
		for _, k := range left {
			m = max(m, clean(row[k]))
		}
		pick := 0
		if m > negInf {
			total, weight := 0.0, work.floats[:len(left):n]
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

// greedy writes the order that takes the best object left, row by row. In ties, and in rows without
// a possible object, it takes the lowest index.
func greedy(l Rows, scores []float64, dst perm.Order) {
	work := scratchPool.Get().(*scratch)
	defer scratchPool.Put(work)
	work.floats = grown(work.floats, len(dst))
	greedyBy(func(placed []int) []float64 { return l.Row(scores, placed, work.floats) }, dst)
}

func greedyBy(row func(placed []int) []float64, dst perm.Order) {
	for i := range dst {
		dst[i] = i
	}
	for i := range dst {
		s, left, pick := row(dst[:i]), dst[i:], 0
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
