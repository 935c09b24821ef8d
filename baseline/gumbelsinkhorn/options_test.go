package gumbelsinkhorn

import (
	"math"
	"testing"
)

func TestValidate(t *testing.T) {
	if err := Defaults().Validate(); err != nil {
		t.Error(err)
	}
	nan, inf := math.NaN(), math.Inf(1)
	for what, change := range map[string]func(o *Options){
		"tau 0":             func(o *Options) { o.Tau = 0 },
		"tau 1e-50":         func(o *Options) { o.Tau = 1e-50 },
		"tau NaN":           func(o *Options) { o.Tau = nan },
		"tau infinite":      func(o *Options) { o.Tau = inf },
		"no iterations":     func(o *Options) { o.Iterations = 0 },
		"huge iterations":   func(o *Options) { o.Iterations = math.MaxInt },
		"no samples":        func(o *Options) { o.Samples = 0 },
		"huge samples":      func(o *Options) { o.Samples = math.MaxInt },
		"negative noise":    func(o *Options) { o.NoiseFactor = -1 },
		"noise NaN":         func(o *Options) { o.NoiseFactor = nan },
		"infinite noise":    func(o *Options) { o.NoiseFactor = inf },
		"negative infinite": func(o *Options) { o.Tau = -inf },
	} {
		o := Defaults()
		if change(&o); o.Validate() == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
