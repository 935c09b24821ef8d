package plackettluce

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/hint"
)

// MaxStdErrs is the most items that [Fit.StdErrs] takes: its work grows with the cube of their
// number.
const MaxStdErrs = 2000

// StdErrs returns the standard error of each score, from the observed information of the votes
// that were fitted with the prior. With H the n×n matrix of negated second derivatives of the
// log-likelihood at the scores, the covariance of scores of mean 0 is the pseudo-inverse
//
//	H⁺ = (H + 1·1ᵀ/n)⁻¹ − 1·1ᵀ/n,
//
// since a constant added to all scores changes nothing. With a prior above 0 it is H⁻¹, the prior's
// part in H, less what is common to all scores. Voters count as independent. It fails for more than
// [MaxStdErrs] items, and where H is singular but for rounding.
func (f *Fit) StdErrs(votes []dataset.Vote, prior float64) ([]float64, error) {
	n := len(f.Scores)
	if n > MaxStdErrs {
		return nil, fmt.Errorf("plackett-luce: standard errors of %d items, wanted at most %d", n, MaxStdErrs)
	}
	if n < 2 {
		return make([]float64, n), nil
	}
	b, err := newBallots(votes, n)
	if err != nil {
		return nil, err
	}
	b.prior = prior
	b.evaluate(f.Scores, nil)
	h := mat.NewSymDense(n, nil)
	unit, column, mean := make([]float64, n), make([]float64, n), make([]float64, len(b.items))
	scale := 0.0
	for k := range n {
		unit[k] = 1
		b.curvature(f.Scores, unit, column, mean)
		unit[k] = 0
		for j := range k + 1 {
			h.SetSym(j, k, column[j])
		}
		scale = max(scale, column[k])
	}
	// All scores alike: the direction that without a prior has no curvature gets that of the
	// others' size, and is taken out again.
	for j := range n {
		for k := range j + 1 {
			h.SetSym(j, k, h.At(j, k)+scale/float64(n))
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(h) || chol.Cond() > 1e14 {
		return nil, hint.With(errors.New("plackett-luce: no standard errors: the votes say too little of some items"), "a prior above 0 helps")
	}
	var inverse mat.SymDense
	if err := chol.InverseTo(&inverse); err != nil {
		return nil, fmt.Errorf("plackett-luce: no standard errors: %w", err)
	}
	// Var(s_k − mean of s), whatever the part of the common direction is.
	total := 0.0
	rows := make([]float64, n)
	for j := range n {
		for k := range n {
			rows[j] += inverse.At(j, k)
		}
		total += rows[j]
	}
	out := make([]float64, n)
	for k := range out {
		v := inverse.At(k, k) - 2*rows[k]/float64(n) + total/float64(n*n)
		out[k] = math.Sqrt(max(0, v))
	}
	return out, nil
}
