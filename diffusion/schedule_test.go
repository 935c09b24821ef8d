package diffusion

import (
	"math"
	"strings"
	"testing"
)

func closeTo(a, b, relative float64) bool { return math.Abs(a-b) <= relative*math.Abs(b) }

// Vaswani et al. 2017, eq. 3: d = 128, w = 51,600.
func TestNoam(t *testing.T) {
	const steps = 112560
	l := LearningRate{Kind: "noam", Max: 1, Warmup: 51600, Dim: 128, Steps: steps}
	for s, want := range map[int]float64{1: 7.54085e-9, 28200: 2.12652e-4, 51600: 3.89108e-4, 112560: 2.63453e-4} {
		if got := l.At(s, float64(s)/steps); !closeTo(got, want, 2e-6) {
			t.Errorf("step %d: got %g, want %g", s, got, want)
		}
		twice := l
		twice.Max = 2
		if got := twice.At(s, float64(s)/steps); !closeTo(got, 2*want, 2e-6) {
			t.Errorf("step %d, a factor of 2: got %g, want %g", s, got, 2*want)
		}
	}
	if got := l.At(1, 0); !closeTo(got, 7.54085e-9, 2e-6) {
		t.Errorf("at the start: got %g, want that of step 1", got)
	}
}

// Hand values: half a cosine from 1e-3 is 8.5355e-4, 5e-4, 1.4645e-4, 0 after each quarter.
func TestCosine(t *testing.T) {
	l := LearningRate{Kind: "cosine", Max: 1e-3, Warmup: 10, Steps: 1000}
	for _, c := range []struct {
		s        int
		progress float64
		want     float64
	}{
		{1, 0, 1e-4},
		{5, 0, 5e-4},
		{10, 0, 1e-3}, // warm-up
		{250, 0.25, 8.535534e-4},
		{500, 0.5, 5e-4},
		{750, 0.75, 1.464466e-4},
		{1000, 1, 0},
		{1200, 1.2, 0},
	} {
		if got := l.At(c.s, c.progress); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("step %d: got %g, want %g", c.s, got, c.want)
		}
	}
}

func TestConstant(t *testing.T) {
	l := LearningRate{Kind: "constant", Max: 2e-3, Warmup: 4, Steps: 100}
	for s, want := range map[int]float64{1: 5e-4, 2: 1e-3, 4: 2e-3, 100: 2e-3} {
		if got := l.At(s, float64(s)/100); !closeTo(got, want, 1e-12) {
			t.Errorf("step %d: got %g, want %g", s, got, want)
		}
	}
	l.Warmup = 0
	if got := l.At(1, 0.01); got != 2e-3 {
		t.Errorf("no warm-up: got %g, want 2e-3", got)
	}
}

func TestLearningRateErrors(t *testing.T) {
	good := LearningRate{Kind: "noam", Max: 1, Warmup: 10, Dim: 8, Steps: 100}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*LearningRate){
		`Kind: unknown "x"`:                           func(l *LearningRate) { l.Kind = "x" },
		"Max: must be above 0 and finite (got 0)":     func(l *LearningRate) { l.Max = 0 },
		"Max: must be above 0 and finite (got NaN)":   func(l *LearningRate) { l.Max = math.NaN() },
		"Max: must be above 0 and finite (got +Inf)":  func(l *LearningRate) { l.Max = math.Inf(1) },
		"Warmup: must be 1 or more with noam (got 0)": func(l *LearningRate) { l.Warmup = 0 },
		"Warmup: must be 0 or more (got -1)":          func(l *LearningRate) { l.Warmup = -1 },
	} {
		l := good
		change(&l)
		if err := l.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
