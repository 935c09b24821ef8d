package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/riffle-ml/riffle/dataset"
	"github.com/riffle-ml/riffle/learn"
	"github.com/riffle-ml/riffle/perm"
)

const inputHelp = `INPUT is a folder of images (one set, in natural order of the file names) or a JSONL
file, one set a line: {"id": "q7", "items": [{"image": "a.png"}, {"image": "b.png"}]}
({} for a bare item). All orders are 0-based: order[i] is the item at position i.`

// readSets reads a user's sets.
func readSets(path string) ([]*dataset.Set, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		s, err := dataset.ReadFolder(path)
		if err != nil {
			return nil, err
		}
		return []*dataset.Set{s}, nil
	}
	sets, err := dataset.ReadJSONL(path)
	if err != nil {
		return nil, err
	}
	if len(sets) == 0 {
		return nil, fmt.Errorf("%s: no sets", path)
	}
	return sets, nil
}

// itemNames returns what to call the items of a set.
func itemNames(s *dataset.Set) []string {
	out := make([]string, len(s.Items))
	for i, it := range s.Items {
		switch {
		case it.ID != "":
			out[i] = it.ID
		case it.Image != "":
			out[i] = filepath.Base(it.Image)
		default:
			out[i] = fmt.Sprint(i)
		}
	}
	return out
}

func (a *app) orderCommand() *cobra.Command {
	var engineSpec string
	var top int
	var opt learn.DecodeOptions
	cmd := &cobra.Command{
		Use:   "order DIR INPUT",
		Short: "the most probable orders of new sets",
		Long:  "order puts new sets in order with the model of the run DIR.\n\n" + inputHelp,
		Example: `  riffle order runs/sort9 numbers/
  riffle order runs/sort9 sets.jsonl --top 5 --json`,
		Args: exactly("DIR", "INPUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if top < 1 {
				return usagef("order: --top must be 1 or more (got %d)", top)
			}
			if err := checkDecode("order", opt); err != nil {
				return err
			}
			if top > 1 && opt.Method == "greedy" {
				return usagef("order: --decode greedy gives one order (asked for --top %d)", top)
			}
			sets, err := readSets(args[1])
			if err != nil {
				return err
			}
			m, err := a.load(args[0], engineSpec)
			if err != nil {
				return err
			}
			results, warnings, err := m.Order(cmd.Context(), sets, top, opt)
			if err != nil {
				return err
			}
			a.warn(warnings)
			for i, r := range results {
				if a.json {
					if err := a.printLine(r); err != nil {
						return err
					}
					continue
				}
				for _, o := range r.Orders {
					fmt.Fprintf(a.out, "%s\t%s", r.ID, strings.Join(perm.Act(o.Order, itemNames(sets[i])), " "))
					if top > 1 {
						fmt.Fprintf(a.out, "\tlog p %.3f", o.LogProb)
					}
					fmt.Fprintln(a.out)
				}
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&top, "top", 1, "how many orders a set")
	addDecode(cmd, &opt)
	addEngine(cmd, &engineSpec)
	return cmd
}

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
			sets, err := readSets(args[1])
			if err != nil {
				return err
			}
			m, err := a.load(args[0], engineSpec)
			if err != nil {
				return err
			}
			results, warnings, err := m.Sample(cmd.Context(), sets, count, seed)
			if err != nil {
				return err
			}
			a.warn(warnings)
			for i, r := range results {
				if a.json {
					if err := a.printLine(r); err != nil {
						return err
					}
					continue
				}
				names := itemNames(sets[i])
				for _, o := range r.Samples {
					fmt.Fprintf(a.out, "%s\t%s\n", r.ID, strings.Join(perm.Act(o, names), " "))
				}
				a.printMarginals(r, names)
			}
			return nil
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

func (a *app) scoreCommand() *cobra.Command {
	var engineSpec string
	var draws int
	var seed uint64
	cmd := &cobra.Command{
		Use:   "score DIR INPUT",
		Short: "a lower bound on log p of given orders, in nats",
		Long: `score bounds the log-probability that the model of DIR gives to the sets' orders from
below (the variational bound, in nats), by the mean of random forward trajectories;
stderr is the standard error of that mean. uniform is −log n!, what knowing nothing
scores. Every set of INPUT, a JSONL file, needs "order" (or "rank").`,
		Example: `  riffle score runs/sort9 sets.jsonl --draws 64`,
		Args:    exactly("DIR", "INPUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if draws < 1 {
				return usagef("score: --draws must be 1 or more (got %d)", draws)
			}
			sets, err := readSets(args[1])
			if err != nil {
				return err
			}
			m, err := a.load(args[0], engineSpec)
			if err != nil {
				return err
			}
			results, warnings, err := m.Score(cmd.Context(), sets, draws, seed)
			if err != nil {
				return err
			}
			a.warn(warnings)
			var rows [][]string
			for _, r := range results {
				if a.json {
					if err := a.printLine(r); err != nil {
						return err
					}
				}
				rows = append(rows, []string{r.ID, fmt.Sprintf("%.4f", r.Bound), fmt.Sprintf("%.4f", r.StdErr), fmt.Sprintf("%.4f", r.Uniform)})
			}
			if !a.json {
				table(a.out, []string{"set", "bound", "stderr", "uniform"}, rows)
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&draws, "draws", 32, "forward trajectories a set")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "another seed gives other trajectories")
	addEngine(cmd, &engineSpec)
	return cmd
}
