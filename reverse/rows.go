package reverse

import (
	"math"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/perm"
)

// Rows is a law that chooses position by position, from the objects left, with odds e^s: PL,
// GPL and transition Plackett–Luce.
type Rows interface {
	Law
	// Row returns the n scores that choose the object at position i, where last is the object
	// at position i − 1, or −1 at the start.
	Row(scores []float64, n, i, last int) []float64
}

// logProbOfRows is log p of o, in O(n²).
func logProbOfRows(l Rows, scores []float64, o perm.Order) float64 {
	logp, last := 0.0, -1
	for i, k := range o {
		row, left := l.Row(scores, len(o), i, last), o[i:]
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
		last = k
	}
	return logp
}

// sampleRows draws an order row by row, in O(n²).
func sampleRows(l Rows, rng *rand.Rand, scores []float64, dst perm.Order) {
	n := len(dst)
	work := scratchPool.Get().(*scratch)
	defer scratchPool.Put(work)
	work.floats = grown(work.floats, n)
	for i := range dst {
		dst[i] = i
	}
	last := -1
	for i := range n {
		row, left := l.Row(scores, n, i, last), dst[i:] // left is in rising order
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
		last = left[0]
	}
}

// greedy writes the order that takes the best object left, row by row; ties and rows without a
// possible object go to the lowest index.
func greedy(l Rows, scores []float64, dst perm.Order) {
	greedyBy(func(i, last int) []float64 { return l.Row(scores, len(dst), i, last) }, dst)
}

func greedyBy(row func(i, last int) []float64, dst perm.Order) {
	for i := range dst {
		dst[i] = i
	}
	last := -1
	for i := range dst {
		s, left, pick := row(i, last), dst[i:], 0
		best := clean(s[left[0]])
		for j, k := range left {
			if v := clean(s[k]); v > best {
				best, pick = v, j
			}
		}
		toFront(left, pick)
		last = left[0]
	}
}

// toFront moves entry j to the front and keeps the order of the others.
func toFront(list []int, j int) {
	v := list[j]
	copy(list[1:j+1], list[:j])
	list[0] = v
}
