package metric

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/riffle-ml/riffle/internal/jsonnum"
)

// Resamples is how often [Bootstrap] resamples unless told otherwise.
const Resamples = 1000

// Interval is a mean with its 95 % interval.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`  // 2.5 % quantile of the resampled means
	High float64 `json:"high"` // 97.5 % quantile
}

type intervalJSON struct {
	Mean jsonnum.Number `json:"mean"`
	Low  jsonnum.Number `json:"low"`
	High jsonnum.Number `json:"high"`
}

// MarshalJSON implements json.Marshaler: minus infinity is the text "-Infinity".
func (i Interval) MarshalJSON() ([]byte, error) {
	return json.Marshal(intervalJSON{jsonnum.Number(i.Mean), jsonnum.Number(i.Low), jsonnum.Number(i.High)})
}

// UnmarshalJSON implements json.Unmarshaler.
func (i *Interval) UnmarshalJSON(data []byte) error {
	var v intervalJSON
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	*i = Interval{float64(v.Mean), float64(v.Low), float64(v.High)}
	return nil
}

// Bootstrap returns the mean of per-example values and its 95 % percentile interval. As many
// examples as there are, are drawn with replacement, resamples times (0 means [Resamples]). The
// interval is between the 2.5 % and 97.5 % quantiles of their means, interpolated linearly (Efron &
// Tibshirani 1993, §13.3). The same values, resamples and seed give the same interval. It fails on
// no values, on one that is neither finite nor minus infinity, the log of a probability of 0, on values whose sum
// is beyond a float64, and on negative resamples.
func Bootstrap(values []float64, resamples int, seed uint64) (Interval, error) {
	return BootstrapCounts(values, nil, resamples, seed)
}

// drawnApart is how many examples are drawn one by one. Of more, how often each value is drawn is a
// binomial number, given those before it.
const drawnApart = 1 << 16

// BootstrapCounts is [Bootstrap] of values of which value i is that of counts[i] examples, which are
// resampled apart. The memory is that of the values, and so is the time where there are more than
// 65,536 examples. nil counts each once. It fails on a count below 1 too.
func BootstrapCounts(values []float64, counts []int, resamples int, seed uint64) (Interval, error) {
	switch {
	case len(values) == 0:
		return Interval{}, errors.New("bootstrap: no values, wanted 1 or more")
	case counts != nil && len(counts) != len(values):
		return Interval{}, fmt.Errorf("bootstrap: %d counts of %d values", len(counts), len(values))
	case resamples < 0:
		return Interval{}, fmt.Errorf("bootstrap: resamples must be 0 or more (got %d)", resamples)
	case resamples == 0:
		resamples = Resamples
	}
	sum, n := 0.0, len(values)
	for i, v := range values {
		count := 1
		if counts != nil {
			if count = counts[i]; count < 1 {
				return Interval{}, fmt.Errorf("bootstrap: value %d is of %d examples, wanted 1 or more", i, count)
			}
			n += count - 1
		}
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return Interval{}, fmt.Errorf("bootstrap: value %d is %v, wanted a finite number or -Inf", i, v)
		}
		sum += float64(count) * v
	}
	if math.IsInf(sum, 0) && !slices.ContainsFunc(values, func(v float64) bool { return math.IsInf(v, -1) }) {
		return Interval{}, errors.New("bootstrap: the sum of the values is beyond the largest float64")
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	resample := func() float64 { return drawnTotal(rng, values, counts, n) }
	if n <= drawnApart {
		examples := values
		if counts != nil {
			examples = repeated(values, counts, n)
		}
		resample = func() (total float64) {
			for range examples {
				total += examples[rng.IntN(n)]
			}
			return total
		}
	}
	means := make([]float64, resamples)
	for r := range means {
		means[r] = resample() / float64(n)
	}
	slices.Sort(means)
	return Interval{Mean: sum / float64(n), Low: quantile(means, 0.025), High: quantile(means, 0.975)}, nil
}

// repeated has each value as often as it counts.
func repeated(values []float64, counts []int, n int) []float64 {
	out := make([]float64, 0, n)
	for i, v := range values {
		for range counts[i] {
			out = append(out, v)
		}
	}
	return out
}

// drawnTotal is the sum of n examples that are drawn with replacement from n.
func drawnTotal(rng *rand.Rand, values []float64, counts []int, n int) (total float64) {
	left, draws := n, n // examples behind value i, and draws that are not of a value before it
	for i, v := range values {
		count := 1
		if counts != nil {
			count = counts[i]
		}
		drawn := draws
		if count < left {
			drawn = int(distuv.Binomial{N: float64(draws), P: float64(count) / float64(left), Src: rng}.Rand())
		}
		if drawn > 0 { // 0 times the log of 0 is no number
			total += float64(drawn) * v
		}
		left, draws = left-count, draws-drawn
	}
	return total
}

// quantile returns the q-quantile of sorted values by linear interpolation
// between the two around place q·(m−1).
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	low := int(at)
	high := min(low+1, len(sorted)-1)
	if math.IsInf(sorted[low], -1) {
		return sorted[low]
	}
	return sorted[low] + (at-float64(low))*(sorted[high]-sorted[low])
}
