package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/baseline/mallows"
	"github.com/riffle-ml/riffle/baseline/plackettluce"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
)

type fitFlags struct {
	prior     float64
	bootstrap int
	seed      uint64
}

func (a *app) fitCommand() *cobra.Command {
	var f fitFlags
	cmd := &cobra.Command{
		Use:   "fit FILE",
		Short: "Plackett–Luce and Mallows models of votes, with standard errors",
		Long: `fit finds the Plackett–Luce and the Mallows model of maximum likelihood of the orders in
FILE: votes (PrefLib, SUSHI), a table (CSV with set, item and rank) or JSONL, each gzipped or
not; - is the standard input. No network and no training: these are the classical models of
one population. Items are known by their names or, where they have none, by their number;
features do not matter. The count of a set is that of its voters.

Plackett–Luce gives each item a score, the log of its strength, of mean 0; share is the
probability that it comes first. ± is the standard error from the observed information.
Scores exist where the votes compare all items with each other in both directions; --prior
always has some. A vote may be on some of the items, and tied in its last level.

Mallows has a consensus, the order with the fewest pairs against the votes, and theta, how
near to it votes are: 0 is anything, infinity the consensus alone. Their errors are from
--bootstrap resamples of the voters. Its votes name every item, with ties or not.`,
		Example: `  riffle fit votes.soc
  riffle fit lists.csv --json
  riffle fit votes.toc --prior 0.5 --bootstrap 1000`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case !(f.prior >= 0 && f.prior <= dataset.MaxVoters):
				return usagef("fit: --prior must be 0 to %d (got %g)", dataset.MaxVoters, f.prior)
			case f.bootstrap != 0 && f.bootstrap < 40:
				return usagef("fit: --bootstrap must be 0 or 40 and more, for quantiles of 2.5 %% (got %d)", f.bootstrap)
			}
			return exactly("FILE")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			sets, name, err := a.readVotes(args[0])
			if err != nil {
				return err
			}
			votes, items, err := learn.Votes(sets)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			if len(votes) == 0 {
				return fmt.Errorf("%s: no set puts an item before another", name)
			}
			r := fitted{File: name, Names: items, Items: len(items), Different: len(votes)}
			for _, v := range votes {
				r.Voters += v.Count
			}
			if err := r.fit(cmd.Context(), votes, f); err != nil {
				return err
			}
			if r.PlackettLuce.Error != "" && r.Mallows.Error != "" {
				return fmt.Errorf("fit: no model: %s; %s", r.PlackettLuce.Error, r.Mallows.Error)
			}
			if a.json {
				return a.printJSON(r)
			}
			a.printFitted(&r)
			return nil
		},
	}
	cmd.Flags().Float64Var(&f.prior, "prior", 0, "wins and losses of every item against one of score 0 (Plackett–Luce)")
	cmd.Flags().IntVar(&f.bootstrap, "bootstrap", 200, "resamples of the voters for errors of Mallows, 0 for none")
	cmd.Flags().Uint64Var(&f.seed, "seed", 1, "another seed gives other resamples")
	return cmd
}

// readVotes reads all sets of a file, and warns of what is odd about it.
func (a *app) readVotes(path string) (sets []*dataset.Set, name string, err error) {
	var in *dataset.Input
	if path == "-" {
		path = standardInput
		in, err = dataset.OpenReader(os.Stdin, path, dataset.Options{})
	} else {
		in, err = dataset.Open(path, dataset.Options{})
	}
	if err != nil {
		return nil, path, err
	}
	defer func() { _ = in.Close() }() // only read from
	f, err := in.ReadAll()
	if err != nil {
		return nil, path, err
	}
	a.warnOf(path)(f.Warnings)
	return f.Sets, path, nil
}

// fitted is what fit prints in JSON.
type fitted struct {
	File      string   `json:"file"`
	Items     int      `json:"items"`
	Names     []string `json:"names"`
	Voters    int      `json:"voters"`    // who put an item before another
	Different int      `json:"different"` // votes

	PlackettLuce fittedScores    `json:"plackett_luce"`
	Mallows      fittedConsensus `json:"mallows"`
}

// fittedScores is the fit of Plackett–Luce; the lists are by item.
type fittedScores struct {
	Error         string    `json:"error,omitempty"` // why there is none
	Prior         float64   `json:"prior"`
	Scores        []float64 `json:"scores,omitempty"`
	StdErrs       []float64 `json:"stderrs,omitempty"`
	Shares        []float64 `json:"shares,omitempty"`
	LogLikelihood *float64  `json:"log_likelihood,omitempty"` // nats
	Order         []int     `json:"order,omitempty"`          // the most probable
	Warnings      []string  `json:"warnings,omitempty"`
}

// fittedConsensus is the fit of Mallows; low and high are by item.
type fittedConsensus struct {
	Error         string      `json:"error,omitempty"` // why there is none
	Consensus     []int       `json:"consensus,omitempty"`
	Exact         bool        `json:"exact"` // whether the consensus is known to be the best
	Distance      int         `json:"distance"`
	Theta         *learn.Nats `json:"theta,omitempty"`
	LogLikelihood *float64    `json:"log_likelihood,omitempty"`
	Bootstrap     *fitSpread  `json:"bootstrap,omitempty"`
}

// fitSpread is [mallows.Spread] in JSON.
type fitSpread struct {
	Resamples     int        `json:"resamples"`
	Seed          uint64     `json:"seed"`
	ThetaStdErr   learn.Nats `json:"theta_stderr"`
	ThetaLow      learn.Nats `json:"theta_low"`
	ThetaHigh     learn.Nats `json:"theta_high"`
	SameConsensus float64    `json:"same_consensus"`
	Low           []int      `json:"low"`
	High          []int      `json:"high"`
}

// fit fits both models. That one of them does not exist is in its part.
func (r *fitted) fit(ctx context.Context, votes []dataset.Vote, f fitFlags) error {
	pl, n := &r.PlackettLuce, r.Items
	pl.Prior = f.prior
	fit, err := plackettluce.Estimate(votes, n, f.prior)
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
		if pl.StdErrs, err = fit.StdErrs(votes, f.prior); err != nil {
			pl.Warnings = append(pl.Warnings, err.Error())
		}
	}
	m := &r.Mallows
	best, err := mallows.Estimate(votes, n)
	if err != nil {
		m.Error = err.Error()
		return nil
	}
	theta := learn.Nats(best.Theta)
	m.Consensus, m.Exact, m.Distance, m.Theta, m.LogLikelihood = best.Consensus, best.Exact, best.Distance, &theta, &best.LogLikelihood
	if f.bootstrap == 0 {
		return nil
	}
	s, err := mallows.Bootstrap(ctx, votes, n, f.bootstrap, f.seed)
	if err != nil {
		return err
	}
	m.Bootstrap = &fitSpread{f.bootstrap, f.seed, learn.Nats(s.ThetaStdErr), learn.Nats(s.ThetaLow), learn.Nats(s.ThetaHigh), s.SameConsensus, s.Low, s.High}
	return nil
}

// disconnected says which items the votes do not compare both ways, by their names.
func (r *fitted) disconnected(err *plackettluce.DisconnectedError) string {
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

func (a *app) printFitted(r *fitted) {
	fmt.Fprintf(a.out, "%s: %s voters, %s different votes on %s items\n\n", r.File, thousands(r.Voters), thousands(r.Different), thousands(r.Items))
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
	var rows [][]string
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
		rows = append(rows, row)
	}
	table(a.out, header, rows)
	fmt.Fprintln(a.out)
	if pl.Scores != nil {
		fmt.Fprintf(a.out, "Plackett–Luce  log-likelihood %.3f nats, %.4f a voter\n", *pl.LogLikelihood, *pl.LogLikelihood/float64(r.Voters))
	}
	if m.Consensus != nil {
		fmt.Fprintf(a.out, "Mallows        log-likelihood %.3f nats, %.4f a voter; theta %.4f", *m.LogLikelihood, *m.LogLikelihood/float64(r.Voters), *m.Theta)
		if s := m.Bootstrap; s != nil {
			fmt.Fprintf(a.out, " ± %.4f (95 %% %.4f to %.4f); the same consensus in %.0f %% of %d resamples", s.ThetaStdErr, s.ThetaLow, s.ThetaHigh, 100*s.SameConsensus, s.Resamples)
		}
		fmt.Fprintln(a.out)
		if !m.Exact {
			a.warn([]string{"the consensus may not be the best: it is a local optimum"})
		}
	}
	for _, text := range []string{pl.Error, m.Error} {
		if text != "" {
			a.note("%s", text)
		}
	}
	a.warn(pl.Warnings)
}
