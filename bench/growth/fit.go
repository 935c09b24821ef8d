package main

import (
	"fmt"
	"math"
	"slices"
)

// law is y = base + factor·x^power, base and factor not negative.
type law struct {
	base, factor, power float64
	off                 float64 // root mean square of the relative errors
}

func (l law) at(x float64) float64 { return l.base + l.factor*math.Pow(x, l.power) }

// format writes the law in a variable's name.
func (l law) format(variable string) string {
	if l.factor == 0 {
		return fmt.Sprintf("%.3g", l.base)
	}
	return fmt.Sprintf("%.3g + %.2g·%s^%.2f", l.base, l.factor, variable, l.power)
}

// fit finds the law with the least sum of squared relative errors, the power to a hundredth
// between 0.1 and 3. Values that differ by less than a tenth are held to be constant: their
// power would be that of noise. x and y are positive, two points or more.
func fit(x, y []float64) law {
	least, most := slices.Min(y), slices.Max(y)
	best := law{base: math.Sqrt(least * most)}
	best.off = best.error(x, y)
	if most < 1.1*least {
		return best
	}
	for step := 10; step <= 300; step++ {
		power := float64(step) / 100
		// Normal equations of a·base + b·factor = 1 with a = 1/y, b = x^power/y.
		var aa, ab, bb, a1, b1 float64
		for i := range x {
			a, b := 1/y[i], math.Pow(x[i], power)/y[i]
			aa, ab, bb, a1, b1 = aa+a*a, ab+a*b, bb+b*b, a1+a, b1+b
		}
		det := aa*bb - ab*ab
		both := law{base: (a1*bb - b1*ab) / det, factor: (b1*aa - a1*ab) / det, power: power}
		for _, l := range []law{both, {factor: b1 / bb, power: power}} {
			if !(l.base >= 0 && l.factor >= 0) {
				continue
			}
			if l.off = l.error(x, y); l.off < best.off {
				best = l
			}
		}
	}
	return best
}

func (l law) error(x, y []float64) float64 {
	sum := 0.0
	for i := range x {
		e := l.at(x[i])/y[i] - 1
		sum += e * e
	}
	return math.Sqrt(sum / float64(len(x)))
}
