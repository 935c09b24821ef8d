// Package shuffle holds the forward laws of discrete diffusion on orders: card
// shuffles that take an order to the uniform distribution over S_n.
//
// A law draws σ_t in order form and the list moves as X_t = σ_t·X_{t−1}, that is
// X_t[i] = X_{t−1}[σ_t[i]]; package perm fixes these conventions. The reverse
// move is the inverse, X_{t−1} = σ_t⁻¹·X_t. After t moves the list X_0 has become
// (σ_t ⋯ σ_1)·X_0, and q^(t) is the distribution of that product.
//
// For [Riffle] the distribution after any number of shuffles is known in closed
// form. So t shuffles cost as much as one. Total variation distances ([TVUniform],
// [TVBetween]) and the denoising schedule ([NewSchedule]) are exact up to rounding.
package shuffle

import (
	"fmt"
	"math/rand/v2"

	"github.com/riffle-ml/riffle/perm"
)

// Law is the distribution q(σ) of one shuffle of n = len(dst) cards. Laws have
// no state of their own and may be used from several goroutines, each with its
// own generator. Lengths 0 and 1 have one order, of probability 1.
type Law interface {
	// Name returns the name that [ByName] takes.
	Name() string

	// Sample writes one shuffle σ into dst.
	Sample(rng *rand.Rand, dst perm.Order)

	// SampleT writes the product σ_t ⋯ σ_1 of t independent shuffles into dst:
	// X_t = dst·X_0. It is the identity for t ≤ 0.
	SampleT(rng *rand.Rand, t int, dst perm.Order)

	// LogProb returns log q(σ) of one shuffle in nats, −Inf for an order that
	// one shuffle cannot give.
	LogProb(sigma perm.Order) float64

	// CutOff returns the number of shuffles around which the distance to
	// uniform falls from 1 to 0 as n grows, 0 for n ≤ 1 (Saloff-Coste 2004;
	// paper §3.1).
	CutOff(n int) float64
}

// Laws returns every forward law.
func Laws() []Law { return []Law{Riffle{}, Transposition{}, Insertion{}} }

// ByName returns the law of that name: riffle, transposition or insertion.
func ByName(name string) (Law, error) {
	for _, law := range Laws() {
		if law.Name() == name {
			return law, nil
		}
	}
	return nil, fmt.Errorf("shuffle: unknown law %q, wanted riffle, transposition or insertion", name)
}

func setIdentity(dst perm.Order) {
	for i := range dst {
		dst[i] = i
	}
}
