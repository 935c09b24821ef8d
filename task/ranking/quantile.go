package ranking

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/riffle-ml/riffle/config"
	"github.com/riffle-ml/riffle/task"
)

// maxKnots is how many values of a feature are kept with their normal scores. They are evenly
// spaced in score: a heavy tail has as many as the same stretch of a normal distribution.
const maxKnots = 64

// quantiles finds the knots and scores of each feature in the training part. Values beyond ±1e30
// are left out, as of the mean.
func (r *Task) quantiles() {
	s := r.scale
	s.Knots, s.Scores = make([][]float64, r.config.Features), make([][]float64, r.config.Features)
	var values []float64
	for j := range s.Knots {
		values = values[:0]
		for _, set := range r.parts[task.Train].sets {
			for k := range set.Items {
				if v := set.Items[k].Features[j]; v == bounded(v) { // and not empty, which is NaN
					values = append(values, v)
				}
			}
		}
		s.Knots[j], s.Scores[j] = knots(values)
	}
}

// knots returns up to [maxKnots] of the values, ascending and each once, with their normal scores
// Φ⁻¹((below + equal/2)/count). below values are smaller and equal are the same, so that ties get
// the middle of their ranks. It keeps all different values where there are no more than that. It
// sorts values.
func knots(values []float64) (at, scores []float64) {
	slices.Sort(values)
	count := len(values)
	if at = slices.Compact(slices.Clone(values)); len(at) > maxKnots {
		at = at[:0]
		last := -normalScore(0.5 / float64(count)) // of the greatest
		for k := range maxKnots / 2 {
			z := last * (1 - 2*float64(k)/(maxKnots-1))
			i := int(float64(count) * math.Erfc(z/math.Sqrt2) / 2) // this share is below −z
			at = append(at, values[i], values[count-1-i])
		}
		slices.Sort(at)
		at = slices.Compact(at)
	}
	for _, v := range at {
		below := sort.SearchFloat64s(values, v)
		upTo := sort.Search(count, func(i int) bool { return values[i] > v })
		scores = append(scores, normalScore(float64(below+upTo)/2/float64(count)))
	}
	return at, scores
}

// normalScore is Φ⁻¹(share).
func normalScore(share float64) float64 { return math.Sqrt2 * math.Erfinv(2*share-1) }

// quantile is a feature's normal score, linear between knots and that of the nearest beyond them.
// A feature that is constant in the training part becomes 0.
func (s *Scale) quantile(j int, v float64) float32 {
	at, scores := s.Knots[j], s.Scores[j]
	i := sort.SearchFloat64s(at, v)
	switch {
	case len(at) == 0: // no value within ±1e30
		return 0
	case i == len(at):
		return float32(scores[i-1])
	case i == 0 || at[i] == v:
		return float32(scores[i])
	}
	part := (v - at[i-1]) / (at[i] - at[i-1])
	return float32(scores[i-1] + part*(scores[i]-scores[i-1]))
}

// checkKnots checks what a file says of knots: quantiles is whether they are wanted.
func (s *Scale) checkKnots(features int, quantiles bool) error {
	if !quantiles && s.Knots == nil && s.Scores == nil {
		return nil
	}
	if !quantiles {
		return fmt.Errorf(`has knots, wanted none with %s "standard"`, config.TaskScale)
	}
	if len(s.Knots) != features || len(s.Scores) != features {
		return fmt.Errorf("has knots of %d features and scores of %d, wanted %s = %d of both", len(s.Knots), len(s.Scores), config.TaskFeatures, features)
	}
	for j, at := range s.Knots {
		if len(at) != len(s.Scores[j]) {
			return fmt.Errorf("feature %d has %d knots and %d scores, wanted as many", j, len(at), len(s.Scores[j]))
		}
		for i, v := range at {
			if z := s.Scores[j][i]; v != bounded(v) || i > 0 && v <= at[i-1] || math.Abs(z) > cutOff {
				return fmt.Errorf("knot %d of feature %d is %g with score %g, wanted ascending knots within ±1e30 and scores within ±%d", i, j, v, z, cutOff)
			}
		}
	}
	return nil
}
