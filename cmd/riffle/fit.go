package main

import (
	"cmp"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/evaluate"
)

func (a *app) fitCommand() *cobra.Command {
	var f evaluate.FitOptions
	cmd := &cobra.Command{
		Use:   "fit FILE",
		Short: "Plackett–Luce and Mallows models of votes, with standard errors",
		Long: `fit finds the Plackett–Luce and the Mallows model of maximum likelihood for the orders in FILE. FILE
is votes (PrefLib, SUSHI), a table (CSV with set, item and rank) or JSONL, each gzipped or not. - is
the standard input. There is no network and no training: these are the classical models of one
population. Items are known by their names, else by their number. Features do not matter. The count
of a set is that of its voters.

Plackett–Luce gives each item a score, the log of its strength, ± its standard error from the
observed information. The mean score is 0. share is the probability that the item comes first. Scores
exist where the votes compare all items with each other in both directions. With --prior they always
exist. A vote may be on some of the items, and tied in its last level.

Mallows has a consensus, the order with the fewest pairs against the votes. theta says how near to it
votes are: 0 is anything, infinity the consensus alone. Errors are from --bootstrap resamples of the
voters. Its votes name every item, with ties or not.

Nothing is known of an item that a vote does not name: it is not last. Such a vote says nothing of
that item, and one that names a single item says nothing at all. Where the rest come last, give it a
last level of them all ("levels" of JSONL, PrefLib's .toc).`,
		Example: `  riffle fit votes.soc
  riffle fit lists.csv --json
  riffle fit votes.toc --prior 0.5 --bootstrap 1000`,
		Args: func(cmd *cobra.Command, args []string) error {
			return cmp.Or(usage(cmd, f.Check()), exactly("FILE")(cmd, args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			in, err := a.openInput(args[0], dataset.Options{})
			if err != nil {
				return err
			}
			sets, err := a.readAll(in)
			if err != nil {
				return err
			}
			votes, items, err := dataset.Votes(sets)
			if err != nil {
				return fmt.Errorf("%s: %w", in.Path, err)
			}
			if len(votes) == 0 {
				return fmt.Errorf("%s: no set puts an item before another", in.Path)
			}
			r, err := evaluate.Fit(cmd.Context(), votes, items, f)
			if err != nil {
				return err
			}
			r.File = in.Path
			if r.Silent = silentVoters(sets); r.Silent > 0 {
				a.Warn([]string{fmt.Sprintf("%s: %d of %d voters left out, they put no item before another", in.Path, r.Silent, r.Silent+r.Voters)})
			}
			if r.PlackettLuce.Error != "" && r.Mallows.Error != "" {
				return fmt.Errorf("fit: no model: %s; %s", r.PlackettLuce.Error, r.Mallows.Error)
			}
			return a.print(r, func() {
				a.sections(r.Sections())
				if m := r.Mallows; m.Consensus != nil && !m.Exact {
					a.Warn([]string{"the consensus may not be the best: it is a local optimum"})
				}
				for _, missing := range []string{r.PlackettLuce.Error, r.Mallows.Error} {
					if missing != "" {
						a.Note("%s", missing)
					}
				}
				a.Warn(r.PlackettLuce.Warnings)
			})
		},
	}
	cmd.Flags().Float64Var(&f.Prior, "prior", 0, "wins and losses of every item against one of score 0 (Plackett–Luce)")
	cmd.Flags().IntVar(&f.Bootstrap, "bootstrap", 200, "resamples of the voters for errors of Mallows, 0 for none")
	addSeed(cmd, &f.Seed, "resamples")
	return cmd
}

// silentVoters is how many voters put no item before another.
func silentVoters(sets []*dataset.Set) (count int) {
	for _, s := range sets {
		if len(s.Known()) < 2 {
			count += max(1, s.Count)
		}
	}
	return count
}
