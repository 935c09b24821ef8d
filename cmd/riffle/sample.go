package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/cmd/internal/figures"
	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/internal/text"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/plot"
	"github.com/riffle-ml/riffle/question"
)

// sampleFlags are those of riffle sample.
type sampleFlags struct {
	question.Sample
	engine, figure string
	rules          constraintFlags
	grid           gridFlags
	stream         streamFlags
}

func (a *app) sampleCommand() *cobra.Command {
	var f sampleFlags
	cmd := &cobra.Command{
		Use:   "sample DIR [INPUT] --count K",
		Short: "draw orders, and what they say: marginals, consensus, the most frequent, entropy",
		Long: "sample draws orders of new sets from the model of the run DIR.\n\n" + inputHelp + "\n\n" + constrainHelp + `

With --grid ROWSxCOLUMNS, INPUT is a puzzle for a model of the task jigsaw: a picture, which
is cut into so many tiles, or a folder of tiles, all of one size.

` + tilesHelp + `

--consensus gives the order with the least mean Kendall distance to the samples. It is exact where
their majorities contradict each other among at most 16 items. With rules it is the nearest that
obeys them, exact where that one obeys or of at most 16 items. --top gives the most frequent orders
with their shares. --entropy estimates the entropy of the model's orders, and log p of those of
--top, in nats. It takes --draws trajectories for each different sample. Apart from the sampling
error it is an upper bound.`,
		Example: `  riffle sample runs/sort9 numbers/ --count 100
  riffle sample runs/sort9 numbers/ --count 100 --consensus --figure marginals.png
  riffle sample runs/votes --count 1000 --top 5
  riffle sample runs/sort9 sets.jsonl --count 500 --top 5 --entropy --first 3:a,b
  riffle sample runs/jigsaw photo.png --grid 3x3 --crop --count 100 --pin 0=0`,
		Args: dirAndInput,
		RunE: func(cmd *cobra.Command, args []string) error { return a.sample(cmd, args, &f) },
	}
	cmd.Flags().IntVar(&f.Count, "count", question.DefaultCount, "draws a set")
	addSeed(cmd, &f.Seed, "draws")
	cmd.Flags().BoolVar(&f.Consensus, "consensus", false, "the order nearest to all draws")
	cmd.Flags().IntVar(&f.Top, "top", 0, "how many of the most frequent orders")
	cmd.Flags().BoolVar(&f.Entropy, "entropy", false, "the entropy, nats")
	cmd.Flags().IntVar(&f.Draws, "draws", question.DefaultEntropyDraws, "trajectories for each log p of --entropy")
	cmd.Flags().StringVar(&f.figure, "figure", "", "draw the marginals into this file, .png or .svg")
	f.grid.add(cmd)
	f.rules.add(cmd)
	f.stream.add(cmd)
	addEngine(cmd, &f.engine)
	excludes(cmd, "entropy", ruleFlags...)
	return cmd
}

func (a *app) sample(cmd *cobra.Command, args []string, f *sampleFlags) error {
	if err := cmp.Or(usage(cmd, f.Check()), only(cmd, f.Entropy, "--entropy", "draws"), checkPicture(cmd, "figure", f.figure),
		f.rules.check(cmd), f.grid.check(cmd), f.stream.needsJSON(cmd, a.json)); err != nil {
		return err
	}
	if f.figure != "" {
		f.stream.single = "--figure: the picture is of one set"
	}
	var sets *input
	if f.grid.grid != "" {
		tiles, err := f.grid.Read(cmd.Context(), args[1])
		if err != nil {
			return usage(cmd, err)
		}
		sets = oneSet(args[1], tiles.Set)
	} else if len(args) == 2 {
		in, err := a.open(args[1])
		if err != nil {
			return err
		}
		sets = setsOf(in)
	}
	return ask(a, cmd, &f.stream, args, f.engine, sets, asker[question.Sampled]{least: 1, ask: func(ctx context.Context, m *learn.Model, sets []*dataset.Set) ([]question.Sampled, []dataset.Warning, error) {
		if err := question.GiveRules(f.rules.text, sets); err != nil {
			return nil, nil, err
		}
		var warning string
		if f.grid.grid != "" {
			var err error
			if warning, err = f.grid.Fits(question.About(args[0], m)); err != nil {
				return nil, nil, fmt.Errorf("sample: %w", err)
			}
		}
		out, warnings, err := f.Ask(ctx, m, sets)
		if err == nil && warning != "" {
			warnings, out[0].Warnings = append(warnings, dataset.Warning{Kind: "grid", Text: warning}), append(out[0].Warnings, warning)
		}
		if err == nil && f.figure != "" && len(sets[0].Items) == 0 {
			return nil, nil, learn.InSet(sets[0].Called(0), errors.New("--figure: it has no items to show"))
		}
		if err == nil && f.figure != "" {
			err = plot.Save(f.figure, figures.Marginals(out[0].Marginals, sets[0].ItemNames()))
		}
		return out, warnings, err
	}, print: func(answers []question.Sampled, sets []*dataset.Set) {
		for i, r := range answers {
			a.printSampled(r, constraint.QuoteAll(sets[i].ItemNames()))
		}
	}})
}

func (a *app) printSampled(r question.Sampled, names []string) {
	for _, o := range r.Samples {
		fmt.Fprintf(a.out, "%s\t%s\n", question.TextID(r.ID), strings.Join(perm.Act(o, names), " "))
	}
	a.printMarginals(r.Sampled, names)
	if c := r.Consensus; c != nil {
		best := ""
		if !c.Exact {
			best = ", a local optimum"
		}
		fmt.Fprintf(a.out, "\nconsensus  %s  (mean Kendall distance %.3f%s)\n", strings.Join(perm.Act(c.Order, names), " "), c.Distance, best)
	}
	if len(r.Top) > 0 {
		fmt.Fprintln(a.out)
		for _, f := range r.Top {
			fmt.Fprintf(a.out, "%6.2f %%  %s", 100*f.Share, strings.Join(perm.Act(f.Order, names), " "))
			if f.LogProb != nil {
				fmt.Fprintf(a.out, "  log p %.3f ± %s", *f.LogProb, orDash("%.3f", *f.StdErr))
				if f.Capped {
					fmt.Fprint(a.out, ", was above 0")
				}
			}
			fmt.Fprintln(a.out)
		}
	}
	if e := r.Entropy; e != nil {
		fmt.Fprintf(a.out, "\nentropy  %.3f ± %s nats (of all orders alike %.3f)\n", e.Mean, orDash("%.3f", e.StdErr), e.Uniform)
	}
}

func (a *app) printMarginals(s learn.Sampled, names []string) {
	fmt.Fprintf(a.out, "\nset %s: share of the samples with the item at the position\n", s.ID)
	header := []string{"item"}
	for i := range names {
		header = append(header, fmt.Sprint(i))
	}
	var rows [][]string
	for k, row := range s.Marginals {
		cells := []string{names[k]}
		for _, p := range row {
			cells = append(cells, fmt.Sprintf("%.2f", p))
		}
		rows = append(rows, cells)
	}
	text.Table(a.out, header, rows)
}
