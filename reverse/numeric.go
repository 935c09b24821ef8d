package reverse

import (
	"math"
	"math/rand/v2"
	"slices"
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

// before orders keys by falling value, then by rising index.
func before(a, b key) bool {
	return a.value > b.value || a.value == b.value && a.index < b.index
}

// byValue is before as a comparison.
func byValue(a, b key) int {
	switch {
	case before(a, b):
		return -1
	case before(b, a):
		return 1
	}
	return 0
}

// sortKeys sorts by byValue keys whose index is their place. Long lists are sorted
// by the 33 leading bits first, in three passes of counting: three times as fast.
func sortKeys(keys []key, work *scratch) {
	const short, digit, first = 128, 11, 64 - 33
	if len(keys) < short {
		slices.SortFunc(keys, byValue)
		return
	}
	work.other = grown(work.other, len(keys))
	from, to := keys, work.other
	for shift := first; shift < 64; shift += digit {
		var start [1<<digit + 1]int32
		for _, k := range from {
			start[fallingBits(k.value)>>shift&(1<<digit-1)+1]++
		}
		for d := range 1 << digit {
			start[d+1] += start[d]
		}
		for _, k := range from {
			at := &start[fallingBits(k.value)>>shift&(1<<digit-1)]
			to[*at] = k
			*at++
		}
		from, to = to, from
	}
	copy(keys, from) // three passes leave the result in the other list
	if !slices.IsSortedFunc(keys, byValue) {
		slices.SortFunc(keys, byValue)
	}
}

// fallingBits maps numbers to integers that rise where the numbers fall.
func fallingBits(v float64) uint64 {
	b := math.Float64bits(v)
	if b>>63 == 1 {
		return b
	}
	return ^b &^ (1 << 63)
}

// scratch is working memory that calls hand on to one another.
type scratch struct {
	floats []float64
	keys   []key
	other  []key
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
