package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
)

func (a *app) sampleCommand() *cobra.Command {
	var engineSpec string
	var count int
	var seed uint64
	cmd := &cobra.Command{
		Use:     "sample DIR INPUT --count K",
		Short:   "draw orders, and how often each item stands at each position",
		Long:    "sample draws orders of new sets from the model of the run DIR.\n\n" + inputHelp,
		Example: `  riffle sample runs/sort9 numbers/ --count 100`,
		Args:    exactly("DIR", "INPUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if count < 1 {
				return usagef("sample: --count must be 1 or more (got %d)", count)
			}
			return ask(a, args, engineSpec, func(m *learn.Model, sets []*dataset.Set) ([]learn.Sampled, []string, error) {
				return m.Sample(cmd.Context(), sets, count, seed)
			}, func(r learn.Sampled, set *dataset.Set) {
				names := itemNames(set)
				for _, o := range r.Samples {
					fmt.Fprintf(a.out, "%s\t%s\n", r.ID, strings.Join(perm.Act(o, names), " "))
				}
				a.printMarginals(r, names)
			})
		},
	}
	cmd.Flags().IntVar(&count, "count", 10, "draws a set")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "another seed gives other draws")
	addEngine(cmd, &engineSpec)
	return cmd
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
	table(a.out, header, rows)
}
