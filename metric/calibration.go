package metric

import (
	"fmt"
	"math"
)

// CalibrationBins is into how many bins of equal width a [Calibration] divides 0 to 1.
const CalibrationBins = 10

// Calibration compares probabilities that were said with how often they came true. The zero
// value is ready.
type Calibration struct {
	count, said, came [CalibrationBins]float64
}

// Bin is the predictions of [i/10, (i+1)/10); 1 itself is in the last.
type Bin struct {
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
	Count     int     `json:"count"`
	Mean      float64 `json:"mean"`      // of the probabilities said; 0 where there are none
	Frequency float64 `json:"frequency"` // of those that came true; 0 where there are none
}

// Add adds a prediction as often as count says. It fails unless p is from 0 to 1 and count
// is 0 or more.
func (c *Calibration) Add(p float64, came bool, count int) error {
	if !(p >= 0 && p <= 1) { // NaN too
		return fmt.Errorf("calibration: wanted a probability from 0 to 1 (got %g)", p)
	}
	if count < 0 {
		return fmt.Errorf("calibration: wanted a count of 0 or more (got %d)", count)
	}
	i := min(int(p*CalibrationBins), CalibrationBins-1)
	c.count[i] += float64(count)
	c.said[i] += p * float64(count)
	if came {
		c.came[i] += float64(count)
	}
	return nil
}

// Bins returns the bins, lowest first.
func (c *Calibration) Bins() []Bin {
	out := make([]Bin, CalibrationBins)
	for i := range out {
		out[i] = Bin{Low: float64(i) / CalibrationBins, High: float64(i+1) / CalibrationBins, Count: int(c.count[i])}
		if c.count[i] > 0 {
			out[i].Mean, out[i].Frequency = c.said[i]/c.count[i], c.came[i]/c.count[i]
		}
	}
	return out
}

// Error is the expected calibration error, Σ_b count_b/count · |frequency_b − mean_b|, from
// 0 to 1 (M. P. Naeini, G. F. Cooper, M. Hauskrecht, AAAI 2015); 0 without predictions.
func (c *Calibration) Error() float64 {
	sum, total := 0.0, 0.0
	for i, n := range c.count {
		sum += math.Abs(c.came[i] - c.said[i])
		total += n
	}
	if total == 0 {
		return 0
	}
	return sum / total
}
