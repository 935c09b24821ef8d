package mallows

import (
	"fmt"
	"math"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
)

// sizes are what the probability of votes needs beside their distances.
type sizes struct {
	n           int
	voters      int
	informative int         // voters whose vote has two levels or more
	tied        map[int]int // level size, 2 or more → how often a voter has it
}

// countLevels checks the votes and counts their levels.
func countLevels(votes []dataset.Vote, n int) (*sizes, error) {
	voters, err := dataset.CheckVotes(votes, n)
	if err != nil {
		return nil, fmt.Errorf("mallows: %w", err)
	}
	s := &sizes{n: n, voters: voters, tied: map[int]int{}}
	for i, v := range votes {
		if known := v.Levels.Known(); known < n {
			return nil, hint.Errorf("if the others come last, dataset.BucketOrder.RestLast adds them; Consensus takes votes as they are", "mallows: vote %d names %d of %d items, wanted all", i, known, n)
		}
		if len(v.Levels) > 1 {
			s.informative += v.Count
		}
		for _, group := range v.Levels {
			if len(group) > 1 {
				s.tied[len(group)] += v.Count
			}
		}
	}
	return s, nil
}

func (s *sizes) logLikelihood(theta float64, distance int) float64 {
	logp := -float64(s.voters) * logZ(s.n, theta)
	for size, count := range s.tied {
		logp += float64(count) * logZ(size, theta)
	}
	if distance > 0 { // 0·Inf is NaN
		logp -= theta * float64(distance)
	}
	return logp
}

// slope is the derivative of logLikelihood by θ. It falls, for E_n's derivative is minus the
// sum of the variances of n truncated geometric variables, and those of the levels are among
// them.
func (s *sizes) slope(theta float64, distance int) float64 {
	d := float64(s.voters)*expected(s.n, theta) - float64(distance)
	for size, count := range s.tied {
		d -= float64(count) * expected(size, theta)
	}
	return d
}

// theta returns the θ of maximum likelihood by bisection, to the last bits.
func (s *sizes) theta(distance int) float64 {
	if distance == 0 {
		return math.Inf(1)
	}
	if s.slope(0, distance) <= 0 {
		return 0
	}
	low, high := 0.0, 1.0
	for s.slope(high, distance) > 0 {
		low, high = high, 2*high
	}
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high || high-low < 1e-15*high {
			return middle
		}
		if s.slope(middle, distance) > 0 {
			low = middle
		} else {
			high = middle
		}
	}
}

// logZ returns log Z_n(θ) = Σ_{i=2}^n log((1 − e^{−iθ}) / (1 − e^{−θ})), log n! for θ = 0.
func logZ(n int, theta float64) float64 {
	sum, one := 0.0, log1mExp(theta)
	for i := 2; i <= n; i++ {
		if theta == 0 {
			sum += math.Log(float64(i))
		} else {
			sum += log1mExp(float64(i)*theta) - one
		}
	}
	return sum
}

// log1mExp returns log(1 − e^{−x}) for x ≥ 0, accurate where e^{−x} is near 1 and near 0.
func log1mExp(x float64) float64 {
	if x < math.Ln2 {
		return math.Log(-math.Expm1(-x))
	}
	return math.Log1p(-math.Exp(-x))
}

// expected returns the mean distance of n items at θ, −d/dθ log Z_n(θ) =
// Σ_{i=2}^n (1/(e^θ − 1) − i/(e^{iθ} − 1)), n(n−1)/4 for θ = 0.
func expected(n int, theta float64) float64 {
	term := func(x float64) float64 { return 1 / math.Expm1(x) }
	if theta < small {
		term = withoutPole // the terms 1/x cancel in the difference, and would cost digits
	}
	sum, one := 0.0, term(theta)
	for i := 2; i <= n; i++ {
		sum += one - float64(i)*term(float64(i)*theta)
	}
	return sum
}

const small = 0.05

// withoutPole returns 1/(e^x − 1) − 1/x, −1/2 for x = 0, by its Taylor series there.
func withoutPole(x float64) float64 {
	if x < small { // the next term is below 1e-15
		return -0.5 + x*(1./12-x*x*(1./720-x*x/30240))
	}
	return 1/math.Expm1(x) - 1/x
}
