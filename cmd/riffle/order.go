package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/constraint"
	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
)

func (a *app) orderCommand() *cobra.Command {
	var engineSpec string
	var top int
	var opt learn.DecodeOptions
	var puzzle puzzleFlags
	var tour tourFlags
	var rules constraintFlags
	var stream streamFlags
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
		RunE: func(cmd *cobra.Command, args []string) error {
			if learn.CheckTop(top) != nil {
				return usagef("order: --top must be 1 to %d (got %d)", learn.MaxBeam, top)
			}
			if err := checkDecode(cmd, opt); err != nil {
				return err
			}
			if top > 1 && opt.Method == "greedy" {
				return usagef("order: --decode greedy gives one order (asked for --top %d)", top)
			}
			if err := rules.check(cmd); err != nil {
				return err
			}
			if err := puzzle.check(cmd, top); err != nil {
				return err
			}
			if puzzle.grid != "" {
				return a.puzzle(cmd, args, engineSpec, puzzle, rules, opt)
			}
			cities := false
			if len(args) == 2 {
				var err error
				if cities, err = isTourFile(args[1]); err != nil {
					return err
				}
			}
			if cities {
				if err := tour.check(cmd, rules.given(cmd)); err != nil {
					return err
				}
				return a.tours(cmd, args, engineSpec, puzzle.out, tour, rules, top, opt)
			}
			for _, flag := range tourOnly {
				if cmd.Flags().Changed(flag) {
					return usagef("order: --%s is for cities alone", flag)
				}
			}
			for _, flag := range []string{"out", "reference", "time"} {
				if cmd.Flags().Changed(flag) {
					return usagef("order: --%s is for a puzzle or for cities alone", flag)
				}
			}
			return ask(a, cmd, &stream, a.readSets, args, engineSpec, question[learn.Ordered]{ask: func(ctx context.Context, m *learn.Model, sets []*dataset.Set) ([]learn.Ordered, []string, error) {
				if err := rules.put(sets); err != nil {
					return nil, nil, err
				}
				return m.Order(ctx, sets, top, opt)
			}, print: func(answers []learn.Ordered, sets []*dataset.Set) {
				for i, r := range answers {
					a.printOrdered(r, constraint.QuoteAll(sets[i].ItemNames()), top > 1)
				}
			}})
		},
	}
	cmd.Flags().IntVar(&top, "top", 1, "how many orders a set")
	puzzle.add(cmd)
	tour.add(cmd)
	rules.add(cmd)
	stream.add(cmd)
	addDecode(cmd, &opt)
	addEngine(cmd, &engineSpec)
	return cmd
}

const topHelp = `--top K gives K orders of a set with their log path, in nats: the log of the probability to
come from the one start of the search to the order on the ways that were kept. It ranks them and
is far below log p(order), which is over all starts and ways; riffle score estimates that.`

// printOrdered prints a line for each order of a set.
func (a *app) printOrdered(r learn.Ordered, names []string, several bool) {
	for _, o := range r.Orders {
		fmt.Fprintf(a.out, "%s\t%s", r.ID, strings.Join(perm.Act(o.Order, names), " "))
		if o.Cost != nil {
			fmt.Fprintf(a.out, "\tlength %.6g", *o.Cost)
		}
		if several {
			fmt.Fprintf(a.out, "\tlog path %.3f", o.LogPath)
		}
		fmt.Fprintln(a.out)
	}
}
