package metric

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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

// Bootstrap returns the mean of per-example values and its 95 % percentile
// interval: examples are drawn with replacement, as many as there are, resamples
// times (0 means [Resamples]), and the interval is between the 2.5 % and 97.5 %
// quantiles of their means, interpolated linearly (Efron & Tibshirani 1993,
// §13.3). The same values, resamples and seed give the same interval. It fails
// on no values, on one that is neither finite nor minus infinity, the log of a probability of 0, and
// on negative resamples.
func Bootstrap(values []float64, resamples int, seed uint64) (Interval, error) {
	if len(values) == 0 {
		return Interval{}, errors.New("bootstrap: no values, wanted 1 or more")
	}
	if resamples < 0 {
		return Interval{}, fmt.Errorf("bootstrap: resamples must be 0 or more (got %d)", resamples)
	}
	if resamples == 0 {
		resamples = Resamples
	}
	sum := 0.0
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 1) {
			return Interval{}, fmt.Errorf("bootstrap: value %d is %v, wanted a finite number or -Inf", i, v)
		}
		sum += v
	}
	n := float64(len(values))
	rng := rand.New(rand.NewPCG(seed, 0))
	means := make([]float64, resamples)
	for r := range means {
		total := 0.0
		for range values {
			total += values[rng.IntN(len(values))]
		}
		means[r] = total / n
	}
	slices.Sort(means)
	return Interval{Mean: sum / n, Low: quantile(means, 0.025), High: quantile(means, 0.975)}, nil
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
