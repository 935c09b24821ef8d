package reverse

import (
	"math"

	"github.com/riffle-ml/riffle/perm"
)

// BatchLaw is a law that shares work where many orders are judged by the same scores; see [LogProbs].
type BatchLaw interface {
	Law
	LogProbs(scores []float64, orders []perm.Order, dst []float64)
}

// LogProbs writes the LogProb of each order into dst.
func LogProbs(law Law, scores []float64, orders []perm.Order, dst []float64) {
	if many, ok := law.(BatchLaw); ok {
		many.LogProbs(scores, orders, dst)
		return
	}
	for i, o := range orders {
		dst[i] = law.LogProb(scores, o)
	}
}

// tooSmall is a sum of e^(score − greatest) that may have lost digits.
const tooSmall = 1e-200

// logProduct is the log of a product. It takes few logarithms, each of which costs as much as ten
// products.
type logProduct struct{ log, product float64 }

// times multiplies by x, from 1e-200 to 1e200.
func (l *logProduct) times(x float64) {
	l.product *= x
	if l.product < 1e-100 || l.product > 1e100 {
		l.log += math.Log(l.product)
		l.product = 1
	}
}

func (l *logProduct) value() float64 { return l.log + math.Log(l.product) }

// exponentials writes s less the greatest of a row, and e to that.
func exponentials(row, less, weight []float64) {
	greatest := negInf
	for _, s := range row {
		greatest = max(greatest, clean(s))
	}
	for k, s := range row {
		less[k], weight[k] = negInf, 0
		if s = clean(s); s > negInf {
			less[k] = s - greatest
			weight[k] = math.Exp(less[k])
		}
	}
}

// logProbsOfRows is for scores that are rows of n, one after the other.
func logProbsOfRows(l Rows, scores []float64, orders []perm.Order, dst []float64) {
	if len(orders) == 0 {
		return
	}
	n := len(orders[0])
	checkScores(l, scores, n)
	work := scratchPool.Get().(*scratch)
	defer scratchPool.Put(work)
	size := len(scores)
	work.floats = grown(work.floats, 2*size+n)
	less, weight, spare := work.floats[:size], work.floats[size:2*size], work.floats[2*size:]
	for at := 0; at < size; at += n {
		exponentials(scores[at:at+n], less[at:at+n], weight[at:at+n])
	}
	for at, o := range orders {
		dst[at] = 0
		sums := logProduct{product: 1}
		for i, picked := range o {
			row, sum := l.Row(weight, o[:i], spare), 0.0
			for _, k := range o[i:] {
				sum += row[k]
			}
			if sum < tooSmall {
				dst[at] = l.LogProb(scores, o)
				sums = logProduct{product: 1}
				break
			}
			dst[at] += l.Row(less, o[:i], spare)[picked]
			sums.times(sum)
		}
		dst[at] -= sums.value()
	}
}
