// Package plackettluce fits the Plackett–Luce model to votes: the classical model of orders of
// items that are known by their number alone, by maximum likelihood.
//
// Item k has a score s_k, the log of its strength. A vote that names the items o[0], o[1], …,
// the best first, has the probability
//
//	p(vote) = Π_i exp s[o[i]] / Σ_{j ≥ i} exp s[o[j]]
//
// (Plackett 1975; Luce 1959): each place is a choice among the items not yet placed. A vote on some
// of the items is one on those alone. Where the last level of a vote has several items, the choices
// end before it. "These are the first three, then all others" is a vote whose probability is the
// sum over all orders of the others. Lists of first places, of whose other items nothing is said,
// are of either kind; [dataset.BucketOrder.RestLast] makes the second of the first.
//
// Ties of other levels are an error. Their probability is a sum over the orders of the tied items,
// whose number explodes. Its logarithm is not concave, so the fit need not be the only one, nor
// exist where [Estimate] says it does.
package plackettluce

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/reverse"
)

// Model is the distribution given by scores, natural logs of the items' strengths. Only their
// differences matter.
type Model struct{ Scores []float64 }

// LogProb returns the natural log of p(o), o being an order of all items.
func (m Model) LogProb(o perm.Order) (float64, error) {
	if len(o) != len(m.Scores) {
		return 0, fmt.Errorf("plackett-luce: an order of %d items, wanted %d", len(o), len(m.Scores))
	}
	if err := o.Validate(); err != nil {
		return 0, fmt.Errorf("plackett-luce: %w", err)
	}
	return reverse.PlackettLuce{}.LogProb(m.Scores, o), nil
}

// LogLikelihood returns Σ over voters of log p(vote), in nats. It fails as [Estimate] does on
// votes that are not valid or have ties.
func (m Model) LogLikelihood(votes []dataset.Vote) (float64, error) {
	b, err := newBallots(votes, len(m.Scores))
	if err != nil {
		return 0, err
	}
	return b.evaluate(m.Scores, nil), nil
}

// Mode returns the most probable order: falling scores, equal ones by their number.
func (m Model) Mode() perm.Order {
	o := make(perm.Order, len(m.Scores))
	reverse.PlackettLuce{}.Mode(m.Scores, o)
	return o
}

// Sample draws an order.
func (m Model) Sample(rng *rand.Rand) perm.Order {
	o := make(perm.Order, len(m.Scores))
	reverse.PlackettLuce{}.Sample(rng, m.Scores, o)
	return o
}

// DisconnectedError says that no scores of maximum likelihood exist.
type DisconnectedError struct {
	// Parts are the strongly connected parts of the comparison graph, two or more. No vote puts an
	// item of a later part before one of an earlier part. See [dataset.ComparisonParts].
	Parts [][]int
	// Names are what the error calls the items, nil for their numbers.
	Names []string
}

// Error names the first items of the first parts.
func (e *DisconnectedError) Error() string {
	const most = 6
	var parts []string
	for _, part := range e.Parts[:min(most, len(e.Parts))] {
		var items []string
		for _, k := range part[:min(most, len(part))] {
			if k < len(e.Names) {
				items = append(items, constraint.Quote(e.Names[k]))
			} else {
				items = append(items, strconv.Itoa(k))
			}
		}
		shown := strings.Join(items, " ")
		if len(part) > most {
			shown += fmt.Sprintf(" and %d more", len(part)-most)
		}
		parts = append(parts, "{"+shown+"}")
	}
	if len(e.Parts) > most {
		parts = append(parts, "…")
	}
	return fmt.Sprintf("plackett-luce: no scores of maximum likelihood: the comparison graph has %d strongly connected parts: %s", len(e.Parts), strings.Join(parts, " "))
}

// Help says why, and what can be done.
func (*DisconnectedError) Help() string {
	return "no vote puts an item of a later part before one of an earlier part, so scores between parts grow without end; fit a part alone, or with a prior above 0"
}

// Fit is a fitted model.
type Fit struct {
	Model // scores of mean 0
	// LogLikelihood of the votes, in nats, without the prior.
	LogLikelihood float64
	// Residual is the largest |gradient| of an item's score, relative to how many choices the item
	// won or lost, whichever are fewer. It is the relative error of the expected number.
	Residual float64
	Steps    int // of Newton's method
}

// The fit's accuracy and the bounds on its work.
const (
	tolerance = 1e-10
	maxSteps  = 500
	maxInner  = 2000 // steps of conjugate gradients in one of Newton's
)

// Estimate returns the scores of maximum likelihood of votes on n items.
//
// They exist, and are the only ones up to a constant, where the comparison graph is strongly
// connected (Hunter 2004, assumption 1). That is, for any two items a chain of votes leads from the
// first down to the second. Where it is not, the error is a [DisconnectedError].
//
// A prior above 0 always has a fit. It stands for that many wins and as many losses of every item
// against one more item of score 0. That is a logistic prior on each score, to the power of prior,
// log p(s) = prior · Σ_k (s_k − 2·log(1 + exp s_k)). 0.1 changes little.
//
// The log-likelihood is concave. Newton's method with a line search finds its maximum. Its steps
// are by preconditioned conjugate gradients, so that time and memory grow with the items that votes
// name, not with n². It stops at a [Fit.Residual] of 1e-10.
func Estimate(votes []dataset.Vote, n int, prior float64) (*Fit, error) {
	if !(prior >= 0 && prior <= dataset.MaxVoters) {
		return nil, fmt.Errorf("plackett-luce: prior must be 0 to %d (got %g)", dataset.MaxVoters, prior)
	}
	b, err := newBallots(votes, n)
	if err != nil {
		return nil, err
	}
	if prior == 0 {
		if parts := dataset.ComparisonParts(votes, n); len(parts) > 1 {
			return nil, &DisconnectedError{Parts: parts}
		}
	}
	b.prior = prior
	f := &Fit{Model: Model{make([]float64, n)}}
	if err := b.maximise(f); err != nil {
		return nil, err
	}
	mean := 0.0
	for _, s := range f.Scores {
		mean += s / float64(n)
	}
	for k := range f.Scores {
		f.Scores[k] -= mean
	}
	b.prior = 0
	f.LogLikelihood = b.evaluate(f.Scores, nil)
	return f, nil
}
