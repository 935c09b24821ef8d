package reverse

import (
	"math"
	"math/rand/v2"
	"sync"
)

var negInf = math.Inf(-1)

// largest stands for +Inf, so that differences of scores are never NaN.
const largest = 1e300

// clean maps NaN to −Inf and +Inf to a large finite score.
func clean(s float64) float64 {
	if s <= largest {
		return s
	}
	if s != s {
		return negInf
	}
	return largest
}

// cleanNaN maps NaN to −Inf; log-odds may be infinite.
func cleanNaN(s float64) float64 {
	if s != s {
		return negInf
	}
	return s
}

// logSigmoid returns log φ(x) = −log(1 + e^−x), also for x = ±Inf.
func logSigmoid(x float64) float64 {
	if x < 0 {
		return x - math.Log1p(math.Exp(x))
	}
	return -math.Log1p(math.Exp(-x))
}

// logAdd returns log(e^a + e^b).
func logAdd(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if b == negInf {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}

// logSum is log Σ e^s as greatest + rest, kept apart so that the difference to a
// score is exact however large scores are.
type logSum struct{ greatest, rest float64 }

// logProb returns s less the sum: the log-probability of score s.
func (l logSum) logProb(s float64) float64 { return (s - l.greatest) - l.rest }

// logSumExcept sums over all scores but skip; skip −1 leaves none out. Where no score
// is possible it is of no use.
func logSumExcept(scores []float64, skip int) logSum {
	m := negInf
	for k, s := range scores {
		if s = clean(s); k != skip && s > m {
			m = s
		}
	}
	sum := 0.0
	for k, s := range scores {
		if k != skip {
			sum += math.Exp(clean(s) - m)
		}
	}
	return logSum{m, math.Log(sum)}
}

// gumbel draws from the standard Gumbel distribution, always finite.
func gumbel(rng *rand.Rand) float64 {
	return -math.Log(max(rng.ExpFloat64(), math.SmallestNonzeroFloat64))
}

// key is a number to sort by and the index it belongs to.
type key struct {
	value float64
	index int32
}

// byValue orders keys by falling value, then by rising index.
func byValue(a, b key) int {
	if a.value > b.value {
		return -1
	}
	if a.value < b.value {
		return 1
	}
	return int(a.index) - int(b.index)
}

// scratch is working memory that calls hand on to one another.
type scratch struct {
	floats []float64
	keys   []key
}

var scratchPool = sync.Pool{New: func() any { return new(scratch) }}

// grown returns s with length n, allocating only if it is too small. Its contents
// are not defined.
func grown[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n+n/2)[:n]
	}
	return s[:n]
}
