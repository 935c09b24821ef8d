package sedd

import (
	"fmt"
	"math"
)

// Noise is a noise schedule over the time t in [0, 1], from clean to noise.
type Noise interface {
	// Total is σ̄(t), the noise up to t.
	Total(t float64) float64
	// Rate is σ(t) = dσ̄/dt.
	Rate(t float64) float64
	// Validate reports parameters out of range.
	Validate() error
}

// Geometric is σ̄(t) = Min^(1−t)·Max^t, σ(t) = σ̄(t)·log(Max/Min), with 0 < Min < Max
// (SEDD paper). A noise of Min is there already at t = 0.
type Geometric struct{ Min, Max float64 }

// LogLinear is σ̄(t) = −log(1 − (1−Eps)·t), σ(t) = (1−Eps)/(1 − (1−Eps)·t), with
// 0 < Eps < 1 (SEDD paper): under [Absorb] a share (1−Eps)·t of the tokens is
// masked at t.
type LogLinear struct{ Eps float64 }

// The parameters in the authors' published configuration.
var (
	// DefaultGeometric goes with [Uniform].
	DefaultGeometric = Geometric{Min: 1e-4, Max: 20}
	// DefaultLogLinear goes with [Absorb].
	DefaultLogLinear = LogLinear{Eps: 1e-3}
)

func (g Geometric) Total(t float64) float64 { return math.Pow(g.Min, 1-t) * math.Pow(g.Max, t) }
func (g Geometric) Rate(t float64) float64  { return g.Total(t) * math.Log(g.Max/g.Min) }

func (g Geometric) Validate() error {
	if !(0 < g.Min && g.Min < g.Max && g.Max <= math.MaxFloat64) {
		return fmt.Errorf("geometric noise: wanted 0 < min < max, both finite (got min %g, max %g)", g.Min, g.Max)
	}
	return nil
}

func (l LogLinear) Total(t float64) float64 { return -math.Log1p(-(1 - l.Eps) * t) }
func (l LogLinear) Rate(t float64) float64  { return (1 - l.Eps) / (1 - (1-l.Eps)*t) }

func (l LogLinear) Validate() error {
	if !(0 < l.Eps && l.Eps < 1) {
		return fmt.Errorf("log-linear noise: eps must be between 0 and 1, both excluded (got %g)", l.Eps)
	}
	return nil
}
