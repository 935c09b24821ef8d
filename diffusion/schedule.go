package diffusion

import (
	"math"

	"github.com/riffle-ml/riffle/internal/field"
)

// LearningRate is a learning-rate schedule.
type LearningRate struct {
	// Kind is "noam", "cosine" or "constant". noam is d^−½·min(s^−½, s·w^−3⁄2)·Max for warm-up of w
	// steps, where Max is a factor, 1 in the paper (Vaswani et al. 2017). cosine is a linear
	// warm-up to Max, then half a cosine down to 0. constant is a linear warm-up, then Max.
	Kind   string
	Max    float64
	Warmup int // steps
	Dim    int // model dimension d (noam)
	Steps  int // steps of the whole training
}

// Validate checks the settings.
func (l LearningRate) Validate() error {
	switch l.Kind {
	case "noam", "cosine", "constant":
	default:
		return field.Errorf("Kind", "unknown %q, wanted noam, cosine or constant", l.Kind)
	}
	if !(l.Max > 0 && l.Max <= math.MaxFloat32) { // NaN too
		return field.Errorf("Max", "must be above 0 and finite (got %g)", l.Max)
	}
	if l.Warmup < 0 {
		return field.Errorf("Warmup", "must be 0 or more (got %d)", l.Warmup)
	}
	if l.Kind == "noam" && l.Warmup < 1 {
		return field.Errorf("Warmup", "must be 1 or more with noam (got %d)", l.Warmup)
	}
	return nil
}

// At returns the rate of step s, counted from 1. progress in [0, 1] is how much of the training is
// done. It is s/Steps, or the share of the time where training is bounded by time. noam then reads
// step progress·Steps.
func (l LearningRate) At(s int, progress float64) float64 {
	switch l.Kind {
	case "noam":
		v := math.Max(1, progress*float64(l.Steps))
		return l.Max / math.Sqrt(float64(l.Dim)) * math.Min(1/math.Sqrt(v), v*math.Pow(float64(l.Warmup), -1.5))
	case "cosine":
		rate := l.Max * (1 + math.Cos(math.Pi*math.Min(1, progress))) / 2
		if s < l.Warmup {
			rate *= float64(s) / float64(l.Warmup)
		}
		return rate
	}
	if s < l.Warmup {
		return l.Max * float64(s) / float64(l.Warmup)
	}
	return l.Max
}
