package evaluate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/riffle-ml/riffle/baseline/mallows"
	"github.com/riffle-ml/riffle/baseline/plackettluce"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
)

// Fitted are the classical models of one population that votes have.
type Fitted struct {
	File      string   `json:"file"`
	Items     int      `json:"items"`
	Names     []string `json:"names"`
	Voters    int      `json:"voters"`           // who put an item before another
	Silent    int      `json:"silent,omitempty"` // other voters, who count for nothing
	Different int      `json:"different"`        // votes

	PlackettLuce FittedScores    `json:"plackett_luce"`
	Mallows      FittedConsensus `json:"mallows"`
}

// FittedScores is the fit of Plackett–Luce; the lists are by item.
type FittedScores struct {
	Error         string    `json:"error,omitempty"` // why there is none
	Prior         float64   `json:"prior"`
	Scores        []float64 `json:"scores,omitempty"`
	StdErrs       []float64 `json:"stderrs,omitempty"`
	Shares        []float64 `json:"shares,omitempty"`
	LogLikelihood *float64  `json:"log_likelihood,omitempty"` // nats
	Order         []int     `json:"order,omitempty"`          // the most probable
	Warnings      []string  `json:"warnings,omitempty"`
}

// FittedConsensus is the fit of Mallows; low and high are by item.
type FittedConsensus struct {
	Error         string        `json:"error,omitempty"` // why there is none
	Consensus     []int         `json:"consensus,omitempty"`
	Exact         bool          `json:"exact"` // whether the consensus is known to be the best
	Distance      int           `json:"distance"`
	Theta         *learn.Nats   `json:"theta,omitempty"`
	LogLikelihood *float64      `json:"log_likelihood,omitempty"`
	Bootstrap     *FittedSpread `json:"bootstrap,omitempty"`
}

// FittedSpread is [mallows.Spread] in JSON.
type FittedSpread struct {
	Resamples     int        `json:"resamples"`
	Seed          uint64     `json:"seed"`
	ThetaStdErr   learn.Nats `json:"theta_stderr"`
	ThetaLow      learn.Nats `json:"theta_low"`
	ThetaHigh     learn.Nats `json:"theta_high"`
	SameConsensus float64    `json:"same_consensus"`
	Low           []int      `json:"low"`
	High          []int      `json:"high"`
}

// FitOptions say how [Fit] goes about it.
type FitOptions struct {
	Prior     float64 // of Plackett–Luce, see [plackettluce.Estimate]
	Bootstrap int     // resamples of the voters for the errors of Mallows, 0 for none
	Seed      uint64  // of them
}

// Check refuses options that no fit may have.
func (o FitOptions) Check() error {
	switch {
	case !(o.Prior >= 0 && o.Prior <= dataset.MaxVoters): // NaN too
		return learn.Refuse(learn.Usage, "prior", "must be 0 to %d (got %g)", dataset.MaxVoters, o.Prior)
	case o.Bootstrap != 0 && o.Bootstrap < 40:
		return learn.Refuse(learn.Usage, "bootstrap", "must be 0 or 40 and more, for quantiles of 2.5 %% (got %d)", o.Bootstrap)
	}
	return nil
}

// Fit fits both models to votes on the items called names. That one of them does not exist is said in its
// part.
func Fit(ctx context.Context, votes []dataset.Vote, names []string, o FitOptions) (*Fitted, error) {
	r := &Fitted{Names: names, Items: len(names), Different: len(votes)}
	for _, v := range votes {
		r.Voters += v.Count
	}
	pl, n := &r.PlackettLuce, r.Items
	pl.Prior = o.Prior
	fit, err := plackettluce.Estimate(votes, n, o.Prior)
	var parts *plackettluce.DisconnectedError
	switch {
	case errors.As(err, &parts):
		pl.Error = r.disconnected(parts)
	case err != nil:
		pl.Error = err.Error()
	default:
		pl.Scores, pl.LogLikelihood, pl.Order = fit.Scores, &fit.LogLikelihood, fit.Mode()
		// Strengths after the largest, so that none overflows.
		sum, most := 0.0, fit.Scores[pl.Order[0]]
		for _, s := range fit.Scores {
			sum += math.Exp(s - most)
		}
		for _, s := range fit.Scores {
			pl.Shares = append(pl.Shares, math.Exp(s-most)/sum)
		}
		if pl.StdErrs, err = fit.StdErrs(votes, o.Prior); err != nil {
			pl.Warnings = append(pl.Warnings, err.Error())
		}
	}
	m := &r.Mallows
	best, err := mallows.Estimate(votes, n)
	if err != nil {
		m.Error = err.Error()
		return r, nil
	}
	theta := learn.Nats(best.Theta)
	m.Consensus, m.Exact, m.Distance, m.Theta, m.LogLikelihood = best.Consensus, best.Exact, best.Distance, &theta, &best.LogLikelihood
	if o.Bootstrap == 0 {
		return r, nil
	}
	s, err := mallows.Bootstrap(ctx, votes, n, o.Bootstrap, o.Seed)
	if err != nil {
		return nil, err
	}
	m.Bootstrap = &FittedSpread{o.Bootstrap, o.Seed, learn.Nats(s.ThetaStdErr), learn.Nats(s.ThetaLow), learn.Nats(s.ThetaHigh), s.SameConsensus, s.Low, s.High}
	return r, nil
}

// disconnected says which items the votes do not compare both ways, by their names.
func (r *Fitted) disconnected(err *plackettluce.DisconnectedError) string {
	const most = 4
	var parts []string
	for _, part := range err.Parts[:min(most, len(err.Parts))] {
		var names []string
		for _, k := range part[:min(most, len(part))] {
			names = append(names, r.Names[k])
		}
		if len(part) > most {
			names = append(names, fmt.Sprintf("%d more", len(part)-most))
		}
		parts = append(parts, "{"+strings.Join(names, ", ")+"}")
	}
	if len(err.Parts) > most {
		parts = append(parts, "…")
	}
	return fmt.Sprintf("plackett-luce: the votes never put an item of a later part before one of an earlier: %s; --prior 0.5 gives scores all the same", strings.Join(parts, " "))
}

// Sections tell the models: a table of the items, and a line of each model.
func (r *Fitted) Sections() []Section {
	items := Section{Text: fmt.Sprintf("%s: %s voters, %s different votes on %s items\n", r.File, text.Thousands(r.Voters), text.Thousands(r.Different), text.Thousands(r.Items))}
	pl, m := &r.PlackettLuce, &r.Mallows
	header, by := []string{"item"}, m.Consensus
	if pl.Scores != nil {
		header, by = append(header, "score", "±", "share %"), pl.Order
	}
	place := make([]int, r.Items)
	if m.Consensus != nil {
		header = append(header, "consensus")
		for i, k := range m.Consensus {
			place[k] = i
		}
		if m.Bootstrap != nil {
			header = append(header, "95 %")
		}
	}
	for _, k := range by {
		row := []string{r.Names[k]}
		if pl.Scores != nil {
			e := ""
			if pl.StdErrs != nil {
				e = fmt.Sprintf("%.3f", pl.StdErrs[k])
			}
			row = append(row, fmt.Sprintf("%.3f", pl.Scores[k]), e, fmt.Sprintf("%.2f", 100*pl.Shares[k]))
		}
		if m.Consensus != nil {
			row = append(row, strconv.Itoa(place[k]))
			if s := m.Bootstrap; s != nil {
				row = append(row, fmt.Sprintf("%d to %d", s.Low[k], s.High[k]))
			}
		}
		items.Rows = append(items.Rows, row)
	}
	items.Header = header
	var models []string
	if pl.Scores != nil {
		models = append(models, fmt.Sprintf("Plackett–Luce  log-likelihood %.3f nats, %.4f a voter", *pl.LogLikelihood, *pl.LogLikelihood/float64(r.Voters)))
	}
	if m.Consensus != nil {
		line := fmt.Sprintf("Mallows        log-likelihood %.3f nats, %.4f a voter; theta %.4f", *m.LogLikelihood, *m.LogLikelihood/float64(r.Voters), *m.Theta)
		if s := m.Bootstrap; s != nil {
			line += fmt.Sprintf(" ± %.4f (95 %% %.4f to %.4f); the same consensus in %.0f %% of %d resamples", s.ThetaStdErr, s.ThetaLow, s.ThetaHigh, 100*s.SameConsensus, s.Resamples)
		}
		models = append(models, line)
	}
	return []Section{items, {Text: strings.Join(models, "\n")}}
}
