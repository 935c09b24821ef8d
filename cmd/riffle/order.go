package main

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
	"github.com/riffle-ml/riffle/question"
)

// orderFlags are those of riffle order.
type orderFlags struct {
	engine string
	out    string
	order  question.Order
	grid   gridFlags
	tour   tourFlags
	rules  constraintFlags
	stream streamFlags
}

func (a *app) orderCommand() *cobra.Command {
	var f orderFlags
	cmd := &cobra.Command{
		Use:   "order DIR [INPUT]",
		Short: "the most probable orders of new sets",
		Long:  "order puts new sets in order with the model of the run DIR.\n\n" + topHelp + "\n\n" + inputHelp + "\n\n" + constrainHelp + "\n\n" + gridHelp + "\n\n" + tourHelp,
		Example: `  riffle order runs/sort9 numbers/
  riffle order runs/sort9 sets.jsonl --top 5 --json
  make-sets | riffle order runs/sort9 - --json --skip-done done.jsonl >> done.jsonl
  riffle order runs/sort9 numbers/ --pin 3.png=0 --before 7.png,5.png
  riffle order runs/jigsaw photo.png --grid 3x3 --shuffle 1 --crop
  riffle order runs/jigsaw tiles/ --grid 3x3 --pin sky.png=1 --forbid 4=8
  riffle order runs/tsp berlin52.tsp --finish 2opt
  riffle order runs/tsp berlin52.tsp --open --start 1 --end 52 --before 10,20`,
		Args: dirAndInput,
		RunE: func(cmd *cobra.Command, args []string) error { return a.order(cmd, args, &f) },
	}
	cmd.Flags().IntVar(&f.order.Top, "top", question.DefaultTop, "how many orders per set")
	f.grid.add(cmd)
	cmd.Flags().StringVar(&f.out, "out", "", "with --grid the picture to write, for tours the file to write; a picture of the steps goes beside it (default: a name made from INPUT, in the current folder)")
	f.grid.addShuffle(cmd)
	f.tour.add(cmd)
	f.rules.add(cmd)
	f.stream.add(cmd)
	addDecode(cmd, &f.order.Decode)
	addEngine(cmd, &f.engine)
	excludes(cmd, "grid", tourOnly...)
	excludes(cmd, "grid", "reference", "time")
	excludes(cmd, "grid", "skip-done")
	excludes(cmd, "finish", ruleFlags...)
	excludes(cmd, "open", "reference")
	return cmd
}

// order finds out what INPUT is and asks the model for its orders.
func (a *app) order(cmd *cobra.Command, args []string, f *orderFlags) error {
	if err := cmp.Or(checkDecode(cmd, f.order), f.rules.check(cmd), f.grid.check(cmd)); err != nil {
		return err
	}
	if f.order.Top > 1 { // in text a set has several lines, of which some may be cut off
		if err := f.stream.needsJSON(cmd, a.json); err != nil {
			return err
		}
	}
	if f.grid.grid != "" {
		return a.puzzle(cmd, args, f)
	}
	var in *dataset.Input
	if len(args) == 2 {
		var err error
		if in, err = a.open(args[1]); err != nil {
			return err
		}
		defer func() { _ = in.Close() }() // only read from
	}
	if in != nil && in.IsCities() && (args[1] != "-" || in.Format == dataset.FormatTSPLIB) { // lines of cities from the standard input are sets like any others
		return a.tours(cmd, args[0], in, f)
	}
	if err := cmp.Or(only(cmd, false, "cities", tourOnly...), only(cmd, false, "a puzzle or for cities", "out", "reference", "time")); err != nil {
		return err
	}
	var sets *input
	if in != nil {
		sets = setsOf(in)
	}
	return ask(a, cmd, &f.stream, args, f.engine, sets, asker[learn.Ordered]{ask: func(ctx context.Context, m *learn.Model, sets []*dataset.Set) ([]learn.Ordered, []dataset.Warning, error) {
		if err := question.GiveRules(f.rules.text, sets); err != nil {
			return nil, nil, err
		}
		return f.order.Ask(ctx, m, sets)
	}, print: func(answers []learn.Ordered, sets []*dataset.Set) {
		for i, r := range answers {
			a.printOrdered(r, constraint.QuoteAll(sets[i].ItemNames()), f.order.Top > 1)
		}
	}})
}

const topHelp = `--top K gives K orders of a set with their log path, in nats. The search begins at one arrangement
and keeps only some of the ways from there to an order. The log path is the log of the probability
of reaching the order along these ways. It ranks the orders. It is often far below log p(order),
which sums over all starts and all ways. riffle score estimates log p(order).`

// printOrdered prints a line for each order of a set.
func (a *app) printOrdered(r learn.Ordered, names []string, several bool) {
	for _, o := range r.Orders {
		fmt.Fprintf(a.out, "%s\t%s", question.TextID(r.ID), strings.Join(perm.Act(o.Order, names), " "))
		if o.Cost != nil {
			fmt.Fprintf(a.out, "\tlength %.6g", *o.Cost)
		}
		if several {
			fmt.Fprintf(a.out, "\tlog path %.3f", o.LogPath)
		}
		fmt.Fprintln(a.out)
	}
}
