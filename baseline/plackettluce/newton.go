package plackettluce

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/riffle-ml/riffle/internal/hint"
)

// maximise moves f.Scores to the maximum of the log-likelihood and the prior.
func (b *ballots) maximise(f *Fit) error {
	n := b.n
	g, trial, next := make([]float64, n), make([]float64, n), make([]float64, n)
	c := newConjugate(b)
	value := b.evaluate(f.Scores, g)
	f.Residual = b.residual(g)
	for polish := false; !polish; f.Steps++ {
		// The last step starts from an accurate point and is free to squeeze out what rounding
		// leaves: Newton's method converges quadratically.
		if polish = f.Residual <= tolerance; !polish && f.Steps == maxSteps {
			return b.stuck(f)
		}
		if f.Residual == 0 {
			break
		}
		step := c.solve(f.Scores, g)
		slope := floats.Dot(g, step)
		moved := false
		for length := 1.0; length > 1e-12 && !moved; length /= 2 {
			floats.AddScaledTo(trial, f.Scores, length, step)
			v := b.evaluate(trial, next)
			residual := b.residual(next)
			// Near the maximum values differ by rounding alone; there the gradient decides.
			flat := math.Abs(v-value) <= 1e-12*(1+math.Abs(value))
			if v >= value+1e-4*length*slope && !polish || flat && residual < f.Residual {
				copy(f.Scores, trial)
				copy(g, next)
				value, f.Residual, moved = v, residual, true
			}
			if polish {
				break
			}
		}
		if !moved && !polish {
			return b.stuck(f)
		}
		if !moved {
			break
		}
	}
	return nil
}

func (b *ballots) stuck(f *Fit) error {
	return hint.Errorf("strengths that differ by very many orders of magnitude do this; a prior above 0 helps", "plackett-luce: after %d steps the expected choices are still off by %.3g, wanted %g", f.Steps, f.Residual, tolerance)
}

// residual returns the largest |gradient| of an item relative to its wins or losses, whichever
// are fewer.
func (b *ballots) residual(gradient []float64) float64 {
	worst := 0.0
	for k, g := range gradient {
		if scale := min(b.wins[k], b.losses[k]) + b.prior; scale > 0 {
			worst = max(worst, math.Abs(g)/scale)
		}
	}
	return worst
}

// conjugate is the method of conjugate gradients for the curvature at the scores evaluated
// last, with its diagonal as preconditioner.
type conjugate struct {
	b                            *ballots
	step, left, scaled, way, hit []float64
	diagonal, mean               []float64
}

func newConjugate(b *ballots) *conjugate {
	c := &conjugate{b: b, mean: make([]float64, len(b.items))}
	for _, p := range []*[]float64{&c.step, &c.left, &c.scaled, &c.way, &c.hit, &c.diagonal} {
		*p = make([]float64, b.n)
	}
	return c
}

// solve returns roughly curvature⁻¹·g, the more accurate the smaller g is, so that Newton's method
// converges faster than linearly. Without a prior the curvature of equal steps of all items is
// zero, and so is their share of g. What rounding adds to it is taken away.
func (c *conjugate) solve(scores, g []float64) []float64 {
	b := c.b
	b.diagonal(scores, c.diagonal)
	least := floats.Max(c.diagonal) * 1e-14
	for k := range c.diagonal {
		c.diagonal[k] = max(c.diagonal[k], least, math.SmallestNonzeroFloat64)
	}
	for k := range c.step {
		c.step[k] = 0
	}
	copy(c.left, g)
	c.centre(c.left)
	floats.DivTo(c.scaled, c.left, c.diagonal)
	copy(c.way, c.scaled)
	size := floats.Dot(c.left, c.scaled)
	enough := size * min(1e-2, b.residual(g)) * min(1e-2, b.residual(g))
	for range maxInner {
		if !(size > enough) {
			break
		}
		b.curvature(scores, c.way, c.hit, c.mean)
		curve := floats.Dot(c.way, c.hit)
		if !(curve > 0) { // rounding
			break
		}
		floats.AddScaled(c.step, size/curve, c.way)
		floats.AddScaled(c.left, -size/curve, c.hit)
		c.centre(c.left)
		floats.DivTo(c.scaled, c.left, c.diagonal)
		before := size
		size = floats.Dot(c.left, c.scaled)
		floats.AddScaledTo(c.way, c.scaled, size/before, c.way)
	}
	c.centre(c.step)
	return c.step
}

// centre takes the mean away, where there is no prior.
func (c *conjugate) centre(v []float64) {
	if c.b.prior > 0 {
		return
	}
	mean := floats.Sum(v) / float64(len(v))
	floats.AddConst(-mean, v)
}
